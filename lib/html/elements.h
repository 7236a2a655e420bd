/* elements.h - what the extractor knows of each element. */
#ifndef TOAD_HTML_ELEMENTS_H
#define TOAD_HTML_ELEMENTS_H

#include "lib/base/str.h"
#include "lib/html/html.h"

/* The name of a tag or an attribute in lower case as three numbers, its first byte the lowest, with zeros to the end:
 * compared and hashed as such. What is longer is cut. */
#define TOAD__NAME_BYTES 24
typedef struct toad__name {
    uint64_t word[TOAD__NAME_BYTES / 8];
    size_t n;
} toad__name;

static inline uint64_t toad__name_load(const char *eight) {
    uint64_t w;
    memcpy(&w, eight, sizeof w);
    return w;
}

/* The high bit of each byte of `w` that is `c`, or below `c` (up to 128); bytes above the first such one may be marked
 * as well. */
#define TOAD__EACH_BYTE         UINT64_C(0x0101010101010101)
#define TOAD__BYTES_BELOW(w, c) (((w) - (c)*TOAD__EACH_BYTE) & ~(w)&0x80 * TOAD__EACH_BYTE)
#define TOAD__BYTES_EQUAL(w, c) TOAD__BYTES_BELOW((w) ^ (c)*TOAD__EACH_BYTE, 1)

/* A to Z of eight bytes to a to z. */
static inline uint64_t toad__lower_word(uint64_t w) {
    uint64_t low = w & 0x7F * TOAD__EACH_BYTE, from_a = low + (0x80 - 'A') * TOAD__EACH_BYTE,
             beyond_z = low + (0x7F - 'Z') * TOAD__EACH_BYTE;
    return w | ((from_a & ~beyond_z & ~w & 0x80 * TOAD__EACH_BYTE) >> 2);
}

/* The name that stands at [from, to) of `in`; it is not empty. */
static inline toad__name toad__name_at(toad_str in, size_t from, size_t to) {
    size_t n = to - from;
    if (n <= 8 && from + 8 <= in.n)
        return (toad__name){ { toad__lower_word(toad__name_load(in.p + from) & ~UINT64_C(0) >> (64 - 8 * n)) }, n };
    toad__name name = { { 0 }, n < TOAD__NAME_BYTES ? n : TOAD__NAME_BYTES };
    memcpy(name.word, in.p + from, name.n);
    for (size_t i = 0; i < sizeof name.word / sizeof *name.word; i++) name.word[i] = toad__lower_word(name.word[i]);
    return name;
}

/* Of a name of up to eight bytes the id is its number and this. */
static inline uint64_t toad__short_id(uint64_t n) { return n << 59; }

static inline uint64_t toad__name_id(const toad__name *name) {
    uint64_t id = name->word[0] + toad__short_id(name->n);
    return name->n <= 8
               ? id
               : id + name->word[1] * UINT64_C(0x9E3779B97F4A7C15) + name->word[2] * UINT64_C(0xC2B2AE3D27D4EB4F);
}

static inline bool toad__name_eq(const toad__name *a, const char sixteen[16]) {
    return a->word[0] == toad__name_load(sixteen) && a->word[1] == toad__name_load(sixteen + 8) && !a->word[2];
}

enum {
    TOAD__EL_VOID = 1,     /* never has content */
    TOAD__EL_BLOCK = 2,    /* breaks the line before and after */
    TOAD__EL_RAW = 4,      /* content is text up to its own end tag */
    TOAD__EL_RCDATA = 8,   /* the same, with character references */
    TOAD__EL_CELL = 16,    /* table cell, option: a blank between */
    TOAD__EL_FOREIGN = 32, /* svg, math */
    TOAD__EL_KNOWN = 128,  /* it is one (extract.c) */
    TOAD__EL_FORMAT = 64   /* its end tag ends no block that was opened inside */
};

/* Elements that an opening tag of the same group closes when it stands on top: p, li, td, tr, dt/dd, option. */
typedef struct toad__element {
    char name[16];               /* zeros to the end */
    unsigned char flags, closes; /* closes: group number, 0 none */
    unsigned char reason;        /* toad__hidden_reason of its content, TOAD__HIDDEN_NOT when it is seen */
} toad__element;

/* Which of the table it is, from 0; less than 256. */
unsigned toad__element_number(const toad__element *e);
/* NULL for one that needs no treatment. */
const toad__element *toad__element_find(const toad__name *name);

/* What it is to a reader. `e` may be NULL. */
toad__role toad__element_role(const toad__element *e);

#endif
