/* triggers.gen.h - written by tools/gen_triggers.py from lib/text/trigger_words.def; do not edit. */
#ifndef BZR_TEXT_TRIGGERS_GEN_H
#define BZR_TEXT_TRIGGERS_GEN_H

#include <stdint.h>

#define BZR__TRIGGERS 61u
#define BZR__TRIGGERS_REAL 68u
#define BZR__TRIGGER_BITS 12u
#define BZR__TRIGGER_LONGEST 13u
#define BZR__TRIGGER_BASE 0x1000193u
#define BZR__TRIGGER_MIX 0x9e3779b1u

typedef struct bzr__trigger {
    const char *word;
    uint8_t n;
    uint8_t is_short; /* mended, but no sign of an attack */
} bzr__trigger;

extern const bzr__trigger bzr__triggers[BZR__TRIGGERS];
/* Sorted. */
extern const char *const bzr__triggers_real[BZR__TRIGGERS_REAL];
extern const uint32_t bzr__trigger_keys[1u << BZR__TRIGGER_BITS]; /* 0: free */
extern const uint8_t bzr__trigger_words[1u << BZR__TRIGGER_BITS];

/* Bits: three letters in base 26, the same with every vowel taken for a, and (first * 26 + last) * 16 + length, at most 15. */
extern const uint64_t bzr__trigger_heads[275], bzr__trigger_tails[275];
extern const uint64_t bzr__trigger_head_sounds[275], bzr__trigger_tail_sounds[275];
extern const uint64_t bzr__trigger_shapes[170];

#endif
