/* markup.h - the tags and texts of a page or a feed, one after the other, for a reader that knows what it looks for.
 *
 * Where html.h says what a person sees, this gives the pieces as they stand: search results and headlines are found by
 * the names around them. One tokenizer for both languages. HTML: comments, bogus comments and raw text (script, style,
 * title, textarea, ...) end as the WHATWG tokenizer ends them, names are compared without case. XML: CDATA, processing
 * instructions and a document type without declarations are passed over; one that declares anything is refused, so no
 * entity but the five and numbers ever means something, and nothing is expanded or loaded. No tree, no recursion, no
 * allocation; each byte is looked at a fixed number of times. */
#ifndef TOAD_HTML_MARKUP_H
#define TOAD_HTML_MARKUP_H

#include "lib/base/buf.h"
#include "lib/base/str.h"

typedef enum toad__mark_type { TOAD__MARK_OPEN, TOAD__MARK_CLOSE, TOAD__MARK_TEXT } toad__mark_type;

typedef struct toad__mark {
    toad__mark_type type;
    size_t start, end;   /* in the input, delimiters included */
    toad_str name;       /* of a tag, as written */
    toad_str attributes; /* of an opening tag: all that stands behind its name */
    toad_str text;       /* as written */
    bool empty;          /* XML: <name/> */
    bool literal;        /* text in which no reference is one: CDATA, script and the like */
} toad__mark;

typedef struct toad__markup {
    toad_str in;
    size_t at;
    bool xml;
    bool declares; /* XML: a document type with declarations was met; nothing more is given */
    toad_str raw;  /* HTML: the element whose end tag is waited for */
} toad__markup;

void toad__markup_init(toad__markup *m, toad_str in, bool xml);
/* The next piece; false at the end. What never ends (a tag, a comment) takes the rest. */
bool toad__markup_next(toad__markup *m, toad__mark *ret);
/* All between the opening tag that was just read and its end tag, which is read, too; elements of its name may stand in
 * it. Without an end tag it is the rest. */
toad_str toad__markup_inner(toad__markup *m, const toad__mark *open);
/* Is the tag called so? `name` is in lower case. */
bool toad__mark_is(const toad__markup *m, const toad__mark *mark, const char *name);
/* The value of the first attribute of this name, as written; false: there is none. */
bool toad__mark_attribute(const toad__markup *m, const toad__mark *mark, const char *name, toad_str *ret);
/* Does the class attribute hold this word? */
bool toad__mark_has_class(const toad__markup *m, const toad__mark *mark, const char *word);
/* Append a text or an attribute with its references decoded: those of HTML, or the five of XML and numbers. A number
 * that XML does not allow becomes U+FFFD. */
void toad__markup_decode(const toad__markup *m, toad_str raw, bool attribute, toad__buf *out);

#endif
