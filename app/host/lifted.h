/* lifted.h - what the user said taints a session no longer.
 *
 * Kept in the session's details: {"lifted":["id",...],"lifted_at":microseconds}. A content that is read again
 * afterwards taints anew. */
#ifndef TOAD_APP_LIFTED_H
#define TOAD_APP_LIFTED_H

#include "app/host/host.h"

typedef struct toad__lifted {
    const toad__json *ids; /* NULL: nothing was lifted */
    int64_t at;
} toad__lifted;

/* Of the session `id`; one that nobody has begun has none. Errors: those of the store. */
toad_status toad__lifted_read(toad__host *host, toad_str id, toad__arena *arena, toad__lifted *ret);
bool toad__is_lifted(const toad__lifted *lifted, const toad__session_ref *ref);

#endif
