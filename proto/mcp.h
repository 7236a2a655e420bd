/* mcp.h - a Model Context Protocol server without input or output: messages in, messages out through a callback.
 *
 * One toad__mcp is one peer: a process on stdio, a session or an endpoint over HTTP. It speaks the revisions 2024-11-05
 * to 2025-11-25 (initialize, then a session) and 2026-07-28 (stateless, server/discover, input_required) at once; which
 * one holds is decided message by message. What is pushed is checked at once; requests that do work wait in a queue
 * until toad__mcp_step, so that a cancellation that is already here is heeded. A handler runs from the start again when
 * its questions were answered: the same handler serves the eras in which the server asks the client and the one in
 * which the client comes back with the answers.
 *
 * Bounds: TOAD__RPC_MESSAGE_MAX a message, TOAD__MCP_QUEUE requests and TOAD__MCP_HELD bytes in flight. No message text
 * of a stranger is in an error. Thread rule: one thread at a time. Source: modelcontextprotocol.io, the revisions
 * named.
 */
#ifndef TOAD_PROTO_MCP_H
#define TOAD_PROTO_MCP_H

#include "proto/jsonrpc.h"

typedef enum toad__mcp_version {
    TOAD__MCP_NO_VERSION,
    TOAD__MCP_2024_11_05,
    TOAD__MCP_2025_03_26,
    TOAD__MCP_2025_06_18,
    TOAD__MCP_2025_11_25,
    TOAD__MCP_2026_07_28,
} toad__mcp_version;

enum {
    TOAD__MCP_NOT_FOUND_LEGACY = -32002, /* a resource, before 2026-07-28 */
    TOAD__MCP_HEADER_MISMATCH = -32020,
    TOAD__MCP_CAPABILITY_MISSING = -32021,
    TOAD__MCP_VERSION_UNKNOWN = -32022,
};

#define TOAD__MCP_QUEUE     64                 /* requests in flight, those that wait for the client among them */
#define TOAD__MCP_HELD      ((size_t)64 << 20) /* bytes of messages in flight; one more may come on top */
#define TOAD__MCP_OUT_MAX   ((size_t)256 << 20)
#define TOAD__MCP_ASKS      8    /* questions of one round */
#define TOAD__MCP_ROUNDS    16   /* of one call */
#define TOAD__MCP_STATE_MAX 2048 /* bytes a handler may carry over from round to round */
#define TOAD__MCP_LISTENERS 16
#define TOAD__MCP_WATCHED   64 /* resources a session subscribes to */

typedef struct toad__mcp toad__mcp;

typedef enum toad__mcp_ask_kind {
    TOAD__MCP_ASK_FORM,
    TOAD__MCP_ASK_URL,
    TOAD__MCP_ASK_SAMPLING,
    TOAD__MCP_ASK_ROOTS
} toad__mcp_ask_kind;

/* What a handler works on. Only the members above the line are for it to read. */
typedef struct toad__mcp_call {
    void *ctx; /* the server's */
    toad__mcp_version version;
    toad_str name;               /* tool or prompt, or the URI of a resource */
    const toad__json *arguments; /* an object, or NULL: none */
    const toad__json *params;    /* all of them */
    uint64_t from;               /* a list: index of the first item wanted */
    size_t most;                 /* a list: items wanted */
    toad_str state;              /* what toad__mcp_keep kept in the round before */
    /* ---- */
    toad__mcp *mcp;
    struct toad__mcp_entry *entry;
    toad__buf content;    /* items of the result's array, separated by commas */
    toad__buf structured; /* JSON, or empty */
    const char *description;
    bool is_error, more;
    int code; /* of a protocol error, or 0 */
    const char *message;
    toad__buf data;
} toad__mcp_call;

/* Work on a call. A status other than TOAD_OK is answered as an internal error, unless toad__mcp_fail said which. */
typedef toad_status toad__mcp_handler(toad__mcp_call *call);

