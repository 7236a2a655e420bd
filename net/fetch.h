/* fetch.h - a page from the web, fetched so that it cannot be turned against the network we are in, nor against us.
 *
 * Each hop is parsed (url.h), judged (guard.h), resolved once, its addresses judged, and only those addresses are
 * connected to: the socket is opened by us, for an address of that list or not at all. Redirects are followed here,
 * never by libcurl. One deadline covers resolution, connection, headers, redirects and body. No proxy, cookies,
 * credentials or configuration are taken from anywhere but the options. What comes is decoded to UTF-8; what does not
 * fit the limits is refused whole: there are no half pages. */
#ifndef BZR_NET_FETCH_H
#define BZR_NET_FETCH_H

#include "lib/base/buf.h"
#include "net/caching.h"
#include "net/guard.h"
#include "net/request.h"
#include "net/resolve.h"
#include "net/sniff.h"

#define BZR__FETCH_DETAIL 256

/* Asked before each request: may it be sent? It may wait, at most `left_ms`. Returns BZR__ALLOWED or why not, with more
 * in `detail`. It runs in the caller's process. */
typedef bzr__refusal (*bzr__permit_fn)(void *ctx, const bzr__url *url, int left_ms, char detail[BZR__FETCH_DETAIL]);

/* A page that was fetched before: asked for again only if it is another one now. */
typedef struct bzr__known_page {
    bzr_str url; /* of its last hop */
    bzr__caching caching;
} bzr__known_page;

typedef struct bzr__fetch_options {
    bzr__guard guard;
    bzr__resolve_fn resolve; /* NULL: the system's */
    void *resolve_ctx;
    bzr__permit_fn permit; /* NULL: each may */
    void *permit_ctx;
    const bzr__known_page *known; /* NULL: none */
    const bzr__http_request *request;  /* NULL: a plain GET; beyond the first hop only its `accept` holds */
    bool robots_txt;              /* the page is a robots.txt: text whatever it is, its first BZR__ROBOTS_MAX bytes */
    bool pdf;                     /* a PDF is a page, too, as its bytes; else it is refused with what is no text */
    const char *user_agent;  /* NULL: ours */
    const char *ca_file;     /* PEM; NULL: the system's */
    int timeout_ms;          /* of the whole; 0: 30,000 */
    unsigned redirects;      /* at most; the default of bzr__fetch_defaults is 5 */
    size_t max_bytes;        /* of the page unpacked; 0: 10 MiB */
    size_t max_header_bytes; /* of all headers of a hop; 0: 64 KiB */
    unsigned max_ratio;      /* unpacked to sent, after the first MiB; 0: 100 */
} bzr__fetch_options;

bzr__fetch_options bzr__fetch_defaults(void);

typedef struct bzr__page {
    bzr__url url;         /* of the last hop */
    bzr__address address; /* that it came from */
    unsigned status, redirects;
    uint64_t wire_bytes; /* of the body as sent */
    bzr_str label;       /* Content-Type as sent, or empty */
    bzr__page_type type; /* what it is by its bytes */
    const char *charset; /* it was decoded from */
    uint64_t replaced;   /* ill-formed sequences, now U+FFFD */
    bzr__buf text;       /* UTF-8; free with bzr__page_free */
    bool sandboxed;      /* by seccomp, where bzr__fetch_isolated ran */
    bool named;          /* it began at a host that the user named (guard.h), and may come from inside */
    bool unchanged;      /* it is still the known page, and `text` is empty */
    bzr__caching caching;
    int64_t retry_after; /* seconds; -1: not said */
} bzr__page;

void bzr__page_free(bzr__page *page);

/* Parse and judge `text` and every address it leads to, as a fetch does before it connects; nothing is sent to any of
 * them. `base` NULL, or the hop before. `resolve` false: by spelling alone; `ret_addresses` is then empty for names.
 * Slices of `ret` live as long as `arena`. Errors: BZR_E_NOMEM. */
bzr_status bzr__fetch_judge(const bzr__fetch_options *o, bzr_str text, const bzr__url *base, bool resolve,
                            bzr__arena *arena, bzr__url *ret, bzr__addresses *ret_addresses, bzr__refusal *ret_why);

/* Fetch `url`. BZR_OK with `*ret_why` not BZR__ALLOWED: it was refused or failed, `detail` has more (may be empty; it
 * can hold what strangers wrote) and of `ret` there are only `status` (0: no answer) and `retry_after`. Slices of `ret` live as long as `arena`. Errors: BZR_E_NOMEM,
 * BZR_E_IO (no libcurl; see `detail`). Thread rule: any thread. */
bzr_status bzr__fetch(const bzr__fetch_options *o, bzr_str url, bzr__arena *arena, bzr__page *ret,
                      bzr__refusal *ret_why, char detail[BZR__FETCH_DETAIL]);

/* The same in a child process that can do nothing else (sandbox.h); what it answers is checked. Thread rule: any
 * thread. */
bzr_status bzr__fetch_isolated(const bzr__fetch_options *o, bzr_str url, bzr__arena *arena, bzr__page *ret,
                               bzr__refusal *ret_why, char detail[BZR__FETCH_DETAIL]);

#endif
