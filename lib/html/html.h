/* html.h - a page as a person sees it, and what it keeps from them.
 *
 * Our own linear, streaming tokenizer and extractor: every library measured is quadratic on hostile pages. It follows the WHATWG tokenizer's states for
 * comments, tags, attributes, raw text, RCDATA, script, CDATA, bogus comments and character references; it builds no tree but a stack of open elements with their visibility.
 *
 * Feeding: bytes come in pieces; bzr__html_feed reads as many whole tokens as it can and returns how many bytes it took; the caller
 * presents the rest again with what follows (a token longer than the piece is taken in parts). The state is a plain struct that may be copied: the scanner takes a copy to look ahead
 * over a seam and comes back. Output goes to `bzr__html_out`, whose maps lead to the bytes of the piece. */
#ifndef BZR_HTML_HTML_H
#define BZR_HTML_HTML_H

#include "lib/base/buf.h"
#include "lib/base/limits.h"
#include "lib/base/offmap.h"

/* Why a person does not see a text. The name is what stands in a finding's path: html:hidden(NAME). */
#define BZR__HIDDEN(X)                                                                                                     \
    X(COMMENT, "comment") X(DISPLAY, "display:none") X(VISIBILITY, "visibility") X(OPACITY, "opacity") X(SIZE, "font-size") \
    X(COLOR, "color") X(OFFSCREEN, "off-screen") X(CLIP, "clip") X(OVERFLOW, "overflow") X(HIDDEN_ATTR, "hidden")           \
    X(TEMPLATE, "template") X(NOSCRIPT, "noscript") X(FALLBACK, "fallback") X(ALT, "alt") X(TITLE, "title")                 \
    X(ARIA, "aria-label") X(PLACEHOLDER, "placeholder") X(DATA, "data-*") X(ATTRIBUTE, "attribute") X(META, "meta")         \
    X(JSON_LD, "json-ld") X(SCRIPT, "script") X(STYLE, "style") X(CSS_CONTENT, "css content") X(SVG, "svg")                 \
    X(LINK, "link") X(FORM, "form") X(IFRAME, "srcdoc") X(MARKUP, "markup") X(TRANSFORM, "transform") X(INVISIBLE, "invisible")

typedef enum bzr__hidden_reason {
    BZR__HIDDEN_NOT = 0,
#define X(name, text) BZR__HIDDEN_##name,
    BZR__HIDDEN(X)
#undef X
} bzr__hidden_reason;
const char *bzr__hidden_name(bzr__hidden_reason r);

/* One piece of hidden text: [start, end) in `hidden`. Pieces are separated by a line feed that belongs to none. */
typedef struct bzr__html_piece {
    uint32_t start, end;
    bzr__hidden_reason reason;
} bzr__html_piece;

/* One link, image or other URL of the page: its URL (in `urls`), where it stands in the input, and whether a reader fetches it without being asked. */
typedef struct bzr__html_link {
    uint32_t start, end;   /* in `urls` */
    uint32_t in_start, in_end;
    bool auto_fetch;       /* img, iframe, link, source, dns-prefetch, ... */
} bzr__html_link;

/* What an element is to a reader; what has no role leaves no mark. */
typedef enum bzr__role {
    BZR__ROLE_NONE,
    BZR__ROLE_BLOCK,
    BZR__ROLE_PARAGRAPH,
    BZR__ROLE_HEADING, /* the next five are the lower ones */
    BZR__ROLE_LIST = BZR__ROLE_HEADING + 6,
    BZR__ROLE_NUMBERED,
    BZR__ROLE_ITEM,
    BZR__ROLE_QUOTE,
    BZR__ROLE_PRE,
    BZR__ROLE_CODE,
    BZR__ROLE_EM,
    BZR__ROLE_STRONG,
    BZR__ROLE_DELETED,
    BZR__ROLE_LINK,
    BZR__ROLE_TABLE,
    BZR__ROLE_ROW,
    BZR__ROLE_CELL,
    BZR__ROLE_BREAK,
    BZR__ROLE_RULE,
} bzr__role;

