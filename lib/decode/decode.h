/* decode.h - texts inside texts: one file per encoding behind one table.
 *
 * A decoder looks for candidates that pass its gate (alphabet, length, printable result) and hands each decoded child with its map
 * to the sink. It reports nothing by itself: a blob is daily bread. All decoders are linear in the input and in the output,
 * iterative, and stop when the sink says so (budgets are the caller's: depth, output, number of children). */
#ifndef BZR_DECODE_DECODE_H
#define BZR_DECODE_DECODE_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* Which bytes occur, found in one SIMD pass; a decoder whose `needs` are not met is not run. */
typedef struct bzr__hints {
    uint32_t percent, ampersand, backslash, equals, plus, less, bracket_open, backquote, escape; /* how many of each byte: % & \ = + < [ ` ESC */
    uint32_t non_ascii, control;  /* bytes >= 0x80; C0 but TAB LF CR, and DEL */
    bool symbol_run;              /* a run of 12 or more bytes of [.-_/| 01] stands somewhere: Morse, bits */
    uint32_t digits, quotes, brace_open, star; /* 0-9; " and '; {; * */
    bool all_shown;               /* the folder left nothing out: no character stands there that nobody sees. bzr__hints_take does not know */
} bzr__hints;
void bzr__hints_take(bzr_str in, bzr__hints *ret);
/* Can the text that the sink's hints are of have `n` of that byte? Others are folded to it. */
#define BZR__MAY_HAVE(sink, byte, least) (!(sink)->hints || (sink)->hints->non_ascii || (sink)->hints->control || (sink)->hints->byte >= (least))

typedef struct bzr__sink {
    void *ctx;
    /* One decoded child. `step` is the path element ("base64", "caesar+13", "tags"), static storage. `map` leads from `text` back to the decoder's input.
     * The child is only borrowed: copy what must live. Returns false when the decoder has to stop. */
    bool (*child)(void *ctx, const char *step, bzr_str text, const bzr__offmap *map);
    size_t room; /* bytes of decoded output still allowed; decoders must not produce a child larger than this */
    /* What is known of the text that is read; NULL: nothing, and all of it is looked at. */
    const bzr__hints *hints;          /* may be of the text before it was folded */
    const struct bzr__survey *survey; /* survey.h */
    bzr_status status; /* sticky, start with BZR_OK: BZR_E_NOMEM when a decoder ran out of memory, BZR_E_LIMIT when it had to cut a child (decode_limit) */
} bzr__sink;

typedef struct bzr__decoder {
    const char *name;
    bool raw;   /* reads the piece as it came (Unicode smuggling, bytes); else the case-keeping folded text (fold.h KEEP_CASE) */
    bool (*wanted)(const bzr__hints *h);
    void (*run)(bzr_str in, bzr__sink *sink);
} bzr__decoder;

/* The table, in the order the decoders are run; ends with a NULL name. */
extern const bzr__decoder bzr__decoders[];

/* Transforms that are only tried where a gate rule (data/rules/gates.yaml: trigger words as the transform would write them) matched:
 * "caesar+N" (N 1..25), "atbash", "rot47", "reversed", "reversed_words", "upside_down", "leet", "pig_latin". `at` is the matched span in `in`; the region decoded is the paragraph around it,
 * at most 4 KiB either side. Where only a few words are leet, the step is "leet_words". Unknown names do nothing and return false. */
bool bzr__transform(const char *name, bzr_str in, bzr_span at, bzr__sink *sink);

/* A share of `s` (0..100) that is printable text or white space; ill-formed UTF-8 counts as unprintable. */
unsigned bzr__printable_percent(bzr_str s);
/* Is it at least so many (1..100)? Most of what is none is known for it at once. */
bool bzr__is_printable(bzr_str s, unsigned percent);

#endif
