/* leads.h - jumping from one lead byte of a few to the next, over words of 64 bytes (runs.h). */
#ifndef BZR_DECODE_LEADS_H
#define BZR_DECODE_LEADS_H

#include "lib/decode/runs.h"

typedef struct bzr__leads {
    bzr_str in;
    bzr__set set;
    size_t end;    /* the last of 64 bytes ends here, */
    uint64_t word; /* and these of them are of the set and not passed yet */
} bzr__leads;

bzr__leads bzr__leads_of(bzr_str in, const char *leads);
/* Offset of the first of the bytes at or after `from`, which never decreases from call to call, or in.n. */
size_t bzr__leads_next(bzr__leads *l, size_t from);

#endif
