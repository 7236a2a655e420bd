/* survey.h - where in a text the decoders that look for runs have to look.
 *
 * Most texts hold no run of base32, no list of numbers, no code words, and each decoder that read all of a text to find that out cost
 * as much as the next. One pass over the text asks for all of them, loosely: a decoder reads only the sites, stretches of whole
 * blocks, and judges as strictly as ever. What a site must hold, so that nothing is missed, stands with each. */
#ifndef BZR_DECODE_SURVEY_H
#define BZR_DECODE_SURVEY_H

#include "lib/decode/decode.h"
#include "lib/decode/runs.h"

enum { BZR__SITE_BLOCKS = 4096 };

/* A bit for each block of 2^shift (64 or more) bytes. */
struct bzr__sites {
    unsigned shift;
    uint64_t map[BZR__SITE_BLOCKS / 64];
};

typedef struct bzr__survey {
    bzr__sites base64, /* every capital behind a small letter or a digit */
        base85,        /* 20 bytes of every visible token of 20 and more that the first digits allow */
        base32,        /* 16 bytes of every run of 16 and more letters and digits */
        signs,         /* all of every run of 15 and more bytes of the set `terse`, eight of them no blanks */
        nato,          /* every block of 64 where one of the code words probed seems to stand */
        spaced;        /* every block of 64 where a sample of 16 bytes could be loose */
} bzr__survey;

void bzr__survey_take(bzr_str in, bzr__survey *ret);
void bzr__survey_portable(bzr_str in, bzr__survey *ret); /* without SIMD, for the tests that compare both */
/* The sites of one kind that the sink was given; NULL: all of the text is one. */
#define BZR__SITES_OF(sink, kind) ((sink)->survey ? &(sink)->survey->kind : NULL)

/* The next site of a text of `n` bytes, or what is left of it at `from`; false at the end. */
bool bzr__site_next(const bzr__sites *where, size_t n, size_t from, bzr_span *ret);
/* bzr__run_next at sites: the runs are whole even where a site holds but a part. */
bool bzr__site_run(bzr_str in, const bzr__sites *where, const bzr__set *set, size_t least, size_t from, bzr_span *ret);

/* NATO: a word is probed at every such offset of a block of 64, the first that begins there or behind. */
enum { BZR__PROBE = 22 };

#endif
