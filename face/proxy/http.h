/* http.h - clients over streamable HTTP, in front of one server or of many: each has a path of its own.
 *
 * One thread does all that is MCP, as on standard input and output; the threads of the HTTP server only hand requests
 * over. A client with sessions has a server of its own for each; clients of 2026-07-28 with one principal and the same
 * capabilities share one. */
#ifndef TOAD_FACE_PROXY_HTTP_H
#define TOAD_FACE_PROXY_HTTP_H

#include "face/http/guard.h"
#include "face/proxy/session.h"

typedef struct proxy_http_settings {
    const proxy_target *targets;
    size_t targets_n; /* one: at /mcp; more, or `named`: each at /mcp/NAME */
    bool named;
    const char *address; /* NULL: 127.0.0.1 */
    uint16_t port;
    const http_guard *guard;
    size_t sessions;                  /* 0: 256 */
    unsigned idle_s;                  /* a session that nobody used for so long ends; 0: 1800 */
    void (*listening)(uint16_t port); /* told once */
} proxy_http_settings;

/* Serve until a signal says otherwise. `session`: what each session is made with; target, client and to_client are set
 * here. Returns the exit status; `why` says what failed. */
int proxy_serve_http(const proxy_http_settings *settings, const proxy_session_settings *session, char why[256]);

#endif
