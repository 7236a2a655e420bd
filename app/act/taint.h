/* taint.h - what a session has read, and what of it stands in the arguments of an act.
 *
 * References outlive the contents they name: a session stays tainted when a body has expired, it just can't be compared
 * any more. All slices live in the arena that was passed. Cost: one look at the references; with comparing, the bodies
 * once, newest first, up to a budget. */
#ifndef TOAD_APP_TAINT_H
#define TOAD_APP_TAINT_H

#include "app/act/overlap.h"
#include "app/host/host.h"
#include "lib/base/json.h"

typedef struct toad__tainting {
    toad_str id, url, domain, setting; /* domain, setting: from toad__taint_compare on */
    int64_t accessed_at;
    bool high;    /* a high finding, or blocked */
    bool blocked; /* ... and no user released it */
    bool unknown; /* gone, changed behind our back, or too much to compare */
    bool any;     /* something of it stands in the arguments */
    bool strong;  /* ... that is no coincidence */
    toad__taken_list taken;
} toad__tainting;

typedef struct toad__taint {
    toad__tainting *rows; /* newest first */
    size_t n;
    bool high, overlap; /* of any row */
} toad__taint;

/* What host->session has read. */
toad_status toad__taint_read(toad__host *host, toad__arena *arena, toad__taint *ret);
/* What was read, as a content with its body: an entry of memory is one whose text nobody changed since `accessed_at`
 * (0: whenever). Errors: those of the store. */
toad_status toad__taint_load(toad__host *host, toad_str id, int64_t accessed_at, toad__arena *arena,
                             toad__content *ret);
/* Compare its bodies with the arguments. `command`: a shell runs them. */
toad_status toad__taint_compare(toad__host *host, toad__arena *arena, const toad__json *arguments, bool command,
                                toad__taint *taint);

#endif
