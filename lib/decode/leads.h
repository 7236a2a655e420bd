/* leads.h - jumping from one lead byte of a few to the next; the text between is passed over by memchr. */
#ifndef BZR_DECODE_LEADS_H
#define BZR_DECODE_LEADS_H

#include "bezoar/types.h"

#define BZR__LEADS 4u

typedef struct bzr__leads {
    bzr_str in;
    unsigned char lead[BZR__LEADS]; /* unused ones repeat another */
    size_t next[BZR__LEADS];        /* where each stands next; known ahead, so that the whole walk is linear */
} bzr__leads;

bzr__leads bzr__leads_of(bzr_str in, const char lead[BZR__LEADS]);
/* Offset of the first of the bytes at or after `from`, which never decreases from call to call, or in.n. */
size_t bzr__leads_next(bzr__leads *l, size_t from);

#endif
