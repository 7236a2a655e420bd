/* base64.c - base64 as attackers write it.
 *
 * Standard and URL alphabet, with and without padding, folded and quoted lines, blanks between groups, cut at the front
 * (four alignments), reversed, UTF-16 inside (PowerShell -enc), words encoded one by one. A JWT is three runs.
 *
 * Every long identifier is a candidate, so most have to fall at once: bytes of ASCII text make every fourth digit one
 * of the first
 * 32. That is asked for of all but the plain reading (which must see Cyrillic and Chinese too), where 18 decoded bytes
 * are looked at. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

enum { LEAST = 8 }; /* digits of a word among other words in base64; 16 of anything that stands alone */

static const toad__step forwards = { "base64", 0 }, backwards = { "base64_reversed", TOAD__DOUBTFUL };

static const int8_t value_of[256] = {
#define A(c, v) [(unsigned char)(c)] = (v) + 1
    A('A', 0),  A('B', 1),  A('C', 2),  A('D', 3),  A('E', 4),  A('F', 5),  A('G', 6),  A('H', 7),  A('I', 8),
    A('J', 9),  A('K', 10), A('L', 11), A('M', 12), A('N', 13), A('O', 14), A('P', 15), A('Q', 16), A('R', 17),
    A('S', 18), A('T', 19), A('U', 20), A('V', 21), A('W', 22), A('X', 23), A('Y', 24), A('Z', 25), A('a', 26),
    A('b', 27), A('c', 28), A('d', 29), A('e', 30), A('f', 31), A('g', 32), A('h', 33), A('i', 34), A('j', 35),
    A('k', 36), A('l', 37), A('m', 38), A('n', 39), A('o', 40), A('p', 41), A('q', 42), A('r', 43), A('s', 44),
    A('t', 45), A('u', 46), A('v', 47), A('w', 48), A('x', 49), A('y', 50), A('z', 51), A('0', 52), A('1', 53),
    A('2', 54), A('3', 55), A('4', 56), A('5', 57), A('6', 58), A('7', 59), A('8', 60), A('9', 61), A('+', 62),
    A('-', 62), A('/', 63), A('_', 63),
#undef A
};

static int digit(int c) { return value_of[c & 0xFF] - 1; }

/* A way to read a block. */
typedef struct reading {
    bool reversed;
    unsigned cut; /* digits of the first group that are missing at the front */
} reading;

/* A reading in progress. Digits of the first group that were cut off are read as zeros; the byte they share with the
 * first digit is left out. */
typedef struct digits {
    toad_str in;
    size_t from, to;
    bool reversed, torn;
    uint32_t bits;
    unsigned have;
} digits;

/* The next digit, or -1 at the end. */
static int next_digit(digits *d) {
    while (d->from < d->to) {
        int v = digit((unsigned char)(d->reversed ? d->in.p[--d->to] : d->in.p[d->from++]));
        if (v >= 0) return v;
    }
    return -1;
}

static digits start_reading(toad_str in, toad_span at, reading how) {
    return (digits){ in, (size_t)at.start, (size_t)at.end, how.reversed, how.cut > 0, 0, how.cut * 6 % 8 };
}

/* Digits side by side, four of them three bytes: as many as there are, `most` bytes at most. */
static size_t decode_groups(digits *d, unsigned char *out, size_t most) {
    const char *p = d->in.p + d->from, *end = d->in.p + d->to;
    size_t n = 0;
    for (; most - n >= 3 && end - p >= 4; p += 4, n += 3) {
        int a = digit(p[0]), b = digit(p[1]), c = digit(p[2]), e = digit(p[3]);
        if ((a | b | c | e) < 0) break;
        out[n] = (unsigned char)(a << 2 | b >> 4);
        out[n + 1] = (unsigned char)(b << 4 | c >> 2);
        out[n + 2] = (unsigned char)(c << 6 | e);
    }
    d->from = (size_t)(p - d->in.p);
    return n;
}

/* At most `most` more bytes of the block. */
static size_t decode(digits *d, unsigned char *out, size_t most) {
    size_t n = 0;
    for (int v; n < most;) {
        if (!d->have && !d->reversed && !d->torn) n += decode_groups(d, out + n, most - n);
        if (n == most || (v = next_digit(d)) < 0) break;
        d->bits = d->bits << 6 | (uint32_t)v;
        d->have += 6;
        if (d->have < 8) continue;
        d->have -= 8;
        if (!d->torn) out[n++] = (unsigned char)(d->bits >> d->have);
        d->torn = false;
    }
    return n;
}

static uint32_t turned(uint32_t bits) {
    bits = (bits >> 1 & 0x55555555) | (bits & 0x55555555) << 1;
    bits = (bits >> 2 & 0x33333333) | (bits & 0x33333333) << 2;
    bits = (bits >> 4 & 0x0F0F0F0F) | (bits & 0x0F0F0F0F) << 4;
    bits = (bits >> 8 & 0x00FF00FF) | (bits & 0x00FF00FF) << 8;
    return bits >> 16 | bits << 16;
}

