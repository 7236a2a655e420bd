/* marker.c - see marker.h.
 *
 * Two readers walk the folded view. The letter reader takes the letters alone (then once more with short tags left out)
 * and looks for the boundary names; a hit is widened to the brackets left of it and to attributes and brackets right of
 * it. The bracket reader stops at each '<', '[' and ']' and parses what stands behind, never further than a fixed
 * number of bytes. Hits are mapped back through the fold and the unveil layers, sorted, and joined where they overlap.
 */
#include "lib/wrap/marker.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/wrap/unveil.h"

#include <assert.h>
#include <stdlib.h>

enum {
    NEAR = 8,       /* units between a name and its bracket */
    BRACKETS = 3,   /* brackets taken on each side, as upstream counts them */
    TAG_MAX = 64,   /* bytes of a tag that is left out inside a name */
    TOKEN_MAX = 64, /* bytes between the bars of a token */
    TAIL_MAX = 256, /* bytes of a tag behind its name */
    ATTRIBUTES_MAX =
        8192, /* bytes of attributes behind a boundary name; longer ones are left standing, harmless without it */
    NOTICE_MAX = 512, /* bytes of a notice of ours looked at */
    OTHER = 0xFF,     /* among letters: a digit, or a letter of another script ... */
    SIGN = 0xFE,      /* ... and a sign beside a letter: drawn as one, or put between */
    FOLD_FACTOR = 12, /* most bytes one byte folds to, NFKD's worst case and one */
};

void toad__marker_init(toad__marker *m) {
    size_t max = (size_t)TOAD__MARKER_PIECE * FOLD_FACTOR;
    *m = (toad__marker){ 0 };
    toad__view_init(&m->view, max);
    for (unsigned i = 0; i < TOAD__UNVEIL_LAYERS; i++) {
        toad__buf_init(&m->plain[i], max);
        toad__offmap_init(&m->plain_map[i]);
    }
}

void toad__marker_free(toad__marker *m) {
    toad__view_free(&m->view);
    for (unsigned i = 0; i < TOAD__UNVEIL_LAYERS; i++) {
        toad__buf_free(&m->plain[i]);
        toad__offmap_free(&m->plain_map[i]);
    }
    free(m->hits);
    free(m->letters);
    free(m->at);
    free(m->candidates);
    *m = (toad__marker){ 0 };
}

/* ---- hits ---- */

static toad_span back(const toad__marker *m, size_t start, size_t end) {
    toad_span s = toad__offmap_back(&m->view.map, (toad_span){ start, end });
    for (unsigned i = m->layers; i-- > 0;) s = toad__offmap_back(&m->plain_map[i], s);
    return s;
}

/* Note [start, end) of the view. */
static void hit(toad__marker *m, size_t start, size_t end, const char *text, bool weak) {
    if (m->status) return;
    if (m->n == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 32;
        toad__hit *v = realloc(m->hits, cap * sizeof *v);
        if (!v) {
            m->status = TOAD_E_NOMEM;
            return;
        }
        m->hits = v;
        m->cap = cap;
    }
    toad_span s = back(m, start, end);
    assert(start < end && end <= m->view.text.n && s.start <= s.end);
    m->hits[m->n++] = (toad__hit){ (size_t)s.start, (size_t)s.end, text, weak };
}

/* ---- small steps over the view ---- */

static inline int peek(toad_str t, size_t i) { return i < t.n ? (unsigned char)t.p[i] : -1; }

static inline size_t skip_blanks(toad_str t, size_t i) {
    while (peek(t, i) == ' ') i++;
    return i;
}

/* Behind the bars at `i` and the blanks after them. */
static inline size_t skip_bars(toad_str t, size_t i) {
    while (peek(t, i) == '|') i++;
    return skip_blanks(t, i);
}

static inline bool word_byte(int c) { return toad__is_alnum(c) || c >= 0x80; }

/* Offset behind up to BRACKETS closing brackets `c` (blanks between them allowed), or `i` if none stands there. */
static size_t closers(toad_str t, size_t i, char c) {
    for (unsigned n = 0; n < BRACKETS; n++) {
        size_t k = skip_blanks(t, i);
        if (peek(t, k) != c) break;
        i = k + 1;
    }
    return i;
}

/* ---- the letter reader ---- */

