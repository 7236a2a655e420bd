/* keep_rules.c - the keep-rules, one function each. See keep_rules.h and docs/sanitize.md.
 *
 * Sources: UAX #31 sections A1, A2 and B (joiners), UTS #51 (emoji sequences, the three RGI tag flags),
 * StandardizedVariants.txt, UAX #9 (isolates), ECMA-48. Ideographic selectors above VS48 are registered for no
 * ideograph, and bytes of ASCII letters would need them. */
#include "lib/text/keep_rules.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/text/tables/class_tables.gen.h"

#define CLUSTER_STEPS  24u /* code points looked at around one */
#define MARKS_MAX      5u  /* marks with a combining class on one base */
#define MARKS_STYLED   3u  /* on a Latin or Cyrillic one without a finding */
#define STACK_MAX      16u /* marks of any sort on one base */
#define PRIVATE_RUN    3u  /* private-use code points that may stand side by side */
#define ISOLATE_LEVELS 2u
#define SWAPS_MAX      6u /* changes between text and emoji presentation that a text may have */
#define LAST_IVS       0xE011Fu

typedef struct glyph {
    uint32_t c; /* TOAD__BAD: none, or ill-formed */
    const toad__class *is;
    size_t at, end;
} glyph;

static glyph no_glyph(size_t at) { return (glyph){ TOAD__BAD, toad__class_of(0), at, at }; }

static glyph glyph_at(toad_str s, size_t at) {
    if (at >= s.n) return no_glyph(s.n);
    unsigned len;
    uint32_t c = toad__utf8_decode(s, at, &len);
    if (c == TOAD__BAD) return no_glyph(at);
    return (glyph){ c, toad__class_of(c), at, at + len };
}

/* The code point that ends at `end`. What stands to the left is well formed. */
static glyph glyph_before(toad_str s, size_t end) {
    if (!end) return no_glyph(0);
    size_t at = end - 1;
    for (unsigned k = 0; k < 3 && at && ((unsigned char)s.p[at] & 0xC0) == 0x80; k++) at--;
    glyph g = glyph_at(s, at);
    return g.end == end ? g : no_glyph(end);
}

static bool has(glyph g, uint32_t flags) { return (g.is->flags & flags) != 0; }
static bool is_kind(glyph g, int kind) { return g.c != TOAD__BAD && g.is->kind == kind; }
static bool is_mark(glyph g) { return is_kind(g, TOAD__CP_MARK) || is_kind(g, TOAD__CP_STACK); }
/* Such a code point is never removed: a rule may lean on it to the right. */
static bool is_fixed(glyph g) { return is_kind(g, TOAD__CP_NONE); }
static bool is_letter(glyph g) { return has(g, TOAD__IS_LETTER); }

/* Everything a rule sees. */
typedef struct site {
    toad__keeper *k;
    toad_str left;
    glyph on, before, after;
} site;

static bool adjacent(const site *s) { return s->k->solid == s->on.at && s->left.n; }

static toad__ruling keep(const site *s) { return (toad__ruling){ .act = TOAD__KEEP, .n = s->on.end - s->on.at }; }

static toad__ruling drop(const site *s, toad__census_class why, bool report) {
    return (toad__ruling){ .act = TOAD__DROP, .n = s->on.end - s->on.at, .why = why, .report = report };
}

static toad__ruling put(const site *s, toad_str what, toad__census_class why, bool report) {
    return (toad__ruling){ .act = TOAD__PUT, .n = s->on.end - s->on.at, .put = what, .why = why, .report = report };
}

static toad_str replacement(void) { return TOAD__S("\xEF\xBF\xBD"); }

/* ---- combining marks ---- */

typedef struct cluster {
    unsigned marks, all;
    glyph base;
} cluster;

/* The marks at the end of `left` and what they stand on. Joiners and the like between them do not count. */
static cluster cluster_before(toad_str left) {
    cluster c = { 0, 0, no_glyph(0) };
    glyph g = glyph_before(left, left.n);
    for (unsigned i = 0; i < CLUSTER_STEPS && g.c != TOAD__BAD; i++, g = glyph_before(left, g.at)) {
        if (is_fixed(g) || is_kind(g, TOAD__CP_PRIVATE)) {
            c.base = g;
            return c;
        }
        c.marks += is_kind(g, TOAD__CP_MARK);
        c.all += is_mark(g);
    }
    return c;
}