/* Of the first 32 digits in one direction, *n in all: bit k where digit k is one of the first 32 of the alphabet. */
static uint32_t low_digits(toad_str in, toad_span at, bool reversed, unsigned *n) {
    unsigned most = at.end - at.start < 32 ? (unsigned)(at.end - at.start) : 32;
    size_t from = reversed ? (size_t)at.end - most : (size_t)at.start;
    uint32_t all = most < 32 ? (UINT32_C(1) << most) - 1 : UINT32_MAX,
             low = (uint32_t)toad__mask_at(in, from, &toad__set_low64) & all;
    *n = most;
    if (((uint32_t)toad__mask_at(in, from, &toad__set_base64) & all) == all)
        return reversed ? turned(low) >> (32 - most) : low;
    digits d = start_reading(in, at, (reading){ reversed, 0 });
    low = 0;
    for (int v = *n = 0; *n < 32 && (v = next_digit(&d)) >= 0; ++*n) low |= (uint32_t)(v < 32) << *n;
    return low;
}

/* Is it worth decoding all of it? */
static bool promising(toad_str in, toad_span at, reading how) {
    unsigned char head[18] = { 0 };
    digits d = start_reading(in, at, how);
    toad_str s = toad__str(head, decode(&d, head, sizeof head));
    if (s.n < 3) return false;
    if (toad__is_printable(toad__str_part(s, 0, s.n > 8 ? s.n - 3 : s.n), 75)) return true;
    bool wide = head[1] <= 0x0E || head[0] <= 0x0E || (head[0] == 0xFF && head[1] == 0xFE) ||
                (head[0] == 0xFE && head[1] == 0xFF);
    return wide || (!how.cut && at.end - at.start >= 40 && toad__looks_compressed(s));
}

/* Of the first `n` <= 32 digits, bit k of `low` says whether digit k is one of the first 32: do those at every fourth
 * place, from `at` on, allow ASCII? */
static bool every_fourth(uint32_t low, unsigned n, unsigned at) {
    uint32_t places = UINT32_C(0x11111111) << at & (n < 32 ? (UINT32_C(1) << n) - 1 : UINT32_MAX);
    uint32_t all = (places >> at) * UINT32_C(0x11111111) >> 28,
             good = ((low & places) >> at) * UINT32_C(0x11111111) >> 28;
    return all >= 4 && good + all / 8 >= all;
}

/* Read the block that way and send it if it is worth a child. The map is exact to 24 bytes. */
static toad__outcome read_block(toad_str in, toad_span at, reading how, toad__sink *sink) {
    toad__emit e;
    unsigned char out[24];
    digits d = start_reading(in, at, how);
    toad__emit_open(&e, sink, in, (size_t)at.start);
    for (size_t n; (n = decode(&d, out, sizeof out)) > 0 && !e.text.status;)
        toad__emit_put(&e, out, n, how.reversed ? (size_t)at.end : d.from);
    return toad__emit_judge(&e, at, how.reversed ? &backwards : &forwards);
}

/* How well a promising reading reads: the printable share of its first half KiB, letters, digits and blanks counted
 * twice. */
static unsigned score(toad_str in, toad_span at, reading how) {
    unsigned char head[512];
    digits d = start_reading(in, at, how);
    size_t n = decode(&d, head, sizeof head), letters = 0;
    for (size_t i = 0; i < n; i++) letters += toad__is_alnum(head[i]) || head[i] == ' ';
    if (!how.cut && toad__looks_compressed(toad__str(head, n)))
        return UINT32_MAX; /* another reading may seem to read better by chance */
    return n ? toad__printable_percent(toad__str(head, n)) + (unsigned)(letters * 100 / n) + 1 : 0;
}

/* Does the plain reading read well from the middle of a long block on? Some bytes in front of a text say nothing of it.
 */
static bool promising_inside(toad_str in, toad_span at) {
    if (at.end - at.start < 64) return false;
    uint64_t middle = at.start + (at.end - at.start) / 2;
    for (unsigned k = 0; k < 4; k++)
        if (promising(in, (toad_span){ middle + k, at.end }, (reading){ false, 0 })) return true;
    return false;
}

/* The reading that reads best, if any does; and the plain one, which is what a reader tries first, whatever reads
 * better: a line of signs in front makes another one seem to. */
static toad__outcome try_block(toad_str in, toad_span at, toad__sink *sink) {
    reading plain = { false, 0 }, best = plain;
    unsigned most = 0, plain_points = 0, n = 0;
    uint32_t low = 0;
    bool padded = at.start && in.p[at.start - 1] == '='; /* reversed for sure: need not be ASCII */
    for (unsigned k = 0; k < 8; k++) {
        if (k % 4 == 0) low = low_digits(in, at, k > 0, &n);
        reading how = { k >= 4, k % 4 };
        bool sure = !k || (k == 4 && padded);
        if (!sure && !every_fourth(low, n, (4 - how.cut) % 4)) continue;
        unsigned points = promising(in, at, how) ? score(in, at, how) : 0;
        if (!k) plain_points = points = points ? points : promising_inside(in, at);
        if (points > most) most = points, best = how;
    }
    if (!most) return TOAD__NOTHING;
    toad__outcome got = read_block(in, at, best, sink);
    if (got == TOAD__STOP || !plain_points || (!best.reversed && !best.cut)) return got;
    toad__outcome other = read_block(in, at, plain, sink);
    return other == TOAD__NOTHING ? got : other;
}