enum name_kind { NAME_OPENCLAW, NAME_PAIR, NAME_TAG, NAME_FENCE };

/* Reversed spellings are names of their own. */
static const struct name {
    const char *letters;
    uint8_t n;
    uint8_t kind;
    bool reversed;
} names[] = {
#define NAME(letters, kind, reversed) \
    { letters, sizeof(letters) - 1, kind, reversed }
    NAME("externaluntrustedcontent", NAME_OPENCLAW, false),
    NAME("untrustedptcoutput", NAME_PAIR, false),
    NAME("untrustedtoolresult", NAME_PAIR, false),
    NAME("externalcontent", NAME_TAG, false),
    NAME("untrustedcontent", NAME_FENCE, false),
    NAME("untrusteddata", NAME_FENCE, false),
    NAME("untrustedinput", NAME_FENCE, false),
    NAME("tnetnocdetsurtnulanretxe", NAME_OPENCLAW, true),
    NAME("tuptuoctpdetsurtnu", NAME_PAIR, true),
    NAME("tluserlootdetsurtnu", NAME_PAIR, true),
    NAME("tnetnoclanretxe", NAME_TAG, true),
#undef NAME
};

/* Letters that are drawn alike, or that look-alikes fold to: a bar of another script is an i there, and not an l. */
static bool is_drawn_as(uint8_t letter, char of) {
    return letter == (uint8_t)of || (letter == 'i' && of == 'l') || (letter == 'l' && of == 'i') ||
           (letter == 'v' && of == 'u');
}

/* How many of `have` letters read as `name`, 0: they do not. What is no Latin letter after folding may be drawn like
 * any: one in six is let pass, so that no table of look-alikes has to be complete. A sign is one of the name's letters
 * where the name goes on behind it only then. */
static size_t reads_as(const uint8_t *letters, size_t have, const char *name, size_t n) {
    size_t at = 0, others = 0;
    for (size_t i = 0; i < n; at++) {
        if (at == have) return 0;
        bool sign = letters[at] == SIGN, other = sign || letters[at] == OTHER;
        bool twice = i + 1 < n && name[i] == name[i + 1]; /* behind the sign, too, or it is the first of the two */
        bool between = sign && at + 1 < have && is_drawn_as(letters[at + 1], name[i]) &&
                       (!twice || (at + 2 < have && is_drawn_as(letters[at + 2], name[i])));
        if (!other && !is_drawn_as(letters[at], name[i])) return 0;
        others += other && !between;
        i += !between;
    }
    return others <= n / 6 + 1 ? at : 0;
}

/* Does what stands right before letter `i` read as `word`? Where it begins, or `i`. */
static size_t word_before(const toad__marker *m, size_t i, const char *word) {
    size_t n = strlen(word);
    return i >= n && reads_as(m->letters + i - n, n, word, n) && m->at[i] - m->at[i - 1] <= 2 * NEAR ? i - n : i;
}

/* What stands between a name and the bracket left of it. */
typedef struct left {
    size_t start; /* of the outermost bracket taken, or of the name */
    char bracket; /* 0: none near */
    bool slash;
} left;

static left look_left(toad_str t, size_t name) {
    left l = { name, 0, false };
    size_t i = name;
    for (unsigned units = 0; i > 0 && units < NEAR; units++) {
        int c = (unsigned char)t.p[i - 1];
        if (word_byte(c)) return l;
        i--;
        if (c == '/') l.slash = true;
        if (c != '<' && c != '[' && c != '{' && c != '>' && c != ']' && c != '}') continue;
        l.bracket = (char)c;
        break;
    }
    if (!l.bracket) return l;
    l.start = i;
    for (unsigned n = 1; n < BRACKETS; n++) {
        while (i > 0 && t.p[i - 1] == ' ') i--;
        if (!i || t.p[i - 1] != l.bracket) break;
        l.start = --i;
    }
    return l;
}

/* One attribute at `i`: name = value, value in quotes (JSON-escaped ones too) or bare. Offset behind it, or `i`. */
static size_t attribute(toad_str t, size_t i, size_t limit) {
    size_t k = i;
    while (toad__is_alnum(peek(t, k)) || peek(t, k) == '_' || peek(t, k) == '-' || peek(t, k) == ':') k++;
    if (k == i) return i;
    k = skip_blanks(t, k);
    if (peek(t, k) != '=') return i;
    k = skip_blanks(t, k + 1);
    while (peek(t, k) == '\\') k++;
    int quote = peek(t, k);
    if (quote != '"' && quote != '\'') {
        while (k < limit && peek(t, k) != ' ' && peek(t, k) != '<' && peek(t, k) != '>' && peek(t, k) != ']') k++;
        return k;
    }
    for (k++; k < limit && peek(t, k) != quote;) k++;
    return k < limit ? k + 1 : i;
}

