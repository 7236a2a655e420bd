/* html.h - a page as a person sees it, and what it keeps from them.
 *
 * Our own linear, streaming tokenizer and extractor: every library measured is quadratic on hostile pages. It follows
 * the WHATWG tokenizer's states for comments, tags, attributes, raw text, RCDATA, script, CDATA, bogus comments and
 * character references; it builds no tree but a stack of open elements with their visibility.
 *
 * Feeding: bytes come in pieces; toad__html_feed reads as many whole tokens as it can and returns how many bytes it
 * took; the caller presents the rest again with what follows (a token longer than the piece is taken in parts). The
 * state is a plain struct that may be copied: the scanner takes a copy to look ahead over a seam and comes back. Output
 * goes to `toad__html_out`, whose maps lead to the bytes of the piece. */
#ifndef TOAD_HTML_HTML_H
#define TOAD_HTML_HTML_H

#include "lib/base/buf.h"
#include "lib/base/limits.h"
#include "lib/base/offmap.h"

/* Why a person does not see a text. The name is what stands in a finding's path: html:hidden(NAME). */
#define TOAD__HIDDEN(X)           \
    X(COMMENT, "comment")         \
    X(DISPLAY, "display:none")    \
    X(VISIBILITY, "visibility")   \
    X(OPACITY, "opacity")         \
    X(SIZE, "font-size")          \
    X(COLOR, "color")             \
    X(OFFSCREEN, "off-screen")    \
    X(CLIP, "clip")               \
    X(OVERFLOW, "overflow")       \
    X(HIDDEN_ATTR, "hidden")      \
    X(TEMPLATE, "template")       \
    X(NOSCRIPT, "noscript")       \
    X(FALLBACK, "fallback")       \
    X(ALT, "alt")                 \
    X(TITLE, "title")             \
    X(ARIA, "aria-label")         \
    X(PLACEHOLDER, "placeholder") \
    X(DATA, "data-*")             \
    X(ATTRIBUTE, "attribute")     \
    X(META, "meta")               \
    X(JSON_LD, "json-ld")         \
    X(SCRIPT, "script")           \
    X(STYLE, "style")             \
    X(CSS_CONTENT, "css content") \
    X(SVG, "svg")                 \
    X(LINK, "link")               \
    X(FORM, "form")               \
    X(IFRAME, "srcdoc")           \
    X(MARKUP, "markup")           \
    X(TRANSFORM, "transform")     \
    X(INVISIBLE, "invisible")

typedef enum toad__hidden_reason {
    TOAD__HIDDEN_NOT = 0,
#define X(name, text) TOAD__HIDDEN_##name,
    TOAD__HIDDEN(X)
#undef X
} toad__hidden_reason;
const char *toad__hidden_name(toad__hidden_reason r);

/* One piece of hidden text: [start, end) in `hidden`. Pieces are separated by a line feed that belongs to none. */
typedef struct toad__html_piece {
    uint32_t start, end;
    toad__hidden_reason reason;
} toad__html_piece;

/* One link, image or other URL of the page: its URL (in `urls`), where it stands in the input, and whether a reader
 * fetches it without being asked. */
typedef struct toad__html_link {
    uint32_t start, end; /* in `urls` */
    uint32_t in_start, in_end;
    bool auto_fetch; /* img, iframe, link, source, dns-prefetch, ... */
} toad__html_link;

/* What an element is to a reader; what has no role leaves no mark. */
typedef enum toad__role {
    TOAD__ROLE_NONE,
    TOAD__ROLE_BLOCK,
    TOAD__ROLE_PARAGRAPH,
    TOAD__ROLE_HEADING, /* the next five are the lower ones */
    TOAD__ROLE_LIST = TOAD__ROLE_HEADING + 6,
    TOAD__ROLE_NUMBERED,
    TOAD__ROLE_ITEM,
    TOAD__ROLE_QUOTE,
    TOAD__ROLE_PRE,
    TOAD__ROLE_CODE,
    TOAD__ROLE_EM,
    TOAD__ROLE_STRONG,
    TOAD__ROLE_DELETED,
    TOAD__ROLE_LINK,
    TOAD__ROLE_TABLE,
    TOAD__ROLE_ROW,
    TOAD__ROLE_CELL,
    TOAD__ROLE_BREAK,
    TOAD__ROLE_RULE,
} toad__role;

