/* hints.c - one pass over a text that says which decoders are worth running.
 *
 * Bytes are counted with compiler vectors of 32 bytes (one AVX2 register where the machine has it, else two of SSE2 or
 * NEON), the rest between zeros; the portable loop is the reference in the tests. Every count is exact. Runs
 * are looked for only until the first. */
#include "lib/decode/hints.h"
#include "lib/decode/runs.h"

typedef uint8_t lanes __attribute__((vector_size(32)));

enum { BLOCK = sizeof(lanes), BATCH = 120 }; /* a lane counts to twice that at most between two sums */

static bool in_symbol_set(int c) {
    return c == '.' || c == '-' || c == '_' || c == '/' || c == '|' || c == '0' || c == '1';
}

void toad__hints_portable(toad_str in, toad__hints *ret) {
    for (size_t i = 0; i < in.n; i++) {
        int c = (unsigned char)in.p[i];
        ret->percent += c == '%', ret->ampersand += c == '&', ret->backslash += c == '\\', ret->equals += c == '=';
        ret->plus += c == '+', ret->less += c == '<', ret->bracket_open += c == '[', ret->backquote += c == '`';
        ret->quotes += c == '"' || c == '\'', ret->brace_open += c == '{', ret->star += c == '*';
        ret->escape += c == 0x1B, ret->non_ascii += c >= 0x80, ret->digits += toad__is_digit(c);
        ret->control += (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7F;
    }
}

static inline __attribute__((always_inline)) uint32_t sum(const lanes *v) {
    uint32_t all = 0;
    for (unsigned i = 0; i < BLOCK; i++) all += (*v)[i];
    return all;
}

/* The counts of a batch are taken in two turns, so that all of a turn stay in registers. */
static inline __attribute__((always_inline)) void count_first(const char *p, size_t blocks, toad__hints *h) {
    lanes percent = { 0 }, amp = { 0 }, back = { 0 }, equals = { 0 }, plus = { 0 }, less = { 0 }, bracket = { 0 },
          grave = { 0 };
    for (size_t k = 0; k < blocks; k++, p += BLOCK) {
        lanes c;
        memcpy(&c, p, BLOCK);
        percent -= (lanes)(c == '%'), amp -= (lanes)(c == '&'), back -= (lanes)(c == '\\'), equals -= (lanes)(c == '=');
        plus -= (lanes)(c == '+'), less -= (lanes)(c == '<'), bracket -= (lanes)(c == '['), grave -= (lanes)(c == '`');
    }
    h->percent += sum(&percent), h->ampersand += sum(&amp), h->backslash += sum(&back), h->equals += sum(&equals);
    h->plus += sum(&plus), h->less += sum(&less), h->bracket_open += sum(&bracket), h->backquote += sum(&grave);
}

static inline __attribute__((always_inline)) void count_second(const char *p, size_t blocks, toad__hints *h) {
    lanes esc = { 0 }, wide = { 0 }, control = { 0 }, digits = { 0 }, quotes = { 0 }, brace = { 0 }, star = { 0 };
    for (size_t k = 0; k < blocks; k++, p += BLOCK) {
        lanes c;
        memcpy(&c, p, BLOCK);
        quotes -= (lanes)(c == '"') | (lanes)(c == '\''), brace -= (lanes)(c == '{'), star -= (lanes)(c == '*');
        esc -= (lanes)(c == 0x1B), wide += c >> 7, digits -= (lanes)((lanes)(c - '0') < 10);
        control -= ((lanes)(c < 0x20) & ~((lanes)((lanes)(c - '\t') < 2) | (lanes)(c == '\r'))) | (lanes)(c == 0x7F);
    }
    h->quotes += sum(&quotes), h->brace_open += sum(&brace), h->star += sum(&star), h->digits += sum(&digits);
    h->escape += sum(&esc), h->non_ascii += sum(&wide), h->control += sum(&control);
}

/* Count whole blocks. */
static inline __attribute__((always_inline)) void count_blocks(const char *p, size_t blocks, toad__hints *h) {
    while (blocks) {
        size_t batch = blocks < BATCH ? blocks : BATCH;
        count_first(p, batch, h);
        count_second(p, batch, h);
        p += batch * BLOCK;
        blocks -= batch;
    }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void blocks_avx2(const char *p, size_t n, toad__hints *h) {
    count_blocks(p, n, h);
}
#endif
static void blocks_base(const char *p, size_t n, toad__hints *h) { count_blocks(p, n, h); }

/* A run of signs that is no indentation: 12 bytes, the first and the last of them no blank. */
static bool has_signs(toad_str in) {
    toad_span at;
    for (size_t from = 0; toad__run_next(in, &toad__set_signs, 12, from, &at); from = (size_t)at.end)
        for (size_t i = (size_t)at.start; i + 11 < at.end; i++)
            if (in_symbol_set((unsigned char)in.p[i]) && in_symbol_set((unsigned char)in.p[i + 11])) return true;
    return false;
}

static void count(const char *p, size_t blocks, toad__hints *ret) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        blocks_avx2(p, blocks, ret);
        return;
    }
#endif
    blocks_base(p, blocks, ret);
}

static void count_all(toad_str in, toad__hints *ret) {
    size_t blocks = in.n / BLOCK, rest = in.n % BLOCK;
    char tail[BLOCK] = { 0 };
    if (rest) memcpy(tail, in.p + blocks * BLOCK, rest);
    count(in.p, blocks, ret);
    if (!rest) return;
    count(tail, 1, ret);
    ret->control -= (uint32_t)(BLOCK - rest); /* the zeros behind the text */
}

void toad__hints_take(toad_str in, toad__hints *ret) {
    *ret = (toad__hints){ 0 };
    count_all(in, ret);
    ret->symbol_run = has_signs(in);
}
