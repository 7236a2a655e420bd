/* proxy.h - what stands between an MCP client and one MCP server, without input or output: messages of both go in,
 * messages to both come out through a callback, in order.
 *
 * Every value that comes from the server goes through `screen` before anything of it goes on, every tools/call of the
 * client through `permit`. What they leave alone is forwarded byte for byte; only the id is another, since each side
 * numbers for itself. Both eras are spoken on each side: where client and server share one, messages pass; where the
 * client speaks 2026-07-28 and the server needs a session, or the other way round, the proxy opens the session or sends
 * what each request must hold, and turns the server's requests into rounds of input_required or back.
 *
 * Fail closed: what cannot be read, is too long, takes too long or could not be screened is answered with a refusal
 * that says so. Members of a message that JSON-RPC does not know are not forwarded from a server: nobody has looked at
 * them.
 *
 * Bounds: BZR__RPC_MESSAGE_MAX a message, BZR__PROXY_IN_FLIGHT requests, BZR__PROXY_HELD bytes that wait. Thread rule:
 * one thread at a time; the callbacks must not call back. Cost: linear in the message. */
#ifndef BZR_PROTO_PROXY_H
#define BZR_PROTO_PROXY_H

#include "proto/mcp.h"

#define BZR__PROXY_IN_FLIGHT 1024               /* requests of a client, and questions of a server */
#define BZR__PROXY_HELD      ((size_t)64 << 20) /* bytes of messages that wait; one more may come on top */
#define BZR__PROXY_OUT_MAX   ((size_t)128 << 20)
#define BZR__PROXY_ASK_LIFE  INT64_C(900000) /* milliseconds a question to the user stays open */

enum { BZR__PROXY_SERVER_GONE = -32010, BZR__PROXY_REFUSED = -32011 }; /* codes of our own in error answers */

typedef struct bzr__proxy bzr__proxy;

/* What a value is; in the order of app/mcp/screen.h. */
typedef enum bzr__proxy_what {
    BZR__PROXY_SERVER,
    BZR__PROXY_TOOLS,
    BZR__PROXY_PROMPTS,
    BZR__PROXY_PROMPT,
    BZR__PROXY_RESOURCES,
    BZR__PROXY_TEMPLATES,
    BZR__PROXY_RESOURCE,
    BZR__PROXY_TOOL_RESULT,
    BZR__PROXY_COMPLETION,
    BZR__PROXY_OTHER,
    BZR__PROXY_ERROR,
    BZR__PROXY_NOTIFICATION,
    BZR__PROXY_REQUEST,
    BZR__PROXY_TASK,
} bzr__proxy_what;

typedef struct bzr__proxy_value {
    bzr__proxy_what what;
    bzr_str name;           /* tool, prompt, URI, or the method */
    const bzr__json *value; /* permit: the arguments, or NULL */
    bool modern;            /* the client speaks 2026-07-28 */
    const bzr__json *reply; /* what came of the question asked about it before (JSON null: an error), or NULL */
    const char *tag;        /* of that question */
} bzr__proxy_value;

typedef enum bzr__proxy_fate {
    BZR__PROXY_PASS,
    BZR__PROXY_REPLACE,     /* `out` stands in place of the value; permit: the result in place of the call */
    BZR__PROXY_AS_ERROR,    /* `out` is an error object: the message becomes an error answer */
    BZR__PROXY_BACK_RESULT, /* a request of the server is not forwarded: `out` is the result that it gets, ... */
    BZR__PROXY_BACK_ERROR,  /* ... or the error object */
} bzr__proxy_fate;

#define BZR__PROXY_TAG 96

typedef struct bzr__proxy_verdict {
    bzr__proxy_fate fate;
    bool ask; /* the user may decide: `question` holds the params of elicitation/create; `out` is for a client that
                 cannot ask */
    char tag[BZR__PROXY_TAG]; /* handed back with the reply */
} bzr__proxy_verdict;

