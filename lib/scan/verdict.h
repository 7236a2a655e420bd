/* verdict.h - what a scan says, as it lies in memory: lib/scan makes it, lib/verdict answers for it. */
#ifndef TOAD_SCAN_VERDICT_H
#define TOAD_SCAN_VERDICT_H

#include "lib/base/arena.h"
#include "toadstone/scan.h"

#define TOAD__PATH_MAX 12

typedef struct toad__record {
    toad_finding finding;
    const char *path[TOAD__PATH_MAX];
    size_t next;         /* next record of the same rule, or SIZE_MAX */
    toad_severity plain; /* its severity if nothing lowered it */
} toad__record;

struct toad_verdict {
    toad__record *records;
    toad_finding *findings; /* sorted copy, made by toad__verdict_finish */
    size_t n, cap;
    uint64_t total, bytes;
    uint32_t score; /* of the learned model, thousandths: the highest of any view */
    toad_severity severity;
    toad_completeness completeness;
    toad__arena arena; /* excerpts */
};

#endif
