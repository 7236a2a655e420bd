/* scanner.h - the scratch of one thread and what flows through it.
 *
 * A piece of input becomes the root node of a queue. Each node is folded, matched, decoded, extracted; what comes out
 * of it are further nodes with a map to their parent. The queue replaces recursion: depth is a number in the node, and
 * the sum of all decoded text is a budget. Nodes live in one arena that is emptied after the piece, so memory is
 * bounded whatever the input. */
#ifndef TOAD_SCAN_SCANNER_H
#define TOAD_SCAN_SCANNER_H

#include "lib/base/arena.h"
#include "lib/base/limits.h"
#include "lib/decode/decode.h"
#include "lib/html/html.h"
#include "lib/model/model.h"
#include "lib/scan/match.h"
#include "lib/scan/pieces.h"
#include "lib/scan/verdict.h"
#include "lib/text/fold.h"
#include "lib/text/sanitize.h"
#include "toadstone/scan.h"

/* The rule sets a scan consults: the catalogue, then the user's. */
enum { TOAD__SET_BUILTIN, TOAD__SET_USER, TOAD__SETS };

struct toad_engine {
    const toad__ruleset *sets[TOAD__SETS]; /* [TOAD__SET_USER] may be NULL */
    size_t counts[TOAD__SETS];
    toad__rule *rules[TOAD__SETS]; /* the rules of each set, read once */
    bool *wanted[TOAD__SETS][4];   /* which rules can report: [strict + 2 * hidden][rule] */
    bool *replaced;                /* built-in rules that a user rule of the same id stands in for */
    toad__model model;             /* learned weights ... */
    bool has_model;
    char *weights; /* ... if they are not the built-in ones: owned */
    size_t weights_n;
};

/* How a text came to be read; decides severity. */
enum {
    TOAD__NODE_HIDDEN = 1,    /* a person does not see it */
    TOAD__NODE_WEAK = 2,      /* hidden in a place where ordinary pages keep text too: alt, title, meta, script */
    TOAD__NODE_ENCODED = 4,   /* was decoded from something that is no plain spelling */
    TOAD__NODE_DERIVED = 8,   /* extracted by html or markdown: not extracted again */
    TOAD__NODE_DOUBTFUL = 32, /* decoded from a puzzle that few models solve: medium at most */
    TOAD__NODE_SMUGGLED = 16  /* decoded from characters nobody sees */
};

typedef struct toad__node {
    toad_str text;
    toad__offmap map; /* to the parent's text; runs NULL for the root */
    const struct toad__node *parent;
    const toad__step *step;         /* how it was read; NULL for the root */
    const toad__html_piece *pieces; /* hidden text: its pieces, in order */
    size_t pieces_n;
    unsigned depth, flags;
    uint64_t hash; /* of a decoded text; see toad__is_known */
    struct toad__node *next;
} toad__node;

/* What is carried from piece to piece of a text, whole or in chunks. */
struct toad_stream {
    toad_scanner *scanner; /* whose options hold, and which scans unless there is a crew */
    const toad__crew *crew;
    toad__buf pending;     /* bytes not yet scanned whole */
    uint64_t base;         /* offset in the input of the next piece */
    uint64_t seen;         /* bytes of input, scanned or beyond the limit */
    toad__html *html;      /* the page that the pieces are of, up to `base` ... */
    bool html_open;        /* ... if one was begun */
    toad__html_out passed; /* what was read of it: each piece reads it for itself */
    struct toad_verdict verdict;
    toad_status status; /* sticky */
    bool open;
};

/* What one rule has given in the current piece. */
typedef struct toad__tally {
    uint16_t kept; /* records */
    uint8_t worst; /* their worst severity */
} toad__tally;

/* Blocks of the piece in which acts are noted. */
enum { TOAD__ACTS_BLOCK = 64, TOAD__ACTS_BLOCKS = (TOAD__LIMIT_SEGMENT + TOAD__LIMIT_OVERLAP) / TOAD__ACTS_BLOCK + 1 };

/* Where the code fences of a text stand: counted once, since a flood of matches asks for each. */
typedef struct toad__fences {
    bool known;
    toad__buf at; /* uint32_t offsets, ascending */
} toad__fences;

struct toad_scanner {
    const toad_engine *engine;
    toad_scan_options options;
    bool strict;
    toad__matcher *matchers[TOAD__SETS];
    toad__view drop, blank, plain;
    toad__buf work; /* skeletons, typo fixes */
    toad__offmap work_map;
    toad__html *html_ahead;
    toad__html_out page;
    bool page_read, page_open; /* the piece was read as a page; it was begun in an earlier one */
    toad__arena nodes;
    toad__node *queue_head, *queue_tail;
    size_t decode_room; /* bytes of decoded text the current piece may still give */
    unsigned children;
    size_t *heads[TOAD__SETS];          /* first record of each rule, or SIZE_MAX */
    toad__tally *tallies[TOAD__SETS];   /* of each rule in the current piece */
    bool tallied, listed;               /* one of them is not zero; there is a record */
    bool prose, prose_known;            /* the piece is about attacks (judge.c) */
    bool acted;                         /* one of `acts` is not zero */
    uint8_t acts[TOAD__ACTS_BLOCKS];    /* in each block of the piece (judge_acts.c) */
    toad__fences fences, piece_fences;  /* of the node being scanned; of the piece */
    toad__model_scratch *model_scratch; /* NULL: the engine has no model */
    size_t builtin_heads[64];
    toad_str piece;              /* the bytes being scanned, for excerpts */
    toad__buf copy;              /* them, if nobody else keeps them */
    uint64_t base;               /* their offset in the input */
    struct toad_verdict verdict; /* of the piece */
    toad_stream stream;          /* the text, if this scanner was asked */
    toad_status status;          /* sticky: TOAD_E_NOMEM */
};

