/* elements.h - what the extractor knows of each element. */
#ifndef BZR_HTML_ELEMENTS_H
#define BZR_HTML_ELEMENTS_H

#include "bezoar/types.h"
#include "lib/html/html.h"

enum {
    BZR__EL_VOID = 1,    /* never has content */
    BZR__EL_BLOCK = 2,   /* breaks the line before and after */
    BZR__EL_RAW = 4,     /* content is text up to its own end tag */
    BZR__EL_RCDATA = 8,  /* the same, with character references */
    BZR__EL_CELL = 16,   /* table cell, option: a blank between */
    BZR__EL_FOREIGN = 32, /* svg, math */
    BZR__EL_FORMAT = 64 /* its end tag ends no block that was opened inside */
};

/* Elements that an opening tag of the same group closes when it stands on top: p, li, td, tr, dt/dd, option. */
typedef struct bzr__element {
    char name[11]; /* zeros to the end: compared as numbers */
    unsigned char flags, closes; /* closes: group number, 0 none */
    unsigned char reason;        /* bzr__hidden_reason of its content, BZR__HIDDEN_NOT when it is seen */
} bzr__element;

/* By lower-case name; NULL for one that needs no treatment. */
const bzr__element *bzr__element_find(bzr_str lower);

/* What it is to a reader. `e` may be NULL. */
bzr__role bzr__element_role(const bzr__element *e);

#endif