typedef struct toad__mcp_tool {
    const char *name, *title, *description;
    const char *input_schema, *output_schema, *annotations; /* JSON; the last two may be NULL */
    toad__mcp_handler *run;
} toad__mcp_tool;

typedef struct toad__mcp_argument {
    const char *name, *description;
    bool required;
} toad__mcp_argument;

typedef struct toad__mcp_prompt {
    const char *name, *title, *description;
    const toad__mcp_argument *arguments;
    size_t arguments_n;
    toad__mcp_handler *run;
} toad__mcp_prompt;

typedef struct toad__mcp_resource {
    toad_str uri, name, title, description, mime_type; /* title and below may be empty */
} toad__mcp_resource;

typedef enum toad__mcp_out_kind {
    TOAD__MCP_ANSWER,
    TOAD__MCP_NOTIFICATION,
    TOAD__MCP_REQUEST,
    TOAD__MCP_PAUSE, /* no message: the answer will take long, the client may come back for it */
} toad__mcp_out_kind;

typedef enum toad__mcp_change {
    TOAD__MCP_TOOLS,
    TOAD__MCP_PROMPTS,
    TOAD__MCP_RESOURCES,
    TOAD__MCP_RESOURCE
} toad__mcp_change;

typedef struct toad__mcp_out {
    uint64_t stream; /* that of the message it belongs to; 0: to none */
    toad__mcp_out_kind kind;
    int http;         /* answers: the status to send it with where it is alone in an HTTP answer */
    toad_str message; /* one line without line feed */
} toad__mcp_out;

/* A server as data; must outlive every toad__mcp made of it. */
typedef struct toad__mcp_server {
    const char *name, *title, *version, *instructions; /* title, instructions: NULL for none */
    const toad__mcp_tool *tools;
    size_t tools_n;
    const toad__mcp_prompt *prompts;
    size_t prompts_n;
    toad__mcp_handler *resources; /* list from call->from, at most call->most; NULL: there are none */
    toad__mcp_handler *read;      /* TOAD_E_NOT_FOUND: no such resource */
    const char *templates;        /* JSON array, or NULL */
    toad__mcp_handler *complete;  /* NULL: no completion */
    bool logging, changes;        /* changes: lists may change, resources can be subscribed to */
    bool shared;    /* many clients on one toad__mcp (HTTP): only 2026-07-28, and a stream is cancelled, not an id */
    size_t page;    /* items of a list; 0: 100 */
    int64_t ttl_ms; /* how long a client may keep a list */
    void *ctx;      /* what handlers, now and spend get */
    void *wire;     /* what emit and poll get */
    void (*emit)(void *wire, const toad__mcp_out *out);
    void (*poll)(void *wire); /* push what has come in; may be NULL */
    /* Have each peer of this server told by toad__mcp_tell; NULL: this one is the only one. */
    void (*tell)(void *wire, toad__mcp_change what, toad_str uri);
    int64_t (*now)(void *ctx);               /* seconds, for the life of a request state; NULL: it has no end */
    bool (*spend)(void *ctx, toad_str mark); /* false: this request state was used already; NULL: not looked at */
    toad_str key;                            /* signs request states, 32 bytes; empty: a random one of this toad__mcp */
    toad_str principal;                      /* whom they are bound to */
} toad__mcp_server;

/* Errors: TOAD_E_NOMEM, TOAD_E_RANDOM. */
toad_status toad__mcp_new(const toad__mcp_server *server, toad__mcp **ret);
/* Ends what listens (with answers); what waits is dropped. NULL is a no-op. */
void toad__mcp_free(toad__mcp *mcp);

/* Take one message (copied). `version` is that of the transport's header, or empty. Everything that goes wrong is
 * answered through emit. */
