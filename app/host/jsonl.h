/* jsonl.h - JSON lines: a reader of long lines and the request object that scan, sanitize and wrap take, one a line. */
#ifndef TOAD_APP_JSONL_H
#define TOAD_APP_JSONL_H

#include "app/host/input.h"
#include "lib/base/json.h"

#define TOAD__LINE_MAX (256u << 20) /* bytes of a line; a longer one is an error of that line only */

typedef struct toad__lines {
    toad__input *in;
    toad__buf line;
    char *piece;
    size_t at, n; /* of the piece not yet used */
    uint64_t number;
    bool eof;
} toad__lines;

toad_status toad__lines_open(toad__lines *l, toad__input *in);
void toad__lines_close(toad__lines *l);
/* The next line without its line feed, valid until the next call; *more false at the end. A line that is too long comes
 * back with `line.status` TOAD_E_LIMIT and is passed over. Errors: TOAD_E_NOMEM, TOAD_E_IO. */
toad_status toad__lines_next(toad__lines *l, toad_str *ret, bool *more);

/* {"id": any, "text": string} or {"id": any, "bytes_b64": string}, or "text": null, which is no content; with "source",
 * "kind" and "scope" if the caller likes. */
#define TOAD__REQUEST_EMPTY "one of \"text\" and \"bytes_b64\" is needed"
typedef struct toad__request {
    toad_str id;     /* the JSON value as it came; p NULL when there is none */
    toad_str bytes;  /* the content; p NULL: there is none, and the caller may refuse that */
    toad_str source; /* p NULL: none */
    bool has_kind, has_scope;
    toad_kind kind;
    toad_scope scope;
    char error[256]; /* why it is none, one line of ASCII */
} toad__request;

/* Read one line. TOAD_E_SYNTAX: it is no request, `error` says why and `id` is kept where it could be read. Everything
 * points into the line or the arena. */
toad_status toad__request_read(toad_str line, toad__arena *arena, toad__request *ret);

/* Base64 of RFC 4648 section 4, strict: padded, no blanks, no stray bits. False if it is none. `out` has in.n / 4 * 3
 * bytes. */
bool toad__base64_read(toad_str in, char *out, size_t *ret_n);
void toad__base64_add(toad__buf *b, toad_str in);

#endif
