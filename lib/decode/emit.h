/* emit.h - how decoders write: a child with its map, and text in which pieces are replaced in place.
 *
 * A child is built front to back: skip input, copy input, or put decoded bytes for a stretch of input. Bytes beyond the
 * sink's room are not written: the child is then a prefix and the sink's status says TOAD_E_LIMIT. Each child is freed
 * by toad__emit_send.
 *
 * Inline encodings (percent, entities, escapes ...) are a rule that says where the next piece starts and what it means;
 * the walk here copies the text around the pieces (2 KiB each side; what is farther away is left out and a paragraph
 * break put there) and runs again over its own output while there is something left to decode, at most `layers` times.
 * Linear for each layer. */
#ifndef TOAD_DECODE_EMIT_H
#define TOAD_DECODE_EMIT_H

#include "lib/base/cursor.h"
#include "lib/base/masks.h"
#include "lib/decode/decode.h"

/* A cursor at `at`, or at the end where that lies beyond it. */
static inline toad__cur toad__cur_from(toad_str s, size_t at) { return (toad__cur){ s, at < s.n ? at : s.n }; }

typedef struct toad__emit {
    toad__sink *sink;
    toad_str in;
    toad__buf text;
    toad__offmap map;
    size_t at; /* input before this offset is done with */
} toad__emit;

/* A child of `in` that starts with what stands at `start`. */
void toad__emit_open(toad__emit *e, toad__sink *sink, toad_str in, size_t start);
/* Leave out the input up to `to`. */
void toad__emit_skip(toad__emit *e, size_t to);
/* Copy the input up to `to`. */
void toad__emit_copy(toad__emit *e, size_t to);
/* The input up to `to` means these bytes. */
void toad__emit_put(toad__emit *e, const void *p, size_t n, size_t to);
void toad__emit_cp(toad__emit *e, uint32_t c, size_t to);
/* Hand the child over (an empty one is dropped) and free it. False: the decoder has to stop. */
bool toad__emit_send(toad__emit *e, const toad__step *step);
/* Free it without handing it over. Running out of memory is told to the sink here as well. */
void toad__emit_drop(toad__emit *e);
typedef enum toad__outcome { TOAD__NOTHING, TOAD__FOUND, TOAD__STOP } toad__outcome;
/* Hand the child over if it is worth one: text, UTF-16 text (sent as UTF-8 for the span `at`) or compressed text. Frees
 * it either way. */
toad__outcome toad__emit_judge(toad__emit *e, toad_span at, const toad__step *step);
/* A whole child at once: `text`, less what repeats itself in it (squeeze.c), for the input span `from`. */
bool toad__emit_block(toad__sink *sink, toad_str in, toad_span from, toad_str text, const toad__step *step);

/* Append `in` to `out`, but of a long stretch that repeats itself no more than shows every piece of it. */
void toad__squeeze(toad_str in, toad__buf *out);

/* One piece of an inline encoding. */
typedef struct toad__piece {
    size_t start, end; /* what it covers of the text */
    unsigned weight;   /* how much it speaks for an encoding; 0: only decoded along with others */
} toad__piece;

typedef struct toad__inline {
    toad__step step;
    char trigger; /* the byte that stands in every piece; `apart` bytes behind it is one of `next`, NULL: anything */
    const toad__set *next;
    unsigned layers; /* how often the output is decoded again */
    unsigned least;  /* a child needs pieces of this weight in all */
    /* The piece around the trigger at `at`, beginning at or after `floor`: appends its meaning to `out` and fills
     * `*ret`; false (and nothing appended) if none stands here. Must look at no more than it takes plus a constant.
     * Pieces side by side, as many bytes each for one of ASCII, may be taken as one. */
    bool (*piece)(toad_str s, size_t at, size_t floor, toad__buf *out, toad__piece *ret);
    uint8_t apart;
} toad__inline;

/* The character whose first encoded byte stands at `at`: appends it and returns the offset behind it. `byte_at` reads
 * one encoded byte and its length, or gives -1. Bytes that are no UTF-8 (overlong forms and CESU-8 are taken) are
 * Latin-1. */
size_t toad__add_char(toad_str s, size_t at, int (*byte_at)(toad_str s, size_t at, size_t *len), toad__buf *out);
/* Decode all pieces of `in` into one child. False: the decoder has to stop. */
bool toad__inline_run(const toad__inline *kind, toad_str in, toad__sink *sink);

/* Decoded bytes that are worth a child: text (85 % printable and half of it letters and blanks, or all of 12 and more
 * bytes printable) ... */
bool toad__looks_like_text(toad_str s);
/* ... or a gzip, zlib or raw deflate stream of text (deflate.c). */
bool toad__looks_compressed(toad_str s);
/* Could a text begin so: printable by so many percent, or UTF-16? A character cut at the end is none of it. */
bool toad__begins_text(toad_str head, unsigned percent);
/* At least six letters that could be a language in Latin letters: a share of vowels as words have it. For ciphers whose
 * output is always letters. */
bool toad__looks_like_words(toad_str s);
/* UTF-16 (LE or BE) by mark or by its high bytes: appends it as UTF-8; false (nothing appended) if it is not. */
bool toad__utf16_text(toad_str s, toad__buf *out);

#endif
