/* exceptions.h - alarms that the user knows to be false: what a rule finds at a source, or anything in just these
 * bytes there, until a date or for good.
 *
 * A finding that is excepted stays listed, marked so, and does not count. Nothing else is changed by it: what another
 * rule finds in the same text counts as before, a scan that was not complete stays so, and of a verdict that does not
 * list all it found nothing is excepted. */
#ifndef TOAD_APP_EXCEPTIONS_H
#define TOAD_APP_EXCEPTIONS_H

#include "app/host/host.h"

/* The exceptions that hold at a source. Zeroed: none. */
typedef struct toad__excepted {
    const struct toad__excepted_one { toad_str rule, digest; /* one of them */ } * list;
    size_t n;
} toad__excepted;

/* Those of this URL (or mcp:SERVER/TOOL) and this domain (or mcp:SERVER), in `arena`. Errors: those of the store. */
toad_status toad__excepted_at(toad__host *host, toad_str url, toad_str domain, toad__arena *arena, toad__excepted *ret);
bool toad__is_excepted(const toad__excepted *e, const char *rule);
/* Are they these bytes? `digest`: the SHA-256 of the content as it is kept, in hex. */
bool toad__excepts_bytes(const toad__excepted *e, const char *digest);
/* The same where it is not known yet; costs nothing without exceptions for bytes. */
bool toad__excepts_text(const toad__excepted *e, toad_str body);
/* May findings of this verdict be excepted? Not if it found more than it lists. */
bool toad__is_listed_whole(const toad_verdict *v);
/* The worst finding that counts; NULL: none does. */
const toad_finding *toad__worst_left(const toad__excepted *e, const toad_verdict *v);
/* The severity that is left. */
toad_severity toad__severity_left(const toad__excepted *e, const toad_verdict *v);
/* What is done about it on this surface. */
const char *toad__action_left(const toad__host *host, toad__surface surface, toad_str source, const toad__excepted *e,
                              const toad_verdict *v);
/* Append the findings as an array of JSON, with "excepted":true where they are. */
void toad__findings_left(const toad__excepted *e, const toad_verdict *v, toad__buf *out);

typedef struct toad__exception_in {
    toad_str content;         /* id, or the beginning of one: gives the source, and the bytes; or empty */
    toad_str at;              /* the source where that is not its, or there is no content; or empty */
    const char *const *rules; /* none: just these bytes */
    size_t rules_n;
    const char *until; /* 2026-12-31, or 30d from now; NULL: for good */
    toad_str note;
} toad__exception_in;

/* All three are the user's. `add` also releases the content, where nothing is left that counts and it is gone before
 * the exception is over; `remove` takes that back, too, but no release that the user gave by itself. */
toad_status toad__exceptions_add(toad__host *host, const toad__exception_in *in, toad__answer *answer);
toad_status toad__exceptions_list(toad__host *host, toad__answer *answer);
toad_status toad__exceptions_remove(toad__host *host, toad_str id, toad__answer *answer);

#endif
