/* screen_internal.h - what the files of the screen share: the strings of a value, what was found in them, and what is
 * done about each. */
#ifndef TOAD_APP_SCREEN_INTERNAL_H
#define TOAD_APP_SCREEN_INTERNAL_H

#include "app/mcp/pins.h"
#include "app/mcp/screen.h"
#include "app/records/exceptions.h"
#include "lib/base/str.h"

#define TOAD__SCREEN_ARENA ((size_t)256 << 20)
#define TOAD__SCREEN_VALUE ((uint64_t)16 << 20)
#define TOAD__SCREEN_OUT   ((size_t)64 << 20)
#define TOAD__SCREEN_RULES 16 /* ids of rules that are told */

/* What may be done to a string. */
typedef enum toad__leaf_role {
    TOAD__LEAF_TEXT,  /* written to be read: may be put in an envelope, or redacted */
    TOAD__LEAF_LABEL, /* says what something is: may be redacted */
    TOAD__LEAF_FIXED, /* a name, an address, a key, or bound by a schema: stays or goes with all it belongs to */
} toad__leaf_role;

/* A member or item that can be left out while the rest of the value is forwarded. */
typedef struct toad__unit {
    const toad__json *node, *parent;
    bool dropped;
} toad__unit;

typedef enum toad__treatment {
    TOAD__TREAT_NONE,
    TOAD__TREAT_SANITIZE,
    TOAD__TREAT_WRAP,   /* in the configured envelope, sanitized */
    TOAD__TREAT_REDACT, /* without what was marked, sanitized */
} toad__treatment;

typedef struct toad__leaf {
    const toad__json *node; /* the string; of a key its member */
    toad_str text;          /* as it reads */
    toad__unit *unit;       /* the outermost it stands in; NULL: none */
    toad__leaf_role role;
    bool key;    /* `text` is the name of `node` */
    bool blob;   /* `text` was base64 */
    bool joined; /* part of what is read together with its neighbors */
    bool aside;  /* ... of what is read together beside that: addresses, words of the protocol, _meta */
    bool clean;  /* nothing to sanitize */
    toad_severity severity;
    toad_completeness completeness;
    toad__treatment treatment;
} toad__leaf;

/* A stretch of a leaf that a rule matched. */
typedef struct toad__mark {
    size_t leaf, start, end;
    toad_severity severity;
    bool vague; /* the learned model's: somewhere in there */
} toad__mark;

/* A member that passes for a verdict of ours. */
typedef struct toad__forged {
    const toad__json *node, *parent;
    struct toad__forged *next;
} toad__forged;

typedef struct toad__known_rule {
    const char *rule, *family;
    toad_severity severity;
} toad__known_rule;

/* A value as read and judged. The arrays are kept from one value to the next. */
typedef struct toad__reading {
    toad__leaf *leaves;
    toad__mark *marks;
    size_t n, cap, n_marks, cap_marks;
    bool keys; /* there are names that are no words of the protocol */
    toad__forged *forged;
    toad_severity severity;
    toad_completeness completeness;
    toad__known_rule rules[TOAD__SCREEN_RULES]; /* each once, gravest first seen */
    size_t n_rules;
    toad__known_rule lifted[TOAD__SCREEN_RULES]; /* found, and excepted by the user here */
    size_t n_lifted;
    toad__excepted excepted; /* what holds for the source; looked up where anything was found */
    toad_str findings;       /* of the scan with the gravest one, as JSON, in the arena */
    toad_severity findings_of;
} toad__reading;

#define TOAD__SCREEN_SOURCE_BLOCKED "the user has blocked this source"

struct toad__screen {
    toad__host *host;
    const char *kind; /* the source of the value by the policy, and the least severity that it does not allow */
    toad_severity objects_from;
    toad__screen_options options;
    toad__arena arena; /* of one value */
    toad__reading reading;
    toad__buf joined;
    struct toad__segment *segments;
    size_t n_segments, cap_segments;
    toad__pins *pins; /* NULL: no pinning */
    bool tainted;     /* something flagged was passed on that the store does not know */
};

/* ---- screen_read.c ---- */

/* Read and judge all strings of in->value. `schema`: the outputSchema of the tool, or NULL; `known`: whether that is
 * all there is to know. Errors: TOAD_E_NOMEM, those of toad_scan. */
toad_status toad__screen_read(toad__screen *s, const toad__screen_in *in, const toad__json *schema, bool known);
/* Append everything that was read, a line for each string. */
void toad__screen_body(const toad__screen *s, toad__buf *out);
void toad__reading_free(toad__screen *s);

/* ---- screen_leaves.c ---- */

/* Is this string of an output a word of the tool's own shape, or one that the call itself said? */
bool toad__screen_is_shape(const toad__screen_in *in, const toad__json *node);
toad_status toad__screen_collect(toad__screen *s, const toad__screen_in *in, const toad__json *schema, bool known);

/* ---- screen_keep.c ---- */

/* Where the value is from, in the arena. Errors: TOAD_E_NOMEM. */
toad_status toad__screen_source(toad__screen *s, const toad__screen_in *in, toad_str *ret);
/* Has the user blocked where it is from? Errors: TOAD_E_NOMEM, those of the store: it is not known. */
toad_status toad__screen_is_blocked(toad__screen *s, const toad__screen_in *in, bool *ret);
/* Keep what was read for the user, with event, counters and learnings, as done with it: `action`. `ret->content_id` is
 * set where that worked; *ret_released: the user has released this very content before. False: the store failed, and
 * on_store_error or the content is such that nothing of it may be passed on. Errors: TOAD_E_NOMEM. */
toad_status toad__screen_keep(toad__screen *s, const toad__screen_in *in, const char *action, toad__screen_result *ret,
                              bool *ret_released, bool *ret_may_pass);

/* ---- screen_schema.c ---- */

/* The schema of a member or item, or NULL where the schema says nothing that could be followed; then *ret_free tells
 * whether it leaves it free. */
const toad__json *toad__schema_below(const toad__json *root, const toad__json *schema, toad_str key, size_t index,
                                     bool *ret_free);
/* May a string under this schema be rewritten? */
bool toad__schema_binds(const toad__json *root, const toad__json *schema);

/* ---- screen_edit.c ---- */

/* Append in->value with every leaf treated, the dropped units left out, and verdicts that are not ours, too. `verdict`
 * (JSON, or empty) becomes _meta["dev.toadstone/verdict"]. Errors: TOAD_E_NOMEM, those of toad_wrap. */
toad_status toad__screen_splice(toad__screen *s, const toad__screen_in *in, toad_str verdict, const char *content_id,
                                toad__buf *out);

/* ---- screen_reply.c ---- */

typedef struct toad__reply {
    toad__mcp_what what;
    toad_str name;
    bool modern;
    const toad__json *value; /* NULL: there is none */
    const char *text;        /* ours */
    toad_str verdict;        /* JSON, or empty */
} toad__reply;

/* Append what stands in place of a value that is blocked as a whole: nothing of theirs but what the protocol needs. */
void toad__screen_reply_for(const toad__reply *reply, toad__buf *out, toad__mcp_fate *ret);
/* The same for one dropped unit; nothing: it is just left out. */
void toad__screen_stand_in(toad__mcp_what what, const toad__unit *unit, const char *content_id, toad__buf *out);

#endif
