/* scanner.h - the scratch of one thread and what flows through it.
 *
 * A piece of input becomes the root node of a queue. Each node is folded, matched, decoded, extracted; what comes out of it are
 * further nodes with a map to their parent. The queue replaces recursion: depth is a number in the node, and the sum of all
 * decoded text is a budget. Nodes live in one arena that is emptied after the piece, so memory is bounded whatever the input. */
#ifndef BZR_SCAN_SCANNER_H
#define BZR_SCAN_SCANNER_H

#include "bezoar/scan.h"
#include "lib/base/arena.h"
#include "lib/base/limits.h"
#include "lib/decode/decode.h"
#include "lib/html/html.h"
#include "lib/model/model.h"
#include "lib/scan/match.h"
#include "lib/text/fold.h"
#include "lib/text/sanitize.h"

#define BZR__PATH_MAX 12

/* The rule sets a scan consults: the catalogue, then the user's. */
enum { BZR__SET_BUILTIN, BZR__SET_USER, BZR__SETS };

struct bzr_engine {
    const bzr__ruleset *sets[BZR__SETS]; /* [BZR__SET_USER] may be NULL */
    size_t counts[BZR__SETS];
    bzr__rule *rules[BZR__SETS]; /* the rules of each set, read once */
    bool *wanted[BZR__SETS][4];  /* which rules can report: [strict + 2 * hidden][rule] */
    bool *replaced;              /* built-in rules that a user rule of the same id stands in for */
    bzr__model model;            /* learned weights ... */
    bool has_model;
    char *weights;               /* ... if they are not the built-in ones: owned */
    size_t weights_n;
};

/* How a text came to be read; decides severity. */
enum {
    BZR__NODE_HIDDEN = 1,   /* a person does not see it */
    BZR__NODE_WEAK = 2,     /* hidden in a place where ordinary pages keep text too: alt, title, meta, script */
    BZR__NODE_ENCODED = 4,  /* was decoded from something that is no plain spelling */
    BZR__NODE_DERIVED = 8,  /* extracted by html or markdown: not extracted again */
    BZR__NODE_DOUBTFUL = 32, /* decoded from a puzzle that few models solve: medium at most */
    BZR__NODE_SMUGGLED = 16 /* decoded from characters nobody sees */
};

typedef struct bzr__node {
    bzr_str text;
    bzr__offmap map;                 /* to the parent's text; runs NULL for the root */
    const struct bzr__node *parent;
    const char *step;                /* path element; NULL for the root */
    const bzr__html_piece *pieces;   /* hidden text: its pieces, in order */
    size_t pieces_n;
    unsigned depth, flags;
    uint64_t hash;                   /* of a decoded text; see is_known in pipeline.c */
    struct bzr__node *next;
} bzr__node;

typedef struct bzr__record {
    bzr_finding finding;
    const char *path[BZR__PATH_MAX];
    size_t next; /* next record of the same rule, or SIZE_MAX */
} bzr__record;

struct bzr_verdict {
    bzr__record *records;
    bzr_finding *findings; /* sorted copy, made by bzr__verdict_finish */
    size_t n, cap;
    uint64_t total, bytes;
    uint32_t score; /* of the learned model, thousandths: the highest of any view */
    bzr_severity severity;
    bzr_completeness completeness;
    bzr__arena arena; /* excerpts */
};

struct bzr_stream {
    bzr_scanner *scanner;
    bzr__buf pending;    /* bytes not yet scanned whole */
    uint64_t base;       /* offset of pending.p[0] in the input */
    bzr_status status;   /* sticky */
    bool open;
};

/* What one rule has given in the current piece. */
typedef struct bzr__tally {
    uint16_t kept; /* records */
    uint8_t worst; /* their worst severity */
} bzr__tally;

/* Where the code fences of the node being scanned stand: counted once, since a flood of matches asks for each. */
typedef struct bzr__fences {
    bool known;
    bzr__buf at; /* uint32_t offsets in the node's text, ascending */
} bzr__fences;

