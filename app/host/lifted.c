/* lifted.c - see lifted.h. Details that do not read well lift nothing. */
#include "app/host/lifted.h"

#include "lib/base/str.h"

#include <inttypes.h>
#include <stdio.h>

toad_status toad__lifted_read(toad__host *host, toad_str id, toad__arena *arena, toad__lifted *ret) {
    toad__session session;
    const toad__json *root;
    size_t at;
    const char *expected;
    char text[32];
    *ret = (toad__lifted){ .ids = NULL };
    toad_status status = toad__store_session_get(host->store, id, arena, &session);
    if (status) return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(host, status);
    if (!session.details.n || toad__json_parse(session.details, arena, &root, &at, &expected)) return TOAD_OK;
    const toad__json *when = toad__json_get(root, "lifted_at"), *ids = toad__json_get(root, "lifted");
    if (!when || when->type != TOAD__JSON_NUMBER || !ids || ids->type != TOAD__JSON_ARRAY) return TOAD_OK;
    toad__str_copy_to(text, sizeof text, when->raw);
    if (sscanf(text, "%" SCNd64, &ret->at) == 1) ret->ids = ids;
    return TOAD_OK;
}

bool toad__is_lifted(const toad__lifted *lifted, const toad__session_ref *ref) {
    if (!lifted->ids || ref->accessed_at > lifted->at) return false;
    for (const toad__json *id = lifted->ids->child; id; id = id->next)
        if (id->type == TOAD__JSON_STRING && toad__str_eq(id->text, ref->content_id)) return true;
    return false;
}
