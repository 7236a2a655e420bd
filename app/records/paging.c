/* paging.c - see paging.h. Whether an offset may be cut is decided by looking at most REACH bytes either way. */
#include "app/records/paging.h"

#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/tables/class_tables.gen.h"
#include "lib/wrap/neutralize.h"

enum { REACH = 64, UNIT = 4 * REACH, MARKS = 48, AHEAD = 4096, EDGE = 256, TRIES = 8 };

/* ---- clusters of code points: the rules of Unicode annex 29 that need no tables but ours ---- */

static uint32_t cp_at(toad_str s, size_t at) {
    unsigned len;
    return at < s.n ? toad__utf8_decode(s, at, &len) : 0;
}

static const toad__class *class_at(toad_str s, size_t at) {
    uint32_t c = cp_at(s, at);
    return toad__class_of(c <= 0x10FFFF ? c : 0);
}

static bool is_flag_half(uint32_t c) { return c >= 0x1F1E6 && c <= 0x1F1FF; }

static bool clings(const toad__class *c, uint32_t cp) {
    return c->flags & (TOAD__IS_COMBINES | TOAD__IS_SKIN) || c->kind == TOAD__CP_ZWJ || c->kind == TOAD__CP_ZWNJ ||
           c->kind == TOAD__CP_SELECTOR || c->kind == TOAD__CP_EMOJI_SELECTOR || c->kind == TOAD__CP_IDEO_SELECTOR ||
           c->kind == TOAD__CP_FVS || c->kind == TOAD__CP_TAG || cp == 0x20E3;
}

static bool is_syllable(uint32_t c, bool open) { /* open: without a final consonant */
    return c >= 0xAC00 && c <= 0xD7A3 && (!open || (c - 0xAC00) % 28 == 0);
}

static bool joins_hangul(uint32_t left, const toad__class *l, uint32_t right, const toad__class *r) {
    bool vowel = r->flags & TOAD__IS_JAMO_V, final = r->flags & TOAD__IS_JAMO_T;
    if (l->flags & TOAD__IS_JAMO_L) return r->flags & TOAD__IS_JAMO_L || vowel || is_syllable(right, false);
    if (l->flags & TOAD__IS_JAMO_V || is_syllable(left, true)) return vowel || final;
    return (l->flags & TOAD__IS_JAMO_T || is_syllable(left, false)) && final;
}

/* Flags are pairs: an odd number of halves before means that the next belongs to the last. */
static bool inside_flag(toad_str s, size_t at) {
    unsigned halves = 0;
    if (!is_flag_half(cp_at(s, at))) return false;
    while (at >= 4 && halves < MARKS && is_flag_half(cp_at(s, at - 4))) {
        at -= 4;
        halves++;
    }
    return halves % 2;
}

/* So many marks on one letter are no writing: there a cut harms nobody. */
static bool in_endless_marks(toad_str s, size_t at) {
    for (unsigned i = 0; i < MARKS; i++) {
        if (!at || !clings(class_at(s, at), cp_at(s, at))) return false;
        at = toad__utf8_floor(s, at - 1);
    }
    return true;
}

static bool inside_cluster(toad_str s, size_t at) {
    size_t before = toad__utf8_floor(s, at - 1);
    uint32_t left = cp_at(s, before), right = cp_at(s, at);
    if (left < 0x80 && right < 0x80) return left == '\r' && right == '\n';
    const toad__class *l = class_at(s, before), *r = class_at(s, at);
    if (clings(r, right)) return !in_endless_marks(s, at);
    if (l->kind == TOAD__CP_ZWJ) return r->flags & (TOAD__IS_LETTER | TOAD__IS_PICTURE);
    if (l->flags & TOAD__IS_VIRAMA) return r->flags & TOAD__IS_LETTER && r->script;
    return joins_hangul(left, l, right, r) || inside_flag(s, at);
}

/* ---- escapes ---- */

static bool hex_at(toad_str s, size_t at) { return at < s.n && toad__hex_value((unsigned char)s.p[at]) >= 0; }

/* Is `at` behind the & of a reference and not behind its end? */
static bool inside_reference(toad_str s, size_t at) {
    size_t from = at, end = at;
    while (from > 0 && at - from < REACH / 2 && (toad__is_alnum((unsigned char)s.p[from - 1]) || s.p[from - 1] == '#'))
        from--;
    if (!from || s.p[from - 1] != '&') return false;
    while (end < s.n && end - from < REACH / 2 && (toad__is_alnum((unsigned char)s.p[end]) || s.p[end] == '#')) end++;
    return end > from && end < s.n && s.p[end] == ';';
}

/* Bytes of the escape at the backslash `at`: \n, \x1b, \033, \u200b, \u{1f600}, \U0001f600. */
static size_t escape_length(toad_str s, size_t at) {
    static const struct {
        char c;
        unsigned char digits;
    } forms[] = { { 'x', 2 }, { 'u', 4 }, { 'U', 8 } };
    size_t i = at + 2, most = i;
    if (i > s.n) return 1;
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        if (s.p[at + 1] == forms[k].c) most = i + forms[k].digits;
    if (most > i && i < s.n && s.p[i] == '{') {
        for (i++; i < s.n && i - at < 12 && hex_at(s, i);) i++;
        return i < s.n && s.p[i] == '}' ? i + 1 - at : i - at;
    }
    if (toad__is_digit((unsigned char)s.p[at + 1])) most = i + 2;
    while (i < most && hex_at(s, i)) i++;
    return i - at;
}

