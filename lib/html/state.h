/* state.h - what a reader of HTML remembers between two pieces: the open elements, and why their text is not seen. */
#ifndef TOAD_HTML_STATE_H
#define TOAD_HTML_STATE_H

#include "lib/base/limits.h"
#include "lib/html/elements.h"
#include "lib/html/style.h"

typedef struct toad__frame {
    uint64_t tag; /* toad__name_id of its name */
    uint32_t color, ground;
    unsigned char reason, group, flags; /* reason: why its text is not seen */
    unsigned char role;                 /* as marked when it was opened */
    unsigned char name_n;               /* bytes of its name, 0: more than seven */
} toad__frame;

enum { TOAD__IN_DATA, TOAD__IN_COMMENT, TOAD__IN_BOGUS, TOAD__IN_RAW };

/* All of it but the sheet and the stacks. */
typedef struct toad__html_state {
    unsigned depth, beyond; /* open elements kept; further ones only counted */
    unsigned mode;
    toad__name raw; /* IN_RAW: the element whose end tag is waited for */
    unsigned char raw_reason, raw_flags;
    bool raw_inert;          /* of a <style>: it styles nothing here */
    unsigned char script;    /* in a script: 1 behind <!--, 2 also behind <script (its end tag then ends only that) */
    bool sheets_known, late; /* the sheets were read before; one came behind text */
    bool foreign;
    bool markdown;        /* see toad__html_markdown */
    bool block;           /* of Markdown: a block of HTML, where back quotes are text, up to a blank line */
    char fence;           /* of Markdown: the mark of the open fence, or 0 ... */
    unsigned fence_n;     /* ... and how many of them close it */
    bool glue;            /* what job.glue was behind the `sure` bytes */
    uint64_t base, steps; /* bytes read before this piece; steps of matching rules */
    size_t sure;          /* bytes of this piece that feed_sure read */
    uint16_t open[256];   /* open elements by tag, so that a stray end tag costs nothing */
} toad__html_state;

struct toad__html {
    toad__html_state now;
    toad__sheet sheet;
    toad__frame stack[TOAD__LIMIT_HTML_DEPTH + 1]; /* the last is of an element that is not kept */
    toad__keys keys[TOAD__LIMIT_HTML_DEPTH];       /* of the same elements: empty where no sheet asks */
};

/* The innermost open element. */
static inline toad__frame *toad__html_top(toad__html *h) { return h->now.depth ? &h->stack[h->now.depth - 1] : NULL; }
/* Why text is not seen here. */
static inline toad__hidden_reason toad__html_reason(toad__html *h) {
    return h->now.depth ? (toad__hidden_reason)toad__html_top(h)->reason : TOAD__HIDDEN_NOT;
}
/* The counter of open elements with this tag, and others. */
static inline uint16_t *toad__html_opened(toad__html *h, uint64_t tag) {
    return &h->now.open[tag * UINT64_C(0x9E3779B97F4A7C15) >> 56];
}

#endif