/* A finding that C code makes itself. Rows of builtin.c; ids are stable. */
typedef struct toad__builtin {
    const char *id, *family, *why;
    toad_severity severity;
} toad__builtin;

/* Note that a limit cut the scan short; the first reason is kept. */
void toad__incomplete(toad_scanner *s, toad_completeness why);

/* Read the piece that `s` has taken as a page, going on where `t` stands, and let `t` stand `take` bytes on, or fewer
 * where a tag is torn: the bytes are returned (pages.c). */
size_t toad__page_take(toad_stream *t, toad_scanner *s, size_t take, bool last);

/* A text read out of `parent`, borrowing it and its map: what toad__derive takes. */
toad__node toad__child_of(const toad__node *parent, const toad__step *step, toad_str text, const toad__offmap *map);
/* Is the same text from the same place in the queue? Percent signs and then entities give what entities and then
 * percent signs give: it is read once. */
bool toad__is_known(const toad_scanner *s, const toad__node *child);
/* Queue a copy of `child`. False: there is no room (decode_limit is noted). */
bool toad__derive(toad_scanner *s, const toad__node *child);

/* Most letters of the span are escaped, and none had to be: nobody needs that for plain English (decodings.c). */
bool toad__is_needless(toad_str text, const toad__offmap *map, toad_span at);
/* Run the decoders over the node (decodings.c) ... */
void toad__decode(toad_scanner *s, const toad__node *node, const toad__hints *hints);
/* ... a transform over a region of the node's text ... */
void toad__transform_at(toad_scanner *s, const toad__node *node, const char *transform, toad_span region);
/* ... and shuffled words set right, whose map leads to the view: a text of their own, which the model reads too. False:
 * no more of them are wanted. */
bool toad__take_shuffled(toad_scanner *s, const toad__node *node, const toad__view *view, toad_str text,
                         const toad__offmap *map);
/* Derive what the node shows and hides as HTML or Markdown (pages.c). True: it is a page, read as what was extracted.
 */
bool toad__extract(toad_scanner *s, const toad__node *node, const toad__hints *hints);

/* Report a rule's match at [start, end) of `view` (of node->text; NULL: of the node's text itself). `doubtful`: the
 * words were guessed (misspelled, in puzzle letters), so it is medium at most. True: this piece has shown the rule so
 * often, and so gravely, that no further match in the node can say more. */
bool toad__report_rule(toad_scanner *s, unsigned set, uint32_t rule, const toad__node *node, const toad__view *view,
                       toad_span at, bool doubtful);
/* Report a finding of C code by its id at a span of the node's text. */
void toad__report_builtin(toad_scanner *s, const char *id, const toad__node *node, toad_span at,
                          toad_severity severity);
/* The same with a sentence of its own, which must live as long as the verdict. */
void toad__report_why(toad_scanner *s, const char *id, const toad__node *node, toad_span at, toad_severity severity,
                      const char *why);
const toad__builtin *toad__builtin_find(const char *id, size_t *ret_index);
/* The row after the last is all zero. */
extern const toad__builtin toad__builtins[];

/* Where a span of the node's text stands in the piece. */
toad_span toad__node_origin(const toad__node *node, toad_span at);
/* Severity of a rule on this span: act, hidden or encoded, quoted or documented (judge.c). TOAD_NONE: not reported.
 * *ret_plain: what it would be if nothing lowered it. */
toad_severity toad__judge(toad_scanner *s, const toad__rule *rule, const toad__node *node, const toad__view *view,
                          toad_span at, toad_severity *ret_plain);
/* Note the act of a finding of this family at a span of the piece; `lowered`: it would be high ... */
void toad__acts_note(toad_scanner *s, const char *family, toad_span at, bool lowered);
/* ... and when the piece is done, give back what was lowered near acts that belong together (judge_acts.c). */
void toad__acts_restore(toad_scanner *s);
static inline bool toad__is_doubtful(const toad__node *node) { return node->flags & TOAD__NODE_DOUBTFUL; }
/* The named check of a rule (verify.c); true for "" . `at` is a span of the folded text. */
bool toad__verify(const char *name, toad_str folded, toad_span at);
bool toad__verify_exists(const char *name);
/* Is the piece about attacks (judge.c)? */
bool toad__is_security_prose(toad_scanner *s);
/* Ask the learned model about a view of the node (learned.c). */
void toad__learned(toad_scanner *s, const toad__node *node, const toad__view *view);
/* Hosts that deceive or lead inside, wherever a URL stands in the text (urls.c). */
void toad__scan_urls(toad_scanner *s, const toad__node *node);
/* URL judgement over the links of a page or text (links.c). */
void toad__scan_links(toad_scanner *s, const toad__node *node, const toad__html_out *page);

void toad__records_forget(toad_scanner *s);
void toad__verdict_begin(struct toad_verdict *v);
/* What a piece said, into what the text says; in the order of the pieces. Errors: TOAD_E_NOMEM. */
toad_status toad__verdict_merge(struct toad_verdict *v, struct toad_verdict *piece);
toad_status toad__verdict_finish(struct toad_verdict *v);

#endif
