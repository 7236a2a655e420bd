/* sanitize.h - what the agent will read: the text without what only serves to hide.
 *
 * One pass, linear, over strict UTF-8. Every keep-rule (docs/sanitize.md) is decided here and
 * nowhere else, from the code point's class and its neighbours. Look-alikes, styles and letters are never changed.
 * sanitize(sanitize(x)) == sanitize(x). The same pass takes the census of what it removed, which is what the scanner
 * reports: detector and sanitizer cannot drift. */
#ifndef TOAD_TEXT_SANITIZE_H
#define TOAD_TEXT_SANITIZE_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* What was removed or replaced, and why. Each class but those marked (silent) is a finding `rule` when it occurs. */
#define TOAD__CENSUS(X)                                                                                               \
    X(TAGS, "invisible_tags")                     /* U+E0000-E007F outside the three RGI flags */                     \
    X(SELECTORS, "invisible_variation_selectors") /* selectors that select nothing, or runs of them */                \
    X(ZERO_WIDTH, "invisible_zero_width")         /* ZWSP, ZWNJ, ZWJ, WJ, inner BOM, CGJ, operators out of context */ \
    X(FILLERS, "invisible_fillers")               /* Hangul fillers, Khmer inherent vowels, other ignorables */       \
    X(SOFT_HYPHEN, "invisible_soft_hyphen") /* (silent in long words; a finding between letters of short ones) */     \
    X(BIDI, "bidi_control")                 /* overrides, embeddings, unbalanced or needless isolates and marks */    \
    X(CONTROL, "control_characters")        /* C0, C1, DEL, NUL, backspace overstrike */                              \
    X(TERMINAL, "terminal_escape")          /* whole ECMA-48 sequences that hide, overwrite, link or answer */        \
    X(TERMINAL_STYLE, "terminal_style")     /* (silent) harmless colour sequences */                                  \
    X(ANNOTATION, "interlinear_annotation") /* U+FFF9-FFFC */                                                         \
    X(PRIVATE_USE, "private_use_run")       /* runs of four or more private-use code points */                        \
    X(NONCHARACTER, "noncharacters")        /* FDD0-FDEF, xxFFFE, xxFFFF */                                           \
    X(MARKS, "combining_flood")             /* more combining marks on one base than any script stacks */             \
    X(BAD_UTF8, "invalid_utf8")             /* ill-formed bytes, overlong forms, surrogates, foreign encodings */     \
    X(LINE_SEPARATOR, "line_separator")     /* (silent) U+2028, U+2029, NEL turned into line feeds */                 \
    X(BOM, "byte_order_mark")               /* (silent) at the very start */                                          \
    X(TRAILING, "trailing_blanks")          /* (silent) blanks and tabs in turn at a line's end: bits (SNOW) */

typedef enum toad__census_class {
#define X(name, rule) TOAD__CENSUS_##name,
    TOAD__CENSUS(X)
#undef X
        TOAD__CENSUS_CLASSES
} toad__census_class;

typedef struct toad__census {
    uint32_t count[TOAD__CENSUS_CLASSES];  /* code points (or sequences) of the class that were removed or replaced */
    toad_span first[TOAD__CENSUS_CLASSES]; /* input span of the first one; where a run stands, the whole run */
    uint32_t intraword;   /* removed invisibles that stood between two letters of one word of a non-joining script, or
                             digits */
    uint32_t longest_run; /* longest run of consecutive removed invisibles, in code points */
    bool
        reported[TOAD__CENSUS_CLASSES]; /* the class deserves a finding by itself (see the keep-rules); false: silent */
} toad__census;

/* Append the sanitized form of `in` to `out`. `map` (may be NULL) gets the offsets, `census` (may be NULL) is filled.
 * Errors: the sticky status of `out` or `map`. */
toad_status toad__sanitize(toad_str in, toad__buf *out, toad__offmap *map, toad__census *census);
/* True if toad__sanitize would not change `in` and report nothing: the quick path for clean text. SIMD on ASCII. */
bool toad__sanitize_is_clean(toad_str in);
/* "invisible_tags" and so on, static. */
const char *toad__census_rule(toad__census_class c);

#endif
