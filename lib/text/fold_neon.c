/* fold_neon.c - blocks looked at by 16 bytes, see fold_blocks.h. */
#include "lib/text/fold_blocks.h"

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>

ALWAYS_INLINE uint64_t mask_of(uint8x16_t m) {
    static const uint8_t bits[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t x = vandq_u8(m, vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(x)) | (uint64_t)vaddv_u8(vget_high_u8(x)) << 8;
}

ALWAYS_INLINE block look_neon(const unsigned char *in, unsigned char *out, bool keep) {
    const uint8x16_t blanks = vdupq_n_u8(' ');
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        uint8x16_t x = vld1q_u8(in + i), cased = vorrq_u8(x, blanks);
        uint8x16_t low = vcleq_u8(x, vdupq_n_u8('\r')), breaks = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\n')), low);
        uint8x16_t layout = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\t')), low);
        uint8x16_t special = vorrq_u8(vbicq_u8(vcltq_u8(x, blanks), layout), vceqq_u8(x, vdupq_n_u8(0x7F)));
        uint8x16_t high = vcgeq_u8(x, vdupq_n_u8(0x80));
        uint8x16_t letters = vandq_u8(vcgeq_u8(cased, vdupq_n_u8('a')), vcleq_u8(cased, vdupq_n_u8('z')));
        letters = vbicq_u8(letters, high);
        uint8x16_t y = vbslq_u8(layout, blanks, vorrq_u8(x, vandq_u8(letters, blanks)));
        vst1q_u8(out + i, keep ? x : y);
        b.high |= mask_of(high) << i;
        b.special |= mask_of(special) << i;
        b.space |= mask_of(vceqq_u8(y, blanks)) << i;
        b.breaks |= mask_of(breaks) << i;
        b.letters |= mask_of(letters) << i;
        b.hyphens |= mask_of(vceqq_u8(x, vdupq_n_u8('-'))) << i;
    }
    return b;
}

void toad__fold_neon(toad__folding *f) { fold_blocks(f, look_neon, many_portable); }

#endif
