/* leads.h - jumping from one lead byte of a few to the next, over words of 64 bytes (runs.h). */
#ifndef TOAD_DECODE_LEADS_H
#define TOAD_DECODE_LEADS_H

#include "lib/decode/runs.h"

typedef struct toad__leads {
    toad_str in;
    toad__set set;
    size_t end;    /* the last of 64 bytes ends here, */
    uint64_t word; /* and these of them are of the set and not passed yet */
} toad__leads;

toad__leads toad__leads_of(toad_str in, const char *leads);
/* Offset of the first of the bytes at or after `from`, which never decreases from call to call, or in.n. */
size_t toad__leads_next(toad__leads *l, size_t from);

#endif
