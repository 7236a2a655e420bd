/* internal.h - what server.c and its parts share: connections, requests, and who holds them.
 *
 * One mutex guards all of it; it is held for a few instructions, never while a handler, a callback or a write runs. A
 * request is held twice: by the connection it came on, until libmicrohttpd is through with it (HTTP_DONE), and by its
 * handler, until it has answered. A request that waits for something sleeps: its connection is suspended, so that
 * the I/O thread does not turn in circles; who has something for it wakes it. A sleeping connection is not read, so
 * the watcher looks for its end. */
#ifndef TOAD_FACE_HTTP_INTERNAL_H
#define TOAD_FACE_HTTP_INTERNAL_H

#include "face/http/head.h"

#include <pthread.h>

struct MHD_Connection;
struct MHD_Daemon;

typedef enum http_state {
    HTTP_READING, /* head and body */
    HTTP_WAITING, /* for a worker, and then for its answer */
    HTTP_ANSWERED,
    HTTP_STREAMING,
    HTTP_DONE
} http_state;

typedef struct http_connection {
    struct http_connection *next, *prev;
    http_server *server;
    uint64_t id; /* never used again, unlike its address */
    int fd;
    int64_t deadline; /* milliseconds; INT64_MAX: none */
    bool gone;        /* the other side has closed it */
    http_request *request;
    char peer[64];
} http_connection;

typedef struct http_param {
    struct http_param *next;
    char text[];
} http_param;

struct http_stream {
    http_request *request;
};

struct http_request {
    http_server *server;
    http_connection *connection; /* NULL when done */
    struct MHD_Connection *mhd;
    http_request *next; /* of those that wait for a worker */
    http_state state;
    unsigned holders;
    bool asleep, gone, ended;
    bool seen; /* the head was looked at */
    const http_route *route;
    http_head head;
    char *target;
    http_param *params; /* decoded */
    toad__buf body;
    size_t dropped; /* bytes of a body beyond its limit */
    char principal[HTTP_PRINCIPAL_MAX + 1], peer[64];
    unsigned worker;
    void (*over)(void *ctx, bool early);
    void *over_ctx;
    int status; /* the answer */
    char *fields;
    size_t fields_n;
    toad__buf out; /* body, or what of a stream was not taken yet */
    size_t out_at;
    bool beats;
    int64_t last; /* when something was queued */
    http_stream stream;
};

struct http_server {
    http_settings settings;
    struct MHD_Daemon *daemon;
    uint16_t port;
    pthread_mutex_t lock;
    pthread_cond_t work, idle;
    http_connection *connections;
    uint64_t connected; /* so far */
    size_t connections_n, requests_n, waiting_n, bodies;
    http_request *first, **last;
    bool quiet, stopping;
    pthread_t watcher, *workers;
    unsigned workers_n;
    bool watched;
    int epoll;
};

#endif