/* Offset behind attributes and closing brackets that follow a name at `i`; `*closed` says whether a bracket came. */
static size_t look_right(toad_str t, size_t i, char bracket, bool *closed) {
    size_t k = i, limit = t.n - i < ATTRIBUTES_MAX ? t.n : i + ATTRIBUTES_MAX;
    for (size_t next;; k = next) {
        next = k;
        while (peek(t, next) == ' ' || peek(t, next) == '/' || peek(t, next) == '\\' || peek(t, next) == ',') next++;
        next = attribute(t, next, limit);
        if (next == k || next >= limit) break;
    }
    while (k < limit && (peek(t, k) == ' ' || peek(t, k) == '/' || peek(t, k) == '\\' || peek(t, k) == '"' ||
                         peek(t, k) == '_' || peek(t, k) == '-'))
        k++;
    size_t end = closers(t, k, bracket);
    *closed = end > k;
    return *closed ? end : i;
}

static char closing_of(char open) {
    return open == '[' ? ']' : open == '{' ? '}' : open == '>' ? '<' : open == ']' ? '[' : '>';
}

/* Offset behind letter `i`. */
static size_t behind(const toad__marker *m, size_t i) {
    unsigned len = 1;
    if (m->letters[i] == OTHER || m->letters[i] == SIGN)
        (void)toad__utf8_decode(toad__buf_str(&m->view.text), m->at[i], &len);
    return m->at[i] + len;
}

/* A name whose letters are [i, i + n) of m->letters: take the hit if brackets or its own spelling make it a marker. */
static bool take_name(toad__marker *m, const struct name *name, size_t i, size_t n, bool weak) {
    toad_str t = toad__buf_str(&m->view.text);
    size_t start = m->at[i], end = behind(m, i + n - 1);
    bool loose = memchr(t.p + start, ' ', end - start) != NULL;
    size_t before_last = word_before(m, i, "end"), before_first = word_before(m, i, "begin");
    bool last = before_last < i, first = before_first < i;
    size_t outer = m->at[last ? before_last : before_first];
    left l = look_left(t, outer);
    bool closed, open = l.bracket == '<' || l.bracket == '[' || l.bracket == '{';
    size_t stop = look_right(t, end, open || name->reversed ? closing_of(l.bracket) : '>', &closed);
    bool take;
    if (name->reversed)
        take = (name->kind == NAME_OPENCLAW && !loose) || l.bracket == '>' || closed;
    else if (name->kind == NAME_OPENCLAW)
        take = !loose || open || closed;
    else if (name->kind == NAME_PAIR)
        take = l.bracket == '<' || (!loose && (open || closed));
    else if (name->kind == NAME_TAG)
        take = l.bracket == '<' || (closed && !loose && memchr(t.p + start, '_', end - start));
    else
        take = l.bracket == '<' || (open && (first || last));
    if (!take && name->kind == NAME_OPENCLAW && last && toad__view_line_start(&m->view, outer) &&
        (stop >= t.n || toad__view_line_start(&m->view, skip_blanks(t, stop))))
        take = true;
    if (take)
        hit(m, open || name->reversed ? l.start : outer, stop, last || l.slash ? TOAD__MARKER_END : TOAD__MARKER_START,
            weak);
    return take;
}

/* The name that begins at letter `i`, and how many letters it takes; NULL: none does. */
static const struct name *name_at(const toad__marker *m, size_t i, size_t *ret_n) {
    for (const struct name *n = names; n < names + sizeof names / sizeof *names; n++)
        if ((*ret_n = reads_as(m->letters + i, m->letters_n - i, n->letters, n->n))) return n;
    return NULL;
}

static void read_names(toad__marker *m, bool weak) {
    size_t done = 0, n = 0;
    for (size_t k = 0; k < m->candidates_n; k++) {
        size_t i = m->candidates[k];
        const struct name *name = i >= done ? name_at(m, i, &n) : NULL;
        if (name && take_name(m, name, i, n, weak)) done = i + n;
    }
}

