/* taint.h - what a session has read, and what of it stands in the arguments of an act.
 *
 * References outlive the contents they name: a session stays tainted when a body has expired, it just can't be compared
 * any more. All slices live in the arena that was passed. Cost: one look at the references; with comparing, the bodies
 * once, newest first, up to a budget. */
#ifndef BZR_APP_TAINT_H
#define BZR_APP_TAINT_H

#include "app/host/host.h"
#include "app/act/overlap.h"
#include "lib/base/json.h"

typedef struct bzr__tainting {
    bzr_str id, url, domain, setting; /* domain, setting: from bzr__taint_compare on */
    int64_t accessed_at;
    bool high;    /* a high finding, or blocked */
    bool blocked; /* ... and no user released it */
    bool unknown; /* gone, changed behind our back, or too much to compare */
    bool any;     /* something of it stands in the arguments */
    bool strong;  /* ... that is no coincidence */
    bzr__taken_list taken;
} bzr__tainting;

typedef struct bzr__taint {
    bzr__tainting *rows; /* newest first */
    size_t n;
    bool high, overlap; /* of any row */
} bzr__taint;

/* What host->session has read. */
bzr_status bzr__taint_read(bzr__host *host, bzr__arena *arena, bzr__taint *ret);
/* Compare its bodies with the arguments. `command`: a shell runs them. */
bzr_status bzr__taint_compare(bzr__host *host, bzr__arena *arena, const bzr__json *arguments, bool command,
                              bzr__taint *taint);

#endif
