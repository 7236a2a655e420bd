/* fold_sse2.c - blocks looked at by 16 bytes, see fold_blocks.h. */
#include "lib/text/fold_blocks.h"

#if HAVE_AVX2

ALWAYS_INLINE block look_sse2(const unsigned char *in, unsigned char *out, bool keep) {
    const __m128i blanks = _mm_set1_epi8(' '), after_cr = _mm_set1_epi8('\r' + 1);
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + i)), cased = _mm_or_si128(x, blanks);
        __m128i low = _mm_cmplt_epi8(x, after_cr),
                breaks = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('\n' - 1)), low);
        __m128i layout = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('\t' - 1)), low);
        __m128i special =
            _mm_or_si128(_mm_andnot_si128(layout, _mm_cmplt_epi8(x, blanks)), _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7F)));
        __m128i letters =
            _mm_and_si128(_mm_cmpgt_epi8(cased, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(cased, _mm_set1_epi8('z' + 1)));
        __m128i y = _mm_or_si128(x, _mm_and_si128(letters, blanks));
        y = _mm_or_si128(_mm_andnot_si128(layout, y), _mm_and_si128(layout, blanks));
        _mm_storeu_si128((__m128i *)(void *)(out + i), keep ? x : y);
        b.high |= (uint64_t)(unsigned)_mm_movemask_epi8(x) << i;
        b.special |= (uint64_t)(unsigned)_mm_movemask_epi8(special) << i;
        b.space |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(y, blanks)) << i;
        b.breaks |= (uint64_t)(unsigned)_mm_movemask_epi8(breaks) << i;
        b.letters |= (uint64_t)(unsigned)_mm_movemask_epi8(letters) << i;
        b.hyphens |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('-'))) << i;
    }
    b.special &= ~b.high;
    return b;
}

void toad__fold_sse2(toad__folding *f) { fold_blocks(f, look_sse2, many_portable); }

#endif