/* Four letters as one number, the last in the lowest byte. Every name begins with one of these, of which one letter may
 * be OTHER. */
#define FOUR(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (uint32_t)(d))
static inline bool begins_with(uint32_t last_four, uint32_t four) {
    uint32_t differs = last_four ^ four;
    if (!differs) return true;
    unsigned at = differs & 0xFFFF ? (differs & 0xFF ? 0 : 8) : (differs & 0xFF0000 ? 16 : 24);
    return (last_four >> at & 0xFF) == OTHER && !(differs & ~((uint32_t)0xFF << at));
}
static inline bool begins_name(uint32_t last_four) {
    return begins_with(last_four, FOUR('e', 'x', 't', 'e')) || begins_with(last_four, FOUR('u', 'n', 't', 'r')) ||
           last_four == FOUR('v', 'n', 't', 'r') || begins_with(last_four, FOUR('t', 'n', 'e', 't')) ||
           begins_with(last_four, FOUR('t', 'u', 'p', 't')) || begins_with(last_four, FOUR('t', 'l', 'u', 's'));
}

/* Symbols, which a reader looks through, as against letters of another script, which end a name. */
static bool looked_through(uint32_t c) {
    return (c >= 0xA1 && c <= 0xBF) || c == 0xD7 || c == 0xF7 || (c >= 0x2000 && c <= 0x2BFF) ||
           (c >= 0x3000 && c <= 0x303F) || (c >= 0xFE00 && c <= 0xFE6F) || (c >= 0xFFE0 && c <= 0xFFFF) ||
           (c >= 0x1F000 && c <= 0x1FAFF) || c == TOAD__BAD;
}

/* Offset behind a short tag at `i`, or `i`. */
static size_t short_tag(toad_str t, size_t i) {
    for (size_t k = i + 1; k < t.n && k - i <= TAG_MAX && t.p[k] != '<'; k++)
        if (t.p[k] == '>') return k > i + 1 ? k + 1 : i;
    return i;
}

static bool letters_room(toad__marker *m, size_t n) {
    if (n <= m->letters_cap) return true;
    uint8_t *letters = realloc(m->letters, n);
    if (letters) m->letters = letters;
    uint32_t *at = letters ? realloc(m->at, n * sizeof *at) : NULL;
    if (at) m->at = at;
    uint32_t *candidates = at ? realloc(m->candidates, n * sizeof *candidates) : NULL;
    if (!candidates) {
        m->status = TOAD_E_NOMEM;
        return false;
    }
    m->candidates = candidates;
    m->letters_cap = n;
    return true;
}

/* Signs that fonts draw like a letter; of others than ASCII's nobody can say. */
static inline bool is_sign(int c) { return c >= 0x80 || c == '|' || c == '!' || c == '$' || c == '@'; }

/* The letter that is the fourth before the `n`th, signs not counted; there are four. */
static uint32_t four_before(const uint8_t *letters, size_t n) {
    for (unsigned missing = 4; missing; n--) missing -= letters[n - 1] != SIGN;
    return (uint32_t)n;
}

/* Write the letters of the view, and where names may begin among them; OTHER stands for digits and letters of other
 * scripts. Returns whether a tag was left out. */
static bool take_letters(toad__marker *m, bool without_tags) {
    toad_str t = toad__buf_str(&m->view.text);
    bool left_out = false;
    uint32_t plain = 0, drawn = 0; /* the last four letters: signs are none; signs are letters */
    size_t n = 0, candidates = 0;
    for (size_t i = 0; i < t.n;) {
        unsigned char c = (unsigned char)t.p[i];
        unsigned len = 1;
        bool letter = toad__is_lower(c);
        /* written in any case and counted only if it is a letter: words end too often for the branch to be foreseen */
        m->letters[n] = c;
        m->at[n] = (uint32_t)i;
        if (c == '<' && without_tags) {
            size_t end = short_tag(t, i);
            left_out |= end > i;
            len = end > i ? (unsigned)(end - i) : 1;
        } else if (toad__is_digit(c) || (c >= 0x80 && !looked_through(toad__utf8_decode(t, i, &len)))) {
            m->letters[n] = OTHER;
            letter = true;
        } else if (!letter && is_sign(c) &&
                   (toad__is_lower(peek(t, i + len)) || (i && toad__is_lower(peek(t, i - 1))))) {
            m->letters[n++] = SIGN;
            drawn = drawn << 8 | OTHER;
            if (begins_name(drawn)) m->candidates[candidates++] = (uint32_t)(n - 4);
        }
        n += letter;
        plain = letter ? plain << 8 | m->letters[n - 1] : plain;
        drawn = letter ? drawn << 8 | m->letters[n - 1] : drawn;
        if (letter & begins_name(plain))
            m->candidates[candidates++] = four_before(m->letters, n);
        else if (letter & (drawn != plain) && begins_name(drawn))
            m->candidates[candidates++] = (uint32_t)(n - 4);
        i += len;
    }
    m->letters_n = n;
    m->candidates_n = candidates;
    return left_out;
}

