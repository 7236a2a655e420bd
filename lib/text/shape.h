/* shape.h - between shape.c, disguise.c and skeleton.c: what shape a place of folded text has. */
#ifndef BZR_TEXT_SHAPE_H
#define BZR_TEXT_SHAPE_H

#include "bezoar/types.h"

/* Bits of what bzr__shapes_at gives. */
enum {
    BZR__SHAPE_SEPARATED = 1, /* single letters at the same distance, or letters joined by signs */
    BZR__SHAPE_LEET = 2,      /* signs and digits between letters, or strokes */
    BZR__SHAPE_JOINED = 4,    /* a long run of word signs */
};

/* The shapes of the 64 bytes around `at` (as many as the text has, none before `floor`). */
unsigned bzr__shapes_at(bzr_str folded, size_t floor, size_t at);

/* Bit i: the step at from + i * BZR__STEP has any of them; leet. */
typedef struct bzr__shaped {
    uint64_t any, leet;
} bzr__shaped;

/* The same for BZR__STEPS steps from `from` (< folded.n, whole steps from `floor`) on. */
bzr__shaped bzr__shaped_steps(bzr_str folded, size_t floor, size_t from);

#endif
