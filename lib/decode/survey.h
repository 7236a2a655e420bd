/* survey.h - where in a text the decoders that look for runs have to look.
 *
 * Most texts hold no run of base32, no list of numbers, no code words, and each decoder that read all of a text to find
 * that out cost as much as the next. One pass over the text asks for all of them, loosely: a decoder reads only the
 * sites, stretches of whole blocks, and judges as strictly as ever. What a site must hold, so that nothing is missed,
 * stands with each. */
#ifndef TOAD_DECODE_SURVEY_H
#define TOAD_DECODE_SURVEY_H

#include "lib/decode/decode.h"
#include "lib/decode/runs.h"

enum { TOAD__SITE_BLOCKS = 4096 };

/* A bit for each block of 2^shift (64 or more) bytes. */
struct toad__sites {
    unsigned shift;
    uint64_t map[TOAD__SITE_BLOCKS / 64];
};

typedef struct toad__survey {
    toad__sites base64, /* every capital behind a small letter or a digit */
        tokens,         /* 16 bytes of every visible token of 16 and more */
        base32,         /* 16 bytes of every run of 16 and more letters and digits */
        signs,          /* all of every run of 15 and more bytes of the set `terse`, eight of them no blanks */
        nato,           /* every block of 64 where one of the code words probed seems to stand */
        spaced;         /* every block of 64 where a sample of 16 bytes could be loose */
} toad__survey;

void toad__survey_take(toad_str in, toad__survey *ret);
/* The sites of one kind that the sink was given; NULL: all of the text is one. */
#define TOAD__SITES_OF(sink, kind) ((sink)->survey ? &(sink)->survey->kind : NULL)

/* The next site of a text of `n` bytes, or what is left of it at `from`; false at the end. */
bool toad__site_next(const toad__sites *where, size_t n, size_t from, toad_span *ret);
/* toad__run_next at sites: the runs are whole even where a site holds but a part. */
bool toad__site_run(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                    toad_span *ret);

/* NATO: a word is probed at every such offset of a block of 64, the first that begins there or behind. */
enum { TOAD__PROBE = 22 };

#endif
