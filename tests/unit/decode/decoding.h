/* decoding.h - what the tests of decoders share. A test_NAME.c has the rows of lib/decode/NAME.c, made from one phrase
 * with the usual tools, and what only that decoder must do; test_decode.c runs all of them, alone and in other text. */
#ifndef TOAD_TESTS_DECODING_H
#define TOAD_TESTS_DECODING_H

#include "lib/decode/table.h"
#include "tests/check.h"

typedef struct row {
    const toad__decoder *decoder;
    const char *step;
    toad_str in;
    const char *want;
} row;
#define IN(literal) \
    { literal, sizeof(literal) - 1 }

typedef struct encoding {
    const row *rows;
    size_t n;
} encoding;

/* The files with rows: X(name). */
#define ENCODINGS(X) \
    X(base32)        \
    X(base64)        \
    X(base85)        \
    X(bits)          \
    X(braille)       \
    X(ciphers)       \
    X(codes)         \
    X(concat)        \
    X(cut)           \
    X(deflate)       \
    X(entity)        \
    X(escape)        \
    X(hex)           \
    X(json)          \
    X(morse)         \
    X(nato)          \
    X(percent)       \
    X(punycode)      \
    X(quoted)        \
    X(spaced)        \
    X(utf7)          \
    X(uu)

#define X(name) extern const encoding encoding_##name;
ENCODINGS(X)
#undef X

/* All rows, one behind the other. */
size_t rows_count(void);
const row *row_at(size_t i);

/* Looks for one child; counts all. */
typedef struct hunt {
    const char *step;
    toad_str want;
    unsigned children, hits, stop_after;
    size_t in_n, room;
    toad_span from; /* of the child that was found */
} hunt;

/* Runs a decoder on an exact-size copy; what it hands over is checked and told to `h`. */
toad_status run_in(const toad__decoder *d, toad_str in, hunt *h);

/* The tests of this folder: X(function). */
#define TESTS(X)          \
    X(test_rows)          \
    X(test_rows_in_text)  \
    X(test_bytes)         \
    X(test_silent)        \
    X(test_no_words)      \
    X(test_many_lines)    \
    X(test_printable)     \
    X(test_table)         \
    X(test_bomb)          \
    X(test_cut_in_stored) \
    X(test_chunks_join)   \
    X(test_far_pieces)    \
    X(test_room_and_stop) \
    X(test_maps)          \
    X(test_hints)         \
    X(test_sets)          \
    X(test_runs)          \
    X(test_squeeze)       \
    X(test_terse)         \
    X(test_leads)         \
    X(test_survey)        \
    X(test_long_survey)   \
    X(test_tags)          \
    X(test_selectors)     \
    X(test_binary)        \
    X(test_private_use)   \
    X(test_annotation)    \
    X(test_bidi)          \
    X(test_terminal)      \
    X(test_floods)

#define X(name) void name(void **state);
TESTS(X)
#undef X

#endif
