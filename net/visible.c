/* visible.c - see visible.h. */
#include "net/visible.h"

#include "bezoar/html.h"
#include "lib/base/str.h"

bzr_status bzr__arena_keep(bzr__arena *arena, const bzr__buf *b, bzr_str *ret) {
    if (b->status) return b->status;
    bzr_str kept = bzr__arena_dup(arena, bzr__buf_str(b));
    if (!kept.p) return BZR_E_NOMEM;
    *ret = kept;
    return BZR_OK;
}

bzr_status bzr__visible(bzr_str html, bzr__arena *arena, bzr_str *ret) {
    bzr_extract_options how = BZR_EXTRACT_OPTIONS_INIT;
    bzr_extracted *e;
    how.format = BZR_FORMAT_HTML;
    bzr_status status = bzr_extract(html, &how, &e);
    if (status) return status;
    bzr_str seen = bzr_extracted_visible(e);
    while (seen.n && bzr__is_space((unsigned char)seen.p[seen.n - 1])) seen.n--;
    bzr_str kept = bzr__arena_dup(arena, seen);
    bzr_extracted_free(e);
    if (!kept.p) return BZR_E_NOMEM;
    *ret = kept;
    return BZR_OK;
}
