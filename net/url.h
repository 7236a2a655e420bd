/* url.h - a web address taken apart as browsers do it (WHATWG URL standard, section 4.4), so that what is judged is
 * what is fetched.
 *
 * Two parsers that read one URL differently are the usual way around a guard; here there is one, and everything later
 * (resolution, the request, the Host header) uses its parts, never the text. Only http and https. Where browsers
 * forgive what no honest link needs, this is refused with a code of net/refusals.def: credentials, percent escapes in a
 * host, a port with leading zeros, names that mix look-alike scripts. */
#ifndef BZR_NET_URL_H
#define BZR_NET_URL_H

#include "lib/base/arena.h"

#define BZR__URL_MAX 16384 /* bytes of a URL */

typedef enum bzr__refusal {
    BZR__ALLOWED = 0,
#define X(name, code, sentence) BZR__REFUSED_##name,
#include "net/refusals.def"
#undef X
    BZR__REFUSALS, /* how many there are */
} bzr__refusal;

/* The code and the sentence of a refusal; "ok" for BZR__ALLOWED. Static. */
const char *bzr__refusal_code(bzr__refusal r);
const char *bzr__refusal_text(bzr__refusal r);
/* The refusal with this code, or BZR__REFUSED_RESERVED. */
bzr__refusal bzr__refusal_of(const char *code);

/* An IPv4 or IPv6 address; IPv4 in the first four bytes. */
typedef struct bzr__address {
    bool v6;
    uint8_t bytes[16];
} bzr__address;

/* "192.0.2.1" or "2001:db8::1" (RFC 5952). `out` has 46 bytes. */
void bzr__address_text(const bzr__address *a, char out[46]);

typedef struct bzr__url {
    bool https, is_address;
    uint16_t port;
    bzr__address address; /* of a literal host */
    bzr_str
        host; /* lower case ASCII, no final dot; addresses in their one spelling, IPv6 without brackets; NUL after it */
    bzr_str target; /* path and query, percent-encoded; begins with '/' */
    bzr_str text;   /* the whole, without fragment; NUL after it */
} bzr__url;

/* Read `text`; `base` (may be NULL) is what a relative reference, as in a Location header, is read against. A refusal
 * is no error: it is in `*ret_why` and
 * `*ret` is untouched. Slices live as long as `arena`. Errors: BZR_E_NOMEM. Thread rule: any thread. Cost: linear; a
 * host has at most 253 bytes. */
bzr_status bzr__url_parse(bzr_str text, const bzr__url *base, bzr__arena *arena, bzr__url *ret, bzr__refusal *ret_why);

#endif
