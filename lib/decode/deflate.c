/* deflate.c - gzip, zlib and raw deflate (RFC 1950, 1951, 1952), small and hard to hurt.
 *
 * A stream is only believed at the very start of a text (a child of base64, say). Output is at most 64 KiB, 100 bytes
 * for each byte of input and what the sink allows; and of what does not repeat itself FAIR bytes for each byte of
 * input. A stream that wants more is cut there and the sink is told (TOAD_E_LIMIT). Checksums are not asked for: a
 * damaged stream still shows its text. Canonical Huffman decoding bit by bit, after Mark Adler's puff: linear, no
 * tables built. */
#include "lib/decode/deflate.h"
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

#include <assert.h>

enum { MOST = 64 << 10, RATIO = 100, FAIR = 16, FAIR_BASE = 4096, BITS = 15, LITERALS = 288, DISTANCES = 30 };

typedef struct huffman {
    uint16_t count[BITS + 1], symbol[LITERALS];
} huffman;

typedef struct inflater {
    toad__cur in;
    uint32_t bits;
    unsigned have;
    bool bad; /* the input ended or broke a rule */
    toad__buf *out;
} inflater;

static unsigned take(inflater *s, unsigned n) {
    assert(n <= 16 && (s->have < 8 || s->bad)); /* at the end of the input what was begun stays */
    while (s->have < n) {
        int byte = toad__cur_next(&s->in);
        if (byte < 0) {
            s->bad = true;
            return 0;
        }
        s->bits |= (uint32_t)byte << s->have;
        s->have += 8;
    }
    unsigned v = s->bits & ((1u << n) - 1);
    s->bits >>= n;
    s->have -= n;
    return v;
}

static unsigned symbol(inflater *s, const huffman *h) {
    int code = 0, first = 0, index = 0;
    for (unsigned len = 1; len <= BITS && !s->bad; len++) {
        code |= (int)take(s, 1);
        int count = h->count[len];
        if (code - count < first) return h->symbol[index + (code - first)];
        index += count;
        first = (first + count) << 1;
        code <<= 1;
    }
    s->bad = true;
    return 0;
}

/* False: the lengths are no prefix code. An incomplete code is allowed where it has one code only. */
static bool build(huffman *h, const uint8_t *length, unsigned n) {
    uint16_t at[BITS + 1];
    memset(h->count, 0, sizeof h->count);
    for (unsigned i = 0; i < n; i++) h->count[length[i]]++;
    int left = 1;
    for (unsigned len = 1; len <= BITS; len++) {
        left = left * 2 - h->count[len];
        if (left < 0) return false;
    }
    at[1] = 0;
    for (unsigned len = 1; len < BITS; len++) at[len + 1] = (uint16_t)(at[len] + h->count[len]);
    for (unsigned i = 0; i < n; i++)
        if (length[i]) h->symbol[at[length[i]]++] = (uint16_t)i;
    return left == 0 || n - h->count[0] <= 1;
}

static void copy_back(inflater *s, size_t distance, size_t n) {
    if (distance > s->out->n) {
        s->bad = true;
        return;
    }
    size_t left = s->out->max - s->out->n;
    bool cut = n > left;
    char *to = toad__buf_room(s->out, cut ? left : n);
    for (size_t i = 0; to && i < (cut ? left : n); i++) to[i] = *(to + i - distance);
    if (to) s->out->n += cut ? left : n;
    if (cut && !s->out->status) s->out->status = TOAD_E_LIMIT;
}

