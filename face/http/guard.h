/* guard.h - who may speak to an HTTP face: names of hosts, origins, bearer tokens. Pure functions on what came.
 *
 * A page in the user's browser can send requests to 127.0.0.1, and through DNS rebinding even read the answers. It
 * cannot choose the Host header nor hide its Origin, so both must be names we know. A token proves more; it is compared
 * in constant time by its SHA-256, and names a principal that sessions and request states are bound to. */
#ifndef TOAD_FACE_HTTP_GUARD_H
#define TOAD_FACE_HTTP_GUARD_H

#include "toadstone/types.h"

#define HTTP_TOKENS_MAX    64
#define HTTP_NAMES_MAX     32
#define HTTP_TOKEN_LEAST   16 /* characters of a token */
#define HTTP_TOKEN_MOST    4096
#define HTTP_PRINCIPAL_MAX 24 /* bytes, without a NUL */

typedef struct http_guard {
    const char *hosts[HTTP_NAMES_MAX]; /* names besides localhost, 127.0.0.1 and [::1]; "*": all; borrowed */
    size_t hosts_n;
    const char *origins[HTTP_NAMES_MAX]; /* whole origins besides those of these machines' names; borrowed */
    size_t origins_n;
    unsigned char tokens[HTTP_TOKENS_MAX][32]; /* SHA-256 */
    size_t tokens_n;                           /* 0: no token is asked for */
} http_guard;

/* Is the value of a Host header (name, port or not) one of ours? */
bool http_host_allowed(const http_guard *g, toad_str host);
/* No Origin (p NULL) is: only browsers send it. "null" is none of ours. */
bool http_origin_allowed(const http_guard *g, toad_str origin);
/* Is it one of `origins`? Only such a page may read what is answered (CORS). */
bool http_origin_listed(const http_guard *g, toad_str origin);
/* Is this the value of an Authorization header with one of the tokens? Then `principal` gets its name, "local" where no
 * token is asked for. */
bool http_token_allowed(const http_guard *g, toad_str authorization, char principal[HTTP_PRINCIPAL_MAX + 1]);
/* Add a token. False: too short, too long, a character that no header takes, or one too many. */
bool http_guard_add_token(http_guard *g, toad_str token);
/* Add the tokens of a text, one a line; blank lines and those that begin with # are passed over. False: `ret_line`
 * (from 1) is none, or there is no token at all (0). */
bool http_guard_add_tokens(http_guard *g, toad_str text, size_t *ret_line);

/* Is this address one that only this machine reaches? */
bool http_is_loopback(const char *address);

#endif
