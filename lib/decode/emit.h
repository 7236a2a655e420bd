/* emit.h - how decoders write: a child with its map, and text in which pieces are replaced in place.
 *
 * A child is built front to back: skip input, copy input, or put decoded bytes for a stretch of input. Bytes beyond the
 * sink's room are not written: the child is then a prefix and the sink's status says BZR_E_LIMIT. Each child is freed
 * by bzr__emit_send.
 *
 * Inline encodings (percent, entities, escapes ...) are a rule that says where the next piece starts and what it means;
 * the walk here copies the text around the pieces (2 KiB each side; what is farther away is left out and a paragraph
 * break put there) and runs again over its own output while there is something left to decode, at most `layers` times.
 * Linear for each layer. */
#ifndef BZR_DECODE_EMIT_H
#define BZR_DECODE_EMIT_H

#include "lib/base/cursor.h"
#include "lib/decode/decode.h"

/* A cursor at `at`, or at the end where that lies beyond it. */
static inline bzr__cur bzr__cur_from(bzr_str s, size_t at) { return (bzr__cur){ s, at < s.n ? at : s.n }; }

typedef struct bzr__emit {
    bzr__sink *sink;
    bzr_str in;
    bzr__buf text;
    bzr__offmap map;
    size_t at; /* input before this offset is done with */
} bzr__emit;

/* A child of `in` that starts with what stands at `start`. */
void bzr__emit_open(bzr__emit *e, bzr__sink *sink, bzr_str in, size_t start);
/* Leave out the input up to `to`. */
void bzr__emit_skip(bzr__emit *e, size_t to);
/* Copy the input up to `to`. */
void bzr__emit_copy(bzr__emit *e, size_t to);
/* The input up to `to` means these bytes. */
void bzr__emit_put(bzr__emit *e, const void *p, size_t n, size_t to);
void bzr__emit_cp(bzr__emit *e, uint32_t c, size_t to);
/* Hand the child over (an empty one is dropped) and free it. False: the decoder has to stop. */
bool bzr__emit_send(bzr__emit *e, const char *step);
/* Free it without handing it over. Running out of memory is told to the sink here as well. */
void bzr__emit_drop(bzr__emit *e);
typedef enum bzr__outcome { BZR__NOTHING, BZR__FOUND, BZR__STOP } bzr__outcome;
/* Hand the child over if it is worth one: text, UTF-16 text (sent as UTF-8 for the span `at`) or compressed text. Frees
 * it either way. */
bzr__outcome bzr__emit_judge(bzr__emit *e, bzr_span at, const char *step);
/* A whole child at once: `text` for the input span `from`. */
bool bzr__emit_block(bzr__sink *sink, bzr_str in, bzr_span from, bzr_str text, const char *step);

/* One piece of an inline encoding. */
typedef struct bzr__piece {
    size_t start, end; /* what it covers of the text */
    unsigned weight;   /* how much it speaks for an encoding; 0: only decoded along with others */
} bzr__piece;

typedef struct bzr__inline {
    const char *step;
    char trigger;    /* the byte that stands in every piece; what follows it is one of `next`, NULL: anything */
    const struct bzr__set *next;
    unsigned layers; /* how often the output is decoded again */
    unsigned least;  /* a child needs pieces of this weight in all */
    /* The piece around the trigger at `at`, beginning at or after `floor`: appends its meaning to `out` and fills
     * `*ret`; false (and nothing appended) if none stands here. Must look at no more than it takes plus a constant. Pieces side by
     * side, as many bytes each for one of ASCII, may be taken as one. */
    bool (*piece)(bzr_str s, size_t at, size_t floor, bzr__buf *out, bzr__piece *ret);
    char second;   /* another byte that stands in every piece ... */
    uint8_t apart; /* ... so many bytes behind the trigger; 0: there is none */
} bzr__inline;

/* The character whose first encoded byte stands at `at`: appends it and returns the offset behind it. `byte_at` reads
 * one encoded byte and its length, or gives -1. Bytes that are no UTF-8 (overlong forms and CESU-8 are taken) are
 * Latin-1. */
size_t bzr__add_char(bzr_str s, size_t at, int (*byte_at)(bzr_str s, size_t at, size_t *len), bzr__buf *out);
/* Decode all pieces of `in` into one child. False: the decoder has to stop. */
bool bzr__inline_run(const bzr__inline *kind, bzr_str in, bzr__sink *sink);

/* Decoded bytes that are worth a child: text (85 % printable and half of it letters and blanks, or all of 12 and more
 * bytes printable) ... */
bool bzr__looks_like_text(bzr_str s);
/* ... or a gzip, zlib or raw deflate stream of text (deflate.c). */
bool bzr__looks_compressed(bzr_str s);
/* At least six letters that could be a language in Latin letters: a share of vowels as words have it. For ciphers whose
 * output is always letters. */
bool bzr__looks_like_words(bzr_str s);
/* UTF-16 (LE or BE) by mark or by its high bytes: appends it as UTF-8; false (nothing appended) if it is not. */
bool bzr__utf16_text(bzr_str s, bzr__buf *out);

#endif
