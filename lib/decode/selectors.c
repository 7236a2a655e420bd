/* selectors.c - bytes in variation selectors: one byte each (VS1 to VS256, Butler 2025), half a byte each (VS1 to
 * VS16), or two bits each (the Mongolian ones).
 *
 * Selectors are read in the order they stand, whatever stands between, since one after each emoji works as well as a
 * run. A reading becomes a child only if it is text. Selectors that select (emoji presentation, registered ideographs)
 * read as control characters and fall out. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step mongolian = { "mongolian-selectors", TOAD__HIDES },
                        variation = { "variation-selectors", TOAD__HIDES };

#define LEAST 2u /* bytes of text */

typedef enum alphabet { BYTES, NIBBLES, PAIRS } alphabet;

/* The value of a selector in the alphabet, or -1. */
static int value(uint32_t c, alphabet which) {
    bool low = c >= 0xFE00 && c <= 0xFE0F;
    if (which == NIBBLES) return low ? (int)(c - 0xFE00) : -1;
    if (which == BYTES) return low ? (int)(c - 0xFE00) : c >= 0xE0100 && c <= 0xE01EF ? (int)(c - 0xE0100 + 16) : -1;
    return c >= 0x180B && c <= 0x180D ? (int)(c - 0x180B) : c == 0x180F ? 3 : -1;
}

/* Digits put together to bytes, highest first. */
typedef struct joiner {
    unsigned bits_each, have, byte;
    size_t start;
} joiner;

static bool is_text(int byte) { return byte == '\n' || byte == '\t' || (byte >= 0x20 && byte != 0x7F); }

static void take(toad__emit *e, joiner *j, int digit, size_t at, size_t end) {
    if (!j->have) j->start = at;
    j->byte = (j->byte << j->bits_each | (unsigned)digit) & 0xFF;
    j->have += j->bits_each;
    if (j->have < 8) return;
    j->have = 0;
    char byte = (char)j->byte;
    toad__emit_skip(e, j->start);
    if (is_text((int)j->byte))
        toad__emit_put(e, &byte, 1, end);
    else
        toad__emit_skip(e, end);
}

/* One reading of the whole text that passes over the first `skip` selectors of the alphabet. */
static bool read_as(toad_str in, toad__sink *sink, alphabet which, unsigned skip, size_t *seen) {
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    joiner j = { which == BYTES ? 8 : which == NIBBLES ? 4 : 2, 0, 0, 0 };
    toad__leads leads = toad__leads_of(in, which == PAIRS ? "\xE1\xE1\xE1\xE1" : "\xEF\xF3\xEF\xEF");
    *seen = 0;
    for (size_t at = 0; (at = toad__leads_next(&leads, at)) < in.n && !e.text.status;) {
        unsigned len;
        int digit = value(toad__utf8_decode(in, at, &len), which);
        if (digit >= 0 && (*seen)++ >= skip) take(&e, &j, digit, at, at + len);
        at += len;
    }
    bool good = e.text.n >= LEAST && e.text.n * 2 * j.bits_each >= *seen * j.bits_each * j.bits_each / 8;
    if (!e.text.status && (!good || toad__printable_percent(toad__buf_str(&e.text)) < 85)) {
        toad__emit_drop(&e);
        return true;
    }
    return toad__emit_send(&e, which == PAIRS ? &mongolian : &variation);
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 6; }

static void run(toad_str in, toad__sink *sink) {
    size_t seen;
    bool go_on = read_as(in, sink, BYTES, 0, &seen);
    for (unsigned skip = 0; go_on && skip < 2; skip++) {
        go_on = read_as(in, sink, NIBBLES, skip, &seen);
        if (seen < 4) break;
    }
    if (go_on) read_as(in, sink, PAIRS, 0, &seen);
}

const toad__decoder toad__decoder_selectors = { "selectors", TOAD__RAW, wanted, run };
