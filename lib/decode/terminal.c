/* terminal.c - what terminal control strings carry: titles, links, clipboards (OSC), device strings (DCS), APC, PM,
 * SOS.
 *
 * A terminal shows none of it, the folder takes the sequences out whole, and a model that is given the raw log reads
 * every word. All payloads of a text become one child, a line each. */
#include "lib/text/terminal.h"
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

#define LEAST 4u /* bytes of a payload worth reading */

static bool wanted(const bzr__hints *h) { return !h->all_shown && (h->escape || h->non_ascii >= 2 * LEAST); }

static void run(bzr_str in, bzr__sink *sink) {
    bzr__emit e;
    bzr__emit_open(&e, sink, in, 0);
    bzr__leads leads = bzr__leads_of(in, "\x1B\xC2\xC2\xC2");
    for (size_t at = 0; (at = bzr__leads_next(&leads, at)) < in.n && !e.text.status;) {
        bzr__sequence seq = bzr__terminal_sequence(in, at, NULL);
        if (seq.payload.n >= LEAST) {
            size_t start = (size_t)(seq.payload.p - in.p);
            if (e.text.n) bzr__emit_put(&e, "\n", 1, start);
            bzr__emit_skip(&e, start);
            bzr__emit_copy(&e, start + seq.payload.n);
        }
        at += seq.n ? seq.n : 1;
    }
    bzr__emit_send(&e, "terminal-string");
}

const bzr__decoder bzr__decoder_terminal = { "terminal", true, wanted, run };
