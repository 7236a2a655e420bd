/* envelope.h - the table behind bzr_wrap: one file per family, each with one writer and one reader.
 *
 * A writer gets everything ready made: content neutralized and cut, labels of one line without delimiters, an id. All
 * it knows is the format. A reader is given the offset of a possible opener and says whether a whole envelope stands
 * there. */
#ifndef BZR_WRAP_ENVELOPE_H
#define BZR_WRAP_ENVELOPE_H

#include "bezoar/wrap.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"

typedef struct bzr__sheet {
    const bzr_wrap_options *options;
    bzr_str content;                       /* neutralized, quoted and cut as asked */
    bzr_str source, sender, subject, task; /* labels: neutralized, one line */
    bzr_str source_attr;                   /* the source, escaped for an attribute */
    bzr_str id;
    char nonce[16]; /* random bytes for what a family chooses besides its id */
} bzr__sheet;

typedef struct bzr__parts {
    bzr_str content, source, id; /* slices of the text read; `source` may still hold attribute escapes */
    size_t end;                  /* offset behind the envelope */
    bzr_spotlight spotlight;
    bzr_str mark; /* the datamark, if there is one */
} bzr__parts;

typedef struct bzr__family {
    const char *name, *title;
    const char *opener; /* every envelope of the family holds it, and its content never does */
    bool wants_id;
    bool knows_nil; /* nil in, nil out; empty in, empty out */
    /* What the format will do to the characters themselves, done before they are neutralized; NULL: nothing. */
    void (*prepare)(bzr_str content, bzr__buf *out);
    void (*write)(const bzr__sheet *s, bzr__buf *out);
    bool (*read)(bzr_str text, size_t at, bzr__parts *ret);
    /* Undo what the writer did to the content; NULL: nothing. */
    void (*restore)(const bzr__parts *p, bzr__buf *out);
} bzr__family;

extern const bzr__family bzr__family_openclaw, bzr__family_ptc, bzr__family_external_content, bzr__family_tool_result,
    bzr__family_memories, bzr__family_spotlight;

/* Family `i` (a bzr_envelope), or NULL past the last. */
const bzr__family *bzr__family_at(size_t i);
/* The text of a notice; `fallback` stands for BZR_NOTICE_DEFAULT. */
bzr_str bzr__notice_text(const bzr_wrap_options *o, bzr_notice fallback);
/* hermes' sentence inside <untrusted_tool_result>. */
bzr_str bzr__tool_notice(void);
/* "Web Search" for "web_search" and so on; NULL if the source is none of upstream's. */
const char *bzr__openclaw_label(bzr_str source);
/* Append `s` with & < > " ' as character references. */
void bzr__add_attribute(bzr__buf *out, bzr_str s);
/* Append `s` as Go's encoding/xml escapes it: also " ' TAB LF CR; what XML does not allow becomes U+FFFD. */
void bzr__add_xml(bzr__buf *out, bzr_str s);
/* Append `s` with everything that XML does not allow as U+FFFD, and nothing escaped. */
void bzr__add_xml_chars(bzr__buf *out, bzr_str s);
/* Append `s` with the references of bzr__add_attribute and XML's control escapes undone. */
void bzr__add_unescaped(bzr__buf *out, bzr_str s);
/* The value of name="..." at `*at` (blanks before it are skipped); *at moves behind it. */
bool bzr__read_attribute(bzr_str text, size_t *at, const char *name, bzr_str *ret);
/* Offset behind `word` if it stands at `at`, or 0. */
size_t bzr__after(bzr_str text, size_t at, const char *word);
/* Turn `out` into a text, or its status into the result; `out` is freed. */
bzr_status bzr__finish(bzr__buf *out, bzr_text **ret);

#endif
