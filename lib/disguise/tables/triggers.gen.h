/* triggers.gen.h - written by tools/gen_triggers.py from lib/disguise/tables/trigger_words.def; do not edit. */
#ifndef TOAD_DISGUISE_TRIGGERS_GEN_H
#define TOAD_DISGUISE_TRIGGERS_GEN_H

#include <stdint.h>

#define TOAD__TRIGGERS 61u
#define TOAD__TRIGGERS_REAL 68u
#define TOAD__TRIGGER_BITS 11u
#define TOAD__TRIGGER_LONGEST 13u
#define TOAD__TRIGGER_BARE_LONGEST 8u
#define TOAD__TRIGGER_BASE 0x1000193u
#define TOAD__TRIGGER_MIX 0x9e3779b1u
#define TOAD__TRIGGER_WIDE_MIX UINT64_C(0x9e3779b97f4a7c15)

typedef struct toad__trigger {
    const char *word;
    uint8_t n;
    uint8_t is_short; /* mended, but no sign of an attack */
} toad__trigger;

extern const toad__trigger toad__triggers[TOAD__TRIGGERS];
/* Sorted. */
extern const char *const toad__triggers_real[TOAD__TRIGGERS_REAL];
extern const uint32_t toad__trigger_keys[1u << TOAD__TRIGGER_BITS]; /* 0: free */
extern const uint8_t toad__trigger_words[1u << TOAD__TRIGGER_BITS];

#define TOAD__TRIGGER_END_BITS 14u
#define TOAD__TRIGGER_SOUND_BITS 12u

/* Bits, as typo.c asks for them: keys of EDIT, and words without vowels; places of vowels and consonants at the ends; first letter, last letter and length, also with doubled letters once; the same with vowels taken for one. */
extern const uint64_t toad__trigger_ends[256], toad__trigger_sounds[64];
extern const uint64_t toad__trigger_shapes[256], toad__trigger_outlines[256];

#endif