void toad__mcp_push(toad__mcp *mcp, uint64_t stream, toad_str version, toad_str bytes);
/* A message was longer than the transport takes; `id` is its id as JSON where that could be read, or empty. */
void toad__mcp_oversize(toad__mcp *mcp, uint64_t stream, toad_str id);
/* Do the oldest request. False when there is none. */
bool toad__mcp_step(toad__mcp *mcp);
/* Is there any request that is not answered: queued, waiting for the client, or listening? */
bool toad__mcp_busy(const toad__mcp *mcp);
/* Hold back input until some requests were done. */
bool toad__mcp_full(const toad__mcp *mcp);
/* The stream is gone: nobody waits for its requests (2026-07-28 over HTTP: that is how they are cancelled). */
void toad__mcp_cancel_stream(toad__mcp *mcp, uint64_t stream);
/* Tell this peer, if it wants to know, that a list or the resource `uri` has changed. */
void toad__mcp_tell(toad__mcp *mcp, toad__mcp_change what, toad_str uri);
/* The revision that a session agreed on, or TOAD__MCP_NO_VERSION. */
toad__mcp_version toad__mcp_agreed(const toad__mcp *mcp);

toad__mcp_version toad__mcp_version_of(toad_str name); /* TOAD__MCP_NO_VERSION: unknown */
const char *toad__mcp_version_name(toad__mcp_version version);

/* ---- for handlers ---- */

/* Append a text block. */
void toad__mcp_add_text(toad__mcp_call *call, toad_str text);
/* Append a content block, a message of a prompt, contents of a resource or a completion value that is JSON already. */
void toad__mcp_add_json(toad__mcp_call *call, toad_str json);
/* Append a message of a prompt. `role`: user, assistant. */
void toad__mcp_add_message(toad__mcp_call *call, const char *role, toad_str text);
/* Append an item of the list of resources. */
void toad__mcp_add_resource(toad__mcp_call *call, const toad__mcp_resource *resource);
/* Append the contents of the resource call->name, as text. */
void toad__mcp_add_contents(toad__mcp_call *call, const char *mime_type, toad_str text);
/* The structured half of a tool's result, a JSON object; also appended as text, for clients that read only that. */
void toad__mcp_set_structured(toad__mcp_call *call, toad_str json);
/* The call failed in a way the model can mend: an isError result with `text`, ours. */
toad_status toad__mcp_tool_error(toad__mcp_call *call, toad_str text);
/* Answer with a protocol error. `message` is static. */
toad_status toad__mcp_fail(toad__mcp_call *call, int code, const char *message);
/* Say how far it is, if the client wants to know; `message` may be NULL. False: the call was cancelled, stop. */
bool toad__mcp_progress(toad__mcp_call *call, uint64_t done, uint64_t total, const char *message);
/* A log message, if the client wants it. `level` as the protocol spells it; `data` is JSON. */
void toad__mcp_log(toad__mcp_call *call, const char *level, const char *logger, toad_str data);

/* A list or a resource (`uri`) of the server has changed: every peer that wants to know is told. */
void toad__mcp_changed(toad__mcp_call *call, toad__mcp_change what, toad_str uri);
/* This will take long: over HTTP the answer's stream may end here, and the client comes back for the rest. */
void toad__mcp_pause(toad__mcp_call *call);

/* Does the client declare that it can be asked so? */
bool toad__mcp_can_ask(const toad__mcp_call *call, toad__mcp_ask_kind kind);
/* Ask the client. Add all questions of a round and return TOAD_OK; the handler is run again with the answers. A client
 * that cannot be asked gets an error instead. `key` is static, `params` JSON. */
void toad__mcp_ask(toad__mcp_call *call, const char *key, toad__mcp_ask_kind kind, toad_str params);
/* The answer to a question of the round before: what the client sent (JSON null where it answered with an error), or
 * NULL. */
const toad__json *toad__mcp_answer(const toad__mcp_call *call, const char *key);
/* Bytes for the next round, at most TOAD__MCP_STATE_MAX; the client cannot change them (nor forge them, or use them for
 * another call). */
void toad__mcp_keep(toad__mcp_call *call, toad_str state);

#endif
