/* model.h - a learned judgement of folded text: how much does it read like an attack, where, and on which words?
 *
 * Three linear heads (attacks planted in content; attacks typed at the model; text that steers its reader in ordinary
 * words) over the hashed features of features.h, scored for every sentence, 240 and 480 bytes at once, so that a short
 * order in a long page is not drowned. What the third finds most suspicious is read once more, word by word, by a small
 * net (net.h), whose logit is added. Everything is integer arithmetic on int8 weights: the same answer on every
 * machine. A cheap pass over words (front.h) reads everything; the heads are asked only around what that pass finds
 * suspicious, and always in short texts and descriptions of tools. The weights hold hashes and numbers, no text of the
 * rows they were learned from (docs/model-card.md). Linear in the text, no allocation, bounded scratch.
 * Thread rule: a model is immutable once read; a scratch belongs to one thread. */
#ifndef TOAD_MODEL_MODEL_H
#define TOAD_MODEL_MODEL_H

#include "lib/model/features.h"
#include "lib/model/front.h"
#include "lib/model/gloss.h"
#include "lib/model/net.h"

enum {
    TOAD__MODEL_KINDS = 16, /* toad_kind, and room */
    TOAD__MODEL_PHRASES = 4,
    TOAD__MODEL_FEATURES = 2048, /* more of one block in a window count as so many */
    TOAD__MODEL_SCORE_MAX = 1000,
};

typedef struct toad__model {
    const int8_t *gates;         /* [feature of the front]: how much a word speaks for a closer look */
    const int8_t *words, *grams; /* [feature][head] */
    const int8_t *glosses;       /* [feature], of the third head */
    const int8_t *cues;          /* [class][class][head], the smaller class first */
    toad__lexicon lexicon;
    toad__glossary glossary;
    toad__net net;
    uint32_t cue_classes;
    int32_t bias[TOAD__MODEL_HEADS]; /* logits are in 1/65536 */
    int32_t word_step[TOAD__MODEL_HEADS], part_step[TOAD__MODEL_HEADS], cue_step[TOAD__MODEL_HEADS]; /* of one int8;
                                                    part: of grams, of the third head of glosses */
    int32_t gate, gate_step; /* sum / sqrt(n) of the blocks of a window that is looked at closely, in 1/256; more for
                                each doubling of a long text */
    int32_t threshold[TOAD__MODEL_KINDS][TOAD__MODEL_HEADS]; /* of the logit less the cost of the length: flagged from
                                                                here on; INT32_MAX: the head is not asked */
    uint16_t root[TOAD__MODEL_FEATURES];                     /* 32768 / sqrt(n) */
} toad__model;

/* What one text was found to be. Spans are bytes of the folded text. */
typedef struct toad__model_hit {
    uint32_t score;   /* thousandths, 0..1000; 500 is the threshold of the kind; 0: nothing looked suspicious at all */
    bool flagged;     /* score >= 500: medium */
    bool noted;       /* a tool's result that is nearly flagged for what was planted in it: low */
    unsigned head;    /* the head that says so */
    toad_span window; /* what was scored */
    toad_span sentence;                     /* its weightiest sentence */
    toad_span phrases[TOAD__MODEL_PHRASES]; /* its weightiest words, heaviest first, none overlapping */
    size_t phrases_n;
    int32_t logit[TOAD__MODEL_HEADS]; /* highest of each head less what the length of the text costs; INT32_MIN: none
                                         near the threshold */
} toad__model_hit;

typedef struct toad__model_scratch toad__model_scratch;
/* NULL: out of memory. About 64 KiB. */
toad__model_scratch *toad__model_scratch_new(void);
void toad__model_scratch_free(toad__model_scratch *s);

/* Read a weights file (docs/model-card.md describes it); `ret` points into `file`, which must outlive it. Every size
 * and index is checked. Errors: TOAD_E_SYNTAX. */
toad_status toad__model_read(toad_str file, toad__model *ret);
/* The weights built in; an empty file if none were built in. */
toad_str toad__model_builtin(void);
/* Read those, all but their checksum. Errors: TOAD_E_SYNTAX (none were built in). */
toad_status toad__model_read_builtin(toad__model *ret);

/* How a text comes: less is asked of one that somebody took the trouble to disguise (encoded, or spelled with
 * look-alikes or invisible characters), and of one that people do not see and that speaks of a model. What was perhaps
 * never one text (doubtful: all the strings of a program in a row) is not asked whether it steers in ordinary words. */
enum { TOAD__MODEL_DISGUISED = 1, TOAD__MODEL_HIDDEN = 2, TOAD__MODEL_DOUBTFUL = 4 };

/* Score folded text (fold.h, TOAD__FOLD_DROP; at most 2^31 bytes) of content `kind`, which comes as `how` says. */
void toad__model_score(const toad__model *m, toad__model_scratch *s, toad_str folded, toad_kind kind, unsigned how,
                       toad__model_hit *ret);

#endif