static bool in_set(int c) { return c >= 0 && digit(c) >= 0; }

/* A word of its own: a token that decodes to nothing but printable text. Its text goes to `out` (room for 64 bytes). */
static size_t word(toad_str in, toad_span at, unsigned char out[64]) {
    size_t n = (size_t)(at.end - at.start);
    bool padded = at.end < in.n && in.p[at.end] == '=';
    if (n < 2 || n > 80 || n % 4 == 1 || (!padded && n % 4 && n < 6)) return 0;
    digits d = start_reading(in, at, (reading){ false, 0 });
    size_t len = decode(&d, out, 64);
    return toad__is_printable(toad__str(out, len), 100) ? len : 0;
}

/* The token before or behind `at`, over white space; an empty span if there is none. */
static toad_span neighbor(toad_str in, size_t at, bool forward, size_t from) {
    size_t i = at, start;
    if (forward) {
        while (i < in.n && in.p[i] == '=') i++;
        for (start = i; i < in.n && i - start < 4 && toad__is_space((unsigned char)in.p[i]);) i++;
        if (i == start) return (toad_span){ i, i };
        for (start = i; i < in.n && i - start < 81 && in_set((unsigned char)in.p[i]);) i++;
        return (toad_span){ start, i };
    }
    for (start = i; i > from && start - i < 4 && toad__is_space((unsigned char)in.p[i - 1]);) i--;
    if (i == start) return (toad_span){ i, i };
    while (i > from && in.p[i - 1] == '=') i--;
    for (start = i; i > from && start - i < 81 && in_set((unsigned char)in.p[i - 1]);) i--;
    if (i > 0 && !toad__is_space((unsigned char)in.p[i - 1])) return (toad_span){ start, start };
    return (toad_span){ i, start };
}

/* Words encoded one by one: the run `at` and its neighbors, if there are any, as one child. Moves at->end behind them.
 */
static bool send_words(toad_str in, toad_span *at, size_t from, toad__sink *sink) {
    unsigned char text[64];
    toad_span first = *at, next;
    while (word(in, next = neighbor(in, (size_t)first.start, false, from), text)) first = next;
    toad__emit e;
    size_t words = 0;
    toad__emit_open(&e, sink, in, (size_t)first.start);
    for (next = first;; next = neighbor(in, (size_t)next.end, true, from), words++) {
        size_t n = word(in, next, text);
        if (!n) break;
        if (next.start > e.at) toad__emit_put(&e, " ", 1, (size_t)next.start);
        toad__emit_put(&e, text, n, (size_t)next.end);
        if (next.end > at->end) at->end = next.end;
    }
    if (words > 1) return toad__emit_send(&e, &forwards);
    toad__emit_drop(&e);
    return sink->status != TOAD_E_NOMEM;
}

/* Names and words keep to one case, or have one capital; base64 of 12 bytes does not. */
static bool both_cases(toad_str in, toad_span at) {
    unsigned upper = 0, lower = 0;
    for (size_t i = (size_t)at.start; i < at.end && (upper < 2 || lower < 2); i++)
        upper += toad__is_upper(in.p[i]), lower += toad__is_lower(in.p[i]);
    return upper >= 2 && lower >= 2;
}

static bool groups(toad_str in, const toad__set *set, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__groups_next(in, TOAD__SITES_OF(sink, base64), set, 24, from, &at);
         from = (size_t)at.end)
        if (try_block(in, at, sink) == TOAD__STOP) return false;
    return true;
}

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    size_t failed = 0; /* lines before this offset were tried in one block, which was nothing: not again */
    for (size_t from = 0; toad__mixed_run_next(in, TOAD__SITES_OF(sink, base64), &toad__set_base64, LEAST, from, &at);
         from = (size_t)at.end) {
        if (!both_cases(in, at)) continue;
        if (at.end - at.start < 16) {
            if (word(in, at, (unsigned char[64]){ 0 }) && !send_words(in, &at, from, sink)) return;
            continue;
        }
        toad_span block = { at.start, at.start < failed ? (size_t)at.end : toad__run_lines(in, &toad__set_base64, at) };
        toad__outcome got = try_block(in, block, sink);
        if (got == TOAD__NOTHING && block.end > at.end) {
            failed = (size_t)block.end;
            got = try_block(in, at, sink);
        } else if (got == TOAD__FOUND) {
            at = block;
        }
        if (got == TOAD__STOP) return;
        unsigned char text[64];
        if (word(in, at, text) && !send_words(in, &at, from, sink)) return;
    }
    groups(in, &toad__set_base64, sink);
}

const toad__decoder toad__decoder_base64 = { "base64", TOAD__FOLDED, NULL, run };
