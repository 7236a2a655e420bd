/* transfer.h - one request and its answer, at an address that was judged before. Only net/fetch.c uses it. */
#ifndef BZR_NET_TRANSFER_H
#define BZR_NET_TRANSFER_H

#include "lib/base/buf.h"
#include "net/resolve.h"

typedef struct bzr__transfer {
    const char *user_agent, *ca_file;
    size_t max_bytes, max_header_bytes;
    bool plain; /* ask for text that is not packed */
    /* of the last answer */
    unsigned status;
    uint64_t wire_bytes;
    bool two_locations, two_lengths;                       /* that differ */
    bzr__buf body, content_type, coding, length, location; /* body as sent */
    bzr__address peer;
    /* while it runs */
    void *easy;
    const bzr__addresses *allowed;
    uint16_t port;
    size_t header_bytes;
    bzr__refusal why;
} bzr__transfer;

void bzr__transfer_init(bzr__transfer *t, const char *user_agent, const char *ca_file);
void bzr__transfer_free(bzr__transfer *t);
/* GET `url` from one of `addresses`; no other is connected to. What the transfer held is replaced. Errors: BZR_E_NOMEM,
 * BZR_E_IO (no libcurl). */
bzr_status bzr__transfer_run(bzr__transfer *t, const bzr__url *url, const bzr__addresses *addresses, long timeout_ms,
                             bzr__refusal *ret_why, char *detail);

#endif