/* Where in the visible text an element that is seen begins or ends. */
typedef struct bzr__html_mark {
    uint32_t at, link; /* link: 1 + index, of LINK; 0: none */
    uint8_t role;
    bool open;
} bzr__html_mark;

typedef struct bzr__html_out {
    bzr__buf visible;  bzr__offmap visible_map;
    bzr__buf hidden;   bzr__offmap hidden_map;
    bzr__html_piece *pieces; size_t pieces_n, pieces_cap;
    bzr__buf urls;
    bzr__html_link *links; size_t links_n, links_cap;
    bool want_marks;   /* set by the caller, kept by clear */
    bzr__html_mark *marks; size_t marks_n, marks_cap;
    size_t title;      /* 1 + piece of the page's <title>; 0: none */
    size_t tags;       /* tags of known elements, pairs of others, and comments: 0 means this was no markup */
    bool depth_limit;  /* more than BZR__LIMIT_HTML_DEPTH open elements were seen */
    bool links_limit;  /* more links than are kept */
    bzr_status status; /* sticky */
} bzr__html_out;
void bzr__html_out_init(bzr__html_out *o, size_t max);
void bzr__html_out_free(bzr__html_out *o);
void bzr__html_out_clear(bzr__html_out *o);

/* The writers of both extractors. Failures stay in o->status or the sticky status of the channel. */
/* Append to one channel: `text` stands for the input [from, to); what lies between is a deletion. */
void bzr__html_put(bzr__buf *b, bzr__offmap *m, bzr_str text, size_t from, size_t to);
/* Begin a piece of hidden text; `at` is where it stands in the input. Its end is set by the writer. NULL: out of memory. */
bzr__html_piece *bzr__html_piece_begin(bzr__html_out *o, bzr__hidden_reason reason, size_t at);
/* Note that an element begins or ends here, if anybody wants to know. */
void bzr__html_mark_here(bzr__html_out *o, bzr__role role, bool open, uint32_t link);
/* Room for one more link, or NULL (too many: links_limit; out of memory: status). */
bzr__html_link *bzr__html_link_room(bzr__html_out *o);

typedef struct bzr__html bzr__html; /* plain bytes: may be copied with bzr__html_copy */
bzr__html *bzr__html_new(void);     /* NULL: out of memory */
void bzr__html_free(bzr__html *h);
void bzr__html_reset(bzr__html *h);
/* True when a style sheet came behind text, which it may have hidden: then `h` begins again, knowing all sheets. For
 * whole pages that were fed once. */
bool bzr__html_again(bzr__html *h);
void bzr__html_copy(bzr__html *to, const bzr__html *from);
/* Read `piece`; `last`: nothing follows, so everything is taken. Returns the bytes taken (all of them if `last`). Offsets in `out` are relative to piece.p. */
size_t bzr__html_feed(bzr__html *h, bzr_str piece, bool last, bzr__html_out *out);
/* Read only the tokens that end inside `piece`, whatever follows. The next feed, of `h` or of a copy, presents the same bytes (and more, if it likes) with the
 * same `out`, or one that is cleared: it goes on behind those tokens. So two readers that part somewhere ahead share the work up to there. */
void bzr__html_feed_sure(bzr__html *h, bzr_str piece, bzr__html_out *out);
/* False: no tag of a known element, no pair of others, no comment and no attribute stands in the text, and it does not end inside a tag. Fed whole to a fresh reader it would give
 * neither `tags` nor pieces. */
bool bzr__html_has_markup(bzr_str s);

/* Does Markdown say something that the raw text does not: a link, a comment, or emphasis around or inside words? */
bool bzr__markdown_wanted(bzr_str text);
/* Markdown beside HTML: comments in link-reference form ([//]: # (..), [comment]: <> (..), unused references), link titles, image alt texts, image and link URLs, emphasis
 * markers inside words, code fence info strings, front matter. Appends to the same `out` (visible: the text without the markup). Linear. Whole piece at a time. */
/* `only_changed`: leave out paragraphs that read the same without the marks. */
void bzr__markdown_extract(bzr_str piece, bool only_changed, bzr__html_out *out);

#endif
