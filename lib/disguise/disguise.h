/* disguise.h - words in disguise: each place of a text where some are, and what is said there.
 *
 *     toad__disguises d = toad__disguises_of(folded, TOAD__APART, &text, &map);
 *     for (toad__reading r; toad__disguise_next(&d, &r);) match(r.text);
 *
 * Like a decoder, over folded text. Linear; ordinary prose has none. */
#ifndef TOAD_DISGUISE_DISGUISE_H
#define TOAD_DISGUISE_DISGUISE_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

typedef enum toad__disguise {
    TOAD__APART,      /* i g n o r e, i-g-n-o-r-e: single letters with one separator between */
    TOAD__CUT,        /* (ign)(ore), "ign" + "ore": parts of words with signs between */
    TOAD__JOINED,     /* ignoreallprevious, ignore_all_previous: long words without blanks */
    TOAD__LEET,       /* 1gn0r3, |\\|: digits or signs among the letters */
    TOAD__MISSPELLED, /* ignroe all previuos */
    TOAD__SHUFFLED,   /* tehy can rveeiw the rcroeds */
} toad__disguise;

typedef struct toad__reading {
    toad__disguise kind;
    toad_span at;  /* in the folded text */
    bool doubtful; /* what it says may be there by chance */
    toad_str text; /* up to LEET letters alone (skeleton.h), else folded text; valid until the next call */
} toad__reading;

typedef struct toad__disguises {
    toad_str folded;
    size_t from; /* where the next place is looked for */
    toad__disguise stage, kind;
    toad_span region; /* the last of `kind`, up to LEET */
    bool again;       /* it is read once more */
    bool misspelled;  /* the text has misspelled words */
    toad__buf *text;
    toad__offmap *map;
} toad__disguises;

/* Words of the kind `first` (APART, MISSPELLED or SHUFFLED) and those after it. What is read is written to `text` and
 * its map to `folded` to `map`, which the caller owns. */
toad__disguises toad__disguises_of(toad_str folded, toad__disguise first, toad__buf *text, toad__offmap *map);
/* The next reading; false at the end, or where text->status or map->status says why not. Those up to LEET come first,
 * in order and apart from each other (one of LEET twice); then the whole text, if it has misspelled words and is short;
 * then those of shuffled words, in order and apart. */
bool toad__disguise_next(toad__disguises *d, toad__reading *ret);

#endif
