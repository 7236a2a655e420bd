/* morse.c - Morse code in dots and dashes, in their typographic look-alikes, and in any two other symbols (emoji).
 *
 * A stretch of 12 or more signs whose tokens are all letters of ITU-R M.1677 (one in eight may be unknown) is Morse.
 * Which of two emoji is the dot is found by trying both. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step step = { "morse", TOAD__DOUBTFUL };

enum { LEAST = 12, LONGEST = 7 };

/* Bit path: 1, then 0 for a dot and 1 for a dash. */
static int letter_of(unsigned path) {
    static const struct {
        uint8_t path;
        char c;
    } codes[] = {
        { 5, 'a' },   { 24, 'b' }, { 26, 'c' }, { 12, 'd' },  { 2, 'e' },   { 18, 'f' },  { 14, 'g' }, { 16, 'h' },
        { 4, 'i' },   { 23, 'j' }, { 13, 'k' }, { 20, 'l' },  { 7, 'm' },   { 6, 'n' },   { 15, 'o' }, { 22, 'p' },
        { 29, 'q' },  { 10, 'r' }, { 8, 's' },  { 3, 't' },   { 9, 'u' },   { 17, 'v' },  { 11, 'w' }, { 25, 'x' },
        { 27, 'y' },  { 28, 'z' }, { 63, '0' }, { 47, '1' },  { 39, '2' },  { 35, '3' },  { 33, '4' }, { 32, '5' },
        { 48, '6' },  { 56, '7' }, { 60, '8' }, { 62, '9' },  { 85, '.' },  { 115, ',' }, { 76, '?' }, { 94, '\'' },
        { 107, '!' }, { 50, '/' }, { 54, '(' }, { 109, ')' }, { 120, ':' }, { 106, ';' }, { 49, '=' }, { 42, '+' },
        { 97, '-' },  { 77, '_' }, { 82, '"' }, { 90, '@' },
    };
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].path == path) return codes[i].c;
    return -1;
}

typedef enum sign { DOT, DASH, GAP, SLASH, OTHER } sign;

/* What the two symbols of this stretch are; 0: not fixed (plain Morse has none). */
typedef struct symbols {
    uint32_t dot, dash;
} symbols;

static sign read_sign(toad_str in, size_t at, const symbols *two, unsigned *len) {
    uint32_t c = toad__utf8_decode(in, at, len);
    if (c == ' ' || c == '\t' || c == '\r' || c == 0xFE0F || c == 0x3000) return GAP;
    if (c == '/' || c == '|' || c == '\n') return SLASH;
    if (two->dot) return c == two->dot ? DOT : c == two->dash ? DASH : OTHER;
    switch (c) {
    case '.':
    case 0xB7:
    case 0x2022:
    case 0x2024:
    case 0x22C5:
    case 0x2219:
    case 0x30FB: return DOT;
    case '-':
    case '_':
    case 0x2010:
    case 0x2011:
    case 0x2012:
    case 0x2013:
    case 0x2014:
    case 0x2015:
    case 0x2212: return DASH;
    default: return OTHER;
    }
}

/* Decoding state: the token so far and what was made of all before. */
typedef struct state {
    toad__emit *e;
    unsigned path, signs, blanks;
    size_t letters, unknown, longer; /* tokens in all, those that are no letter, and letters of two signs and more */
    bool word_ends;
} state;

static void end_token(state *s, size_t at) {
    if (s->path > 1) {
        int c = s->signs <= LONGEST ? letter_of(s->path) : -1;
        char out = (char)(c < 0 ? '?' : c);
        toad__emit_put(s->e, &out, 1, at);
        s->letters++;
        s->unknown += c < 0;
        s->longer += c >= 0 && s->signs > 1;
    }
    s->path = 1, s->signs = 0;
}

/* Decode [at.start, at.end) as far as it is Morse; `*end` is where it stopped. Returns the signs read. */
static size_t decode(toad_str in, toad_span at, const symbols *two, state *s, size_t *end) {
    size_t signs = 0, i = (size_t)at.start, last = i;
    for (unsigned len; i < at.end && !s->e->text.status; i += len) {
        sign what = read_sign(in, i, two, &len);
        if (what == OTHER) break;
        if (what == GAP || what == SLASH) {
            end_token(s, last);
            s->blanks += what == GAP;
            s->word_ends |= what == SLASH || s->blanks >= 3;
            continue;
        }
        if (s->word_ends && s->letters && s->path == 1 && s->e->text.n) toad__emit_put(s->e, " ", 1, i);
        s->word_ends = false, s->blanks = 0;
        signs++;
        if (s->signs++ < LONGEST) s->path = s->path << 1 | (what == DASH);
        last = i + len;
    }
    end_token(s, last);
    *end = i;
    return signs;
}

/* A rule of dashes or a row of dots is no text. */
static bool good(const state *s, size_t signs) {
    return signs >= LEAST && s->letters >= 4 && s->longer * 4 >= s->letters && s->unknown * 8 <= s->letters;
}

