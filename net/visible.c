/* visible.c - see visible.h. */
#include "net/visible.h"

#include "lib/base/str.h"
#include "toadstone/html.h"

toad_status toad__arena_keep(toad__arena *arena, const toad__buf *b, toad_str *ret) {
    if (b->status) return b->status;
    toad_str kept = toad__arena_dup(arena, toad__buf_str(b));
    if (!kept.p) return TOAD_E_NOMEM;
    *ret = kept;
    return TOAD_OK;
}

toad_status toad__visible(toad_str html, toad__arena *arena, toad_str *ret) {
    toad_extract_options how = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e;
    how.format = TOAD_FORMAT_HTML;
    toad_status status = toad_extract(html, &how, &e);
    if (status) return status;
    toad_str seen = toad_extracted_visible(e);
    while (seen.n && toad__is_space((unsigned char)seen.p[seen.n - 1])) seen.n--;
    toad_str kept = toad__arena_dup(arena, seen);
    toad_extracted_free(e);
    if (!kept.p) return TOAD_E_NOMEM;
    *ret = kept;
    return TOAD_OK;
}
