/* jsonl.h - JSON lines: a reader of long lines and the request object that scan, sanitize and wrap take, one a line. */
#ifndef BZR_APP_JSONL_H
#define BZR_APP_JSONL_H

#include "app/host/input.h"
#include "lib/base/json.h"

#define BZR__LINE_MAX (256u << 20) /* bytes of a line; a longer one is an error of that line only */

typedef struct bzr__lines {
    bzr__input *in;
    bzr__buf line;
    char *piece;
    size_t at, n; /* of the piece not yet used */
    uint64_t number;
    bool eof;
} bzr__lines;

bzr_status bzr__lines_open(bzr__lines *l, bzr__input *in);
void bzr__lines_close(bzr__lines *l);
/* The next line without its line feed, valid until the next call; *more false at the end. A line that is too long comes
 * back with `line.status` BZR_E_LIMIT and is passed over. Errors: BZR_E_NOMEM, BZR_E_IO. */
bzr_status bzr__lines_next(bzr__lines *l, bzr_str *ret, bool *more);

/* {"id": any, "text": string} or {"id": any, "bytes_b64": string}, with "source", "kind" and "scope" if the caller
 * likes. */
typedef struct bzr__request {
    bzr_str id;     /* the JSON value as it came; p NULL when there is none */
    bzr_str bytes;  /* the content */
    bzr_str source; /* p NULL: none */
    bool has_kind, has_scope;
    bzr_kind kind;
    bzr_scope scope;
    char error[256]; /* why it is none, one line of ASCII */
} bzr__request;

/* Read one line. BZR_E_SYNTAX: it is no request, `error` says why and `id` is kept where it could be read. Everything
 * points into the line or the arena. */
bzr_status bzr__request_read(bzr_str line, bzr__arena *arena, bzr__request *ret);

/* Base64 of RFC 4648 section 4, strict: padded, no blanks, no stray bits. False if it is none. `out` has in.n / 4 * 3
 * bytes. */
bool bzr__base64_read(bzr_str in, char *out, size_t *ret_n);
void bzr__base64_add(bzr__buf *b, bzr_str in);

#endif
