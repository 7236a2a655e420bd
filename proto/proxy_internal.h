/* proxy_internal.h - what the files of the proxy share.
 *
 * An exchange is a request towards the server that is not answered yet, or a client's that is held back; an ask is a
 * question towards the client. Invariants: an exchange is in the list from its making to proxy_drop; a client's request
 * is answered at most once: proxy_answer takes its id away. */
#ifndef TOAD_PROTO_PROXY_INTERNAL_H
#define TOAD_PROTO_PROXY_INTERNAL_H

#include "lib/base/str.h"
#include "proto/mcp_internal.h"
#include "proto/proxy.h"
#include "proto/seal.h"

#define META_CLIENT    "io.modelcontextprotocol/clientInfo"
#define META_SERVER    "io.modelcontextprotocol/serverInfo"
#define MODERN_VERSION "2026-07-28"
#define LEGACY_VERSION "2025-11-25"

typedef enum px_purpose {
    PX_CLIENT,   /* a client's request */
    PX_DISCOVER, /* ours: what does the server speak? */
    PX_HELLO,    /* ours: initialize */
    PX_QUIET,    /* ours: the answer is of no interest */
} px_purpose;

typedef enum px_state {
    PX_SENT,      /* the server works on it */
    PX_HELD,      /* a call that the user was asked about: not sent yet */
    PX_ANSWERED,  /* the server's answer is in `bytes`, and the user was asked about it */
    PX_INPUT,     /* the server wants input (2026-07-28), the client is being asked */
    PX_LISTENING, /* a client's subscriptions, kept by us over a server with sessions */
} px_state;

typedef enum px_ask_kind {
    PX_OF_SERVER, /* a request of a server with sessions */
    PX_INPUT_KEY, /* one of the input requests of a server of 2026-07-28 */
    PX_OURS,      /* may this pass? */
} px_ask_kind;

typedef struct px_ask {
    struct px_ask *next;
    struct px_exchange *of; /* NULL: of none */
    px_ask_kind kind;
    bool sent;
    uint64_t number; /* the id it has towards a client with sessions */
    int64_t since;
    toad_str server_id;      /* PX_OF_SERVER: as JSON */
    toad_str key;            /* of the input request */
    toad_str method, params; /* what is asked; params as JSON */
    toad_str answer;         /* PX_INPUT_KEY: JSON, p NULL: not answered yet */
    toad__arena own;
} px_ask;

typedef struct px_exchange {
    struct px_exchange *next;
    uint64_t id; /* towards the server */
    px_purpose purpose;
    px_state state;
    /* the client's request */
    uint64_t stream;
    toad_str client_id;  /* as JSON; p NULL: none waits */
    toad_str client_key; /* what it says; of a number the same */
    bool client_id_text;
    bool modern, hello; /* hello: its answer says what the server speaks */
    unsigned can_ask;
    int log_level;
    toad_str method, name, token;
    toad__mcp_what what;
    int64_t since;
    toad_str request; /* as it came, where it may be sent again or is asked about */
    toad_str answer;  /* of the server: PX_ANSWERED, or one that came while nobody waited */
    int http;         /* of that answer */
    unsigned rounds;
    toad_str request_state;    /* of the server's input_required, as JSON */
    bool parked;               /* the client got input_required and is to come back */
    unsigned char nonce[16];   /* of the request state it got */
    char tag[TOAD__PROXY_TAG]; /* of the question that is open */
    toad__arena own;
} px_exchange;

/* A message of the client that waits until it is known what the server speaks. */
typedef struct px_waiting {
    struct px_waiting *next;
    uint64_t stream;
    bool modern_header;
    size_t n;
    char bytes[];
} px_waiting;

typedef enum px_era { PX_UNKNOWN, PX_PROBING, PX_LEGACY, PX_MODERN } px_era;