/* ---- the bracket reader ---- */

enum rule { OPEN, CLOSED, EXACT, ATTRIBUTE, NAMED, UPPER };

typedef struct token {
    const char *name;
    uint8_t rule;
    const char *text, *closing_text;
} token;

static const token angle_tokens[] = {
#define ANGLE(name, rule, text, closing) { name, rule, text, closing },
#define SQUARE(name, rule, text, closing)
#include "lib/wrap/tokens.def"
#undef ANGLE
#undef SQUARE
};
static const token square_tokens[] = {
#define ANGLE(name, rule, text, closing)
#define SQUARE(name, rule, text, closing) { name, rule, text, closing },
#include "lib/wrap/tokens.def"
#undef ANGLE
#undef SQUARE
};
#define COUNT(table) (sizeof(table) / sizeof *(table))
static const char removed[] = "[REMOVED_SPECIAL_TOKEN]";
static const token shaped = { "", OPEN, removed, removed };

typedef struct word {
    char text[24]; /* without '_' and '-' */
    size_t n, end;
} word;

/* The word at `i`, up to a blank; with `blanks`, up to anything that is no letter, digit, '_', '-' or blank. A bar
 * between letters is a low line too: the vertical one (U+FE33) may be either. */
static word read_word(toad_str t, size_t i, bool blanks) {
    word w = { .n = 0, .end = i };
    for (size_t k = i; k < t.n && w.n < sizeof w.text - 1; k++) {
        int c = peek(t, k);
        bool low = c == '_' || c == '-' || (c == '|' && w.n && toad__is_alnum(peek(t, k + 1)));
        if (!toad__is_alnum(c) && !low && !(c == ' ' && blanks)) break;
        if (toad__is_alnum(c)) w.text[w.n++] = (char)c;
        if (c != ' ') w.end = k + 1;
    }
    w.text[w.n] = 0;
    return w;
}

static const token *find_token(const token *table, size_t n, const word *w) {
    for (size_t i = 0; i < n && w->n; i++)
        if (table[i].name[0] == w->text[0] && !strcmp(table[i].name, w->text)) return &table[i];
    return NULL;
}

/* Offset behind the '>' that closes a tag whose name ends at `i`, or `i` when it does not close soon. */
static size_t tag_end(toad_str t, size_t i) {
    for (size_t k = i; k < t.n && k - i < TAIL_MAX && t.p[k] != '<'; k++)
        if (t.p[k] == '>') return k + 1;
    return i;
}

/* <|...|>, <|name> and <|name; `i` holds the '<', `bar` the '|'. */
static size_t bar_token(toad__marker *m, toad_str t, size_t i, size_t bar) {
    size_t k;
    while (peek(t, bar + 1) == '|') bar++; /* a double bar is drawn as one */
    k = bar + 1;
    while (k < t.n && k - bar <= TOKEN_MAX &&
           (word_byte(peek(t, k)) || (peek(t, k) > 0 && strchr(" _.:/\"'-!#*+=,;()@$&", peek(t, k)))))
        k++;
    int head = peek(t, bar + 1);
    bool named = (peek(t, i + 1) == '|' || peek(t, k) == '>') && k > bar + 1 &&
                 (word_byte(head) || head == '"' || head == '/' || (head == ' ' && peek(t, k) == '>'));
    size_t close = peek(t, k) == '|' ? skip_bars(t, k) : t.n;
    size_t end = bar + 1;
    if (k > bar + 1 && skip_blanks(t, bar + 1) < k && peek(t, close) == '>')
        end = close + 1;
    else if (named && peek(t, k) == '|' && word_byte(peek(t, k + 1)) && tag_end(t, k + 1) > k + 1)
        end = tag_end(t, k + 1);
    else if (named && peek(t, k) == '>')
        end = k + 1;
    else if (!named)
        return i + 1;
    hit(m, i, end, removed, false);
    return end;
}

