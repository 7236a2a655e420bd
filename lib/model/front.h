/* front.h - what all text is read for: does it read enough like an attack, somewhere, for the model to look closely?
 *
 * Words are runs of letters between anything else, cut out of bit maps of 64 bytes and known by a hash of their first
 * eight bytes; where words stand without blanks, two ideographs are a word. Each word has a weight, and each word with
 * the one before it: int8, in one table that stays in the cache. The weights are summed for every block of text.
 * Nothing else is asked of ordinary text, so a word costs some twenty-five instructions. The trainer calls this very
 * code. Linear, no allocation. Thread rule: pure functions. */
#ifndef TOAD_MODEL_FRONT_H
#define TOAD_MODEL_FRONT_H

#include "toadstone/types.h"

enum {
    TOAD__FRONT_BITS = 16, /* log2 of the number of features */
    TOAD__FRONT_BLOCK =
        56, /* bytes; a word belongs to the block that it begins in, and eight bytes of it are looked at */
    TOAD__FRONT_IDS = 2 * TOAD__FRONT_BLOCK,
};

/* Where reading stands. Start with all but `text` zero. */
typedef struct toad__front {
    toad_str text;
    size_t at;       /* of the next block */
    uint64_t inside; /* 1: the block before ended inside a word */
    uint32_t before; /* hash of the last word */
} toad__front;

typedef struct toad__front_sum {
    int32_t sum;
    uint32_t n; /* features */
} toad__front_sum;

/* The sums of the next blocks, at most `most` of them. Returns how many; 0: the text ends. */
size_t toad__front_read(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most);
/* The features of the next block, at most TOAD__FRONT_IDS; there must be one. Returns how many. */
size_t toad__front_ids(toad__front *f, uint32_t *ret);

#endif
