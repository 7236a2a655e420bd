/* model.h - a learned judgement of folded text: how much does it read like an attack, where, and on which words?
 *
 * Two linear heads (attacks planted in content; attacks typed at the model) over the hashed features of features.h,
 * scored for every sentence, 240 and 480 bytes at once, so that a short order in a long page is not drowned. Everything is
 * integer arithmetic on int8 weights: the same answer on every machine. A cheap pass over words (front.h) reads everything; the
 * heads are asked only around what that pass finds suspicious. The weights hold hashes and numbers, no text of the rows
 * they were learned from (docs/model-card.md). Linear in the text, no allocation, bounded scratch.
 * Thread rule: a model is immutable once read; a scratch belongs to one thread. */
#ifndef BZR_MODEL_MODEL_H
#define BZR_MODEL_MODEL_H

#include "lib/model/features.h"
#include "lib/model/front.h"

enum {
    BZR__MODEL_HEADS = 2,  /* 0: planted in content, 1: typed at the model */
    BZR__MODEL_KINDS = 16, /* bzr_kind, and room */
    BZR__MODEL_PHRASES = 4,
    BZR__MODEL_FEATURES = 2048, /* more of one block in a window count as so many */
    BZR__MODEL_SCORE_MAX = 1000,
};

typedef struct bzr__model {
    const int8_t *gates;         /* [feature of the front]: how much a word speaks for a closer look */
    const int8_t *words, *grams; /* [feature][head] */
    const int8_t *cues;          /* [class][class][head], the smaller class first */
    bzr__lexicon lexicon;
    uint32_t cue_classes;
    int32_t bias[BZR__MODEL_HEADS];                        /* logits are in 1/65536 */
    int32_t word_step[BZR__MODEL_HEADS], gram_step[BZR__MODEL_HEADS], cue_step[BZR__MODEL_HEADS]; /* of one int8 */
    int32_t gate, gate_step;                               /* sum / sqrt(n) of the blocks of a window that is looked at closely, in 1/256; more for each doubling of a long text */
    int32_t threshold[BZR__MODEL_KINDS][BZR__MODEL_HEADS]; /* of the logit less the cost of the length: flagged from here on; INT32_MAX: the head is not asked */
    uint16_t root[BZR__MODEL_FEATURES];                    /* 32768 / sqrt(n) */
} bzr__model;

/* What one text was found to be. Spans are bytes of the folded text. */
typedef struct bzr__model_hit {
    uint32_t score; /* thousandths, 0..1000; 500 is the threshold of the kind; 0: nothing looked suspicious at all */
    bool flagged;   /* score >= 500: medium */
    unsigned head;  /* the head that gave it */
    bzr_span window;   /* what was scored */
    bzr_span sentence; /* its weightiest sentence */
    bzr_span phrases[BZR__MODEL_PHRASES]; /* its weightiest words, heaviest first, none overlapping */
    size_t phrases_n;
    int32_t logit[BZR__MODEL_HEADS]; /* highest of each head less what the length of the text costs; INT32_MIN: none near the threshold */
} bzr__model_hit;

typedef struct bzr__model_scratch bzr__model_scratch;
/* NULL: out of memory. About 32 KiB. */
bzr__model_scratch *bzr__model_scratch_new(void);
void bzr__model_scratch_free(bzr__model_scratch *s);

/* Read a weights file (docs/model-card.md describes it); `ret` points into `file`, which must outlive it. Every size and index is checked.
 * Errors: BZR_E_SYNTAX. */
bzr_status bzr__model_read(bzr_str file, bzr__model *ret);
/* The weights built in; an empty file if none were built in. */
bzr_str bzr__model_builtin(void);
/* Read those, all but their checksum. Errors: BZR_E_SYNTAX (none were built in). */
bzr_status bzr__model_read_builtin(bzr__model *ret);

/* Score folded text (fold.h, BZR__FOLD_DROP; at most 2^31 bytes) of content `kind`. `disguised`: it was encoded, or spelled with look-alikes or
 * invisible characters, and so less is asked of it. */
void bzr__model_score(const bzr__model *m, bzr__model_scratch *s, bzr_str folded, bzr_kind kind, bool disguised, bzr__model_hit *ret);

#endif
