/* standing.h - where in a file of a repository some words stand: said in a comment or in prose, or shown in a string,
 * in quotes or in a block of code.
 *
 * One pass by a small lexer per family of languages. It does not know the languages, and a file may be made to mislead
 * it; what hangs on its answer is one step of severity, never whether something is reported. Linear; no state beyond
 * the call. Thread rule: any thread. */
#ifndef TOAD_APP_STANDING_H
#define TOAD_APP_STANDING_H

#include "toadstone/types.h"

typedef enum toad__language {
    TOAD__LANGUAGE_NONE,
    TOAD__LANGUAGE_C,          /* // and block comments, character literals, R"( )" */
    TOAD__LANGUAGE_RUST,       /* the same, with r#" "# */
    TOAD__LANGUAGE_JAVA,       /* the same, with texts between three quotation marks, or in @" " */
    TOAD__LANGUAGE_JS,         /* the same as C, with strings in single and back quotes */
    TOAD__LANGUAGE_CSS,        /* block comments alone */
    TOAD__LANGUAGE_PHP,        /* JS, #, here documents */
    TOAD__LANGUAGE_PYTHON,     /* #, docstrings */
    TOAD__LANGUAGE_HASH,       /* # */
    TOAD__LANGUAGE_YAML,       /* #, block scalars */
    TOAD__LANGUAGE_SHELL,      /* #, here documents */
    TOAD__LANGUAGE_RUBY,       /* the same, =begin to =end */
    TOAD__LANGUAGE_POWERSHELL, /* #, <# #> */
    TOAD__LANGUAGE_SQL,        /* -- and block comments */
    TOAD__LANGUAGE_LUA,        /* --, long brackets */
    TOAD__LANGUAGE_HASKELL,
    TOAD__LANGUAGE_LISP,
    TOAD__LANGUAGE_TEX,
    TOAD__LANGUAGE_MARKUP,   /* <!-- --> */
    TOAD__LANGUAGE_MARKDOWN, /* fences, back quotes */
} toad__language;

typedef enum toad__standing {
    TOAD__STANDS_PLAIN, /* in prose, or in what is neither a comment nor a string */
    TOAD__STANDS_COMMENT,
    TOAD__STANDS_DOCSTRING, /* said as well, though in quotation marks */
    TOAD__STANDS_TEXT,      /* in a string of several lines, as prompts are kept in */
    TOAD__STANDS_QUOTED,    /* in quotation marks within a comment */
    TOAD__STANDS_STRING,
    TOAD__STANDS_FENCED, /* in a fenced block or in back quotes of Markdown */
} toad__standing;

/* By the ending or the name of a file ("Makefile"). */
toad__language toad__language_of(toad_str name);

/* Where each of the `n` spans begins to stand; they are sorted by start. */
void toad__stand(toad_str text, toad__language language, const toad_span *spans, size_t n, toad__standing *ret);
const char *toad__standing_name(toad__standing s); /* "comment"; "" for PLAIN */
/* Is it shown rather than said? */
bool toad__standing_is_shown(toad__standing s);

#endif