/* A spare token of a vocabulary, known by its number. */
static bool numbered(const word *w) {
    static const char *const stems[] = { "special", "extraid", "reserved", "unused", "reservedtoken", "unusedtoken" };
    size_t n = w->n;
    while (n && toad__is_digit((unsigned char)w->text[n - 1])) n--;
    for (size_t i = 0; n < w->n && i < COUNT(stems); i++)
        if (toad__str_eq(toad__str(w->text, n), toad__str_z(stems[i]))) return true;
    return false;
}

/* <name|>, <seed:...>, <minimax:...>, <function=...>, <parameter=...>, <special_N>: the name begins at `i` and ends at
 * `w->end`. */
static size_t shaped_tag(toad_str t, size_t i, const word *w) {
    size_t k = skip_blanks(t, w->end);
    if (peek(t, k) == '|') {
        k = skip_bars(t, k);
        return peek(t, k) == '>' ? k + 1 : i;
    }
    if (peek(t, w->end) == ':' && (!strcmp(w->text, "seed") || !strcmp(w->text, "minimax")))
        return tag_end(t, w->end) > w->end ? tag_end(t, w->end) : i;
    if (peek(t, w->end) == '=' && (!strcmp(w->text, "function") || !strcmp(w->text, "parameter"))) {
        size_t end = tag_end(t, w->end);
        return end > w->end ? end : w->end;
    }
    return peek(t, k) == '>' && numbered(w) ? k + 1 : i;
}

/* Does what follows the word make this token one? Offset behind it, or 0. */
static size_t angle_fits(toad_str t, const token *tok, size_t open, const word *w, bool closing) {
    size_t k = skip_blanks(t, w->end);
    size_t shut = peek(t, k) == '/' || peek(t, k) == '\\' ? skip_blanks(t, k + 1) : k;
    bool closed = peek(t, shut) == '>';
    size_t end = tag_end(t, w->end);
    if (tok->rule == EXACT) return closed && (closing || (shut == w->end && w->end - open == 2)) ? shut + 1 : 0;
    if (closed) return tok->rule == CLOSED || tok->rule == OPEN || (closing && tok->rule == ATTRIBUTE) ? shut + 1 : 0;
    if (tok->rule == CLOSED) return 0;
    if (tok->rule == OPEN) return word_byte(peek(t, w->end)) ? 0 : end;
    return !closing && k > w->end && attribute(t, k, t.n - k < TAIL_MAX ? t.n : k + TAIL_MAX) > k ? end : 0;
}

/* <<SYS>> and <</SYS>> at `i`, however spaced: offset behind it, or `i`. */
static size_t sys_token(toad_str t, size_t i) {
    static const char units[] = "<</sys>>";
    size_t k = i;
    for (const char *u = units; *u; u++) {
        k = skip_blanks(t, k);
        if (peek(t, k) == *u)
            k++;
        else if (*u != '/')
            return i;
    }
    return k;
}

/* Reads at a '<'. Returns the offset to go on from. */
static size_t read_angle(toad__marker *m, toad_str t, size_t i) {
    size_t k = skip_blanks(t, i + 1);
    if (k - i > NEAR) return i + 1;
    if (peek(t, k) == '|') return bar_token(m, t, i, k);
    size_t end = sys_token(t, i);
    if (end > i) {
        hit(m, i, end, removed, false);
        return end;
    }
    while (peek(t, k) == '\\') k++;
    bool closing = peek(t, k) == '/';
    if (closing) k = skip_blanks(t, k + 1);
    word w = read_word(t, k, false);
    if (!w.n) return i + 1;
    end = shaped_tag(t, i, &w);
    if (end > i) {
        hit(m, i, end, removed, false);
        return end;
    }
    const token *tok = find_token(angle_tokens, COUNT(angle_tokens), &w);
    end = tok ? angle_fits(t, tok, i, &w, closing) : 0;
    if (!end && peek(t, w.end) == ' ') { /* blanks for low lines, or between all letters */
        w = read_word(t, k, true);
        end = shaped_tag(t, i, &w);
        tok = end > i ? &shaped : find_token(angle_tokens, COUNT(angle_tokens), &w);
        end = end > i ? end : tok ? angle_fits(t, tok, i, &w, closing) : 0;
    }
    if (!end) return i + 1;
    hit(m, i, end, closing ? tok->closing_text : tok->text, false);
    return end;
}

