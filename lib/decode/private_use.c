/* private_use.c - ASCII at an offset in a private-use area: U+E000+c, U+F000+c (symbol fonts), U+F0000+c, U+100000+c.
 *
 * Runs of four or more that are printable become a child each. Icon fonts stand alone or do not read as text. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step step = { "private-use", TOAD__HIDES };

#define LEAST 4u

/* The ASCII character that a private-use code point stands for, or 0. */
static char ascii_of(uint32_t c) {
    uint32_t base = c & ~UINT32_C(0xFF), low = c & 0xFF;
    bool area = base == 0xE000 || base == 0xF000 || base == 0xF0000 || base == 0x100000;
    return area && ((low >= 0x20 && low < 0x7F) || low == '\n') ? (char)low : 0;
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 3 * LEAST; }

static void run(toad_str in, toad__sink *sink) {
    toad__leads leads = toad__leads_of(in, "\xEE\xEF\xF3\xF4");
    bool go_on = true;
    for (size_t at = 0; go_on && (at = toad__leads_next(&leads, at)) < in.n;) {
        toad__emit e;
        toad__emit_open(&e, sink, in, at);
        size_t start = at;
        for (unsigned len; at < in.n && !e.text.status; at += len) {
            char c = ascii_of(toad__utf8_decode(in, at, &len));
            if (!c) break;
            toad__emit_put(&e, &c, 1, at + len);
        }
        bool good = e.text.n >= LEAST && toad__looks_like_text(toad__buf_str(&e.text));
        if (good || e.text.status)
            go_on = toad__emit_send(&e, &step);
        else
            toad__emit_drop(&e);
        at += at == start;
    }
}

const toad__decoder toad__decoder_private_use = { "private_use", TOAD__RAW, wanted, run };
