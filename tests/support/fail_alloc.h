/* fail_alloc.h - an allocation of ours that fails. For one file of a program linked with
 * -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc; allocations inside libraries do not count. Any thread. */
#ifndef TOAD_TESTS_FAIL_ALLOC_H
#define TOAD_TESTS_FAIL_ALLOC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

static atomic_long countdown = -1; /* allocations until one fails, once; < 0: none does */
static atomic_ulong failures;

void *__real_malloc(size_t n);
void *__real_calloc(size_t k, size_t n);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t k, size_t n);
void *__wrap_realloc(void *p, size_t n);

static bool fails(void) {
    if (countdown < 0 || atomic_fetch_sub(&countdown, 1) != 0) return false;
    failures++;
    return true;
}
void *__wrap_malloc(size_t n) { return fails() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t k, size_t n) { return fails() ? NULL : __real_calloc(k, n); }
void *__wrap_realloc(void *p, size_t n) { return fails() ? NULL : __real_realloc(p, n); }

#endif
