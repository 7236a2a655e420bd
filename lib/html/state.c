/* state.c - a reader of HTML is made, begun anew and copied. It is plain bytes, but most of them are of no meaning:
 * only the open elements are copied. */
#include "lib/html/state.h"

#include <assert.h>
#include <stdlib.h>

toad__html *toad__html_new(void) { return calloc(1, sizeof(toad__html)); }

void toad__html_free(toad__html *h) { free(h); }

void toad__html_reset(toad__html *h) {
    toad__sheet_reset(&h->sheet);
    h->now = (toad__html_state){ 0 };
}

void toad__html_markdown(toad__html *h) { h->now.markdown = true; }

bool toad__html_again(toad__html *h) {
    bool late = h->now.late;
    if (late) h->now = (toad__html_state){ 0 };
    h->now.sheets_known = late;
    return late;
}

void toad__html_copy(toad__html *to, const toad__html *from) {
    assert(from->now.depth <= TOAD__LIMIT_HTML_DEPTH);
    if (to->sheet.n || from->sheet.n || from->sheet.muted || to->sheet.muted)
        toad__sheet_copy(&to->sheet, &from->sheet);
    to->now = from->now;
    memcpy(to->stack, from->stack, from->now.depth * sizeof *to->stack);
    memcpy(to->keys, from->keys, from->now.depth * sizeof *to->keys);
}
