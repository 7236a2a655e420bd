/* base32.c - base32 and base32hex (RFC 4648), upper or lower case, with and without padding, folded lines.
 *
 * A run must keep to one case; most long words fall there or at the first 15 decoded bytes. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

/* 0..31, or -1: `hex` is the extended hex alphabet 0-9 A-V, else A-Z 2-7. */
static int value(int c, bool hex) {
    int letter = toad__is_alpha(c) ? (c | 0x20) - 'a' : -1;
    if (hex) return toad__is_digit(c) ? c - '0' : letter >= 0 && letter < 22 ? letter + 10 : -1;
    return letter >= 0 ? letter : c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

/* The first 15 bytes decide whether all are worth decoding. */
static bool starts_like_text(toad_str in, toad_span at, bool hex) {
    char out[15];
    uint32_t bits = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t i = (size_t)at.start; i < at.end && n < sizeof out; i++) {
        int v = value((unsigned char)in.p[i], hex);
        if (v < 0) continue;
        bits = bits << 5 | (uint32_t)v;
        have += 5;
        if (have < 8) continue;
        have -= 8;
        out[n++] = (char)(bits >> have & 0xFF);
    }
    return toad__begins_text(toad__str(out, n), 75);
}

static void decode(toad_str in, toad_span at, bool hex, toad__emit *e) {
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = (size_t)at.start; i < at.end && !e->text.status; i++) {
        int v = value((unsigned char)in.p[i], hex);
        if (v < 0) continue;
        bits = bits << 5 | (uint32_t)v;
        have += 5;
        if (have < 8) continue;
        have -= 8;
        char byte = (char)(bits >> have & 0xFF);
        toad__emit_put(e, &byte, 1, i + 1);
    }
}

static bool one_case(toad_str in, toad_span at) {
    toad_str run = toad__str_part(in, (size_t)at.start, (size_t)at.end);
    return (toad__set_find(run, &toad__set_upper, 0) < run.n) != (toad__set_find(run, &toad__set_lower, 0) < run.n);
}

static bool in_alphabet(toad_str in, toad_span at, bool hex) {
    for (size_t i = (size_t)at.start; i < at.end; i++)
        if (toad__is_alnum((unsigned char)in.p[i]) && value((unsigned char)in.p[i], hex) < 0) return false;
    return true;
}

static toad__outcome try_block(toad_str in, toad_span at, bool hex, toad__sink *sink) {
    static const toad__step steps[] = { { "base32", 0 }, { "base32hex", TOAD__DOUBTFUL } };
    toad__emit e;
    if (!in_alphabet(in, at, hex) || !starts_like_text(in, at, hex)) return TOAD__NOTHING;
    toad__emit_open(&e, sink, in, (size_t)at.start);
    decode(in, at, hex, &e);
    return toad__emit_judge(&e, at, &steps[hex]);
}

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    size_t failed = 0; /* as in base64.c */
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, base32), &toad__set_alnum, 16, from, &at);
         from = (size_t)at.end) {
        if (!one_case(in, at)) continue;
        toad_span block = { at.start, at.start < failed ? (size_t)at.end : toad__run_lines(in, &toad__set_alnum, at) };
        toad__outcome got = try_block(in, block, false, sink);
        if (got == TOAD__NOTHING) got = try_block(in, block, true, sink);
        if (got == TOAD__NOTHING && block.end > at.end) {
            failed = (size_t)block.end;
            got = try_block(in, at, false, sink);
        } else if (got == TOAD__FOUND) {
            at = block;
        }
        if (got == TOAD__STOP) return;
    }
}

const toad__decoder toad__decoder_base32 = { "base32", TOAD__FOLDED, NULL, run };