struct toad__proxy {
    toad__proxy_options o;
    px_era server;
    toad__mcp_version server_version;
    bool own_session;   /* the server's session was opened by us */
    uint64_t hello_for; /* the client's exchange that our probe is to answer, or 0 */
    bool gone, draining;
    const char *gone_why;
    char hello_why[300];                                       /* why the server cannot be asked what it speaks */
    toad_str hello;                                            /* the InitializeResult of the server, screened */
    toad__arena kept;                                          /* hello, client_* */
    toad_str client_capabilities, client_info, client_version; /* of a client with sessions, as JSON */
    unsigned client_can_ask;
    int server_log_level, client_log_level;
    bool server_logs; /* it declared log messages, so its client expects them */
    uint64_t last_id, last_number;
    px_exchange *exchanges, **exchanges_end;
    size_t exchanges_n;
    px_ask *asks, **asks_end;
    size_t asks_n;
    px_waiting *waiting, **waiting_end;
    size_t held;                         /* bytes in `waiting` and in exchanges */
    uint64_t listen;                     /* the exchange of our subscriptions/listen, for a client with sessions */
    toad_str watched[TOAD__MCP_WATCHED]; /* URIs a client with sessions subscribes to, malloced */
    size_t watched_n;
    toad__arena arena; /* of the message being read */
    toad__buf out, value, question, changed, scratch;
    toad_str header;                   /* the version that the transport's header names, of the message being taken */
    unsigned char key[TOAD__SEAL_KEY]; /* of request states */
    char prefix[15];                   /* "toad-12345678-" */
};

/* A message on its way. */
typedef struct px_message {
    toad__rpc rpc;
    toad_str bytes;
    uint64_t stream; /* client's stream, or server's exchange */
    int http;
} px_message;

/* A piece of a message and what stands there instead; an empty one is an insertion. */
typedef struct px_cut {
    toad_str old, new;
} px_cut;

/* What a client's method is. */
typedef struct px_method {
    const char *name;
    toad__mcp_what what;
    const char *named_by; /* the parameter that names what it is about, or NULL */
    bool may_ask;         /* may be answered with input_required */
    bool cached;          /* its result says for how long it may be kept (2026-07-28) */
} px_method;
const px_method *proxy_method(toad_str name); /* NULL: none we know */

/* proxy.c */
static inline char proxy_last(const toad__buf *b) { return b->n ? b->p[b->n - 1] : '{'; }
int64_t proxy_now(const toad__proxy *p);
void proxy_note(const toad__proxy *p, const char *text);
/* Write `bytes` with its cuts (in any order) to p->out. */
void proxy_splice(toad__proxy *p, toad_str bytes, px_cut *cuts, size_t n);
void proxy_to_client(toad__proxy *p, uint64_t stream, toad__mcp_out_kind kind, int http, bool modern);
void proxy_to_server(toad__proxy *p, uint64_t exchange, toad__mcp_out_kind kind, bool modern, toad_str method,
                     toad_str name);
px_exchange *proxy_exchange(toad__proxy *p, px_purpose purpose); /* NULL: too many, or no memory */
px_exchange *proxy_find(toad__proxy *p, uint64_t id);
void proxy_drop(toad__proxy *p, px_exchange *ex);
/* The number an id of ours is written as, or 0. */
uint64_t proxy_number(const toad__json *id);
/* The text of a 64-bit number in `buf` (24 bytes). */
toad_str proxy_digits(uint64_t n, char buf[24]);
/* Parse JSON that is our own making or was read before, into p->arena. NULL: no memory. */
const toad__json *proxy_parse(toad__proxy *p, toad_str json);
/* Answer the client; its id is taken from the exchange. `value` is JSON. */
void proxy_answer(toad__proxy *p, px_exchange *ex, toad_str value, bool is_error, int http);
void proxy_answer_error(toad__proxy *p, px_exchange *ex, int code, const char *message);
/* Answer with a refusal: an isError result where the request was a tool's. */
void proxy_refuse(toad__proxy *p, px_exchange *ex, const char *why);
/* An error answer to a request that has no exchange. */
void proxy_error(toad__proxy *p, uint64_t stream, const toad__json *id, int code, const char *message, bool modern);