/* One reading of a stretch: FOUND when it was sent. */
static toad__outcome reading(toad_str in, toad_span at, const symbols *two, bool strict, size_t *end,
                             toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, (size_t)at.start);
    state s = { .e = &e, .path = 1 };
    size_t signs = decode(in, at, two, &s, end);
    if (good(&s, signs) && (!strict || toad__looks_like_words(toad__buf_str(&e.text))))
        return toad__emit_send(&e, &step) ? TOAD__FOUND : TOAD__STOP;
    toad__emit_drop(&e);
    return sink->status == TOAD_E_NOMEM ? TOAD__STOP : TOAD__NOTHING;
}

/* Indentation and rules of one sign are most of what the alphabet finds. */
static bool enough_signs(toad_str in, toad_span at) {
    size_t signs = 0, changes = 0;
    for (size_t i = (size_t)at.start; i < at.end && (signs < LEAST || changes < 4); i++) {
        if (toad__is_space((unsigned char)in.p[i])) continue;
        signs++;
        changes += i > at.start && in.p[i] != in.p[i - 1];
    }
    return signs >= LEAST && changes >= 4;
}

static bool plain(toad_str in, toad__sink *sink) {
    const symbols none = { 0, 0 };
    toad_span at;
    for (size_t from = 0, end; toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_morse, 16, from, &at);
         from = end > from ? end : (size_t)at.end) {
        end = (size_t)at.end;
        if (!enough_signs(in, at)) continue;
        size_t i = toad__utf8_floor(in, (size_t)at.start);
        while (i < at.end && ((unsigned char)in.p[i] & 0xC0) == 0x80) i++;
        if (reading(in, (toad_span){ i, at.end }, &none, false, &end, sink) == TOAD__STOP) return false;
        unsigned len = 1;
        if (end < at.end) toad__utf8_decode(in, end, &len), end += len;
    }
    return true;
}

/* The next symbol that is neither separator nor letter, at or after *at; 0 at the end of the stretch. */
static uint32_t symbol_at(toad_str in, size_t *at, size_t end, unsigned *len) {
    const symbols nothing = { TOAD__BAD, TOAD__BAD };
    while (*at < end) {
        sign what = read_sign(in, *at, &nothing, len);
        uint32_t c = toad__utf8_decode(in, *at, len);
        if (read_sign(in, *at, &(symbols){ 0, 0 }, len) != OTHER && what == OTHER)
            return 0; /* plain Morse was looked for before */
        if (what == OTHER) return c >= 0x2000 && c != TOAD__BAD && (c < 0x2E80 || c >= 0x1F000) ? c : 0;
        *at += *len;
    }
    return 0;
}

/* The two symbols that a stretch begins with; false: fewer, or something else comes first. *at is behind the place
 * where it failed. */
static bool two_symbols(toad_str in, size_t *at, size_t end, symbols *two) {
    unsigned len = 1;
    uint32_t first = symbol_at(in, at, end, &len), next = first;
    for (; first && next == first; *at += len) next = symbol_at(in, at, end, &len);
    if (!first && *at < end) *at += len;
    *two = (symbols){ first, next };
    return first && next;
}

/* What is left of the next stretch at or after `from` that is long enough, from the first character that may be no
 * letter: those of symbol_at begin with E2 or F0. Text in other scripts has none. */
static bool next_stretch(toad_str in, size_t from, toad_span *ret) {
    for (size_t at = from; (at = toad__set_find(in, &toad__set_pictures, at)) < in.n; at = from) {
        size_t start = at, end = at;
        while (start > from && toad__set_has(&toad__set_wide, in.p[start - 1])) start--;
        while (end < in.n && toad__set_has(&toad__set_wide, in.p[end])) end++;
        *ret = (toad_span){ at, end };
        if (end - start >= 4 * LEAST) return true;
        from = end;
    }
    return false;
}

static bool emoji(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; next_stretch(in, from, &at); from = (size_t)at.end) {
        size_t i = (size_t)at.start;
        while (i < at.end) {
            symbols two;
            size_t start = i, end = i;
            if (!two_symbols(in, &i, (size_t)at.end, &two)) continue;
            toad_span all = { start, at.end };
            toad__outcome got = reading(in, all, &two, true, &end, sink);
            if (got == TOAD__NOTHING) got = reading(in, all, &(symbols){ two.dash, two.dot }, true, &end, sink);
            if (got == TOAD__STOP) return false;
            if (end > i) i = end;
        }
    }
    return true;
}

static bool wanted(const toad__hints *h) { return h->symbol_run || h->non_ascii >= 3 * LEAST; }

static void run(toad_str in, toad__sink *sink) {
    if (plain(in, sink) && toad__ascii_prefix(in) < in.n) emoji(in, sink);
}

const toad__decoder toad__decoder_morse = { "morse", TOAD__FOLDED, wanted, run };
