/* fold_work.h - what the parts of the folder share: fold.c (any code point, one at a time) and fold_fast.c (whole
 * stretches).
 *
 * Invariant between calls: map.out_len == text.n and map.in_len == at. The fast loop stops wherever something stands
 * that is not its own; it may do nothing at all. Thread rule: one fold belongs to one thread. */
#ifndef TOAD_TEXT_FOLD_WORK_H
#define TOAD_TEXT_FOLD_WORK_H

#include "lib/text/fold.h"
#include "lib/text/tables/fold_tables.gen.h"

#define TOAD__FOLD_NO_RATIO UINT32_MAX

/* What one block of the fast loop may need: map runs (a code point is at most one), and bytes of text with what wide
 * copies may touch behind them. */
enum { TOAD__FOLD_RUNS = 72, TOAD__FOLD_ROOM = 4 * 64 + 128 };

typedef struct toad__folding {
    toad__view *v;
    toad_str in;
    size_t at;          /* input consumed */
    bool keep, blank;   /* flags of the view */
    bool done;          /* out of memory or of room */
    bool greek;         /* the last Greek capital with two readings was Greek */
    size_t shy;         /* the input offset behind the last soft hyphen */
    size_t stolen;      /* text.n behind a syllable whose last consonant may still begin the next one ... */
    uint32_t stolen_in; /* ... and where that consonant stands in the input */
    uint32_t looks, natives;
} toad__folding;

/* Fold from f->at on, up to what needs a careful step; one function for each vector unit, all alike in what they do. */
typedef void toad__fold_blocks(toad__folding *f);

typedef enum toad__fold_path {
    TOAD__FOLD_PORTABLE,
    TOAD__FOLD_SSE2,
    TOAD__FOLD_AVX2,
    TOAD__FOLD_NEON,
    TOAD__FOLD_WASM,
    TOAD__FOLD_PATHS
} toad__fold_path;

/* Those of single vector units; a machine has them or not. */
toad__fold_blocks toad__fold_sse2, toad__fold_avx2, toad__fold_neon, toad__fold_wasm;
/* The function of a path, NULL where this machine cannot run it; and the fastest one. */
toad__fold_blocks *toad__fold_blocks_of(toad__fold_path path);
toad__fold_blocks *toad__fold_blocks_best(void);

/* Room for a block of the fast loop; false near the ceiling or when memory is out (then f->done). */
bool toad__fold_room(toad__folding *f);
/* toad__fold by a given path: tests hold every path against the portable one. */
toad_status toad__fold_by(toad__view *v, toad_str in, unsigned flags, toad__fold_blocks *blocks);

static inline unsigned char toad__fold_last(const toad__folding *f) {
    const toad__buf *text = &f->v->text;
    return text->n ? (unsigned char)text->p[text->n - 1] : 0;
}

/* The table entry of a code point: a class, or the offset of a text. */
static inline unsigned toad__fold_entry(uint32_t c, bool keep) {
    if (c >= TOAD__FOLD_TABLE_END) {
        bool noncharacter = (c & 0xFFFE) == 0xFFFE;
        if (c >= TOAD__FOLD_COMPAT_FIRST && c < TOAD__FOLD_COMPAT_END)
            c += TOAD__FOLD_TABLE_END - TOAD__FOLD_COMPAT_FIRST;
        else if (noncharacter || c >= 0xF0000 || (c >= 0xE0000 && c < 0xE1000))
            return TOAD__FOLD_INVISIBLE;
        else
            return c < 0x40000 ? TOAD__FOLD_LETTER : TOAD__FOLD_KEEP;
    }
    return toad__fold_stage2[toad__fold_stage1[keep][c >> 6] * 64u + (c & 63)];
}

#endif