/* Where in the visible text an element that is seen begins or ends. */
typedef struct toad__html_mark {
    uint32_t at, link; /* link: 1 + index, of LINK; 0: none */
    uint8_t role;
    bool open;
} toad__html_mark;

typedef struct toad__html_out {
    toad__buf visible;
    toad__offmap visible_map;
    toad__buf hidden;
    toad__offmap hidden_map;
    toad__html_piece *pieces;
    size_t pieces_n, pieces_cap;
    toad__buf urls;
    toad__html_link *links;
    size_t links_n, links_cap;
    bool want_marks; /* set by the caller, kept by clear */
    toad__html_mark *marks;
    size_t marks_n, marks_cap;
    size_t title;       /* 1 + piece of the page's <title>; 0: none */
    size_t tags;        /* tags of known elements, pairs of others, and comments: 0 means this was no markup */
    bool depth_limit;   /* more than TOAD__LIMIT_HTML_DEPTH open elements were seen */
    bool links_limit;   /* more links than are kept */
    toad_status status; /* sticky */
} toad__html_out;
void toad__html_out_init(toad__html_out *o, size_t max);
void toad__html_out_free(toad__html_out *o);
void toad__html_out_clear(toad__html_out *o);

/* The writers of both extractors. Failures stay in o->status or the sticky status of the channel. */
/* Append to one channel: `text` stands for the input [from, to); what lies between is a deletion. */
void toad__html_put(toad__buf *b, toad__offmap *m, toad_str text, size_t from, size_t to);
/* Begin a piece of hidden text; `at` is where it stands in the input. Its end is set by the writer. NULL: out of
 * memory. */
toad__html_piece *toad__html_piece_begin(toad__html_out *o, toad__hidden_reason reason, size_t at);
/* Note that an element begins or ends here, if anybody wants to know. */
void toad__html_mark_here(toad__html_out *o, toad__role role, bool open, uint32_t link);
/* Room for one more link, or NULL (too many: links_limit; out of memory: status). */
toad__html_link *toad__html_link_room(toad__html_out *o);

typedef struct toad__html toad__html; /* plain bytes: may be copied with toad__html_copy */
toad__html *toad__html_new(void);     /* NULL: out of memory */
void toad__html_free(toad__html *h);
void toad__html_reset(toad__html *h);
/* True when a style sheet came behind text, which it may have hidden: then `h` begins again, knowing all sheets. For
 * whole pages that were fed once. */
bool toad__html_again(toad__html *h);
void toad__html_copy(toad__html *to, const toad__html *from);
/* Read `piece`; `last`: nothing follows, so everything is taken. Returns the bytes taken (all of them if `last`).
 * Offsets in `out` are relative to piece.p. */
size_t toad__html_feed(toad__html *h, toad_str piece, bool last, toad__html_out *out);
/* Read only the tokens that end inside `piece`, whatever follows. The next feed, of `h` or of a copy, presents the same
 * bytes (and more, if it likes) with the same `out`, or one that is cleared: it goes on behind those tokens. So two
 * readers that part somewhere ahead share the work up to there. */
void toad__html_feed_sure(toad__html *h, toad_str piece, toad__html_out *out);
/* False: no tag of a known element, no pair of others, no comment and no attribute stands in the text, and it does not
 * end inside a tag. Fed whole to a fresh reader it would give neither `tags` nor pieces. */
bool toad__html_has_markup(toad_str s);

/* Is it Markdown or plain text with tags in it, rather than a page? Asked of its first bytes. */
bool toad__html_is_markdown(toad_str text);
/* Read what is fed as Markdown with tags in it: in fences and inline code '<' is text, and so is an element that would
 * hide what follows and whose end tag does not follow. For a reader that is new or reset. */
void toad__html_markdown(toad__html *h);

/* Does Markdown say something that the raw text does not: a link, a comment, or emphasis around or inside words? */
bool toad__markdown_wanted(toad_str text);
/* Markdown beside HTML: comments in link-reference form ([//]: # (..), [comment]: <> (..), unused references), link
 * titles, image alt texts, image and link URLs, emphasis markers inside words, code fence info strings, front matter.
 * Appends to the same `out` (visible: the text without the markup). Linear. Whole piece at a time. */
/* `only_changed`: leave out paragraphs that read the same without the marks. */
void toad__markdown_extract(toad_str piece, bool only_changed, toad__html_out *out);

#endif
