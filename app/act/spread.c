/* spread.c - see spread.h. */
#include "app/act/spread.h"

#include "lib/base/str.h"

enum { PATH = 4096, REFS = 256 };

typedef struct refs {
    toad__arena *arena;
    toad__session_ref items[REFS];
    size_t n;
    bool full;
} refs;

static bool name_of(toad_str path, char name[PATH + 8], toad_str *ret) {
    while (toad__str_starts(path, TOAD__S("./"))) path = toad__str_part(path, 2, path.n);
    if (!path.n || path.n > PATH || memchr(path.p, 0, path.n)) return false;
    memcpy(name, TOAD__FILE_SESSION, 5);
    memcpy(name + 5, path.p, path.n);
    *ret = toad__str(name, path.n + 5);
    return true;
}

toad_status toad__spread_to_file(toad__host *host, toad_str path, const toad__taint *taint) {
    char name[PATH + 8];
    toad_str file;
    toad__session_ref kept[REFS];
    size_t n = 0;
    for (size_t i = 0; i < taint->n && n < REFS; i++) {
        const toad__tainting *row = &taint->rows[i];
        if (!row->any) continue;
        kept[n++] = (toad__session_ref){ .content_id = row->id,
                                         .url = row->url,
                                         .scan_result = row->high ? TOAD__S("block") : TOAD__S("allow") };
    }
    if (!n || !name_of(path, name, &file)) return TOAD_OK;
    return toad__host_store_failed(host, toad__store_session_saw(host->store, file, kept, n));
}

static bool keep(void *ctx, const toad__session_ref *ref) {
    refs *list = ctx;
    if (list->n == REFS) return false;
    toad__session_ref *to = &list->items[list->n++];
    *to = (toad__session_ref){ .content_id = toad__arena_dup(list->arena, ref->content_id),
                               .url = toad__arena_dup(list->arena, ref->url),
                               .scan_result = toad__arena_dup(list->arena, ref->scan_result) };
    list->full |= !to->content_id.p || !to->url.p || !to->scan_result.p;
    return !list->full;
}

toad_status toad__spread_from_file(toad__host *host, toad__arena *arena, toad_str path) {
    char name[PATH + 8];
    toad_str file;
    refs *list = toad__arena_alloc(arena, sizeof *list);
    if (!list) return toad__host_failed(host, TOAD_E_NOMEM);
    list->arena = arena;
    if (!name_of(path, name, &file)) return TOAD_OK;
    toad_status status = toad__store_session_refs(host->store, file, keep, list);
    if (!status && list->full) return toad__host_failed(host, TOAD_E_NOMEM);
    if (!status && list->n) status = toad__store_session_saw(host->store, host->session, list->items, list->n);
    return toad__host_store_failed(host, status);
}
