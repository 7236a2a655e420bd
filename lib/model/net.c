/* net.c - see net.h.
 *
 * The same C is compiled for AVX2 too, and gives the same numbers. Bounds: an input of the first layer is the sum of at
 * most five numbers of four bits, one of a later layer is at most MOST, so no sum of products leaves int32 (asserted
 * below). Every index lies in its table by how it is made. */
#include "lib/model/net.h"
#include "lib/base/simd.h"

#include <string.h>

enum {
    DEPTH = TOAD__NET_DEPTH,
    WIDTH = TOAD__NET_WIDTH,
    TAPS = TOAD__NET_TAPS,
    MOST = 16 * 256 - 1,
    PROBES = 1024,
    MARK = 0x3fff,
    TAKEN = 0x4000,
};
_Static_assert(DEPTH <= WIDTH, "the vectors of words lie in the rows of the layers");
_Static_assert((int64_t)TAPS *WIDTH * 128 * MOST < INT32_MAX, "a sum of products is an int32");
_Static_assert((int64_t)TOAD__NET_POOLED * 128 * MOST < INT32_MAX, "of the hidden layer, too");

/* ---- words ---- */

static int16_t half(unsigned four_bits) { return (int16_t)((int)(four_bits & 15) - (int)(four_bits & 8) * 2); }

static void add_vector(int16_t *to, const uint8_t *v) {
    for (unsigned i = 0; i < TOAD__NET_VECTOR; i++) {
        to[2 * i] = (int16_t)(to[2 * i] + half(v[i]));
        to[2 * i + 1] = (int16_t)(to[2 * i + 1] + half((unsigned)v[i] >> 4));
    }
}

static bool add_word(const toad__net *net, uint32_t hash, int16_t *to) {
    uint32_t place = toad__gloss_place(hash), slot = (uint32_t)((uint64_t)place * TOAD__NET_WORDS >> 32);
    for (unsigned k = 0; k < PROBES; k++) {
        const uint8_t *p = net->words + (slot + k) % TOAD__NET_WORDS * TOAD__NET_SLOT;
        uint32_t mark = (uint32_t)p[0] | (uint32_t)p[1] << 8;
        if (!mark) return false;
        if (mark != ((place & MARK) | TAKEN)) continue;
        add_vector(to, p + 2);
        return true;
    }
    return false;
}

static void add_stem(const toad__net *net, uint32_t stem, int16_t *to) {
    if (stem) add_word(net, stem, to);
}

static size_t tokens_of(toad_str text, size_t from, size_t to) {
    toad__unit u;
    size_t n = 0;
    while (from < to) {
        from = toad__unit_read(text, from, &u);
        n += u.tokens_n - (size_t)__builtin_popcountll(u.repeats);
    }
    return n;
}

/* The vectors of the words to `rows`; returns how many. */
static size_t read_words(const toad__net *net, const toad__glossary *g, toad_str text, size_t from, size_t to,
                         int16_t (*rows)[WIDTH]) {
    toad__unit u;
    size_t all = tokens_of(text, from, to), skip = all > TOAD__NET_TOKENS ? all - TOAD__NET_TOKENS : 0, n = 0;
    while (from < to) {
        from = toad__unit_read(text, from, &u);
        for (size_t k = 0; k < u.tokens_n; k++) {
            uint16_t keys[TOAD__TOKEN_KEYS];
            if (u.repeats >> k & 1) continue;
            if (skip) {
                skip--;
                continue;
            }
            int16_t *row = rows[n++];
            memset(row, 0, DEPTH * sizeof *row);
            if (!add_word(net, u.tokens[k].hash, row)) add_stem(net, toad__token_stem(text, &u, k), row);
            size_t count = toad__token_keys(g, text, &u, k, keys);
            for (size_t i = 0; i < count; i++) add_vector(row, net->keys + (size_t)keys[i] * TOAD__NET_VECTOR);
        }
    }
    return n;
}

/* ---- layers ---- */

/* Compilers make one instruction of eight or sixteen of these products, where both factors have sixteen bits. */
ALWAYS_INLINE int32_t dot(const int16_t *w, const int16_t *x, unsigned n) {
    int32_t sum = 0;
    for (unsigned i = 0; i < n; i++) sum += w[i] * x[i];
    return sum;
}

ALWAYS_INLINE void widen(const int8_t *w, unsigned n, int16_t *ret) {
    for (unsigned i = 0; i < n; i++) ret[i] = w[i];
}

/* What a unit gives: nothing below zero, and MOST at most. */
ALWAYS_INLINE int16_t rectified(int32_t sum, int32_t step, int32_t bias) {
    int64_t v = (int64_t)sum * step / 65536 + bias;
    return (int16_t)(v < 0 ? 0 : v > MOST ? MOST : v);
}