typedef struct bzr__proxy_out {
    bool to_server;
    bzr__mcp_out_kind kind;
    uint64_t stream; /* to the client: that of the message it belongs to, 0: none. To the server: the number of the
                        exchange that a request opens or a notification is about, 0: none */
    int http;        /* answers to the client: the status to send it with where it is alone in an HTTP answer */
    bool modern;     /* the message is one of 2026-07-28 */
    bzr_str method,
        name;        /* requests and notifications to the server: for its headers; name is empty where none is due */
    bzr_str message; /* one line without line feed */
} bzr__proxy_out;

typedef struct bzr__proxy_options {
    bool same_era;      /* forward what the client speaks as it is, never translate */
    bool shared;        /* many clients of 2026-07-28 over HTTP: an id is of its stream alone */
    int64_t timeout;    /* milliseconds without a sign of the server until a request is given up; 0: never */
    int64_t probe_time; /* ... until a server that does not answer server/discover is taken for one with sessions; 0:
                           5 s */
    bzr_str name;       /* the user's name for the server; borrowed */
    bzr_str principal;  /* whom request states are bound to; borrowed */
    void *ctx;          /* what all callbacks get */
    void (*emit)(void *ctx, const bzr__proxy_out *out);
    /* Look at a value from the server. False: it could not be screened. */
    bool (*screen)(void *ctx, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question, bzr__proxy_verdict *ret);
    /* May this tool be called? The same. */
    bool (*permit)(void *ctx, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question, bzr__proxy_verdict *ret);
    /* Append what stands in place of a value that could not be screened. `why` is ours. */
    bzr__proxy_fate (*refuse)(void *ctx, const bzr__proxy_value *in, const char *why, bzr__buf *out);
    /* Something for the log, in words of ours; may be NULL. */
    void (*note)(void *ctx, const char *text);
    int64_t (*now)(void *ctx); /* milliseconds, monotonic */
} bzr__proxy_options;

/* `options` is copied. Errors: BZR_E_NOMEM, BZR_E_RANDOM. */
bzr_status bzr__proxy_new(const bzr__proxy_options *options, bzr__proxy **ret);
/* What waits is dropped without an answer. NULL is a no-op. */
void bzr__proxy_free(bzr__proxy *p);

/* Take one message of the client (a batch is several). `version` is that of the transport's header, or empty. */
void bzr__proxy_from_client(bzr__proxy *p, uint64_t stream, bzr_str version, bzr_str bytes);
/* Take one message of the server. `exchange`: the request in whose HTTP answer it came, 0: none. `http`: the status of
 * that answer, 0: none. */
void bzr__proxy_from_server(bzr__proxy *p, uint64_t exchange, int http, bzr_str bytes);
/* A message was too long to be kept. `id` is its id as JSON, or empty. */
void bzr__proxy_client_oversize(bzr__proxy *p, uint64_t stream, bzr_str id);
void bzr__proxy_server_oversize(bzr__proxy *p, uint64_t exchange, bzr_str id);
/* The client's stream is gone: nobody waits for its requests of 2026-07-28. */
void bzr__proxy_cancel_stream(bzr__proxy *p, uint64_t stream);
/* The server will not answer this request. `why` is ours. */
void bzr__proxy_failed(bzr__proxy *p, uint64_t exchange, const char *why);
/* The server is gone: all that waits for it is answered, and so is all that comes. */
void bzr__proxy_server_gone(bzr__proxy *p, const char *why);
/* Give up what has waited too long. Call it at least every second while something is in flight. */
void bzr__proxy_tick(bzr__proxy *p);

/* Requests of the client that are not answered yet. */
size_t bzr__proxy_in_flight(const bzr__proxy *p);
/* Is this exchange with the server still open? */
bool bzr__proxy_waits(const bzr__proxy *p, uint64_t exchange);
/* What the server speaks, BZR__MCP_NO_VERSION: not known yet. */
bzr__mcp_version bzr__proxy_server_version(const bzr__proxy *p);

#endif
