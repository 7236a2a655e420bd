/* punycode.c - internationalized labels of host names (RFC 3492): "xn--pypal-4ve" as a person sees it.
 *
 * Labels have at most 63 bytes, so the quadratic insertion of the algorithm is bounded. An ill-formed label stays as it
 * is. */
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

enum { LABEL = 59 }; /* 63 less the prefix */

static int digit(int c) {
    if (toad__is_digit(c)) return c - '0' + 26;
    c |= 0x20;
    return toad__is_lower(c) ? c - 'a' : -1;
}

static uint32_t adapt(uint32_t delta, uint32_t n, bool first) {
    uint32_t k = 0;
    delta = first ? delta / 700 : delta / 2;
    for (delta += delta / n; delta > 455; k += 36) delta /= 35;
    return k + 36 * delta / (delta + 38);
}

/* The variable-length integer at *in; false at an error. */
static bool integer(toad_str s, size_t *in, uint32_t bias, uint32_t *i) {
    for (uint32_t k = 36, w = 1;; k += 36) {
        int d = *in < s.n ? digit((unsigned char)s.p[(*in)++]) : -1;
        uint32_t t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
        if (d < 0 || (uint32_t)d > (UINT32_MAX - *i) / w) return false;
        *i += (uint32_t)d * w;
        if ((uint32_t)d < t) return true;
        if (w > UINT32_MAX / (36 - t)) return false;
        w *= 36 - t;
    }
}

/* Decode the label behind its prefix; returns the number of code points, 0 for an error. */
static size_t decode(toad_str s, uint32_t out[LABEL]) {
    size_t n = 0, in = 0;
    for (size_t k = s.n; k-- > 0 && !in;)
        if (s.p[k] == '-') in = k + 1;
    for (size_t k = 0; in && k + 1 < in; k++) out[n++] = (unsigned char)s.p[k];
    uint32_t c = 0x80, i = 0, bias = 72;
    while (in < s.n) {
        uint32_t old = i;
        if (!integer(s, &in, bias, &i) || n >= LABEL) return 0;
        n++;
        bias = adapt(i - old, (uint32_t)n, !old);
        if (i / n > 0x10FFFF - c) return 0;
        c += (uint32_t)(i / n);
        i %= (uint32_t)n;
        memmove(out + i + 1, out + i, (n - 1 - i) * sizeof *out);
        out[i++] = c;
    }
    return n;
}

static bool label_byte(int c) { return toad__is_alnum(c) || c == '-'; }

static bool piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    toad__cur c = toad__cur_from(s, at);
    if ((toad__cur_peek(&c, 1) | 0x20) != 'n' || toad__cur_peek(&c, 2) != '-' || toad__cur_peek(&c, 3) != '-')
        return false;
    if (at > from && label_byte((unsigned char)s.p[at - 1])) return false;
    toad__cur_skip(&c, 4);
    size_t start = c.at;
    while (c.at - start <= LABEL && label_byte(toad__cur_peek(&c, 0))) c.at++;
    uint32_t points[LABEL];
    size_t n = c.at - start <= LABEL ? decode(toad__str_part(s, start, c.at), points) : 0;
    for (size_t i = 0; i < n; i++) toad__buf_add_cp(out, points[i]);
    *ret = (toad__piece){ at, c.at, 1 };
    return n > 0;
}

#define HYPHEN(c) ((c) == '-')

static void run(toad_str in, toad__sink *sink) {
    static const toad__set hyphen = TOAD__SET(HYPHEN);
    static const toad__inline lower = { { "punycode", TOAD__PLAIN }, 'x', &hyphen, 1, 1, piece, 2 },
                              upper = { { "punycode", TOAD__PLAIN }, 'X', &hyphen, 1, 1, piece, 2 };
    if (toad__inline_run(&lower, in, sink)) toad__inline_run(&upper, in, sink);
}

const toad__decoder toad__decoder_punycode = { "punycode", TOAD__FOLDED, NULL, run };