/* Is the view byte `i` an upper-case letter (or no ASCII letter at all) in the input? */
static bool upper_in(const toad__marker *m, toad_str in, size_t i) {
    toad_span s = back(m, i, i + 1);
    return s.start < in.n && !toad__is_lower((unsigned char)in.p[s.start]);
}

/* Notices of ours and of the ports: nobody but us may print them. Offset behind the part to replace, or `i`. */
static size_t notice(const toad__marker *m, toad_str in, toad_str t, size_t i, size_t k, const char **text) {
    toad_str rest = toad__str_part(t, k, k + NOTICE_MAX);
    size_t close = toad__str_find(rest, TOAD__S("]"), 0);
    toad_str inside = toad__str_part(rest, 0, close);
    if (toad__str_starts(inside, TOAD__S("blocked:")) && upper_in(m, in, k)) {
        *text = "(quoted) BLOCKED:";
        return k + 8;
    }
    if (toad__str_starts(inside, TOAD__S("content from ")) &&
        (toad__str_find(inside, TOAD__S("| id:"), 0) < inside.n ||
         toad__str_find(inside, TOAD__S("| scan:"), 0) < inside.n ||
         toad__str_find(inside, TOAD__S("external untrusted source"), 0) < inside.n)) {
        *text = "(quoted) Content from";
        return k + 12;
    }
    *text = TOAD__MARKER_START;
    if (close < rest.n && close < TAIL_MAX && inside.n > 11 &&
        toad__str_eq(toad__str_part(inside, inside.n - 11, inside.n), TOAD__S("- untrusted")))
        return k + close + 1;
    return i;
}

/* [UD-hex] and [/UD-hex], the spotlight delimiters. Offset behind it, or `i`. */
static size_t spotlight(toad_str t, size_t i, size_t k) {
    size_t end = k + 3;
    if (!toad__str_eq(toad__str_part(t, k, end), TOAD__S("ud-"))) return i;
    while (toad__is_alnum(peek(t, end))) end++;
    return end < k + 7 ? i : peek(t, skip_blanks(t, end)) == ']' ? skip_blanks(t, end) + 1 : end;
}

static size_t read_square(toad__marker *m, toad_str in, toad_str t, size_t i) {
    size_t k = skip_blanks(t, i + 1);
    if (k - i > NEAR) return i + 1;
    bool closing = peek(t, k) == '/';
    const char *text = removed;
    size_t end = closing ? i : notice(m, in, t, i, k, &text);
    if (closing) k = skip_blanks(t, k + 1);
    if (end == i) {
        end = spotlight(t, i, k);
        if (end > i) text = closing ? TOAD__MARKER_END : TOAD__MARKER_START;
    }
    if (end == i && !closing && toad__str_eq(toad__str_part(t, k, k + 3), TOAD__S("e~["))) {
        end = k + 3;
        text = removed;
    }
    if (end == i) {
        word w = read_word(t, k, true);
        const token *tok = find_token(square_tokens, COUNT(square_tokens), &w);
        size_t shut = skip_blanks(t, w.end);
        if (!tok || peek(t, shut) != ']' || (tok->rule == UPPER && !upper_in(m, in, k))) return i + 1;
        end = shut + 1;
        text = closing ? tok->closing_text : tok->text;
    }
    hit(m, i, end, text, false);
    return end;
}

/* MiniMax: ]~b] and ]~!b[ at a ']'. */
static size_t read_close(toad__marker *m, toad_str t, size_t i) {
    size_t k = skip_blanks(t, i + 1);
    if (peek(t, k) != '~') return i + 1;
    k = skip_blanks(t, k + 1);
    if (peek(t, k) == '!') k++;
    if (peek(t, k) != 'b') return i + 1;
    k = skip_blanks(t, k + 1);
    if (peek(t, k) != ']' && peek(t, k) != '[') return i + 1;
    hit(m, i, k + 1, removed, false);
    return k + 1;
}

