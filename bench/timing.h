/* timing.h - CPU time of this thread, best of several passes: other work on the machine is not counted against us. */
#ifndef TOAD_BENCH_TIMING_H
#define TOAD_BENCH_TIMING_H

#include "toadstone/types.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static inline double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef struct corpus {
    toad_str *docs;
    size_t n, bytes;
    char *memory;
} corpus;

/* Read DIR/NAME.corpus (bench/corpus.py). Leaves with a message if it is not there. */
static inline corpus corpus_read(const char *dir, const char *name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.corpus", dir, name);
    FILE *f = fopen(path, "rb");
    if (!f) {
        fprintf(stderr, "cannot read %s: run bench/corpus.py first (./dev bench does)\n", path);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    size_t size = (size_t)ftell(f);
    rewind(f);
    corpus c = { .memory = malloc(size + 1) };
    if (!c.memory || fread(c.memory, 1, size, f) != size) exit(2);
    fclose(f);
    size_t cap = 0;
    for (size_t at = 0; at + 4 <= size;) {
        uint32_t n;
        memcpy(&n, c.memory + at, 4);
        if (c.n == cap && !(c.docs = realloc(c.docs, (cap = cap * 2 + 64) * sizeof *c.docs))) exit(2);
        c.docs[c.n++] = (toad_str){ c.memory + at + 4, n };
        c.bytes += n;
        at += 4 + n;
    }
    return c;
}

static inline void corpus_free(corpus *c) {
    free(c->docs);
    free(c->memory);
}

#endif