static toad__ruling on_mark(const site *s) {
    cluster c = cluster_before(s->left);
    bool counted = is_kind(s->on, TOAD__CP_MARK);
    if (c.all >= STACK_MAX || (counted && c.marks >= MARKS_MAX)) return drop(s, TOAD__CENSUS_MARKS, true);
    toad__ruling r = keep(s);
    r.why = TOAD__CENSUS_MARKS;
    r.report = counted && c.marks >= MARKS_STYLED && has(c.base, TOAD__IS_STYLED_LETTER);
    return r;
}

/* A mark to the right that the cap on marks will not take away. */
static bool sure_mark(const site *s) { return is_mark(s->after) && cluster_before(s->left).all + 1 < MARKS_MAX; }

/* ---- joiners ---- */

/* Past combining marks: the letter they stand on, or the one that follows them. */
static glyph letter_before(toad_str left) {
    glyph g = glyph_before(left, left.n);
    for (unsigned i = 0; i < CLUSTER_STEPS && is_mark(g); i++) g = glyph_before(left, g.at);
    return g;
}

static glyph letter_after(toad_str in, size_t at) {
    glyph g = glyph_at(in, at);
    for (unsigned i = 0; i < CLUSTER_STEPS && is_mark(g); i++) g = glyph_at(in, g.end);
    return g;
}

static bool joins_or_counts(glyph g) {
    return has(g, TOAD__IS_JOINING) || (has(g, TOAD__IS_DIGIT) && g.c >= 0x660 && g.c <= 0x6F9);
}

/* Both sides belong to one Indic script, or a virama stands before. */
static bool indic_place(const site *s) {
    if (has(s->before, TOAD__IS_VIRAMA)) return true;
    bool same = s->before.is->script && s->before.is->script == s->after.is->script &&
                (is_fixed(s->before) || is_mark(s->before));
    return same && (is_fixed(s->after) || sure_mark(s));
}

static toad__ruling on_zwnj(const site *s) {
    if (indic_place(s)) return keep(s);
    bool joined = joins_or_counts(letter_before(s->left)) && has(letter_after(s->k->in, s->on.end), TOAD__IS_JOINING);
    return joined ? keep(s) : drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
}

/* Does the output end in an emoji unit: a pictograph, then perhaps a selector or a skin tone? */
static bool emoji_before(toad_str left) {
    glyph g = glyph_before(left, left.n);
    for (unsigned i = 0; i < 3 && (is_kind(g, TOAD__CP_EMOJI_SELECTOR) || has(g, TOAD__IS_SKIN)); i++)
        g = glyph_before(left, g.at);
    return has(g, TOAD__IS_PICTURE);
}

static toad__ruling on_zwj(const site *s) {
    if (indic_place(s)) return keep(s);
    if (has(s->after, TOAD__IS_PICTURE) && is_fixed(s->after) && emoji_before(s->left)) return keep(s);
    if (has(letter_before(s->left), TOAD__IS_JOINING)) return keep(s); /* asks for a letter's joining form */
    return drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
}

static toad__ruling on_zwsp(const site *s) {
    bool left = has(s->before, TOAD__IS_UNSPACED) && (is_fixed(s->before) || is_mark(s->before));
    bool right = has(s->after, TOAD__IS_UNSPACED) && is_fixed(s->after) && is_fixed(s->before) &&
                 !has(s->before, TOAD__IS_BLANK);
    return left || right ? keep(s) : drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
}

static toad__ruling on_cgj(const site *s) {
    bool after = is_mark(s->before) || (is_letter(s->before) && has(s->after, TOAD__IS_DOUBLE));
    return after && sure_mark(s) ? keep(s) : drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
}

/* ---- facts about the rest of a line, found once per line ---- */

static bool is_math(glyph g) {
    return has(g, TOAD__IS_MATH | TOAD__IS_DIGIT) || g.c == '(' || g.c == ')' || g.c == '[' || g.c == ']';
}

static bool ends_line(glyph g) { return (g.c >= '\n' && g.c <= '\r') || is_kind(g, TOAD__CP_LINE); }

static void see(toad__keeper *k, glyph g) {
    k->line_rtl = k->line_rtl || has(g, TOAD__IS_RTL);
    k->line_math = k->line_math || (is_fixed(g) && is_math(g));
}

