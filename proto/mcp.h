/* mcp.h - a Model Context Protocol server without input or output: messages in, messages out through a callback.
 *
 * One bzr__mcp is one peer: a process on stdio, a session or an endpoint over HTTP. It speaks the revisions 2024-11-05
 * to 2025-11-25 (initialize, then a session) and 2026-07-28 (stateless, server/discover, input_required) at once; which
 * one holds is decided message by message. What is pushed is checked at once; requests that do work wait in a queue
 * until bzr__mcp_step, so that a cancellation that is already here is heeded. A handler runs from the start again when
 * its questions were answered: the same handler serves the eras in which the server asks the client and the one in
 * which the client comes back with the answers.
 *
 * Bounds: BZR__RPC_MESSAGE_MAX a message, BZR__MCP_QUEUE requests and BZR__MCP_HELD bytes in flight. No message text of
 * a stranger is in an error. Thread rule: one thread at a time. Source: modelcontextprotocol.io, the revisions named.
 */
#ifndef BZR_PROTO_MCP_H
#define BZR_PROTO_MCP_H

#include "proto/jsonrpc.h"

typedef enum bzr__mcp_version {
    BZR__MCP_NO_VERSION,
    BZR__MCP_2024_11_05,
    BZR__MCP_2025_03_26,
    BZR__MCP_2025_06_18,
    BZR__MCP_2025_11_25,
    BZR__MCP_2026_07_28,
} bzr__mcp_version;

enum {
    BZR__MCP_NOT_FOUND_LEGACY = -32002, /* a resource, before 2026-07-28 */
    BZR__MCP_HEADER_MISMATCH = -32020,
    BZR__MCP_CAPABILITY_MISSING = -32021,
    BZR__MCP_VERSION_UNKNOWN = -32022,
};

#define BZR__MCP_QUEUE     64                 /* requests in flight, those that wait for the client among them */
#define BZR__MCP_HELD      ((size_t)64 << 20) /* bytes of messages in flight; one more may come on top */
#define BZR__MCP_OUT_MAX   ((size_t)256 << 20)
#define BZR__MCP_ASKS      8    /* questions of one round */
#define BZR__MCP_ROUNDS    16   /* of one call */
#define BZR__MCP_STATE_MAX 2048 /* bytes a handler may carry over from round to round */
#define BZR__MCP_LISTENERS 16
#define BZR__MCP_WATCHED   64 /* resources a session subscribes to */

typedef struct bzr__mcp bzr__mcp;

typedef enum bzr__mcp_ask_kind {
    BZR__MCP_ASK_FORM,
    BZR__MCP_ASK_URL,
    BZR__MCP_ASK_SAMPLING,
    BZR__MCP_ASK_ROOTS
} bzr__mcp_ask_kind;

/* What a handler works on. Only the members above the line are for it to read. */
typedef struct bzr__mcp_call {
    void *ctx; /* the server's */
    bzr__mcp_version version;
    bzr_str name;               /* tool or prompt, or the URI of a resource */
    const bzr__json *arguments; /* an object, or NULL: none */
    const bzr__json *params;    /* all of them */
    uint64_t from;              /* a list: index of the first item wanted */
    size_t most;                /* a list: items wanted */
    bzr_str state;              /* what bzr__mcp_keep kept in the round before */
    /* ---- */
    bzr__mcp *mcp;
    struct bzr__mcp_entry *entry;
    bzr__buf content;    /* items of the result's array, separated by commas */
    bzr__buf structured; /* JSON, or empty */
    const char *description;
    bool is_error, more;
    int code; /* of a protocol error, or 0 */
    const char *message;
    bzr__buf data;
} bzr__mcp_call;

/* Work on a call. A status other than BZR_OK is answered as an internal error, unless bzr__mcp_fail said which. */
typedef bzr_status bzr__mcp_handler(bzr__mcp_call *call);

typedef struct bzr__mcp_tool {
    const char *name, *title, *description;
    const char *input_schema, *output_schema, *annotations; /* JSON; the last two may be NULL */
    bzr__mcp_handler *run;
} bzr__mcp_tool;

