/* skeleton.c - where words are spaced out, run together, cut up or written in leet, and what they say.
 *
 * One SIMD pass turns every 64 bytes into two bit masks (letters, blanks) and asks whether anything but plain words can
 * stand there; only then are the other signs looked at, in windows of 64 bytes every 32, for the shapes below. Ordinary
 * prose has none. A region is every window that fired, with a margin, since half of a phrase may be written plainly.
 * Regions never overlap, so the work on them is linear. Cost of the pass: two instructions a byte at most. */
#include "lib/text/skeleton.h"
#include "lib/base/cursor.h"
#include "lib/base/limits.h"
#include "lib/text/disguise.h"
#include "lib/text/typo.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define STEP           32u
#define MARGIN         96u /* bytes around a window that belong to the region */
#define SINGLES        5u  /* single letters at the same distance */
#define LEET_WORDS     2u  /* places with a sign between letters */
#define JOINTS         2u  /* places where two letters are joined by signs without a blank */
#define LETTERS_JOINED 16u /* letters in a window for a run of word signs to be words */
#define TYPOS          2u  /* misspelled trigger words in a text worth mending */

const uint8_t bzr__skeleton_of[128] = {
    ['!'] = 'i', ['$'] = 's', ['+'] = 't', ['@'] = 'a', ['|'] = 'i', ['0'] = 'o', ['1'] = 'i', ['2'] = 'z', ['3'] = 'e',
    ['4'] = 'a', ['5'] = 's', ['6'] = 'g', ['7'] = 't', ['8'] = 'b', ['9'] = 'g', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c',
    ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'i',
    ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u',
    ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
    ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'i', ['m'] = 'm',
    ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v',
    ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

/* ---- the masks ---- */

/* Bit i: byte i of the step is one. `leet`: digits and ! $ + @ |. `word`: letters and - _ / and the full stop. `sign`:
 * visible ASCII but letters and digits. `stroke`: | \ /. */
typedef struct masks {
    uint64_t letter, leet, word, sign, stroke;
} masks;

#if defined(__SSE2__)
static inline __m128i eq(__m128i v, char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }
static inline __m128i within(__m128i v, char first, char last) {
    return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)(first - 1))),
                         _mm_cmplt_epi8(v, _mm_set1_epi8((char)(last + 1))));
}
static inline uint64_t bits(__m128i v) { return (uint64_t)(unsigned)_mm_movemask_epi8(v); }

static inline masks masks_of_16(const char *p) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i letter = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z'), digit = within(v, '0', '9');
    __m128i slash = eq(v, '/'), bar = eq(v, '|');
    __m128i leet = _mm_or_si128(_mm_or_si128(digit, bar), _mm_or_si128(_mm_or_si128(eq(v, '!'), eq(v, '$')),
                                                                       _mm_or_si128(eq(v, '+'), eq(v, '@'))));
    __m128i word = _mm_or_si128(_mm_or_si128(letter, slash), _mm_or_si128(within(v, '-', '.'), eq(v, '_')));
    __m128i tag = _mm_or_si128(eq(v, '<'), _mm_or_si128(eq(v, '='), eq(v, '>'))); /* what tags cut up is read without them elsewhere */
    __m128i sign = _mm_andnot_si128(_mm_or_si128(_mm_or_si128(letter, digit), tag), _mm_cmpgt_epi8(v, _mm_set1_epi8(0x20)));
    return (masks){ bits(letter), bits(leet), bits(word), bits(sign),
                    bits(_mm_or_si128(_mm_or_si128(bar, slash), eq(v, '\\'))) };
}
#else
static masks masks_of_16(const char *p) {
    masks m = { 0, 0, 0, 0, 0 };
    for (unsigned i = 0; i < 16; i++) {
        int c = (unsigned char)p[i];
        uint64_t bit = UINT64_C(1) << i;
        bool letter = bzr__is_alpha(c), digit = bzr__is_digit(c);
        if (letter) m.letter |= bit;
        if (digit || c == '!' || c == '$' || c == '+' || c == '@' || c == '|') m.leet |= bit;
        if (letter || c == '-' || c == '.' || c == '/' || c == '_') m.word |= bit;
        if (c > 0x20 && c < 0x80 && !letter && !digit && c != '<' && c != '=' && c != '>') m.sign |= bit;
        if (c == '|' || c == '/' || c == '\\') m.stroke |= bit;
    }
    return m;
}
#endif

