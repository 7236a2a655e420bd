/* fold_wasm.c - blocks looked at by 16 bytes, see fold_blocks.h. simd128 is asked for when the library is compiled. */
#include "lib/text/fold_blocks.h"

#if defined(__wasm_simd128__)
#include <wasm_simd128.h>

ALWAYS_INLINE uint64_t mask_of(v128_t m) { return wasm_i8x16_bitmask(m); }

ALWAYS_INLINE block look_wasm(const unsigned char *in, unsigned char *out, bool keep) {
    const v128_t blanks = wasm_i8x16_splat(' ');
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        v128_t x = wasm_v128_load(in + i), cased = wasm_v128_or(x, blanks);
        v128_t low = wasm_u8x16_le(x, wasm_i8x16_splat('\r'));
        v128_t breaks = wasm_v128_and(wasm_u8x16_ge(x, wasm_i8x16_splat('\n')), low);
        v128_t layout = wasm_v128_and(wasm_u8x16_ge(x, wasm_i8x16_splat('\t')), low);
        v128_t special =
            wasm_v128_or(wasm_v128_andnot(wasm_u8x16_lt(x, blanks), layout), wasm_i8x16_eq(x, wasm_i8x16_splat(0x7F)));
        v128_t letters = wasm_v128_and(wasm_u8x16_ge(cased, wasm_i8x16_splat('a')),
                                       wasm_u8x16_le(cased, wasm_i8x16_splat('z'))); /* none of them above 0x7F */
        v128_t y = wasm_v128_bitselect(blanks, wasm_v128_or(x, wasm_v128_and(letters, blanks)), layout);
        wasm_v128_store(out + i, keep ? x : y);
        b.high |= mask_of(x) << i;
        b.special |= mask_of(special) << i;
        b.space |= mask_of(wasm_i8x16_eq(y, blanks)) << i;
        b.breaks |= mask_of(breaks) << i;
        b.letters |= mask_of(letters) << i;
        b.hyphens |= mask_of(wasm_i8x16_eq(x, wasm_i8x16_splat('-'))) << i;
    }
    return b;
}

void toad__fold_wasm(toad__folding *f) { fold_blocks(f, look_wasm, many_portable); }

#endif