static bool inside_escape(toad_str s, size_t at) {
    for (size_t back = 1; back <= 12 && back <= at; back++) {
        size_t slash = at - back, run = 0;
        if (s.p[slash] != '\\') continue;
        while (run < REACH && run < slash && s.p[slash - 1 - run] == '\\') run++;
        if (run % 2 == 0 && escape_length(s, slash) > back) return true;
        if (run % 2 == 0 && escape_length(s, slash) == back && back == 6 && s.p[at - 5] == 'u' && s.p[at] == '\\' &&
            (s.p[at - 4] | 0x20) == 'd')
            return true; /* two halves of one character */
    }
    return false;
}

/* %E2%80%8B: neither inside a byte nor before the second and later bytes of a character. */
static bool inside_percent(toad_str s, size_t at) {
    for (size_t back = 1; back <= 2 && back <= at; back++)
        if (s.p[at - back] == '%' && hex_at(s, at - back + 1) && hex_at(s, at - back + 2)) return true;
    if (s.p[at] != '%' || !hex_at(s, at + 1) || !hex_at(s, at + 2) || at < 3 || s.p[at - 3] != '%') return false;
    for (size_t back = 0; back <= 9 && back <= at && s.p[at - back] == '%'; back += 3) {
        int high = toad__hex_value((unsigned char)s.p[at - back + 1]);
        if (high < 8 || high > 11) return back > 0;
    }
    return false; /* more of them than a character has */
}

/* ---- brackets ---- */

static size_t find_close(toad_str s, size_t open, char closer) {
    for (size_t i = open + 1; i < s.n && i - open < REACH && s.p[i] != '\n'; i++)
        if (s.p[i] == closer) {
            while (i + 1 < s.n && s.p[i + 1] == closer && i - open < REACH) i++;
            return i;
        }
    return 0;
}

/* Brackets on one line, and what belongs to them: ![text](target). */
static bool inside_brackets(toad_str s, size_t at) {
    static const char openers[] = "<[{(", closers[] = ">]})";
    if ((s.p[at - 1] == ']' && s.p[at] == '(') || (s.p[at - 1] == '!' && s.p[at] == '[')) return true;
    for (size_t back = 1; back < REACH && back <= at; back++) {
        char c = s.p[at - back];
        const char *found = c ? strchr(openers, c) : NULL;
        if (c == '\n') return false;
        if (found && find_close(s, at - back, closers[found - openers]) >= at) return true;
    }
    return false;
}

/* ---- cuts ---- */

static bool is_character(toad_str s, size_t at) {
    return at == 0 || at >= s.n || (toad__utf8_floor(s, at) == at && !inside_cluster(s, at));
}

static bool may_cut(toad_str s, size_t at) {
    if (at == 0 || at >= s.n) return true;
    return is_character(s, at) && !inside_brackets(s, at) && !inside_reference(s, at) && !inside_escape(s, at) &&
           !inside_percent(s, at);
}

/* Overlapping brackets can go on for ever. Where nothing may be cut for UNIT bytes, any character may be: a cut that
 * next_cut made so has no better one less than UNIT before it, and is found again here. */
size_t toad__page_floor(toad_str s, size_t at) {
    if (at >= s.n) return s.n;
    for (size_t back = 0; back < UNIT && back <= at; back++)
        if (may_cut(s, at - back)) return at - back;
    while (!is_character(s, at)) at--;
    return at;
}

static size_t next_cut(toad_str s, size_t start) {
    size_t at = start + 1;
    while (at <= start + UNIT && !may_cut(s, at)) at++;
    if (at <= start + UNIT) return at;
    for (at = start + UNIT; !is_character(s, at);) at++;
    return at;
}

/* How good a place this is to stop: 3 behind a paragraph, 2 behind a line, 1 behind a word. */
static unsigned worth(toad_str s, size_t at) {
    char c = s.p[at - 1];
    if (c == '\n') return at > 1 && s.p[at - 2] == '\n' ? 3 : 2;
    return c == ' ' || c == '\t';
}

/* The last cut in (least, most] of at least this worth, or 0. */
static size_t last_cut(toad_str s, size_t least, size_t most, unsigned level) {
    for (size_t at = most; at > least; at--)
        if (worth(s, at) >= level && may_cut(s, at)) return at;
    return 0;
}

/* Does no marker come alive at either side of this cut? */
static bool is_quiet(toad__neutralizer *z, toad_str s, size_t start, size_t at, toad_status *status) {
    toad_str left = toad__str_part(s, start, at), right = toad__str_part(s, at, at + AHEAD);
    if (toad__marker_first(z, left, status) < left.n || *status) return false;
    size_t first = toad__marker_first(z, right, status);
    return !*status && (first >= EDGE || first == right.n);
}

/* The best places in the latter half of the part, so that parts do not get tiny; then any place. */
static size_t choose(toad__neutralizer *z, toad_str s, size_t start, size_t most, toad_status *status) {
    size_t first = 0, half = start + (most - start) / 2;
    unsigned tries = 0;
    for (unsigned level = 4; level-- > 0;) {
        size_t at = most;
        for (; tries < TRIES && (at = last_cut(s, level ? half : start, at, level)); at--, tries++) {
            if (!first) first = at;
            if (is_quiet(z, s, start, at, status)) return at;
            if (*status) return 0;
        }
    }
    return first ? first : next_cut(s, start);
}

toad_status toad__page_end(toad_str whole, size_t start, size_t max, size_t *ret) {
    toad__neutralizer z;
    toad_status status = TOAD_OK;
    size_t end = whole.n;
    if (max && start < whole.n && max < whole.n - start) {
        toad__neutralizer_init(&z);
        end = choose(&z, whole, start, start + max, &status);
        toad__neutralizer_free(&z);
    }
    if (!status) *ret = end;
    return status;
}