/* proxy_client.c */
void proxy_take_client(toad__proxy *p, px_message *m, bool modern_header);
/* Send a client's request, after the user was asked where that is needed. `reply`: what the user said. */
void proxy_send(toad__proxy *p, px_exchange *ex, const px_message *m, const toad__json *reply);
/* Send it as it is. `inputs`: JSON members `"inputResponses":..` to add, or empty. */
void proxy_forward(toad__proxy *p, px_exchange *ex, const px_message *m, toad_str inputs);
/* Make the exchange of a client's request. NULL: it was answered with an error. */
px_exchange *proxy_admit(toad__proxy *p, const px_message *m, bool modern);
/* Write what the request says of its client into the exchange. False: no memory. */
bool proxy_set_client(toad__proxy *p, px_exchange *ex, const px_message *m);
/* Write parameters for a server of either era. `token`: the progress token to put in place of the client's, or empty.
 */
void proxy_add_params(toad__proxy *p, toad__buf *b, const toad__json *params, bool to_modern, int log_level,
                      toad_str inputs, toad_str token);
void proxy_drain(toad__proxy *p);

/* proxy_server.c */
void proxy_take_server(toad__proxy *p, px_message *m);
/* Screen an answer to `ex` and pass it on. `reply` as above. */
void proxy_deliver(toad__proxy *p, px_exchange *ex, px_message *m, const toad__json *reply);

/* proxy_era.c */
/* Find out what the server speaks, with a request of the client as the model. */
void proxy_probe(toad__proxy *p, const toad__rpc *model);
/* An answer to a probe of ours, or to a client's hello. True: it was taken. */
bool proxy_took_hello(toad__proxy *p, px_exchange *ex, px_message *m);
/* The client's request is one that we answer for the server of the other era. True: done. */
bool proxy_stands_in(toad__proxy *p, const px_message *m, bool modern);
/* A client's notification, the same. */
bool proxy_swallows(toad__proxy *p, const toad__rpc *rpc, bool modern);
/* A notification of the server that only the subscriptions of the other era know. True: done. */
bool proxy_relays(toad__proxy *p, const px_message *m);
/* `why`: in words of ours, for the client when there is nothing else to try. */
void proxy_hello_failed(toad__proxy *p, px_exchange *ex, const char *why);

/* proxy_ask.c */
px_ask *proxy_ask(toad__proxy *p, px_exchange *of, px_ask_kind kind, toad_str method, toad_str params);
px_ask *proxy_find_ask(toad__proxy *p, uint64_t number);
void proxy_drop_ask(toad__proxy *p, px_ask *ask);
void proxy_drop_asks_of(toad__proxy *p, const px_exchange *ex);
bool proxy_can_ask(const px_exchange *ex, toad_str method, const toad__json *params);
/* Put the open questions of an exchange to its client: as requests, or as input_required. */
void proxy_put_asks(toad__proxy *p, px_exchange *ex);
/* Ask about a value or a call: p->question are the parameters. False: not possible. */
bool proxy_hold(toad__proxy *p, px_exchange *ex, px_state state, toad_str bytes, int http, const char *tag);
/* The client's answer to a question. */
void proxy_take_reply(toad__proxy *p, px_ask *ask, const px_message *m);
/* A request with a request state that may be ours. True: it was, and is done with. */
bool proxy_resume(toad__proxy *p, const px_message *m);
/* The server of 2026-07-28 wants input, and the client has sessions. False: it cannot be had. */
bool proxy_take_input(toad__proxy *p, px_exchange *ex, const toad__json *result);
/* Nobody came back: the server gets a cancel. */
void proxy_give_up(toad__proxy *p, px_exchange *ex);

#endif
