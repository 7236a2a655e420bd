/* binary.c - bits written in invisible characters: two symbols, perhaps a third between them, both polarities, eight or
 * sixteen bits a letter.
 *
 * Which characters are 0 and 1 differs from tool to tool (ZWSP/ZWNJ, the invisible times and plus of "Sneaky Bits",
 * Hangul fillers, VS15/VS16 after emoji, direction marks ...), so every pair of the three most frequent invisibles is
 * tried; what is no text is dropped. Linear: the text is walked once to count and once for each reading. Source:
 * Rehberger, 2025. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step step = { "invisible-binary", TOAD__HIDES };

#define LEAST_BITS 16u
#define CANDIDATES 3u

/* Invisible characters that tools write bits with. */
static const uint16_t symbols[] = {
    0x00AD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F,
    0x202A, 0x202B, 0x202C, 0x202D, 0x202E, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x2065, 0x2066, 0x2067,
    0x2068, 0x2069, 0x206A, 0x206B, 0x206C, 0x206D, 0x206E, 0x206F, 0x3164, 0xFE0E, 0xFE0F, 0xFEFF, 0xFFA0,
};
enum { SYMBOLS = sizeof symbols / sizeof *symbols };

/* Could the first two bytes be those of a symbol? Of the text that begins with the same bytes most falls here. */
static bool seems_symbol(int first, int second) {
    switch (first) {
    case 0xE1: return second == 0x85 || second == 0x9E || second == 0xA0;
    case 0xE2: return second == 0x80 || second == 0x81;
    case 0xE3: return second == 0x85;
    case 0xEF: return second == 0xB8 || second == 0xBB || second == 0xBE;
    default: return true;
    }
}

static int symbol_of(uint32_t c) {
    size_t lo = 0, hi = SYMBOLS;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (symbols[mid] == c) return (int)mid;
        if (symbols[mid] < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    return -1;
}

/* The walk over all invisibles of the text. */
typedef struct walk {
    toad__leads leads;
    size_t at, end; /* the symbol found */
    int symbol;
} walk;

static walk walk_of(toad_str in) { return (walk){ toad__leads_of(in, "\xE2\xEF\xE3\xE1\xC2\xCD\xD8"), 0, 0, -1 }; }

static bool next(walk *w) {
    toad_str in = w->leads.in;
    while (w->end < in.n) {
        w->at = toad__leads_next(&w->leads, w->end);
        if (w->at >= in.n) return false;
        unsigned len;
        if (w->at + 1 >= in.n || !seems_symbol((unsigned char)in.p[w->at], (unsigned char)in.p[w->at + 1])) {
            w->end = w->at + 1;
            continue;
        }
        w->symbol = symbol_of(toad__utf8_decode(in, w->at, &len));
        w->end = w->at + len;
        if (w->symbol >= 0) return true;
    }
    return false;
}

/* The most frequent symbols, first first; fewer if not all CANDIDATES occur often enough. */
static unsigned most_frequent(toad_str in, int best[CANDIDATES]) {
    uint32_t counts[SYMBOLS] = { 0 };
    for (walk w = walk_of(in); next(&w);) counts[w.symbol]++;
    unsigned n = 0;
    for (; n < CANDIDATES; n++) {
        int top = 0;
        for (int i = 1; i < SYMBOLS; i++)
            if (counts[i] > counts[top]) top = i;
        if (counts[top] < LEAST_BITS / 8) break;
        best[n] = top;
        counts[top] = 0;
    }
    return n;
}

static size_t letters(toad_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += toad__is_alnum((unsigned char)s.p[i]) || s.p[i] == ' ' || (s.p[i] & 0x80);
    return n;
}

/* Printable, and not just any signs: random bits give those, too. */
static bool worth_it(toad_str s) {
    return s.n >= LEAST_BITS / 8 && toad__printable_percent(s) >= 95 && letters(s) * 10 >= s.n * 7;
}

/* Read `zero` and `one`; every other symbol stands between. False: the decoder has to stop. */
static bool read_bits(toad_str in, toad__sink *sink, int zero, int one, bool *found) {
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    unsigned bits = 0, byte = 0;
    size_t start = 0;
    for (walk w = walk_of(in); !e.text.status && next(&w);) {
        if (w.symbol != zero && w.symbol != one) continue;
        if (!bits) start = w.at;
        byte = byte << 1 | (w.symbol == one);
        if (++bits < 8) continue;
        char c = (char)byte;
        toad__emit_skip(&e, start);
        if (byte & 0xFF) toad__emit_put(&e, &c, 1, w.end); /* NULs are the upper halves of letters of sixteen bits */
        bits = byte = 0;
    }
    if (!e.text.status && !worth_it(toad__buf_str(&e.text))) {
        toad__emit_drop(&e);
        return true;
    }
    *found = true;
    return toad__emit_send(&e, &step);
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 2 * LEAST_BITS; }

static void run(toad_str in, toad__sink *sink) {
    int best[CANDIDATES] = { 0 };
    unsigned n = most_frequent(in, best);
    bool found = false;
    for (unsigned a = 0; a < n && !found; a++)
        for (unsigned b = 0; b < n && !found; b++)
            if (a != b && !read_bits(in, sink, best[a], best[b], &found)) return;
}

const toad__decoder toad__decoder_binary = { "binary", TOAD__RAW, wanted, run };