struct bzr_scanner {
    const bzr_engine *engine;
    bzr_scan_options options;
    bool strict;
    bzr__matcher *matchers[BZR__SETS];
    bzr__view drop, blank, plain;
    bzr__buf work;          /* skeletons, typo fixes */
    bzr__offmap work_map;
    bzr__html *html, *html_ahead;
    bzr__html_out page;
    bool html_open;         /* a page was begun in an earlier piece */
    bool foreign;           /* the input is UTF-16 or UTF-32 */
    bzr__arena nodes;
    bzr__node *queue_head, *queue_tail;
    size_t decode_room;     /* bytes of decoded text the current piece may still give */
    unsigned children;
    size_t *heads[BZR__SETS]; /* first record of each rule, or SIZE_MAX */
    bzr__tally *tallies[BZR__SETS]; /* of each rule in the current piece */
    bool tallied;           /* one of them is not zero */
    bool prose, prose_known; /* the piece is about attacks (judge.c) */
    bzr__fences fences;
    bzr__model_scratch *model_scratch; /* NULL: the engine has no model */
    size_t builtin_heads[64];
    bzr_str piece;          /* the bytes being scanned, for excerpts */
    size_t take;            /* how many of them the next piece will not present again */
    uint64_t base;          /* their offset in the input */
    struct bzr_verdict verdict;
    bzr_stream stream;
    bzr_status status;      /* sticky: BZR_E_NOMEM */
};

/* A finding that C code makes itself. Rows of builtin.c; ids are stable. */
typedef struct bzr__builtin {
    const char *id, *family, *why;
    bzr_severity severity;
} bzr__builtin;

/* Note that a limit cut the scan short; the first reason is kept. */
void bzr__incomplete(bzr_scanner *s, bzr_completeness why);

/* Scan one piece; `take` is what the next piece will not present again. Returns the bytes taken (<= take, > 0). */
size_t bzr__scan_piece(bzr_scanner *s, bzr_str piece, size_t take, uint64_t base, bool last);

/* Report a rule's match at [start, end) of `view` (of node->text; NULL: of the node's text itself). `doubtful`: the words were guessed
 * (misspelled, in puzzle letters), so it is medium at most. True: this piece has shown the rule so often, and so gravely, that no further match in the node can say more. */
bool bzr__report_rule(bzr_scanner *s, unsigned set, uint32_t rule, const bzr__node *node, const bzr__view *view, bzr_span at, bool doubtful);
/* Report a finding of C code by its id at a span of the node's text. */
void bzr__report_builtin(bzr_scanner *s, const char *id, const bzr__node *node, bzr_span at, bzr_severity severity);
/* The same with a sentence of its own, which must live as long as the verdict. */
void bzr__report_why(bzr_scanner *s, const char *id, const bzr__node *node, bzr_span at, bzr_severity severity, const char *why);
const bzr__builtin *bzr__builtin_find(const char *id, size_t *ret_index);
/* The row after the last is all zero. */
extern const bzr__builtin bzr__builtins[];

/* Where a span of the node's text stands in the piece. */
bzr_span bzr__node_origin(const bzr__node *node, bzr_span at);
/* Severity of a rule on this span: act, hidden or encoded, quoted or documented (judge.c). BZR_NONE: not reported. */
bzr_severity bzr__judge(bzr_scanner *s, const bzr__rule *rule, const bzr__node *node, const bzr__view *view, bzr_span at);
static inline bool bzr__is_doubtful(const bzr__node *node) { return node->flags & BZR__NODE_DOUBTFUL; }
/* The named check of a rule (verify.c); true for "" . `at` is a span of the folded text. */
bool bzr__verify(const char *name, bzr_str folded, bzr_span at);
bool bzr__verify_exists(const char *name);
/* Is the piece about attacks (judge.c)? */
bool bzr__is_security_prose(bzr_scanner *s);
/* Ask the learned model about a view of the node (learned.c). */
void bzr__learned(bzr_scanner *s, const bzr__node *node, const bzr__view *view);
/* Hosts that deceive or lead inside, wherever a URL stands in the text (urls.c). */
void bzr__scan_urls(bzr_scanner *s, const bzr__node *node);
/* URL judgement over the links of a page or text (links.c). */
void bzr__scan_links(bzr_scanner *s, const bzr__node *node, const bzr__html_out *page);

void bzr__records_forget(bzr_scanner *s);
void bzr__verdict_begin(bzr_scanner *s);
bzr_status bzr__verdict_finish(bzr_scanner *s);

#endif
