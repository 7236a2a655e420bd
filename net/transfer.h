/* transfer.h - one request and its answer, at an address that was judged before. Only net/fetch.c uses it. */
#ifndef BZR_NET_TRANSFER_H
#define BZR_NET_TRANSFER_H

#include "lib/base/buf.h"
#include "net/caching.h"
#include "net/request.h"
#include "net/resolve.h"

/* The header fields that are looked at: X(NAME, "Field", joined). Several of one name are joined by ", ", or the first
 * counts. */
#define BZR__FIELDS(X)                          \
    X(LOCATION, "Location", false)              \
    X(LENGTH, "Content-Length", false)          \
    X(TYPE, "Content-Type", false)              \
    X(CODING, "Content-Encoding", true)         \
    X(CACHE_CONTROL, "Cache-Control", true)     \
    X(VARY, "Vary", true)                       \
    X(EXPIRES, "Expires", false)                \
    X(DATE, "Date", false)                      \
    X(AGE, "Age", false)                        \
    X(ETAG, "ETag", false)                      \
    X(LAST_MODIFIED, "Last-Modified", false)    \
    X(RETRY_AFTER, "Retry-After", false)

typedef enum bzr__field {
#define X(name, text, joined) BZR__FIELD_##name,
    BZR__FIELDS(X)
#undef X
        BZR__FIELD_COUNT
} bzr__field;

typedef struct bzr__transfer {
    const char *user_agent, *ca_file;
    size_t max_bytes, max_header_bytes;
    const bzr__http_request *request; /* NULL: a plain GET */
    bool plain;                 /* ask for text that is not packed, and be content with its first max_bytes */
    const bzr__caching *unless; /* NULL, or: not if the page is still the one that has these validators */
    /* of the last answer */
    unsigned status;
    uint64_t wire_bytes;
    bool conflict[BZR__FIELD_COUNT]; /* one that is not joined came twice and differs */
    bzr__buf body, fields[BZR__FIELD_COUNT]; /* body as sent */
    bzr__address peer;
    /* while it runs */
    void *easy;
    const bzr__addresses *allowed;
    uint16_t port;
    size_t header_bytes;
    bool cut;
    bzr__refusal why;
} bzr__transfer;

void bzr__transfer_init(bzr__transfer *t, const char *user_agent, const char *ca_file);
void bzr__transfer_free(bzr__transfer *t);
bzr_str bzr__transfer_field(const bzr__transfer *t, bzr__field field);
/* GET (or as `request` says) `url` from one of `addresses`; no other is connected to. What the transfer held is replaced. Errors: BZR_E_NOMEM,
 * BZR_E_IO (no libcurl). */
bzr_status bzr__transfer_run(bzr__transfer *t, const bzr__url *url, const bzr__addresses *addresses, long timeout_ms,
                             bzr__refusal *ret_why, char *detail);

#endif