/* The next step of the text moves into the upper half; what was there moves down. */
static inline void shift_in(masks *m, const char *p) {
    masks a = masks_of_16(p), b = masks_of_16(p + 16);
    m->letter = m->letter >> STEP | a.letter << 32 | b.letter << 48;
    m->leet = m->leet >> STEP | a.leet << 32 | b.leet << 48;
    m->word = m->word >> STEP | a.word << 32 | b.word << 48;
    m->sign = m->sign >> STEP | a.sign << 32 | b.sign << 48;
    m->stroke = m->stroke >> STEP | a.stroke << 32 | b.stroke << 48;
}

/* Letters and blanks (white space, controls) of 64 bytes: all that the first look needs. */
typedef struct plain {
    uint64_t letter, blank;
} plain;

#if defined(__SSE2__)
static inline plain plain_of_64(const char *p) {
    plain m = { 0, 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i visible = _mm_or_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(0x20)), _mm_cmplt_epi8(v, _mm_setzero_si128()));
        m.letter |= bits(within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z')) << i;
        m.blank |= (~bits(visible) & 0xFFFF) << i;
    }
    return m;
}
#else
static plain plain_of_64(const char *p) {
    plain m = { 0, 0 };
    for (unsigned i = 0; i < 64; i++) {
        m.letter |= (uint64_t)bzr__is_alpha((unsigned char)p[i]) << i;
        m.blank |= (uint64_t)((unsigned char)p[i] <= 0x20) << i;
    }
    return m;
}
#endif

/* ---- the shapes ---- */

/* Are `n` bits or more set? (Few machines that the baseline is built for have an instruction to count them.) */
static inline bool at_least(uint64_t m, unsigned n) {
    while (--n && m) m &= m - 1;
    return m != 0;
}
/* Bit i stays where bits i to i + 15 are set. */
static inline uint64_t runs_of_16(uint64_t m) {
    m &= m >> 1;
    m &= m >> 2;
    m &= m >> 4;
    return m & m >> 8;
}

/* i g n o r e: single letters two to five bytes apart (the separators may be more than one byte). */
static inline bool is_separated(const masks *m) {
    uint64_t single = m->letter & ~(m->letter << 1) & ~(m->letter >> 1) & UINT64_C(0x7FFFFFFFFFFFFFFE), any = 0;
    if (!at_least(single, SINGLES)) return false;
    for (unsigned d = 2; d <= 5; d++) any |= single & single >> d & single >> 2 * d & single >> 3 * d & single >> 4 * d;
    return any != 0;
}

/* pr3v10us; also |\ and the like, of which letters are built. */
static inline bool is_leet(const masks *m) {
    if (!(m->leet | m->stroke)) return false;
    uint64_t between = m->letter & m->leet >> 1, one = between & m->letter >> 2,
             two = between & m->leet >> 2 & m->letter >> 3;
    uint64_t strokes = m->stroke & m->stroke >> 1;
    return at_least(one | two, LEET_WORDS) || at_least(strokes, 2 * LEET_WORDS);
}

/* ignoreallprevious, ignore-all-previous: 18 letters, or 20 word signs that are mostly letters. */
static inline bool is_joined(const masks *m) {
    uint64_t run = runs_of_16(m->word);
    if (!run) return false;
    uint64_t letters = runs_of_16(m->letter);
    return (letters & letters >> 2) || ((run & run >> 4) && at_least(m->letter, LETTERS_JOINED));
}

/* (ign)(ore), ig/\**\/nore, "ign" + "ore": letters joined by two or four signs, or by quotes around a plus. */
static inline bool is_cut_up(const masks *m) {
    uint64_t pair = m->sign & m->sign >> 1, joint = m->letter & pair >> 1;
    uint64_t two = joint & m->letter >> 3, four = joint & pair >> 3 & m->letter >> 5;
    uint64_t blank = ~(m->letter | m->leet | m->sign);
    uint64_t quotes = m->letter & m->sign >> 1 & blank >> 2 & m->sign >> 3 & blank >> 4 & m->sign >> 5 & m->letter >> 6;
    return at_least(two | four | quotes, JOINTS);
}

