/* remote.h - a server at the other end of streamable HTTP: each message a POST, answers as JSON or as events.
 *
 * The URL is the user's own word, so its host may be a private one; no redirect leads to another, and no credential of
 * the client goes along. Over sessions a GET is kept open for what the server says on its own, an answer that breaks
 * off is resumed with Last-Event-ID, and the session is ended with a DELETE. Never blocks, but for the DELETE. */
#ifndef TOAD_FACE_PROXY_REMOTE_H
#define TOAD_FACE_PROXY_REMOTE_H

#include "proto/proxy.h"

#include <poll.h>

#define PROXY_REMOTE_FDS     128
#define PROXY_REMOTE_HEADERS 32 /* of the user */

typedef struct proxy_remote proxy_remote;

typedef struct proxy_remote_settings {
    const char *url;
    const char *const *headers; /* "Name: value" */
    size_t headers_n;
    void *ctx;
    void (*message)(void *ctx, uint64_t exchange, int http, toad_str bytes);
    void (*too_long)(void *ctx, uint64_t exchange);
    void (*failed)(void *ctx, uint64_t exchange, const char *why); /* exchange 0: a notification was not taken */
    bool (*waits)(void *ctx, uint64_t exchange);                   /* is it not answered yet? */
} proxy_remote_settings;

/* False: `why` says what is wrong, such as more than PROXY_REMOTE_HEADERS headers. */
bool proxy_remote_new(const proxy_remote_settings *settings, proxy_remote **ret, char why[256]);
void proxy_remote_free(proxy_remote *r); /* NULL is a no-op */
/* Send a message. `version`: what was agreed on with a server with sessions. What goes wrong is told by `failed`,
 * later. */
void proxy_remote_send(proxy_remote *r, const toad__proxy_out *out, toad__mcp_version version);
/* What to wait for, at most PROXY_REMOTE_FDS. */
size_t proxy_remote_wait(proxy_remote *r, struct pollfd *fds, int *timeout_ms);
void proxy_remote_ready(proxy_remote *r, const struct pollfd *fds, size_t n);

#endif
