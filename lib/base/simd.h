/* simd.h - what the files with AVX2 paths share: whether the compiler can make them, and a word for "inline this
 * whatever it costs". Which path runs is decided at run time by each of them. */
#ifndef TOAD_BASE_SIMD_H
#define TOAD_BASE_SIMD_H

#if defined(__x86_64__) && defined(__GNUC__)
#define HAVE_AVX2 1
#include <immintrin.h>
#else
#define HAVE_AVX2 0
#endif

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

#endif
