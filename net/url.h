/* url.h - a web address taken apart as browsers do it (WHATWG URL standard, section 4.4), so that what is judged is
 * what is fetched.
 *
 * Two parsers that read one URL differently are the usual way around a guard; here there is one, and everything later
 * (resolution, the request, the Host header) uses its parts, never the text. Only http and https. Where browsers
 * forgive what no honest link needs, this is refused with a code of net/refusals.def: credentials, percent escapes in a
 * host, a port with leading zeros, names that mix look-alike scripts. */
#ifndef TOAD_NET_URL_H
#define TOAD_NET_URL_H

#include "lib/base/arena.h"

#define TOAD__URL_MAX 16384 /* bytes of a URL */

typedef enum toad__refusal {
    TOAD__ALLOWED = 0,
#define X(name, code, sentence) TOAD__REFUSED_##name,
#include "net/refusals.def"
#undef X
    TOAD__REFUSALS, /* how many there are */
} toad__refusal;

/* The code and the sentence of a refusal; "ok" for TOAD__ALLOWED. Static. */
const char *toad__refusal_code(toad__refusal r);
const char *toad__refusal_text(toad__refusal r);
/* The refusal with this code, or TOAD__REFUSED_RESERVED. */
toad__refusal toad__refusal_of(const char *code);

/* An IPv4 or IPv6 address; IPv4 in the first four bytes. */
typedef struct toad__address {
    bool v6;
    uint8_t bytes[16];
} toad__address;

/* "192.0.2.1" or "2001:db8::1" (RFC 5952). `out` has 46 bytes. */
void toad__address_text(const toad__address *a, char out[46]);

typedef struct toad__url {
    bool https, is_address;
    uint16_t port;
    toad__address address; /* of a literal host */
    toad_str
        host; /* lower case ASCII, no final dot; addresses in their one spelling, IPv6 without brackets; NUL after it */
    toad_str target; /* path and query, percent-encoded; begins with '/' */
    toad_str text;   /* the whole, without fragment; NUL after it */
} toad__url;

/* Read `text`; `base` (may be NULL) is what a relative reference, as in a Location header, is read against. A refusal
 * is no error: it is in `*ret_why` and
 * `*ret` is untouched. Slices live as long as `arena`. Errors: TOAD_E_NOMEM. Thread rule: any thread. Cost: linear; a
 * host has at most 253 bytes. */
toad_status toad__url_parse(toad_str text, const toad__url *base, toad__arena *arena, toad__url *ret,
                            toad__refusal *ret_why);

#endif
