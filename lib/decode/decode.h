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

/* What a way of reading says of the text that was read by it. A step that is none of these encodes: nobody writes plain
 * text so without a reason, and none of it is shown to a person. */
enum {
    TOAD__PLAIN = 1,    /* spells the same text another way and proves no intent: neither hides nor encodes */
    TOAD__HIDES = 2,    /* read from characters or bytes that nobody sees */
    TOAD__DOUBTFUL = 4, /* a puzzle: what reads as an attack this way may be chance, and few models would solve it */
    TOAD__PAGE = 8,     /* the text of a page, shown or not */
    TOAD__SAME = 16,    /* the words of the text it was read from, in their order, less their markup */
    TOAD__SHIFTS = 32   /* letters of the alphabet, all by as many places */
};

/* An element of the path of a finding. Each stands once, in static storage, with the decoder that it belongs to. */
typedef struct toad__step {
    const char *name; /* "base64", "caesar+13", "tags" */
    unsigned flags;
} toad__step;

typedef struct toad__sink {
    void *ctx;
    /* One decoded child. `map` leads from `text` back to the decoder's input. The child is only borrowed: copy what
     * must live. Returns false when the decoder has to stop. */
    bool (*child)(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map);
    size_t room; /* bytes of decoded output still allowed; decoders must not produce a child larger than this */
    /* What is known of the text that is read; NULL: nothing, and all of it is looked at. */
    const toad__hints *hints;          /* may be of the text before it was folded */
    const struct toad__survey *survey; /* survey.h */
    toad_status status; /* sticky, start with TOAD_OK: TOAD_E_NOMEM when a decoder ran out of memory, TOAD_E_LIMIT when
                           it had to cut a child (decode_limit) */
} toad__sink;

typedef enum toad__reads {
    TOAD__FOLDED, /* the case-keeping folded text (fold.h KEEP_CASE) */
    TOAD__RAW     /* the text as it came: characters that folding removes, bytes */
} toad__reads;

typedef struct toad__decoder {
    const char *name;
    toad__reads reads;
    bool (*wanted)(const toad__hints *h); /* can there be something for it in such a text? NULL: always */
    void (*run)(toad_str in, toad__sink *sink);
} toad__decoder;

/* The table, in the order the decoders are run; ends with NULL. */
extern const toad__decoder *const toad__decoders[];

static inline bool toad__is_wanted(const toad__decoder *d, const toad__hints *h) { return !d->wanted || d->wanted(h); }

/* Transforms that are only tried where a gate rule (data/rules/gates.yaml: trigger words as the transform would write
 * them) matched: "caesar+N" (N 1..25), "atbash", "rot47", "reversed", "reversed_words", "upside_down", "leet",
 * "pig_latin". `region` is what is decoded of `in`. Where only a few words are leet, the step is "leet_words". Unknown
 * names do nothing and return false. */
bool toad__transform(const char *name, toad_str in, toad_span region, toad__sink *sink);
/* The region for a match at `at`: the paragraph around it, at most 4 KiB either side. */
toad_span toad__transform_region(toad_str in, toad_span at);

/* A share of `s` (0..100) that is printable text or white space; ill-formed UTF-8 counts as unprintable. */
unsigned toad__printable_percent(toad_str s);
/* Is it at least so many (1..100)? Most of what is none is known for it at once. */
bool toad__is_printable(toad_str s, unsigned percent);

#endif
