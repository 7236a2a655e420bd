/* decode.h - texts inside texts: one file per encoding behind one table.
 *
 * A decoder looks for candidates that pass its gate (alphabet, length, printable result) and hands each decoded child
 * with its map to the sink. It reports nothing by itself: a blob is daily bread. All decoders are linear in the input
 * and in the output, iterative, and stop when the sink says so (budgets are the caller's: depth, output, number of
 * children). */
#ifndef TOAD_DECODE_DECODE_H
#define TOAD_DECODE_DECODE_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* Which bytes occur, found in one SIMD pass; a decoder whose `needs` are not met is not run. */
typedef struct toad__hints {
    uint32_t percent, ampersand, backslash, equals, plus, less, bracket_open, backquote,
        escape;                  /* how many of each byte: % & \ = + < [ ` ESC */
    uint32_t non_ascii, control; /* bytes >= 0x80; C0 but TAB LF CR, and DEL */
    bool symbol_run;             /* a run of 12 or more bytes of [.-_/| 01] stands somewhere: Morse, bits */
    uint32_t digits, quotes, brace_open, star; /* 0-9; " and '; {; * */
    bool all_shown; /* the folder left nothing out: no character stands there that nobody sees. toad__hints_take does
                       not know */
} toad__hints;
void toad__hints_take(toad_str in, toad__hints *ret);
/* Can the text that the sink's hints are of have `n` of that byte? Others are folded to it. */
#define TOAD__MAY_HAVE(sink, byte, least) \
    (!(sink)->hints || (sink)->hints->non_ascii || (sink)->hints->control || (sink)->hints->byte >= (least))

typedef struct toad__sink {
    void *ctx;
    /* One decoded child. `step` is the path element ("base64", "caesar+13", "tags"), static storage. `map` leads from
     * `text` back to the decoder's input. The child is only borrowed: copy what must live. Returns false when the
     * decoder has to stop. */
    bool (*child)(void *ctx, const char *step, toad_str text, const toad__offmap *map);
    size_t room; /* bytes of decoded output still allowed; decoders must not produce a child larger than this */
    /* What is known of the text that is read; NULL: nothing, and all of it is looked at. */
    const toad__hints *hints;          /* may be of the text before it was folded */
    const struct toad__survey *survey; /* survey.h */
    toad_status status; /* sticky, start with TOAD_OK: TOAD_E_NOMEM when a decoder ran out of memory, TOAD_E_LIMIT when
                           it had to cut a child (decode_limit) */
} toad__sink;

typedef struct toad__decoder {
    const char *name;
    bool raw; /* reads the piece as it came (Unicode smuggling, bytes); else the case-keeping folded text (fold.h
                 KEEP_CASE) */
    bool (*wanted)(const toad__hints *h);
    void (*run)(toad_str in, toad__sink *sink);
} toad__decoder;

/* The table, in the order the decoders are run; ends with a NULL name. */
extern const toad__decoder toad__decoders[];

/* Transforms that are only tried where a gate rule (data/rules/gates.yaml: trigger words as the transform would write
 * them) matched: "caesar+N" (N 1..25), "atbash", "rot47", "reversed", "reversed_words", "upside_down", "leet",
 * "pig_latin". `at` is the matched span in `in`; the region decoded is the paragraph around it, at most 4 KiB either
 * side. Where only a few words are leet, the step is "leet_words". Unknown names do nothing and return false. */
bool toad__transform(const char *name, toad_str in, toad_span at, toad__sink *sink);

/* A share of `s` (0..100) that is printable text or white space; ill-formed UTF-8 counts as unprintable. */
unsigned toad__printable_percent(toad_str s);
/* Is it at least so many (1..100)? Most of what is none is known for it at once. */
bool toad__is_printable(toad_str s, unsigned percent);

#endif