/* Balanced, not too deep, and none of them empty. `filled`: something visible stands since the last opening. */
static bool isolate_ok(glyph g, unsigned *depth, bool *filled) {
    if (is_kind(g, TOAD__CP_ISOLATE)) {
        *filled = false;
        return ++*depth <= ISOLATE_LEVELS;
    }
    if (!is_kind(g, TOAD__CP_PDI)) {
        *filled = *filled || (is_fixed(g) && !has(g, TOAD__IS_BLANK));
        return true;
    }
    return *filled && (*depth)--;
}

static void learn_line(toad__keeper *k, toad_str left, size_t at) {
    if (at < k->line_end) return;
    k->line_rtl = k->line_math = false;
    k->line_isolates_ok = true;
    for (glyph g = glyph_before(left, left.n); g.c != TOAD__BAD && !ends_line(g); g = glyph_before(left, g.at))
        see(k, g);
    unsigned depth = 0;
    bool filled = false;
    while (at < k->in.n) {
        size_t skip = toad__terminal_sequence(k->in, at, NULL).n;
        glyph g = skip ? no_glyph(at) : glyph_at(k->in, at);
        if (ends_line(g)) break;
        see(k, g);
        k->line_isolates_ok = k->line_isolates_ok && isolate_ok(g, &depth, &filled);
        at = skip ? at + skip : g.end > at ? g.end : at + 1;
    }
    k->line_isolates_ok = k->line_isolates_ok && !depth && k->line_rtl;
    k->line_end = at;
}

static toad__ruling on_bidi_mark(const site *s) {
    learn_line(s->k, s->left, s->on.at);
    return s->k->line_rtl && !is_kind(s->before, TOAD__CP_BIDI_MARK) ? keep(s) : drop(s, TOAD__CENSUS_BIDI, true);
}

static toad__ruling on_isolate(const site *s) {
    learn_line(s->k, s->left, s->on.at);
    return s->k->line_isolates_ok ? keep(s) : drop(s, TOAD__CENSUS_BIDI, true);
}

/* The invisible operators of MathML: on a line with mathematics, between operands, and not inside a word. */
static toad__ruling on_operator(const site *s) {
    learn_line(s->k, s->left, s->on.at);
    bool operands = (is_letter(s->before) || is_math(s->before)) && is_fixed(s->after) &&
                    (is_letter(s->after) || is_math(s->after));
    bool long_left = is_letter(s->before) && is_letter(glyph_before(s->left, s->before.at));
    glyph second = glyph_at(s->k->in, s->after.end);
    bool short_right = !is_letter(s->after) || s->after.end >= s->k->in.n ||
                       (is_fixed(second) && !is_letter(second) && second.c != '_');
    bool word = long_left && !short_right;
    return s->k->line_math && operands && !word ? keep(s) : drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
}

/* ---- selectors ---- */

static bool any_selector(glyph g) {
    return is_kind(g, TOAD__CP_SELECTOR) || is_kind(g, TOAD__CP_EMOJI_SELECTOR) || is_kind(g, TOAD__CP_IDEO_SELECTOR);
}

static toad__ruling on_selector(const site *s) {
    uint32_t wanted = s->on.c == 0xFE00   ? TOAD__IS_STD1
                      : s->on.c == 0xFE01 ? TOAD__IS_STD2
                      : s->on.c == 0xFE02 ? TOAD__IS_STD3
                                          : 0;
    bool fits = adjacent(s) && has(s->before, wanted) && !any_selector(s->after);
    return fits ? keep(s) : drop(s, TOAD__CENSUS_SELECTORS, true);
}

static toad__ruling on_ideographic_selector(const site *s) {
    bool fits = adjacent(s) && s->on.c <= LAST_IVS && has(s->before, TOAD__IS_IDEOGRAPH) && !any_selector(s->after);
    return fits ? keep(s) : drop(s, TOAD__CENSUS_SELECTORS, true);
}

/* VS15 and VS16 in turn, each on a base that takes both: every pair is standardized, the row of them is a message. */
static bool swaps(toad__keeper *k) {
    if (k->swaps_known) return k->swaps;
    k->swaps_known = true;
    unsigned changes = 0;
    int last = 0;
    for (size_t at = 0; (at = toad__str_find(k->in, TOAD__S("\xEF\xB8"), at)) < k->in.n; at += 2) {
        int now = at + 2 < k->in.n ? (unsigned char)k->in.p[at + 2] : 0;
        if ((now | 1) != 0x8F || !has(glyph_before(k->in, at), TOAD__IS_EMOJI_BASE)) continue;
        changes += last && now != last;
        last = now;
    }
    return k->swaps = changes >= SWAPS_MAX;
}

