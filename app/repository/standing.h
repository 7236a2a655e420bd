/* standing.h - where in a file of a repository some words stand: said in a comment or in prose, or shown in a string,
 * in quotes or in a block of code.
 *
 * One pass by a small lexer per family of languages. It does not know the languages, and a file may be made to mislead
 * it; what hangs on its answer is one step of severity, never whether something is reported. Linear; no state beyond
 * the call. Thread rule: any thread. */
#ifndef BZR_APP_STANDING_H
#define BZR_APP_STANDING_H

#include "bezoar/types.h"

typedef enum bzr__language {
    BZR__LANGUAGE_NONE,
    BZR__LANGUAGE_C,      /* // and block comments, character literals */
    BZR__LANGUAGE_JS,     /* the same, with strings in single and back quotes */
    BZR__LANGUAGE_PYTHON, /* #, docstrings */
    BZR__LANGUAGE_HASH,   /* # */
    BZR__LANGUAGE_SQL,    /* -- and block comments */
    BZR__LANGUAGE_LUA,
    BZR__LANGUAGE_HASKELL,
    BZR__LANGUAGE_LISP,
    BZR__LANGUAGE_TEX,
    BZR__LANGUAGE_MARKUP,   /* <!-- --> */
    BZR__LANGUAGE_MARKDOWN, /* fences, back quotes */
} bzr__language;

typedef enum bzr__standing {
    BZR__STANDS_PLAIN, /* in prose, or in what is neither a comment nor a string */
    BZR__STANDS_COMMENT,
    BZR__STANDS_DOCSTRING, /* said as well, though in quotation marks */
    BZR__STANDS_QUOTED,    /* in quotation marks within a comment */
    BZR__STANDS_STRING,
    BZR__STANDS_FENCED, /* in a fenced block or in back quotes of Markdown */
} bzr__standing;

/* By the ending or the name of a file ("Makefile"). */
bzr__language bzr__language_of(bzr_str name);

/* Where each of the `n` spans begins to stand; they are sorted by start. */
void bzr__stand(bzr_str text, bzr__language language, const bzr_span *spans, size_t n, bzr__standing *ret);
const char *bzr__standing_name(bzr__standing s); /* "comment"; "" for PLAIN */
/* Is it shown rather than said? */
bool bzr__standing_is_shown(bzr__standing s);

#endif
