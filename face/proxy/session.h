/* session.h - one client at one server: the state machine, the server's process or its HTTP endpoint, and the way back.
 *
 * A session lives in one poll loop: it says what it waits for, and is told what happened. It never blocks. However one
 * side ends, the other is told: a server that ended answers all that waits, a client that is gone ends the server. */
#ifndef TOAD_FACE_PROXY_SESSION_H
#define TOAD_FACE_PROXY_SESSION_H

#include "face/proxy/screening.h"

#include <poll.h>

typedef struct proxy_session proxy_session;

/* Where a server is, and how it is run. All borrowed. */
typedef struct proxy_target {
    const char *name;       /* the user's */
    char *const *argv;      /* NULL: `url` */
    const char *const *env; /* names to pass on, or NAME=VALUE */
    size_t env_n;
    const char *cwd; /* NULL: this directory */
    const char *url;
    const char *const *headers; /* "Name: value" for the endpoint */
    size_t headers_n;
} proxy_target;

typedef struct proxy_session_settings {
    const proxy_target *target;
    toad__host *host; /* shared by the sessions of one thread */
    toad__screen *screen;
    toad_str session;   /* whose calls these are; copied */
    toad_str starter;   /* see screening.h; borrowed */
    toad_str principal; /* copied */
    bool same_era, shared;
    int64_t timeout_ms; /* of a request */
    void *client;       /* what to_client gets */
    void (*to_client)(void *client, const toad__proxy_out *out);
    void (*note)(const char *server, const char *text); /* a line for people; the text is safe to print */
} proxy_session_settings;

#define PROXY_FDS 128 /* that one session waits for, at most */

/* False: `why` says why the server could not be started. */
bool proxy_session_new(const proxy_session_settings *settings, proxy_session **ret, char why[256]);
/* Kills what is left of the server. NULL is a no-op. */
void proxy_session_free(proxy_session *s);

toad__proxy *proxy_session_machine(proxy_session *s);
/* Fill in what to wait for (at most PROXY_FDS); *timeout_ms is lowered to when time matters. `hold`: the client takes
 * nothing at the moment. */
size_t proxy_session_wait(proxy_session *s, struct pollfd *fds, bool hold, int *timeout_ms);
/* What came of it; the same number and order. */
void proxy_session_ready(proxy_session *s, const struct pollfd *fds, size_t n);
/* The server does not take what it is sent: hold back the client. */
bool proxy_session_full(const proxy_session *s);
/* The client sends nothing more: the server's input is closed when what is in flight is done, or at once. */
void proxy_session_finish(proxy_session *s, bool at_once);
/* Is it all over? */
bool proxy_session_over(const proxy_session *s);
/* Did the server end by itself, before it was told to? */
bool proxy_session_crashed(const proxy_session *s);

#endif
