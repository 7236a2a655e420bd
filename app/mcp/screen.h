/* screen.h - what passes between an agent's MCP client and a server: each value that comes in is scanned in all its
 * strings, each call that goes out is judged by check_action.
 *
 * A value is the `result`, the `error` or the `params` of one message, already parsed. Every string of it is looked at
 * as it reads after its escapes, names of members and text in base64 included, each alone and all together in reading
 * order, so that what is split over fields is seen whole. What is clean is forwarded as it came (`pass`: no byte is
 * touched). Else `out` is what to forward in its place: the same bytes with only the strings changed that had to be, or
 * an answer of ours that holds nothing of theirs. Both halves of a result, `content` and `structuredContent`, always
 * share one fate. A string that an output schema binds (enum, const, pattern, format, a least length) is never
 * rewritten; where it would have to be, the whole result is blocked.
 *
 * Blocked and flagged content is kept as web_fetch keeps it (kind mcp, source mcp:SERVER/TOOL), with its event,
 * counters and learnings; clean content leaves no trace in the store and costs no write.
 *
 * Thread rule: a screen belongs to one thread, like its host. Whose call it is, is host->session; the caller may change
 * it between calls. Cost: linear; a clean 2 KB result takes some tens of microseconds. */
#ifndef TOAD_APP_SCREEN_H
#define TOAD_APP_SCREEN_H

#include "app/act/action.h"
#include "app/host/host.h"
#include "proto/mcp_value.h"

typedef struct toad__screen toad__screen;

/* What the user said when asked about a held value. */
typedef enum toad__screen_decision {
    TOAD__SCREEN_BY_POLICY, /* not asked */
    TOAD__SCREEN_KEEP_OUT,
    TOAD__SCREEN_REDACT,     /* pass it without the flagged spans; blocks what cannot be redacted */
    TOAD__SCREEN_ALLOW_ONCE, /* pass it, sanitized and in an envelope */
} toad__screen_decision;

typedef enum toad__screen_fate {
    TOAD__SCREEN_PASS,    /* forward the bytes as they came; `out` is empty */
    TOAD__SCREEN_CHANGED, /* forward `out` in place of the value */
    TOAD__SCREEN_BLOCKED, /* `out` is what stands in its place, see ret->reply */
    TOAD__SCREEN_ASK,     /* the same; after the user's answer the value may be screened again with it */
} toad__screen_fate;

typedef struct toad__screen_in {
    toad__mcp_what what;
    toad_str server;         /* the user's name for it; trusted */
    toad_str name;           /* tool, prompt, URI of what was asked for, or the method; untrusted */
    const toad__json *value; /* with `raw` as it came */
    toad__screen_decision decision;
    /* Where the value is from, if not from mcp:SERVER/NAME: one of TOAD__POLICY_SOURCES, and the address, path or name;
     * untrusted. As what it is read, if not as that message is. */
    const char *kind;
    toad_str source;
    toad_kind reads_as;
    const toad__json
        *arguments; /* of the call, an object, or NULL: what an output repeats of them is the agent's own */
} toad__screen_in;

typedef struct toad__screen_result {
    toad__screen_fate fate;
    toad__mcp_fate reply; /* what to do with the message: PASS if and only if `fate` is */
    toad_severity severity;
    toad_completeness completeness;
    uint32_t dropped;    /* members of a list that were left out */
    char content_id[24]; /* under which the user finds it, or "" */
    char rules[256];     /* ids of rules, separated by ", "; "" where nothing was found */
    char why[256];       /* one sentence of ours, nothing of theirs; "" when passed */
} toad__screen_result;

/* How servers are treated. Slices and pointers are borrowed. */
typedef struct toad__screen_options {
    toad__action_policy policy; /* of toad__screen_call */
    bool wrap_all;              /* put every text block of a result in the configured envelope, not only flagged ones */
    bool remember_all;  /* keep clean results, too: each is a write to the store, and what the session has read */
    bool pin_off;       /* no tool pinning */
    bool pin_strict;    /* also a tool that is seen for the first time is held until approved */
    uint64_t max_bytes; /* of one value; more is blocked unscanned; 0: 16 MiB */
} toad__screen_options;
#define TOAD__SCREEN_OPTIONS_INIT \
    { TOAD__ACTION_POLICY_INIT, false, false, false, false, 0 }

/* `host` is borrowed, with host->by == TOAD__READER_MODEL; its store may be NULL (toad__host_open_or_degrade).
 * `options` NULL: the defaults. Errors: TOAD_E_NOMEM. */
toad_status toad__screen_new(toad__host *host, const toad__screen_options *options, toad__screen **ret);
void toad__screen_free(toad__screen *s); /* NULL is a no-op */

/* Screen one value from a server. `out` is appended to. On an error nothing of the value may be forwarded;
 * host->message says why, and toad__screen_refusal makes the answer. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (of `out`).
 * What the store or the scanner fails to do is no error here: the value is then blocked, with the reason in ret->why.
 */
toad_status toad__screen_message(toad__screen *s, const toad__screen_in *in, toad__buf *out, toad__screen_result *ret);

typedef enum toad__screen_permit { TOAD__CALL_ALLOWED, TOAD__CALL_ASK, TOAD__CALL_BLOCKED } toad__screen_permit;

typedef struct toad__screen_call_result {
    toad__screen_permit permit;
    char confirmation[24]; /* ask: the id of the question that is in the store, or "" */
    char why[256];         /* ours; "" when allowed */
} toad__screen_call_result;

typedef struct toad__screen_call_in {
    toad_str server, tool;
    toad_str arguments; /* JSON; empty: {} */
    bool modern;        /* the client speaks 2026-07-28: answers need a resultType */
} toad__screen_call_in;

/* May the agent call this tool with these arguments? They are never changed. Not allowed: `out` gets the result to
 * answer with in place of the call ({"content":...,"isError":true}). After the user approved the question in
 * `confirmation`, the same call is allowed once. Held tools are blocked. Errors: TOAD_E_NOMEM; all else is a block. */
toad_status toad__screen_call(toad__screen *s, const toad__screen_call_in *in, toad__buf *out,
                              toad__screen_call_result *ret);

/* An output in the shape it came in, for an agent that takes no other, with nothing of theirs in it: `text`, ours, in
 * the place of its first string that is no word of the shape and not the call's own, and nothing in the place of the
 * others. */
void toad__screen_in_shape(const toad__screen_in *in, toad_str text, toad__buf *out);

/* Append what stands in the place of a value that could not be screened at all (too long, no JSON, out of memory, timed
 * out), with `why`, a sentence of ours. `name` as in toad__screen_in. */
void toad__screen_refusal(toad__mcp_what what, toad_str name, bool modern, const char *why, toad__buf *out,
                          toad__mcp_fate *ret);

#endif
