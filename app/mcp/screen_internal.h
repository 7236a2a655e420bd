/* screen_internal.h - what the files of the screen share: the strings of a value, what was found in them, and what is
 * done about each. */
#ifndef BZR_APP_SCREEN_INTERNAL_H
#define BZR_APP_SCREEN_INTERNAL_H

#include "app/mcp/pins.h"
#include "app/mcp/screen.h"
#include "lib/base/str.h"

#define BZR__SCREEN_ARENA ((size_t)256 << 20)
#define BZR__SCREEN_VALUE ((uint64_t)16 << 20)
#define BZR__SCREEN_OUT   ((size_t)64 << 20)
#define BZR__SCREEN_RULES 16 /* ids of rules that are told */

/* What may be done to a string. */
typedef enum bzr__leaf_role {
    BZR__LEAF_TEXT,  /* written to be read: may be put in an envelope, or redacted */
    BZR__LEAF_LABEL, /* says what something is: may be redacted */
    BZR__LEAF_FIXED, /* a name, an address, a key, or bound by a schema: stays or goes with all it belongs to */
} bzr__leaf_role;

/* A member or item that can be left out while the rest of the value is forwarded. */
typedef struct bzr__unit {
    const bzr__json *node, *parent;
    bool dropped;
} bzr__unit;

typedef enum bzr__treatment {
    BZR__TREAT_NONE,
    BZR__TREAT_SANITIZE,
    BZR__TREAT_WRAP,   /* in the configured envelope, sanitized */
    BZR__TREAT_REDACT, /* without what was marked, sanitized */
} bzr__treatment;

typedef struct bzr__leaf {
    const bzr__json *node; /* the string; of a key its member */
    bzr_str text;          /* as it reads */
    bzr__unit *unit;       /* the outermost it stands in; NULL: none */
    bzr__leaf_role role;
    bool key;    /* `text` is the name of `node` */
    bool blob;   /* `text` was base64 */
    bool joined; /* part of what is read together with its neighbors */
    bool aside;  /* ... of what is read together beside that: addresses, words of the protocol, _meta */
    bool clean;  /* nothing to sanitize */
    bzr_severity severity;
    bzr_completeness completeness;
    bzr__treatment treatment;
} bzr__leaf;

/* A stretch of a leaf that a rule matched. */
typedef struct bzr__mark {
    size_t leaf, start, end;
    bzr_severity severity;
    bool vague; /* the learned model's: somewhere in there */
} bzr__mark;

/* A member that passes for a verdict of ours. */
typedef struct bzr__forged {
    const bzr__json *node, *parent;
    struct bzr__forged *next;
} bzr__forged;

typedef struct bzr__known_rule {
    const char *rule, *family;
    bzr_severity severity;
} bzr__known_rule;

/* A value as read and judged. The arrays are kept from one value to the next. */
typedef struct bzr__reading {
    bzr__leaf *leaves;
    bzr__mark *marks;
    size_t n, cap, n_marks, cap_marks;
    bool keys; /* there are names that are no words of the protocol */
    bzr__forged *forged;
    bzr_severity severity;
    bzr_completeness completeness;
    bzr__known_rule rules[BZR__SCREEN_RULES]; /* each once, gravest first seen */
    size_t n_rules;
    bzr_str findings; /* of the scan with the gravest one, as JSON, in the arena */
    bzr_severity findings_of;
} bzr__reading;

struct bzr__screen {
    bzr__host *host;
    bzr__screen_options options;
    bzr__arena arena; /* of one value */
    bzr__reading reading;
    bzr__buf joined;
    struct bzr__segment *segments;
    size_t n_segments, cap_segments;
    bzr__pins *pins; /* NULL: no pinning */
    bool tainted;    /* something flagged was passed on that the store does not know */
};

/* ---- screen_read.c ---- */

/* Read and judge all strings of in->value. `schema`: the outputSchema of the tool, or NULL; `known`: whether that is
 * all there is to know. Errors: BZR_E_NOMEM, those of bzr_scan. */
bzr_status bzr__screen_read(bzr__screen *s, const bzr__screen_in *in, const bzr__json *schema, bool known);
/* Append everything that was read, a line for each string. */
void bzr__screen_body(const bzr__screen *s, bzr__buf *out);
void bzr__reading_free(bzr__screen *s);

/* ---- screen_leaves.c ---- */

bzr_status bzr__screen_collect(bzr__screen *s, const bzr__screen_in *in, const bzr__json *schema, bool known);

/* ---- screen_keep.c ---- */

/* Keep what was read for the user, with event, counters and learnings, as done with it: `action`. `ret->content_id` is
 * set where that worked; *ret_released: the user has released this very content before. False: the store failed, and
 * on_store_error or the content is such that nothing of it may be passed on. Errors: BZR_E_NOMEM. */
bzr_status bzr__screen_keep(bzr__screen *s, const bzr__screen_in *in, const char *action, bzr__screen_result *ret,
                            bool *ret_released, bool *ret_may_pass);

/* ---- screen_schema.c ---- */

/* The schema of a member or item, or NULL where the schema says nothing that could be followed; then *ret_free tells
 * whether it leaves it free. */
const bzr__json *bzr__schema_below(const bzr__json *root, const bzr__json *schema, bzr_str key, size_t index,
                                   bool *ret_free);
/* May a string under this schema be rewritten? */
bool bzr__schema_binds(const bzr__json *root, const bzr__json *schema);

/* ---- screen_edit.c ---- */

/* Append in->value with every leaf treated, the dropped units left out, and verdicts that are not ours, too. `verdict`
 * (JSON, or empty) becomes _meta["dev.bezoar/verdict"]. Errors: BZR_E_NOMEM, those of bzr_wrap. */
bzr_status bzr__screen_splice(bzr__screen *s, const bzr__screen_in *in, bzr_str verdict, bzr__buf *out);

/* ---- screen_reply.c ---- */

typedef struct bzr__reply {
    bzr__screen_what what;
    bzr_str name;
    bool modern;
    const bzr__json *value; /* NULL: there is none */
    const char *text;       /* ours */
    bzr_str verdict;        /* JSON, or empty */
} bzr__reply;

/* Append what stands in place of a value that is blocked as a whole: nothing of theirs but what the protocol needs. */
void bzr__screen_reply_for(const bzr__reply *reply, bzr__buf *out, bzr__screen_reply *ret);
/* The same for one dropped unit; nothing: it is just left out. */
void bzr__screen_stand_in(bzr__screen_what what, const bzr__unit *unit, bzr__buf *out);

#endif
