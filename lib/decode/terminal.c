/* terminal.c - what terminal control strings carry: titles, links, clipboards (OSC), device strings (DCS), APC, PM,
 * SOS.
 *
 * A terminal shows none of it, the folder takes the sequences out whole, and a model that is given the raw log reads
 * every word. All payloads of a text become one child, a line each. */
#include "lib/text/terminal.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step step = { "terminal-string", TOAD__HIDES };

#define LEAST 4u /* bytes of a payload worth reading */

static bool wanted(const toad__hints *h) { return !h->all_shown && (h->escape || h->non_ascii >= 2 * LEAST); }

static void run(toad_str in, toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    toad__leads leads = toad__leads_of(in, "\x1B\xC2\xC2\xC2");
    for (size_t at = 0; (at = toad__leads_next(&leads, at)) < in.n && !e.text.status;) {
        toad__sequence seq = toad__terminal_sequence(in, at, NULL);
        if (seq.payload.n >= LEAST) {
            size_t start = (size_t)(seq.payload.p - in.p);
            if (e.text.n) toad__emit_put(&e, "\n", 1, start);
            toad__emit_skip(&e, start);
            toad__emit_copy(&e, start + seq.payload.n);
        }
        at += seq.n ? seq.n : 1;
    }
    toad__emit_send(&e, &step);
}

const toad__decoder toad__decoder_terminal = { "terminal", TOAD__RAW, wanted, run };