static toad__ruling on_emoji_selector(const site *s) {
    if (swaps(s->k)) return drop(s, TOAD__CENSUS_SELECTORS, true);
    bool fits = adjacent(s) && has(s->before, TOAD__IS_EMOJI_BASE | TOAD__IS_PICTURE);
    return fits ? keep(s) : drop(s, TOAD__CENSUS_SELECTORS, false);
}

static toad__ruling on_fvs(const site *s) {
    bool fits = adjacent(s) && has(s->before, TOAD__IS_MONGOL) && !is_kind(s->after, TOAD__CP_FVS);
    return fits ? keep(s) : drop(s, TOAD__CENSUS_SELECTORS, false);
}

static toad__ruling on_mvs(const site *s) {
    bool after = has(s->before, TOAD__IS_MONGOL) || is_kind(s->before, TOAD__CP_FVS);
    return after && has(s->after, TOAD__IS_MONGOL) && is_fixed(s->after) ? keep(s)
                                                                         : drop(s, TOAD__CENSUS_FILLERS, true);
}

/* The flags of England, Scotland and Wales are the only tag sequences there are. */
static toad__ruling on_tag(const site *s) {
#define TAG(low) "\xF3\xA0\x81" low
    static const char *const flags[] = {
        TAG("\xA7") TAG("\xA2") TAG("\xA5") TAG("\xAE") TAG("\xA7") TAG("\xBF"),
        TAG("\xA7") TAG("\xA2") TAG("\xB3") TAG("\xA3") TAG("\xB4") TAG("\xBF"),
        TAG("\xA7") TAG("\xA2") TAG("\xB7") TAG("\xAC") TAG("\xB3") TAG("\xBF"),
    };
#undef TAG
    toad__cur cur = { s->k->in, s->on.at };
    for (unsigned i = 0; i < 3 && s->before.c == 0x1F3F4; i++) {
        toad_str tags = toad__str_z(flags[i]);
        if (toad__cur_looking_at(&cur, tags)) return (toad__ruling){ .act = TOAD__KEEP, .n = tags.n };
    }
    return drop(s, TOAD__CENSUS_TAGS, true);
}

/* ---- the rest ---- */

/* A filler stands for the missing consonant or vowel of an old Hangul syllable that has its other part. */
static toad__ruling on_hangul_filler(const site *s) {
    glyph second = glyph_at(s->k->in, s->after.end);
    bool fits = s->on.c == 0x115F
                    ? has(s->after, TOAD__IS_JAMO_V) || (s->after.c == 0x1160 && has(second, TOAD__IS_JAMO_T))
                    : has(s->before, TOAD__IS_JAMO_L) || (s->before.c == 0x115F && has(s->after, TOAD__IS_JAMO_T));
    return fits ? keep(s) : drop(s, TOAD__CENSUS_FILLERS, true);
}

static toad__ruling on_notation(const site *s, uint32_t flag, int own_kind) {
    bool fits = has(s->before, flag) || is_kind(s->before, own_kind) || (has(s->after, flag) && is_fixed(s->after));
    return fits ? keep(s) : drop(s, TOAD__CENSUS_FILLERS, true);
}

/* The empty cell belongs to Braille, which is no letters; between two letters it is a blank that no blank is. What may
 * vanish behind it may leave a letter there. */
static toad__ruling on_blank_cell(const site *s) {
    bool vanishes = s->after.c != TOAD__BAD && !is_fixed(s->after) && !is_kind(s->after, TOAD__CP_BLANK_CELL);
    bool inside = has(s->before, TOAD__IS_LETTER | TOAD__IS_DIGIT) &&
                  (vanishes || has(s->after, TOAD__IS_LETTER | TOAD__IS_DIGIT));
    return inside ? put(s, TOAD__S(" "), TOAD__CENSUS_FILLERS, false) : keep(s);
}

