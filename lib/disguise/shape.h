/* shape.h - between shape.c and disguise.c: what shape a place of folded text has. */
#ifndef TOAD_DISGUISE_SHAPE_H
#define TOAD_DISGUISE_SHAPE_H

#include "toadstone/types.h"

/* Bits of what toad__shapes_at gives. */
enum {
    TOAD__SHAPE_APART = 1,  /* single letters at the same distance */
    TOAD__SHAPE_CUT = 2,    /* letters joined by signs */
    TOAD__SHAPE_LEET = 4,   /* signs and digits between letters, or strokes */
    TOAD__SHAPE_JOINED = 8, /* a long run of word signs */
};

/* The shapes of the 64 bytes around `at` (as many as the text has, none before `floor`). */
unsigned toad__shapes_at(toad_str folded, size_t floor, size_t at);

/* Bit i: the step at from + i * TOAD__STEP has any of them; leet. */
typedef struct toad__shaped {
    uint64_t any, leet;
} toad__shaped;

/* The same for TOAD__STEPS steps from `from` (< folded.n, a multiple of two steps from `floor`) on. */
toad__shaped toad__shaped_steps(toad_str folded, size_t floor, size_t from);

#endif
