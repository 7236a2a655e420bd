/* seal.h - the request state of a round of 2026-07-28: given to the client, and not to be changed by it.
 *
 * A sealed state is `prefix`, then in hex the body and an HMAC-SHA-256 over the body with the method, the principal and
 * the parameters that make the call (all but _meta, inputResponses and requestState). So it fits only the same call of
 * the same principal. What the body holds, how long it is good and how often is its owner's matter. */
#ifndef TOAD_PROTO_SEAL_H
#define TOAD_PROTO_SEAL_H

#include "proto/jsonrpc.h"

#define TOAD__SEAL_KEY  32   /* bytes */
#define TOAD__SEAL_MOST 2304 /* bytes of a body */

/* The call that a state belongs to, and who makes it. */
typedef struct toad__seal {
    const unsigned char *key;
    toad_str prefix, method, principal;
    const toad__json *params; /* or NULL */
} toad__seal;

/* Append the sealed `body`, at most TOAD__SEAL_MOST bytes, to `out`. False: out of memory. */
bool toad__seal_close(const toad__seal *s, toad_str body, toad__buf *out);
/* The body of what toad__seal_close wrote for this call, into `ret`, which has `room` bytes for it. False: it is
 * forged, of another call, longer than that, or not as we write it. */
bool toad__seal_open(const toad__seal *s, toad_str sealed, size_t room, unsigned char *ret, size_t *ret_n);

#endif