/* Icons stand alone; a row of them can spell a text. The row becomes one U+FFFD. */
static toad__ruling on_private(const site *s) {
    if (s->k->replaced_at && s->k->replaced_at == s->left.n) return drop(s, TOAD__CENSUS_PRIVATE_USE, true);
    size_t at = s->left.n;
    for (unsigned i = 0; i < PRIVATE_RUN; i++) {
        glyph g = glyph_before(s->left, at);
        if (!is_kind(g, TOAD__CP_PRIVATE)) return keep(s);
        at = g.at;
    }
    toad__ruling r = put(s, replacement(), TOAD__CENSUS_PRIVATE_USE, true);
    r.cut = s->left.n - at;
    s->k->replaced_at = at + r.put.n;
    return r;
}

static toad__ruling on_sequence(const site *s) {
    toad__sequence seq = toad__terminal_sequence(s->k->in, s->on.at, &s->k->colors);
    if (!seq.n) return drop(s, TOAD__CENSUS_CONTROL, true);
    toad__ruling r = drop(s, seq.harmless ? TOAD__CENSUS_TERMINAL_STYLE : TOAD__CENSUS_TERMINAL, !seq.harmless);
    r.n = seq.n;
    return r;
}

/* Backspace: typewriter bold (X BS X) and underline (_ BS X) leave X; anything else is an edit that only a terminal
 * shows. */
static toad__ruling on_backspace(const site *s) {
    bool over = s->left.n && is_fixed(s->before) && is_fixed(s->after) && !has(s->after, TOAD__IS_BLANK) &&
                (s->before.c == s->after.c || s->before.c == '_');
    toad__ruling r = drop(s, TOAD__CENSUS_CONTROL, !over);
    r.cut = over ? s->left.n - s->before.at : 0;
    return r;
}

static toad__ruling line_feed(const site *s, toad__census_class why, bool report) {
    toad__ruling r = put(s, TOAD__S("\n"), why, report);
    r.ends_line = true;
    return r;
}

static bool at_line_start(const site *s) { return !s->left.n || s->before.c == '\n'; }

static toad__ruling on_line_break(const site *s, size_t n) {
    toad__ruling r = keep(s);
    r.n = n;
    r.ends_line = true;
    return r;
}

/* A bare CR lets what follows overwrite what stands on the line. */
static toad__ruling on_return(const site *s) {
    if (s->after.c == '\n') return on_line_break(s, 2);
    if (s->after.c == '\r') return drop(s, TOAD__CENSUS_LINE_SEPARATOR, false);
    return line_feed(s, TOAD__CENSUS_CONTROL, !at_line_start(s));
}

static toad__ruling on_form_feed(const site *s) {
    bool alone = s->after.c == '\n' || s->on.end >= s->k->in.n ||
                 toad__str_starts(toad__str_part(s->k->in, s->on.end, s->k->in.n), TOAD__S("\r\n"));
    if (!at_line_start(s)) return line_feed(s, TOAD__CENSUS_LINE_SEPARATOR, false);
    return alone ? keep(s) : drop(s, TOAD__CENSUS_LINE_SEPARATOR, false);
}

static toad__ruling on_control(const site *s) {
    switch (s->on.c) {
    case '\n': return on_line_break(s, 1);
    case '\r': return on_return(s);
    case '\f': return on_form_feed(s);
    case '\v': return line_feed(s, TOAD__CENSUS_LINE_SEPARATOR, false);
    case '\b': return on_backspace(s);
    case 0x1B: return on_sequence(s);
    case 0x1A: return drop(s, TOAD__CENSUS_CONTROL, s->on.end < s->k->in.n); /* the end-of-file mark of DOS */
    default: return drop(s, TOAD__CENSUS_CONTROL, true);
    }
}

/* A mark before a text says nothing; a mark that is the whole text is that text. */
static toad__ruling on_byte_order_mark(const site *s) {
    if (s->on.at) return drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
    return s->on.end >= s->k->in.n ? keep(s) : drop(s, TOAD__CENSUS_BOM, false);
}

static toad__ruling on_bad_bytes(const site *s) {
    unsigned len;
    toad__utf8_decode(s->k->in, s->on.at, &len);
    return (
        toad__ruling){ .act = TOAD__PUT, .n = len, .put = replacement(), .why = TOAD__CENSUS_BAD_UTF8, .report = true };
}

