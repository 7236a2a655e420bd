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
 * Bounds: TOAD__RPC_MESSAGE_MAX a message, TOAD__PROXY_IN_FLIGHT requests, TOAD__PROXY_HELD bytes that wait. Thread
 * rule: one thread at a time; the callbacks must not call back. Cost: linear in the message. */
#ifndef TOAD_PROTO_PROXY_H
#define TOAD_PROTO_PROXY_H

#include "proto/mcp.h"
#include "proto/mcp_value.h"

#define TOAD__PROXY_IN_FLIGHT 1024               /* requests of a client, and questions of a server */
#define TOAD__PROXY_HELD      ((size_t)64 << 20) /* bytes of messages that wait; one more may come on top */
#define TOAD__PROXY_OUT_MAX   ((size_t)128 << 20)
#define TOAD__PROXY_ASK_LIFE  INT64_C(900000) /* milliseconds a question to the user stays open */

enum { TOAD__PROXY_SERVER_GONE = -32010, TOAD__PROXY_REFUSED = -32011 }; /* codes of our own in error answers */

typedef struct toad__proxy toad__proxy;

typedef struct toad__proxy_value {
    toad__mcp_what what;
    toad_str name;           /* tool, prompt, URI, or the method */
    const toad__json *value; /* permit: the arguments, or NULL */
    bool modern;             /* the client speaks 2026-07-28 */
    const toad__json *reply; /* what came of the question asked about it before (JSON null: an error), or NULL */
    const char *tag;         /* of that question */
} toad__proxy_value;

#define TOAD__PROXY_TAG 96

typedef struct toad__proxy_verdict {
    toad__mcp_fate fate;
    bool ask; /* the user may decide: `question` holds the params of elicitation/create; `out` is for a client that
                 cannot ask */
    char tag[TOAD__PROXY_TAG]; /* handed back with the reply */
    char tell[400];            /* for the user, by a log message where the client takes them; "" for nothing */
} toad__proxy_verdict;

typedef struct toad__proxy_out {
    bool to_server;
    toad__mcp_out_kind kind;
    uint64_t stream; /* to the client: that of the message it belongs to, 0: none. To the server: the number of the
                        exchange that a request opens or a notification is about, 0: none */
    int http;        /* answers to the client: the status to send it with where it is alone in an HTTP answer */
    bool modern;     /* the message is one of 2026-07-28 */
    toad_str method,
        name;         /* requests and notifications to the server: for its headers; name is empty where none is due */
    toad_str message; /* one line without line feed */
} toad__proxy_out;

typedef struct toad__proxy_options {
    bool same_era;      /* forward what the client speaks as it is, never translate */
    bool shared;        /* many clients of 2026-07-28 over HTTP: an id is of its stream alone */
    int64_t timeout;    /* milliseconds without a sign of the server until a request is given up; 0: never */
    int64_t probe_time; /* ... until a server that does not answer server/discover is taken for one with sessions; 0:
                           5 s */
    toad_str name;      /* the user's name for the server; borrowed */
    toad_str principal; /* whom request states are bound to; borrowed */
    void *ctx;          /* what all callbacks get */
    void (*emit)(void *ctx, const toad__proxy_out *out);
    /* Look at a value from the server. False: it could not be screened. */
    bool (*screen)(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                   toad__proxy_verdict *ret);
    /* May this tool be called? The same; with a reply it may ask again, and does so only so often. */
    bool (*permit)(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                   toad__proxy_verdict *ret);
    /* Append what stands in place of a value that could not be screened. `why` is ours. */
    toad__mcp_fate (*refuse)(void *ctx, const toad__proxy_value *in, const char *why, toad__buf *out);
    /* Something for the log, in words of ours; may be NULL. */
    void (*note)(void *ctx, const char *text);
    int64_t (*now)(void *ctx); /* milliseconds, monotonic */
} toad__proxy_options;

/* `options` is copied. Errors: TOAD_E_NOMEM, TOAD_E_RANDOM. */
toad_status toad__proxy_new(const toad__proxy_options *options, toad__proxy **ret);
/* What waits is dropped without an answer. NULL is a no-op. */
void toad__proxy_free(toad__proxy *p);

/* Take one message of the client (a batch is several). `version` is that of the transport's header, or empty. */
void toad__proxy_from_client(toad__proxy *p, uint64_t stream, toad_str version, toad_str bytes);
/* Take one message of the server. `exchange`: the request in whose HTTP answer it came, 0: none. `http`: the status of
 * that answer, 0: none. */
void toad__proxy_from_server(toad__proxy *p, uint64_t exchange, int http, toad_str bytes);
/* A message was too long to be kept. `id` is its id as JSON, or empty. */
void toad__proxy_client_oversize(toad__proxy *p, uint64_t stream, toad_str id);
void toad__proxy_server_oversize(toad__proxy *p, uint64_t exchange, toad_str id);
/* The client's stream is gone: nobody waits for its requests of 2026-07-28. */
void toad__proxy_cancel_stream(toad__proxy *p, uint64_t stream);
/* The server will not answer this request. `why` is ours. */
void toad__proxy_failed(toad__proxy *p, uint64_t exchange, const char *why);
/* The server is gone: all that waits for it is answered, and so is all that comes. */
void toad__proxy_server_gone(toad__proxy *p, const char *why);
/* Give up what has waited too long. Call it at least every second while something is in flight. */
void toad__proxy_tick(toad__proxy *p);

/* Requests of the client that are not answered yet. */
size_t toad__proxy_in_flight(const toad__proxy *p);
/* Is this exchange with the server still open? */
bool toad__proxy_waits(const toad__proxy *p, uint64_t exchange);
/* What the server speaks, TOAD__MCP_NO_VERSION: not known yet. */
toad__mcp_version toad__proxy_server_version(const toad__proxy *p);

#endif
