/* caching.h - how long an answer of HTTP may be used again, and with what it can be asked for again (RFC 9111).
 *
 * A private cache, which asks always with the same headers: of Vary only "*" matters. Where the standard lets a cache
 * choose, the shorter time is taken; what cannot be read counts as over. */
#ifndef TOAD_NET_CACHING_H
#define TOAD_NET_CACHING_H

#include "toadstone/types.h"

#define TOAD__ETAG_MAX      256
#define TOAD__HTTP_DATE_MAX 48
#define TOAD__FRESH_MAX     ((int64_t)1 << 31) /* seconds: RFC 9111 1.2.2 */

typedef struct toad__caching {
    bool no_store;             /* may not be used again at all */
    int64_t fresh_s;           /* seconds from now without asking; 0: ask each time; -1: the server does not say */
    char etag[TOAD__ETAG_MAX]; /* as sent, with its quotes; or empty */
    char modified[TOAD__HTTP_DATE_MAX]; /* Last-Modified as sent; or empty */
} toad__caching;

/* The fields as sent, several of one name joined by ", "; empty where there is none. */
typedef struct toad__caching_fields {
    toad_str cache_control, expires, date, age, vary, etag, modified;
} toad__caching_fields;

/* What the fields of an answer that came at `now_s` (seconds since 1970) say. Validators that could not be sent back as
 * they are (an ETag without quotes, a date that is none) are left out. */
toad__caching toad__caching_of(const toad__caching_fields *fields, int64_t now_s);
/* Could toad__caching_of have given this? For what comes from a process or a store that is not believed. */
bool toad__caching_is_valid(const toad__caching *c);

/* Seconds since 1970 of a date in any of HTTP's three forms (RFC 9110, 5.6.7). */
bool toad__http_date(toad_str s, int64_t *ret);
/* Seconds to wait, of a Retry-After (RFC 9110, 10.2.3): a number, or a date seen at `now_s`. Never negative. */
bool toad__retry_after(toad_str s, int64_t now_s, int64_t *ret);

#endif
