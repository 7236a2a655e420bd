/* transfer.h - one request and its answer, at an address that was judged before. Only net/fetch.c uses it. */
#ifndef TOAD_NET_TRANSFER_H
#define TOAD_NET_TRANSFER_H

#include "lib/base/buf.h"
#include "net/caching.h"
#include "net/request.h"
#include "net/resolve.h"

/* The header fields that are looked at: X(NAME, "Field", joined). Several of one name are joined by ", ", or the first
 * counts. */
#define TOAD__FIELDS(X)                      \
    X(LOCATION, "Location", false)           \
    X(LENGTH, "Content-Length", false)       \
    X(TYPE, "Content-Type", false)           \
    X(CODING, "Content-Encoding", true)      \
    X(CACHE_CONTROL, "Cache-Control", true)  \
    X(VARY, "Vary", true)                    \
    X(EXPIRES, "Expires", false)             \
    X(DATE, "Date", false)                   \
    X(AGE, "Age", false)                     \
    X(ETAG, "ETag", false)                   \
    X(LAST_MODIFIED, "Last-Modified", false) \
    X(RETRY_AFTER, "Retry-After", false)

typedef enum toad__field {
#define X(name, text, joined) TOAD__FIELD_##name,
    TOAD__FIELDS(X)
#undef X
        TOAD__FIELD_COUNT
} toad__field;

typedef struct toad__transfer {
    const char *user_agent, *ca_file;
    size_t max_bytes, max_header_bytes;
    const toad__http_request *request; /* NULL: a plain GET */
    bool plain;                        /* ask for text that is not packed, and be content with its first max_bytes */
    const toad__caching *unless;       /* NULL, or: not if the page is still the one that has these validators */
    /* of the last answer */
    unsigned status;
    uint64_t wire_bytes;
    bool conflict[TOAD__FIELD_COUNT];          /* one that is not joined came twice and differs */
    toad__buf body, fields[TOAD__FIELD_COUNT]; /* body as sent */
    toad__address peer;
    /* while it runs */
    void *easy;
    const toad__addresses *allowed;
    uint16_t port;
    size_t header_bytes;
    bool cut;
    toad__refusal why;
} toad__transfer;

void toad__transfer_init(toad__transfer *t, const char *user_agent, const char *ca_file);
void toad__transfer_free(toad__transfer *t);
toad_str toad__transfer_field(const toad__transfer *t, toad__field field);
/* GET (or as `request` says) `url` from one of `addresses`; no other is connected to. What the transfer held is
 * replaced. Errors: TOAD_E_NOMEM, TOAD_E_IO (no libcurl). */
toad_status toad__transfer_run(toad__transfer *t, const toad__url *url, const toad__addresses *addresses,
                               long timeout_ms, toad__refusal *ret_why, char *detail);

#endif