static inline bool fires(const masks *m, bzr__region_kind *kind) {
    *kind = BZR__REGION_SEPARATED;
    if (is_separated(m) || is_cut_up(m)) return true;
    *kind = BZR__REGION_LEET;
    if (is_leet(m)) return true;
    *kind = BZR__REGION_JOINED;
    return is_joined(m);
}

/* Can any shape stand in these 64 bytes? Two signs tight between others, signs with one blank between, a long run, or many
 * single letters. */
static inline bool may_fire(const plain *m) {
    uint64_t letter = m->letter, blank = m->blank, sign = ~(letter | blank), any = ~blank;
    uint64_t tight = (letter & sign >> 1 & any >> 2) | (sign & blank >> 1 & sign >> 2 & UINT64_MAX >> 2);
    any &= any >> 1;
    any &= any >> 2;
    any &= any >> 4;
    if (at_least(tight & UINT64_MAX >> 2, 2) || any & any >> 8) return true;
    return at_least(letter & ~(letter << 1) & ~(letter >> 1), SINGLES);
}

/* The bytes around a window that ends with the step at `at`: a word on its border stands in there whole, or in the next one. */
static bzr_span around(size_t at, size_t n) {
    return (bzr_span){ at > STEP + STEP / 2 ? at - STEP - STEP / 2 : 0, n - at > STEP + STEP / 2 ? at + STEP + STEP / 2 : n };
}

/* The first window that fires of those that end with a step in [fresh, to); the steps of [from, fresh) only stand before them. */
static bool look_closely(bzr_str s, size_t from, size_t fresh, size_t to, size_t *start, bzr__region_kind *kind) {
    masks m = { 0, 0, 0, 0, 0 };
    char tail[STEP] = { 0 };
    for (size_t at = from; at < to && at < s.n; at += STEP) {
        bool whole = s.n - at >= STEP;
        if (!whole) memcpy(tail, s.p + at, s.n - at);
        shift_in(&m, whole ? s.p + at : tail);
        if (at < fresh || !fires(&m, kind) || !bzr__is_disguised(s, around(at, s.n), is_leet(&m))) continue;
        *start = at >= from + STEP ? at - STEP : from;
        return true;
    }
    return false;
}

/* First window at or after `from` that fires: the bytes [*start, *start + 64). */
static bool next_window(bzr_str s, size_t from, size_t *start, bzr__region_kind *kind) {
    plain last = { 0, UINT64_MAX };
    size_t fresh = from; /* the steps before were looked at */
    char tail[64];
    for (size_t at = from; at < s.n; at += 64) {
        bool whole = s.n - at >= 64;
        if (!whole) {
            memset(tail, ' ', sizeof tail);
            memcpy(tail, s.p + at, s.n - at);
        }
        plain now = plain_of_64(whole ? s.p + at : tail);
        plain seam = { last.letter >> 32 | now.letter << 32, last.blank >> 32 | now.blank << 32 };
        last = now;
        if (!may_fire(&now) && !may_fire(&seam)) continue;
        size_t back = at - from >= 64 ? at - 64 : from;
        if (fresh > back + STEP) back = fresh - STEP;
        if (look_closely(s, back, fresh, at + 64, start, kind)) return true;
        fresh = at + 64;
    }
    return false;
}

bool bzr__region_gate(bzr_str folded) {
    size_t start;
    bzr__region_kind kind;
    return next_window(folded, 0, &start, &kind) ||
           (folded.n <= BZR__LIMIT_TYPO && bzr__count_typos(folded, TYPOS) >= TYPOS);
}

static size_t less(size_t at, size_t n, size_t floor) { return at - floor > n ? at - n : floor; }
static size_t more(size_t at, size_t n, size_t ceiling) { return ceiling - at > n ? at + n : ceiling; }

/* After the last region comes the whole text, once, if it has misspellings: *from is then past its end. */
static bool whole_text(bzr_str folded, size_t *from, bzr__region *ret) {
    if (*from > folded.n) return false;
    *from = folded.n + 1;
    if (folded.n > BZR__LIMIT_TYPO || bzr__count_typos(folded, TYPOS) < TYPOS) return false;
    *ret = (bzr__region){ BZR__REGION_TYPO, { 0, folded.n } };
    return true;
}

