/* server.h - an HTTP/1.1 server for the faces: routes to handlers, answers whole or as a stream of events.
 *
 * One thread speaks HTTP and never blocks; handlers run on `workers` threads, one request each, with the whole body at
 * hand. What is refused without looking at the content is refused here, for every face alike: hosts and origins that
 * are not ours (DNS rebinding), a missing or wrong token, a request too large, too slow or one too many, an unknown
 * path, a method that the path does not take. Such answers are application/problem+json.
 *
 * Life of a request: the handler gets it and owns it until it has called http_reply or http_stream_open, exactly one of
 * them, once, at once or later, from any thread. Nothing of the request (nor the slices got from it) is to be used
 * after http_reply or http_stream_end. A peer that goes away is told of by http_on_over; the request stays valid and
 * must still be answered (the answer is dropped).
 *
 * Only server.c knows libmicrohttpd, which is loaded when the first server is made. No TLS: a server for more than this
 * machine stands behind a reverse proxy. */
#ifndef TOAD_FACE_HTTP_SERVER_H
#define TOAD_FACE_HTTP_SERVER_H

#include "face/http/guard.h"
#include "toadstone/types.h"

typedef struct http_server http_server;
typedef struct http_request http_request;
typedef struct http_stream http_stream;

typedef void http_handler(void *ctx, http_request *request);

enum {
    HTTP_OPEN = 1, /* no token is asked for: metadata, health */
};

typedef struct http_route {
    const char *method; /* GET takes HEAD, too; NULL: all methods */
    const char *path;   /* the whole path, or its beginning where the last character is '*' */
    size_t body_max;    /* bytes; 0: no body */
    unsigned flags;
    http_handler *run;
} http_route;

/* What the limits are for stands in docs/mcp.md. 0 takes the default. */
typedef struct http_settings {
    const char *address;      /* IPv4 or IPv6 without brackets; NULL: 127.0.0.1 */
    uint16_t port;            /* 0: any free one */
    const http_guard *guard;  /* hosts, origins and tokens; borrowed */
    const http_route *routes; /* the first that fits; borrowed */
    size_t routes_n;
    void *ctx;            /* what handlers get */
    const char *metadata; /* path of the protected-resource metadata that a 401 points to, or NULL */
    unsigned workers;     /* threads for handlers: 8 */
    size_t connections;   /* 512; more wait to be accepted */
    size_t waiting;       /* requests that wait for a worker: 1024; more get 503 */
    size_t head_max;      /* bytes of request line and headers: 32 KiB; more get 431 */
    size_t bodies_max;    /* bytes of all bodies being held: 128 MiB; more get 503 */
    size_t stream_max;    /* bytes of a stream that its reader has not taken yet: 64 MiB; then it is cut off */
    unsigned head_s;      /* seconds from the connection, or the answer before, to the last header: 30 */
    unsigned body_s;      /* seconds from there to the last byte of the body: 60 */
    unsigned stall_s;     /* seconds in which a reader takes nothing: 30 */
    unsigned beat_s;      /* a stream on which nothing was sent for so long gets a comment line: 15 */
} http_settings;

/* Listen and serve. On failure `why` (256 bytes) says in one sentence why. Errors: TOAD_E_NOMEM, TOAD_E_IO (no
 * libmicrohttpd, address not to be had), TOAD_E_ARG (no IP address). */
toad_status http_server_new(const http_settings *settings, http_server **ret, char why[256]);
uint16_t http_server_port(const http_server *server);
/* Take no new connection and no new request (503). Open ones go on. */
void http_server_quiesce(http_server *server);
/* Are all requests that a handler got answered, and all streams ended, with the last byte sent? Waits at most `ms`. */
bool http_server_drained(http_server *server, unsigned ms);
/* Cut off what is open, wait for the handlers that run, and release everything. Every request that is not answered must
 * be answered, and every stream ended, before this returns: handlers that wait are told by http_on_over. NULL is a
 * no-op. */
void http_server_free(http_server *server);
/* Open connections; requests that are not over. */
void http_server_counts(http_server *server, size_t *ret_connections, size_t *ret_requests);

/* ---- a request ---- */

toad_str http_method(const http_request *r);
toad_str http_path(const http_request *r); /* percent-decoded; has no NUL */
toad_str http_body(const http_request *r);
/* Where a header was not sent, p is NULL; one that may be sent once only was. Names are compared without case, values
 * have no blanks around them. */
toad_str http_header(const http_request *r, const char *name);
/* The i-th of all headers, as sent. False: there are no more. */
bool http_header_at(const http_request *r, size_t i, toad_str *ret_name, toad_str *ret_value);
/* A decoded parameter of the query; p NULL: not there. The slice lives as long as the request. */
toad_str http_query(http_request *r, const char *name);
toad_str http_principal(const http_request *r); /* whose token it came with (guard.h) */
toad_str http_peer(const http_request *r);      /* address and port of the other side */
/* 0 .. workers - 1: the thread that runs the handler, for what belongs to one thread. */
unsigned http_worker(const http_request *r);
/* Call `over(ctx, early)` once, from any thread and without a lock held, when the request is over: its answer was sent
 * or its stream has ended, or (early) the other side went away, or was cut off, before. To be called by the handler
 * before it answers; then it happens in every case, so ctx may be released there. False: it is over already, and `over`
 * will not be called. */
bool http_on_over(http_request *r, void (*over)(void *ctx, bool early), void *ctx);

/* ---- its answer ---- */

typedef struct http_field {
    const char *name;
    toad_str value; /* without control characters; such a field is left out */
} http_field;

typedef struct http_answer {
    int status;
    const char *type;         /* of the body; NULL: none */
    toad_str body;            /* copied */
    const http_field *fields; /* others, copied */
    size_t fields_n;
} http_answer;

/* Answer whole. */
void http_reply(http_request *r, const http_answer *answer);
/* Answer {"type":"about:blank","title":...,"status":...,"detail":...}; `detail` is ours, or NULL. */
void http_reply_problem(http_request *r, int status, const char *detail);
/* Begin a stream with status and type of `answer` (its body is the first bytes). Never NULL: where memory is short, or
 * the other side is gone, one that takes nothing. */
http_stream *http_stream_open(http_request *r, const http_answer *answer);
/* Queue bytes, from any thread, one at a time on one stream. False: the reader is gone or too slow. */
bool http_stream_write(http_stream *s, toad_str bytes);
/* The stream ends behind what was written; `s` is gone. */
void http_stream_end(http_stream *s);

#endif
