/* seek.h - the next byte of interest, sixteen at a time where the machine can, for places that are mostly near: a call
 * of memchr would cost more than the way. */
#ifndef TOAD_HTML_SEEK_H
#define TOAD_HTML_SEEK_H

#include "lib/base/str.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The first `a` or `b` at or after `from`, or s.n. */
static inline size_t toad__seek(toad_str s, size_t from, char a, char b) {
#if defined(__SSE2__)
    __m128i x = _mm_set1_epi8(a), y = _mm_set1_epi8(b);
    for (; from + 16 <= s.n; from += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.p + from));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, x), _mm_cmpeq_epi8(v, y)));
        if (hits) return from + (unsigned)__builtin_ctz(hits);
    }
#endif
    while (from < s.n && s.p[from] != a && s.p[from] != b) from++;
    return from;
}

#endif