bool bzr__region_next(bzr_str folded, size_t *from, bzr__region *ret) {
    size_t start, again;
    bzr__region_kind kind, ignored;
    if (*from >= folded.n || !next_window(folded, *from, &start, &kind)) return whole_text(folded, from, ret);
    size_t end = more(start, 2 * STEP, folded.n), begin = less(start, MARGIN, *from);
    /* windows that fire within the margins belong to the same region */
    while (end < folded.n &&
           next_window(bzr__str_part(folded, 0, more(end, 2 * MARGIN, folded.n)), end - STEP, &again, &ignored) &&
           more(again, 2 * STEP, folded.n) > end)
        end = more(again, 2 * STEP, folded.n);
    end = more(end, MARGIN, folded.n);
    *ret = (bzr__region){ kind, { begin, end } };
    *from = end;
    return true;
}

/* ---- the skeleton ---- */

/* Letters drawn with strokes: the longest first. Anything else is read sign by sign. */
static char drawn_letter(bzr_str s, size_t at, size_t *len) {
    static const struct {
        const char *strokes;
        char letter;
    } drawn[] = {
        { "/\\/\\", 'm' }, { "|\\/|", 'm' }, { "\\/\\/", 'w' }, { "|\\|", 'n' }, { "/\\/", 'n' }, { "/-\\", 'a' },
        { "|-|", 'h' },    { "|_|", 'u' },   { "\\/", 'v' },    { "/\\", 'a' },  { "|_", 'i' },   { "|2", 'r' },
        { "|3", 'b' },     { "|)", 'd' },    { "|<", 'k' },     { "|*", 'p' },
    };
    bzr__cur cur = { s, at };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        bzr_str strokes = bzr__str_z(drawn[i].strokes);
        if (!bzr__cur_looking_at(&cur, strokes)) continue;
        if (drawn[i].letter == 'u' && bzr__cur_peek(&cur, 3) == '_') continue; /* two of |_ */
        *len = strokes.n;
        return drawn[i].letter;
    }
    return 0;
}

static bool is_symbol(int c) { return !bzr__is_alnum(c); }

char bzr__skeleton_letter(bzr_str s, size_t at, bool symbols, size_t *len) {
    int c = (unsigned char)s.p[at];
    *len = 1;
    if (c >= 0x80) return 0;
    if (symbols && (c == '|' || c == '/' || c == '\\')) {
        char drawn = drawn_letter(s, at, len);
        if (drawn) return drawn;
    }
    return !symbols && is_symbol(c) ? 0 : (char)bzr__skeleton_of[c];
}

/* The common case: letters and digits stay, everything else goes. One table look-up a byte; the map grows only where a stretch ends. */
static void plain_skeleton(bzr_str folded, bzr__buf *out, bzr__offmap *map) {
    char *to = bzr__buf_room(out, folded.n + 1);
    if (!to) return;
    size_t n = 0;
    for (size_t at = 0; at < folded.n;) {
        size_t from = at, start = n;
        for (; at < folded.n; at++) {
            unsigned char c = (unsigned char)folded.p[at];
            if (c >= 0x80 || is_symbol(c)) break;
            to[n++] = (char)bzr__skeleton_of[c];
        }
        if (map && n > start) bzr__offmap_add(map, n - start, at - from);
        for (from = at; at < folded.n && ((unsigned char)folded.p[at] >= 0x80 || is_symbol((unsigned char)folded.p[at])); at++) {}
        if (map && at > from) bzr__offmap_add(map, 0, at - from);
    }
    out->n += n;
}

bzr_status bzr__skeleton(bzr_str folded, bool symbols, bzr__buf *out, bzr__offmap *map) {
    size_t dropped = 0, len;
    if (!symbols) {
        plain_skeleton(folded, out, map);
        return out->status ? out->status : map ? map->status : BZR_OK;
    }
    for (size_t at = 0; at < folded.n && !out->status; at += len) {
        char c = bzr__skeleton_letter(folded, at, symbols, &len);
        if (!c) {
            dropped += len;
            continue;
        }
        if (map && dropped) bzr__offmap_add(map, 0, dropped);
        dropped = 0;
        bzr__buf_add_c(out, c);
        if (map) bzr__offmap_add(map, 1, len);
    }
    if (map && dropped) bzr__offmap_add(map, 0, dropped);
    return out->status ? out->status : map ? map->status : BZR_OK;
}
