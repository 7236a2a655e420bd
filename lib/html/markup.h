/* markup.h - the tags and texts of a page or a feed, one after the other, for a reader that knows what it looks for.
 *
 * Where html.h says what a person sees, this gives the pieces as they stand: search results and headlines are found by
 * the names around them. One tokenizer for both languages. HTML: comments, bogus comments and raw text (script, style,
 * title, textarea, ...) end as the WHATWG tokenizer ends them, names are compared without case. XML: CDATA, processing
 * instructions and a document type without declarations are passed over; one that declares anything is refused, so no
 * entity but the five and numbers ever means something, and nothing is expanded or loaded. No tree, no recursion, no
 * allocation; each byte is looked at a fixed number of times. */
#ifndef BZR_HTML_MARKUP_H
#define BZR_HTML_MARKUP_H

#include "lib/base/buf.h"
#include "lib/base/str.h"

typedef enum bzr__mark_type { BZR__MARK_OPEN, BZR__MARK_CLOSE, BZR__MARK_TEXT } bzr__mark_type;

typedef struct bzr__mark {
    bzr__mark_type type;
    size_t start, end;  /* in the input, delimiters included */
    bzr_str name;       /* of a tag, as written */
    bzr_str attributes; /* of an opening tag: all that stands behind its name */
    bzr_str text;       /* as written */
    bool empty;         /* XML: <name/> */
    bool literal;       /* text in which no reference is one: CDATA, script and the like */
} bzr__mark;

typedef struct bzr__markup {
    bzr_str in;
    size_t at;
    bool xml;
    bool declares; /* XML: a document type with declarations was met; nothing more is given */
    bzr_str raw;   /* HTML: the element whose end tag is waited for */
} bzr__markup;

void bzr__markup_init(bzr__markup *m, bzr_str in, bool xml);
/* The next piece; false at the end. What never ends (a tag, a comment) takes the rest. */
bool bzr__markup_next(bzr__markup *m, bzr__mark *ret);
/* All between the opening tag that was just read and its end tag, which is read, too; elements of its name may stand in
 * it. Without an end tag it is the rest. */
bzr_str bzr__markup_inner(bzr__markup *m, const bzr__mark *open);
/* Is the tag called so? `name` is in lower case. */
bool bzr__mark_is(const bzr__markup *m, const bzr__mark *mark, const char *name);
/* The value of the first attribute of this name, as written; false: there is none. */
bool bzr__mark_attribute(const bzr__markup *m, const bzr__mark *mark, const char *name, bzr_str *ret);
/* Does the class attribute hold this word? */
bool bzr__mark_has_class(const bzr__markup *m, const bzr__mark *mark, const char *word);
/* Append a text or an attribute with its references decoded: those of HTML, or the five of XML and numbers. A number
 * that XML does not allow becomes U+FFFD. */
void bzr__markup_decode(const bzr__markup *m, bzr_str raw, bool attribute, bzr__buf *out);

#endif
