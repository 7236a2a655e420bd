/* exact.h - a heap copy of exactly n bytes, so that ASan sees the first byte read past the end. */
#ifndef TOAD_TESTS_EXACT_H
#define TOAD_TESTS_EXACT_H

#include <stdlib.h>
#include <string.h>

static inline char *exact_dup(const void *p, size_t n) {
    char *copy = calloc(1, n ? n : 1);
    if (!copy) abort();
    if (n) memcpy(copy, p, n);
    return copy;
}

#endif