typedef struct bzr__mcp_argument {
    const char *name, *description;
    bool required;
} bzr__mcp_argument;

typedef struct bzr__mcp_prompt {
    const char *name, *title, *description;
    const bzr__mcp_argument *arguments;
    size_t arguments_n;
    bzr__mcp_handler *run;
} bzr__mcp_prompt;

typedef struct bzr__mcp_resource {
    bzr_str uri, name, title, description, mime_type; /* title and below may be empty */
} bzr__mcp_resource;

typedef enum bzr__mcp_out_kind {
    BZR__MCP_ANSWER,
    BZR__MCP_NOTIFICATION,
    BZR__MCP_REQUEST,
    BZR__MCP_PAUSE, /* no message: the answer will take long, the client may come back for it */
} bzr__mcp_out_kind;

typedef enum bzr__mcp_change {
    BZR__MCP_TOOLS,
    BZR__MCP_PROMPTS,
    BZR__MCP_RESOURCES,
    BZR__MCP_RESOURCE
} bzr__mcp_change;

typedef struct bzr__mcp_out {
    uint64_t stream; /* that of the message it belongs to; 0: to none */
    bzr__mcp_out_kind kind;
    int http;        /* answers: the status to send it with where it is alone in an HTTP answer */
    bzr_str message; /* one line without line feed */
} bzr__mcp_out;

/* A server as data; must outlive every bzr__mcp made of it. */
typedef struct bzr__mcp_server {
    const char *name, *title, *version, *instructions; /* title, instructions: NULL for none */
    const bzr__mcp_tool *tools;
    size_t tools_n;
    const bzr__mcp_prompt *prompts;
    size_t prompts_n;
    bzr__mcp_handler *resources; /* list from call->from, at most call->most; NULL: there are none */
    bzr__mcp_handler *read;      /* BZR_E_NOT_FOUND: no such resource */
    const char *templates;       /* JSON array, or NULL */
    bzr__mcp_handler *complete;  /* NULL: no completion */
    bool logging, changes;       /* changes: lists may change, resources can be subscribed to */
    bool shared;    /* many clients on one bzr__mcp (HTTP): only 2026-07-28, and a stream is cancelled, not an id */
    size_t page;    /* items of a list; 0: 100 */
    int64_t ttl_ms; /* how long a client may keep a list */
    void *ctx;      /* what handlers, now and spend get */
    void *wire;     /* what emit and poll get */
    void (*emit)(void *wire, const bzr__mcp_out *out);
    void (*poll)(void *wire); /* push what has come in; may be NULL */
    /* Have each peer of this server told by bzr__mcp_tell; NULL: this one is the only one. */
    void (*tell)(void *wire, bzr__mcp_change what, bzr_str uri);
    int64_t (*now)(void *ctx);              /* seconds, for the life of a request state; NULL: it has no end */
    bool (*spend)(void *ctx, bzr_str mark); /* false: this request state was used already; NULL: not looked at */
    bzr_str key;                            /* signs request states, 32 bytes; empty: a random one of this bzr__mcp */
    bzr_str principal;                      /* whom they are bound to */
} bzr__mcp_server;

/* Errors: BZR_E_NOMEM, BZR_E_RANDOM. */
bzr_status bzr__mcp_new(const bzr__mcp_server *server, bzr__mcp **ret);
/* Ends what listens (with answers); what waits is dropped. NULL is a no-op. */
void bzr__mcp_free(bzr__mcp *mcp);

/* Take one message (copied). `version` is that of the transport's header, or empty. Everything that goes wrong is
 * answered through emit. */
