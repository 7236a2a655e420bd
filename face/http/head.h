/* head.h - the head of a request, and what is decided by it alone. Pure: no socket, no clock.
 *
 * A head owns one block of memory with everything it points to. Checks that all faces share are made here, in this
 * order: a well-formed target, no header twice that may be sent once, host, origin, route, method, token, size of the
 * body; what fails first is answered. */
#ifndef TOAD_FACE_HTTP_HEAD_H
#define TOAD_FACE_HTTP_HEAD_H

#include "face/http/server.h"
#include "lib/base/buf.h"

#define HTTP_HEADERS_MAX 128
#define HTTP_TARGET_MAX  8192

typedef struct http_header_line {
    toad_str name, value;
} http_header_line;

typedef struct http_head {
    toad_str method, path, query; /* path decoded, query as it came */
    http_header_line *headers;
    size_t headers_n;
    char *memory;
} http_head;

/* Copy and decode. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT, TOAD_E_SYNTAX (a target that cannot be decoded or holds a NUL, a
 * control character in a header). */
toad_status http_head_new(toad_str method, toad_str target, const http_header_line *headers, size_t n, http_head *ret);
void http_head_free(http_head *head);
/* p NULL: not sent. */
toad_str http_head_get(const http_head *head, const char *name);
/* Decode a parameter of the query into `out`, which has query.n bytes of room; p NULL: not there, or not decodable. */
toad_str http_head_query(const http_head *head, toad_str name, char *out);

typedef struct http_refusal {
    int status; /* 0: admitted; 204: a browser asks whether a page that is listed may call */
    const char *detail;
    char allow[64]; /* of a 405 */
} http_refusal;

/* Find the route, or say why the request is refused. `principal` names whose it is. */
const http_route *http_admit(const http_settings *settings, const http_head *head,
                             char principal[HTTP_PRINCIPAL_MAX + 1], http_refusal *refusal);
/* The words of a status, "Not Found". */
const char *http_status_text(int status);
/* Append the problem document of a refusal. */
void http_add_problem(toad__buf *b, int status, const char *detail);

#endif
