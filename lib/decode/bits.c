/* bits.c - text as zeros and ones: 8 or 7 bits, with or without gaps or 0b before them; groups of five are Bacon's.
 *
 * Where the groups have one length, that is the length; else all bits are read as one number in 8s, then in 7s. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step step = { "binary", 0 };

enum { LEAST = 32 };

/* A zero before a b is a mark, no bit. */
static bool is_bit(toad_str in, size_t at) {
    return in.p[at] == '1' || (in.p[at] == '0' && !(at + 1 < in.n && (in.p[at + 1] | 0x20) == 'b'));
}

/* The common length of the groups in `at`, 0 if they differ (a last one may be shorter). */
static size_t group_width(toad_str in, toad_span at) {
    size_t width = 0, n = 0;
    bool shorter = false;
    for (size_t i = (size_t)at.start; i <= at.end; i++) {
        if (i < at.end && is_bit(in, i)) {
            n++;
            continue;
        }
        if (n && (shorter || (width && n > width))) return 0;
        if (n && width && n < width) shorter = true;
        if (n && !width) width = n;
        n = 0;
    }
    return width;
}

static toad__outcome read_bits(toad_str in, toad_span at, unsigned width, toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, (size_t)at.start);
    unsigned v = 0, have = 0;
    for (size_t i = (size_t)at.start; i < at.end && !e.text.status; i++) {
        if (!is_bit(in, i)) continue;
        v = v << 1 | (in.p[i] == '1');
        if (++have < width) continue;
        char c = (char)(width == 5 ? v < 26 ? 'a' + (int)v : ' ' : (int)v);
        toad__emit_put(&e, &c, 1, i + 1);
        v = have = 0;
    }
    return toad__emit_judge(&e, at, &step);
}

static size_t count_bits(toad_str in, toad_span at) {
    size_t n = 0;
    for (size_t i = (size_t)at.start; i < at.end; i++) n += is_bit(in, i);
    return n;
}

static toad__outcome candidate(toad_str in, toad_span at, toad__sink *sink) {
    if (count_bits(in, at) < LEAST) return TOAD__NOTHING;
    size_t width = group_width(in, at);
    if (width == 5 || width == 7) return read_bits(in, at, (unsigned)width, sink);
    toad__outcome got = read_bits(in, at, 8, sink);
    return got == TOAD__NOTHING ? read_bits(in, at, 7, sink) : got;
}

static bool wanted(const toad__hints *h) { return h->digits >= LEAST; }

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_bits, LEAST, from, &at);
         from = (size_t)at.end) {
        toad_span trimmed = at;
        while (trimmed.end > at.start && !is_bit(in, (size_t)trimmed.end - 1)) trimmed.end--;
        while (trimmed.start < trimmed.end && !is_bit(in, (size_t)trimmed.start)) trimmed.start++;
        if (candidate(in, trimmed, sink) == TOAD__STOP) return;
    }
}

const toad__decoder toad__decoder_bits = { "bits", TOAD__FOLDED, wanted, run };
