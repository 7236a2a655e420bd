/* fold_fast.c - which way to fold whole blocks, and the one for any machine. SSE2 and NEON are part of the base of
 * their architectures, AVX2 is compiled in beside SSE2 and asked for per call, simd128 is a choice of who compiles. */
#include "lib/text/fold_blocks.h"

ALWAYS_INLINE block look_portable(const unsigned char *in, unsigned char *out, bool keep) {
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i++) {
        int c = in[i];
        uint64_t bit = (uint64_t)1 << i;
        bool space = toad__is_space(c);
        if (space)
            b.space |= bit;
        else if (c >= 0x80)
            b.high |= bit;
        else if (c < 0x20 || c == 0x7F)
            b.special |= bit;
        if (c >= '\n' && c <= '\r') b.breaks |= bit;
        if (toad__is_alpha(c)) b.letters |= bit;
        if (c == '-') b.hyphens |= bit;
        out[i] = (unsigned char)(keep ? c : space ? ' ' : toad__lower(c));
    }
    return b;
}

static void fold_portable(toad__folding *f) { fold_blocks(f, look_portable, many_portable); }

toad__fold_blocks *toad__fold_blocks_of(toad__fold_path path) {
    switch (path) {
    case TOAD__FOLD_PORTABLE: return fold_portable;
#if HAVE_AVX2
    case TOAD__FOLD_SSE2: return toad__fold_sse2;
    case TOAD__FOLD_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt")
                   ? toad__fold_avx2
                   : NULL;
#elif defined(__ARM_NEON) && defined(__aarch64__)
    case TOAD__FOLD_NEON: return toad__fold_neon;
#elif defined(__wasm_simd128__)
    case TOAD__FOLD_WASM: return toad__fold_wasm;
#endif
    default: return NULL;
    }
}

toad__fold_blocks *toad__fold_blocks_best(void) {
    static const toad__fold_path order[] = { TOAD__FOLD_AVX2, TOAD__FOLD_SSE2, TOAD__FOLD_NEON, TOAD__FOLD_WASM };
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++)
        if (toad__fold_blocks_of(order[i])) return toad__fold_blocks_of(order[i]);
    return fold_portable;
}