/* A quote that ends one attribute and claims trust in the next: " trusted="true. Offset to go on from. */
static size_t read_quote(toad__marker *m, toad_str t, size_t i) {
    size_t k = skip_blanks(t, i + 1);
    if (k == i + 1 || !toad__str_eq(toad__str_part(t, k, k + 7), TOAD__S("trusted"))) return i + 1;
    size_t end = attribute(t, k, t.n - k < TAIL_MAX ? t.n : k + TAIL_MAX);
    if (end == k) {
        size_t eq = skip_blanks(t, k + 7);
        if (peek(t, eq) != '=') return i + 1;
        end = eq + 1;
    }
    hit(m, i, end, "(trusted attribute removed)", false);
    return end;
}

static void read_brackets(toad__marker *m, toad_str in) {
    toad_str t = toad__buf_str(&m->view.text);
    for (size_t i = 0; i < t.n;) {
        char c = t.p[i];
        i = c == '<'   ? read_angle(m, t, i)
            : c == '[' ? read_square(m, in, t, i)
            : c == ']' ? read_close(m, t, i)
            : c == '"' ? read_quote(m, t, i)
                       : i + 1;
    }
}

/* ---- putting it together ---- */

static int by_start(const void *a, const void *b) {
    const toad__hit *x = a, *y = b;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    if (x->end != y->end) return x->end > y->end ? -1 : 1;
    if (x->weak != y->weak) return x->weak - y->weak;
    return strcmp(x->text, y->text);
}

/* Drop weak hits that touch a strong one, then join what overlaps; the text of the first stays. Strong hits are few or
 * apart, so the inner loop is short: it only steps back over hits that begin inside the weak one. */
static void settle(toad__marker *m) {
    size_t out = 0, strong_end = 0;
    if (m->n > 1) qsort(m->hits, m->n, sizeof *m->hits, by_start);
    for (size_t i = 0; i < m->n; i++) {
        toad__hit *h = &m->hits[i];
        bool drop = h->weak && h->start < strong_end;
        for (size_t k = i + 1; h->weak && !drop && k < m->n && m->hits[k].start < h->end; k++) drop = !m->hits[k].weak;
        if (drop) continue;
        if (!h->weak && h->end > strong_end) strong_end = h->end;
        if (out && h->start < m->hits[out - 1].end) {
            if (h->end > m->hits[out - 1].end) m->hits[out - 1].end = h->end;
        } else {
            m->hits[out++] = *h;
        }
    }
    m->n = out;
    for (size_t i = 1; i < out; i++) assert(m->hits[i - 1].end <= m->hits[i].start);
}

/* Nothing to write out: ASCII without escapes. Most text is so, and is then folded where it stands. */
static bool is_plain(toad_str in) {
    return toad__ascii_prefix(in) == in.n && (!in.n || (!memchr(in.p, '&', in.n) && !memchr(in.p, '%', in.n) &&
                                                        !memchr(in.p, '\\', in.n) && !memchr(in.p, 0x1B, in.n)));
}

/* Fold the unveiled input into m->view. */
static toad_status read_view(toad__marker *m, toad_str in) {
    m->layers = 0;
    for (bool again = !is_plain(in); again && m->layers < TOAD__UNVEIL_LAYERS;) {
        toad__buf *out = &m->plain[m->layers];
        toad__offmap *map = &m->plain_map[m->layers++];
        toad__buf_clear(out);
        toad__offmap_clear(map);
        again = toad__unveil(in, out, map);
        if (out->status || map->status) return TOAD_E_NOMEM;
        in = toad__buf_str(out);
    }
    return toad__fold(&m->view, in, TOAD__FOLD_DROP) == TOAD_E_NOMEM ? TOAD_E_NOMEM : TOAD_OK;
}

toad_status toad__marker_find(toad__marker *m, toad_str in) {
    assert(in.n <= TOAD__MARKER_PIECE);
    m->n = 0;
    m->status = read_view(m, in);
    if (m->status || !letters_room(m, m->view.text.n + 1)) return m->status;
    read_brackets(m, in);
    take_letters(m, false);
    read_names(m, false);
    toad_str t = toad__buf_str(&m->view.text);
    if (t.n && memchr(t.p, '<', t.n) && take_letters(m, true)) read_names(m, true);
    if (!m->status) settle(m);
    return m->status;
}