static toad__ruling rule(const site *s) {
    switch (s->on.is->kind) {
    case TOAD__CP_MARK:
    case TOAD__CP_STACK: return on_mark(s);
    case TOAD__CP_C1: return on_sequence(s);
    case TOAD__CP_LINE: return line_feed(s, TOAD__CENSUS_LINE_SEPARATOR, false);
    case TOAD__CP_SOFT_HYPHEN: return drop(s, TOAD__CENSUS_SOFT_HYPHEN, false);
    case TOAD__CP_CGJ: return on_cgj(s);
    case TOAD__CP_HANGUL_FILLER: return on_hangul_filler(s);
    case TOAD__CP_FVS: return on_fvs(s);
    case TOAD__CP_MVS: return on_mvs(s);
    case TOAD__CP_ZWSP: return on_zwsp(s);
    case TOAD__CP_ZWNJ: return on_zwnj(s);
    case TOAD__CP_ZWJ: return on_zwj(s);
    case TOAD__CP_BIDI_MARK: return on_bidi_mark(s);
    case TOAD__CP_BIDI_EMBED: return drop(s, TOAD__CENSUS_BIDI, true);
    case TOAD__CP_ISOLATE:
    case TOAD__CP_PDI: return on_isolate(s);
    case TOAD__CP_JOINER: return drop(s, TOAD__CENSUS_ZERO_WIDTH, false);
    case TOAD__CP_OPERATOR: return on_operator(s);
    case TOAD__CP_SELECTOR: return on_selector(s);
    case TOAD__CP_EMOJI_SELECTOR: return on_emoji_selector(s);
    case TOAD__CP_IDEO_SELECTOR: return on_ideographic_selector(s);
    case TOAD__CP_BOM: return on_byte_order_mark(s);
    case TOAD__CP_ANNOTATION: return drop(s, TOAD__CENSUS_ANNOTATION, s->on.c != 0xFFFC);
    case TOAD__CP_PRIVATE: return on_private(s);
    case TOAD__CP_NONCHAR: return put(s, replacement(), TOAD__CENSUS_NONCHARACTER, true);
    case TOAD__CP_SHORTHAND: return on_notation(s, TOAD__IS_STENO, TOAD__CP_SHORTHAND);
    case TOAD__CP_MUSIC: return on_notation(s, TOAD__IS_MUSICAL, TOAD__CP_MUSIC);
    case TOAD__CP_HIEROGLYPH: return on_notation(s, TOAD__IS_GLYPH, TOAD__CP_HIEROGLYPH);
    case TOAD__CP_TAG: return on_tag(s);
    case TOAD__CP_BLANK_CELL: return on_blank_cell(s);
    case TOAD__CP_IGNORABLE: return drop(s, TOAD__CENSUS_FILLERS, true);
    default: return on_control(s);
    }
}

/* Bytes that are ill-formed UTF-8 wherever they stand, and by themselves. */
static bool is_never_first(unsigned char c) { return (c >= 0x80 && c < 0xC2) || c > 0xF4; }

bool toad__rules_alike(const toad__ruling *r, toad_str in, size_t at) {
    if (r->why == TOAD__CENSUS_BAD_UTF8) return r->n == 1 && at < in.n && is_never_first((unsigned char)in.p[at]);
    const uint32_t steady = 1u << TOAD__CENSUS_ZERO_WIDTH | 1u << TOAD__CENSUS_TAGS | 1u << TOAD__CENSUS_SELECTORS |
                            1u << TOAD__CENSUS_SOFT_HYPHEN | 1u << TOAD__CENSUS_FILLERS | 1u << TOAD__CENSUS_MARKS;
    return r->act == TOAD__DROP && !r->cut && steady >> r->why & 1 && at >= r->n && in.n - at >= 2 * r->n &&
           !memcmp(in.p + at - r->n, in.p + at, 2 * r->n);
}

void toad__keeper_init(toad__keeper *k, toad_str in) { *k = (toad__keeper){ .in = in }; }

toad__ruling toad__rule_on(toad__keeper *k, toad_str left, size_t at) {
    site s = { .k = k, .left = left, .on = glyph_at(k->in, at) };
    if (s.on.c == TOAD__BAD) {
        s.on.at = at;
        return on_bad_bytes(&s);
    }
    s.before = glyph_before(left, left.n);
    s.after = glyph_at(k->in, s.on.end);
    return rule(&s);
}

size_t toad__trailing_bits(toad_str left) {
    size_t at = left.n, changes = 0;
    while (at && (left.p[at - 1] == ' ' || left.p[at - 1] == '\t')) {
        at--;
        changes += at + 1 < left.n && left.p[at] != left.p[at + 1];
    }
    return left.n - at >= 4 && changes >= 2 ? left.n - at : 0;
}