/* One layer over `n` rows of `depth` numbers; a later one adds what came in. */
ALWAYS_INLINE void convolve(const toad__net *net, unsigned layer, int16_t (*in)[WIDTH], int16_t (*out)[WIDTH],
                            size_t n) {
    unsigned depth = layer ? WIDTH : DEPTH;
    size_t apart = (size_t)1 << layer;
    const int8_t *weights = net->layers + (layer ? TOAD__NET_FIRST + (layer - 1) * TOAD__NET_LATER : 0);
    for (unsigned o = 0; o < WIDTH; o++, weights += (size_t)TAPS * depth) {
        int16_t w[TAPS * WIDTH];
        widen(weights, TAPS * depth, w);
        for (size_t t = 0; t < n; t++) {
            int32_t sum = dot(w + depth, in[t], depth);
            if (t >= apart) sum += dot(w, in[t - apart], depth);
            if (t + apart < n) sum += dot(w + (size_t)2 * depth, in[t + apart], depth);
            int32_t v = rectified(sum, net->step[layer], net->bias[layer * WIDTH + o]) + (layer ? in[t][o] : 0);
            out[t][o] = (int16_t)(v > MOST ? MOST : v);
        }
    }
}

/* ---- pooling ---- */

/* 65536 * 2^(-x / 256) for x >= 0. */
ALWAYS_INLINE uint32_t power(uint32_t x) {
    static const uint16_t steps[8] = { 65359, 65182, 64830, 64132, 62757, 60097, 55109, 46341 }; /* of 1, 2, 4 .. 128 */
    uint32_t v = 65536;
    for (unsigned k = 0; k < 8; k++)
        if (x >> k & 1) v = (uint32_t)((uint64_t)v * steps[k] >> 16);
    return x < 32 * 256 ? v >> (x >> 8) : 0;
}

/* The mean of the rows, each counting as the attention says. */
ALWAYS_INLINE void attend(const toad__net *net, unsigned attention, int16_t (*rows)[WIDTH], size_t n,
                          int16_t ret[WIDTH]) {
    int64_t count[TOAD__NET_TOKENS], most = INT64_MIN, sums[WIDTH] = { 0 }, all = 0;
    int16_t w[WIDTH];
    widen(net->attentions + (size_t)attention * WIDTH, WIDTH, w);
    for (size_t t = 0; t < n; t++) {
        count[t] = (int64_t)dot(w, rows[t], WIDTH) * net->step[TOAD__NET_LAYERS] / 65536;
        if (count[t] > most) most = count[t];
    }
    for (size_t t = 0; t < n; t++) {
        int64_t less = most - count[t];
        uint32_t weight = less < INT32_MAX ? power((uint32_t)less) : 0;
        all += weight;
        for (unsigned i = 0; i < WIDTH; i++) sums[i] += (int64_t)weight * rows[t][i];
    }
    for (unsigned i = 0; i < WIDTH; i++) ret[i] = all ? (int16_t)(sums[i] / all) : 0;
}

ALWAYS_INLINE void highest(int16_t (*rows)[WIDTH], size_t n, int16_t ret[WIDTH]) {
    memset(ret, 0, WIDTH * sizeof *ret);
    for (size_t t = 0; t < n; t++)
        for (unsigned i = 0; i < WIDTH; i++)
            if (rows[t][i] > ret[i]) ret[i] = rows[t][i];
}

/* ---- the answer ---- */

/* What the `n` vectors in s->rows[0] say. */
ALWAYS_INLINE int32_t say(const toad__net *net, toad__net_scratch *s, size_t n) {
    enum { HIDDEN_AT = TOAD__NET_LAYERS * WIDTH, OUT_AT = HIDDEN_AT + TOAD__NET_HIDDEN };
    int16_t pooled[TOAD__NET_POOLED], hidden[TOAD__NET_HIDDEN], w[TOAD__NET_POOLED];
    for (unsigned layer = 0; layer < TOAD__NET_LAYERS; layer++)
        convolve(net, layer, s->rows[layer % 2], s->rows[1 - layer % 2], n);
    int16_t(*rows)[WIDTH] = s->rows[TOAD__NET_LAYERS % 2];
    for (unsigned a = 0; a < TOAD__NET_ATTENTIONS; a++) attend(net, a, rows, n, pooled + (size_t)a * WIDTH);
    highest(rows, n, pooled + (size_t)TOAD__NET_ATTENTIONS * WIDTH);
    const int32_t *step = net->step + TOAD__NET_LAYERS;
    for (unsigned o = 0; o < TOAD__NET_HIDDEN; o++) {
        widen(net->hidden + (size_t)o * TOAD__NET_POOLED, TOAD__NET_POOLED, w);
        hidden[o] = rectified(dot(w, pooled, TOAD__NET_POOLED), step[1], net->bias[HIDDEN_AT + o]);
    }
    widen(net->out, TOAD__NET_HIDDEN, w);
    int64_t logit = (int64_t)dot(w, hidden, TOAD__NET_HIDDEN) * step[2] / 256 + net->bias[OUT_AT];
    return (int32_t)(logit > INT32_MAX / 4 ? INT32_MAX / 4 : logit < -INT32_MAX / 4 ? -INT32_MAX / 4 : logit);
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static int32_t say_avx2(const toad__net *net, toad__net_scratch *s, size_t n) {
    return say(net, s, n);
}
#endif

int32_t toad__net_logit(const toad__net *net, const toad__glossary *g, toad__net_scratch *s, toad_str text, size_t from,
                        size_t to) {
    size_t n = read_words(net, g, text, from, to, s->rows[0]);
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return say_avx2(net, s, n);
#endif
    return say(net, s, n);
}