void bzr__mcp_push(bzr__mcp *mcp, uint64_t stream, bzr_str version, bzr_str bytes);
/* A message was longer than the transport takes; `id` is its id as JSON where that could be read, or empty. */
void bzr__mcp_oversize(bzr__mcp *mcp, uint64_t stream, bzr_str id);
/* Do the oldest request. False when there is none. */
bool bzr__mcp_step(bzr__mcp *mcp);
/* Is there any request that is not answered: queued, waiting for the client, or listening? */
bool bzr__mcp_busy(const bzr__mcp *mcp);
/* Hold back input until some requests were done. */
bool bzr__mcp_full(const bzr__mcp *mcp);
/* The stream is gone: nobody waits for its requests (2026-07-28 over HTTP: that is how they are cancelled). */
void bzr__mcp_cancel_stream(bzr__mcp *mcp, uint64_t stream);
/* Tell this peer, if it wants to know, that a list or the resource `uri` has changed. */
void bzr__mcp_tell(bzr__mcp *mcp, bzr__mcp_change what, bzr_str uri);
/* The revision that a session agreed on, or BZR__MCP_NO_VERSION. */
bzr__mcp_version bzr__mcp_agreed(const bzr__mcp *mcp);

bzr__mcp_version bzr__mcp_version_of(bzr_str name); /* BZR__MCP_NO_VERSION: unknown */
const char *bzr__mcp_version_name(bzr__mcp_version version);

/* ---- for handlers ---- */

/* Append a text block. */
void bzr__mcp_add_text(bzr__mcp_call *call, bzr_str text);
/* Append a content block, a message of a prompt, contents of a resource or a completion value that is JSON already. */
void bzr__mcp_add_json(bzr__mcp_call *call, bzr_str json);
/* Append a message of a prompt. `role`: user, assistant. */
void bzr__mcp_add_message(bzr__mcp_call *call, const char *role, bzr_str text);
/* Append an item of the list of resources. */
void bzr__mcp_add_resource(bzr__mcp_call *call, const bzr__mcp_resource *resource);
/* Append the contents of the resource call->name, as text. */
void bzr__mcp_add_contents(bzr__mcp_call *call, const char *mime_type, bzr_str text);
/* The structured half of a tool's result, a JSON object; also appended as text, for clients that read only that. */
void bzr__mcp_set_structured(bzr__mcp_call *call, bzr_str json);
/* The call failed in a way the model can mend: an isError result with `text`, ours. */
bzr_status bzr__mcp_tool_error(bzr__mcp_call *call, bzr_str text);
/* Answer with a protocol error. `message` is static. */
bzr_status bzr__mcp_fail(bzr__mcp_call *call, int code, const char *message);
/* Say how far it is, if the client wants to know; `message` may be NULL. False: the call was cancelled, stop. */
bool bzr__mcp_progress(bzr__mcp_call *call, uint64_t done, uint64_t total, const char *message);
/* A log message, if the client wants it. `level` as the protocol spells it; `data` is JSON. */
void bzr__mcp_log(bzr__mcp_call *call, const char *level, const char *logger, bzr_str data);

/* A list or a resource (`uri`) of the server has changed: every peer that wants to know is told. */
void bzr__mcp_changed(bzr__mcp_call *call, bzr__mcp_change what, bzr_str uri);
/* This will take long: over HTTP the answer's stream may end here, and the client comes back for the rest. */
void bzr__mcp_pause(bzr__mcp_call *call);

/* Does the client declare that it can be asked so? */
bool bzr__mcp_can_ask(const bzr__mcp_call *call, bzr__mcp_ask_kind kind);
/* Ask the client. Add all questions of a round and return BZR_OK; the handler is run again with the answers. A client
 * that cannot be asked gets an error instead. `key` is static, `params` JSON. */
void bzr__mcp_ask(bzr__mcp_call *call, const char *key, bzr__mcp_ask_kind kind, bzr_str params);
/* The answer to a question of the round before: what the client sent (JSON null where it answered with an error), or
 * NULL. */
const bzr__json *bzr__mcp_answer(const bzr__mcp_call *call, const char *key);
/* Bytes for the next round, at most BZR__MCP_STATE_MAX; the client cannot change them (nor forge them, or use them for
 * another call). */
void bzr__mcp_keep(bzr__mcp_call *call, bzr_str state);

#endif