static void coded(inflater *s, const huffman *literals, const huffman *distances) {
    static const uint16_t base[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint8_t extra[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    while (!s->bad && !s->out->status) {
        unsigned v = symbol(s, literals);
        if (s->bad || v == 256) return;
        if (v < 256) {
            toad__buf_add_c(s->out, (char)v);
            continue;
        }
        v -= 257;
        if (v >= 29) break;
        size_t n = base[v] + take(s, extra[v]);
        unsigned d = symbol(s, distances);
        if (s->bad || d >= DISTANCES) break;
        unsigned more = d < 2 ? 0 : d / 2 - 1;
        size_t start = d < 4 ? d + 1 : ((size_t)(2 + d % 2) << more) + 1;
        copy_back(s, start + take(s, more), n);
    }
    if (!s->out->status) s->bad = true;
}

static void stored(inflater *s) {
    s->bits = 0, s->have = 0;
    unsigned n = take(s, 16), check = take(s, 16);
    if (s->bad || n != (~check & 0xFFFF)) {
        s->bad = true;
        return;
    }
    size_t have = toad__cur_left(&s->in), room = s->out->max - s->out->n;
    if (n > have) n = (unsigned)have, s->bad = true;
    bool cut = n > room;
    toad__buf_add(s->out, s->in.s.p + s->in.at, cut ? room : n);
    if (cut) s->out->status = TOAD_E_LIMIT;
    toad__cur_skip(&s->in, n);
}

static void fixed_block(inflater *s) {
    huffman literals = { .count = { [7] = 24, [8] = 152, [9] = 112 } }, distances = { .count = { [5] = DISTANCES } };
    for (unsigned i = 0; i < 24; i++) literals.symbol[i] = (uint16_t)(256 + i);
    for (unsigned i = 0; i < 144; i++) literals.symbol[24 + i] = (uint16_t)i;
    for (unsigned i = 0; i < 8; i++) literals.symbol[168 + i] = (uint16_t)(280 + i);
    for (unsigned i = 0; i < 112; i++) literals.symbol[176 + i] = (uint16_t)(144 + i);
    for (unsigned i = 0; i < DISTANCES; i++) distances.symbol[i] = (uint16_t)i;
    coded(s, &literals, &distances);
}

/* The code lengths of a dynamic block; false: malformed. */
static bool read_lengths(inflater *s, const huffman *code, uint8_t *length, unsigned n) {
    for (unsigned i = 0; i < n && !s->bad;) {
        unsigned v = symbol(s, code), times = 1;
        if (v == 16 && !i) return false;
        uint8_t value = v == 16 ? length[i - 1] : v > 16 ? 0 : (uint8_t)v;
        if (v == 16) times = 3 + take(s, 2);
        if (v == 17) times = 3 + take(s, 3);
        if (v == 18) times = 11 + take(s, 7);
        if (times > n - i) return false;
        while (times--) length[i++] = value;
    }
    return !s->bad;
}

static void dynamic_block(inflater *s) {
    static const uint8_t order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    uint8_t length[LITERALS + 32] = { 0 };
    huffman literals, distances;
    unsigned n_literals = take(s, 5) + 257, n_distances = take(s, 5) + 1, n_codes = take(s, 4) + 4;
    for (unsigned i = 0; i < n_codes; i++) length[order[i]] = (uint8_t)take(s, 3);
    bool good = !s->bad && n_literals <= 286 && n_distances <= DISTANCES && build(&literals, length, 19);
    memset(length, 0, good ? 19 : 0);
    good = good && read_lengths(s, &literals, length, n_literals + n_distances) && length[256];
    good = good && build(&distances, length + n_literals, n_distances) && build(&literals, length, n_literals);
    if (good)
        coded(s, &literals, &distances);
    else
        s->bad = true;
}

bool toad__inflate(toad_str in, toad__buf *out, size_t *left) {
    inflater s = { .in = toad__cur_of(in), .out = out };
    for (bool last = false; !last && !s.bad && !out->status;) {
        last = take(&s, 1);
        unsigned kind = take(&s, 2);
        if (kind == 0)
            stored(&s);
        else if (kind == 1)
            fixed_block(&s);
        else if (kind == 2)
            dynamic_block(&s);
        else
            s.bad = true;
    }
    *left = toad__cur_left(&s.in);
    return !s.bad;
}

size_t toad__gzip_header(toad_str s) {
    toad__cur c = toad__cur_of(s);
    if (!toad__cur_eat(&c, TOAD__S("\x1f\x8b\x08")) || toad__cur_left(&c) < 7) return 0;
    int flags = toad__cur_next(&c);
    toad__cur_skip(&c, 6);
    if (flags & 4) {
        int low = toad__cur_next(&c), high = toad__cur_next(&c);
        if (high >= 0) toad__cur_skip(&c, (size_t)(low | high << 8));
    }
    if (flags & 8) toad__cur_find(&c, 0), toad__cur_skip(&c, 1);
    if (flags & 16) toad__cur_find(&c, 0), toad__cur_skip(&c, 1);
    if (flags & 2) toad__cur_skip(&c, 2);
    return toad__cur_end(&c) ? 0 : c.at;
}

static const toad__step gzip = { "gzip", TOAD__HIDES }, zlib = { "zlib", TOAD__HIDES },
                        deflate = { "deflate", TOAD__HIDES };

static size_t zlib_header(toad_str s) {
    toad__cur c = toad__cur_of(s);
    int method = toad__cur_next(&c), flags = toad__cur_next(&c);
    return flags >= 0 && (method & 15) == 8 && method >> 4 <= 7 && (method << 8 | flags) % 31 == 0 && !(flags & 32) ? 2
                                                                                                                    : 0;
}

/* A stream without header, by the text its start unpacks to: few other bytes give 12 letters. */
static bool raw_stream(toad_str s) {
    char head[128];
    size_t left;
    if (s.n < 16) return false;
    toad__buf out = { .p = head, .cap = sizeof head, .max = sizeof head }; /* never grows: max is its capacity */
    toad__inflate(s, &out, &left);
    return out.n >= 12 && toad__looks_like_text(toad__buf_str(&out));
}

bool toad__looks_compressed(toad_str s) {
    return toad__gzip_header(s) || (zlib_header(s) && s.n >= 8) || raw_stream(s);
}

/* Text of which little is new costs what is new. */
static void send(toad_str in, toad_str text, toad__sink *sink, const toad__step *step) {
    toad__buf less;
    toad__buf_init(&less, text.n);
    toad__squeeze(text, &less);
    size_t most = in.n * FAIR + FAIR_BASE;
    bool cut = less.n > most;
    if (cut && !sink->status) sink->status = TOAD_E_LIMIT;
    if (less.status)
        sink->status = less.status;
    else
        toad__emit_block(sink, in, (toad_span){ 0, in.n }, toad__str(less.p, cut ? most : less.n), step);
    toad__buf_free(&less);
}

static bool wanted(const toad__hints *h) { return h->non_ascii > 0 || h->control > 0; }

static void run(toad_str in, toad__sink *sink) {
    size_t start = toad__gzip_header(in);
    const toad__step *step = start ? &gzip : &zlib;
    if (!start) start = zlib_header(in);
    if (!start && !raw_stream(in)) return;
    if (!start) step = &deflate;
    size_t most = in.n > MOST / RATIO ? MOST : in.n * RATIO;
    toad__buf out;
    toad__buf_init(&out, most < sink->room ? most : sink->room);
    size_t left;
    bool whole = toad__inflate(toad__str_part(in, start, in.n), &out, &left);
    bool text = start ? whole || toad__printable_percent(toad__buf_str(&out)) >= 85
                      : whole && !left && toad__looks_like_text(toad__buf_str(&out));
    if (out.status && sink->status != TOAD_E_NOMEM) sink->status = out.status;
    if (text && out.n >= 4 && out.status != TOAD_E_NOMEM) send(in, toad__buf_str(&out), sink, step);
    toad__buf_free(&out);
}

const toad__decoder toad__decoder_deflate = { "deflate", TOAD__RAW, wanted, run };
