/* fetch.h - a page from the web, fetched so that it cannot be turned against the network we are in, nor against us.
 *
 * Each hop is parsed (url.h), judged (guard.h), resolved once, its addresses judged, and only those addresses are
 * connected to: the socket is opened by us, for an address of that list or not at all. Redirects are followed here,
 * never by libcurl. One deadline covers resolution, connection, headers, redirects and body. No proxy, cookies,
 * credentials or configuration are taken from anywhere but the options. What comes is decoded to UTF-8; what does not
 * fit the limits is refused whole: there are no half pages. */
#ifndef TOAD_NET_FETCH_H
#define TOAD_NET_FETCH_H

#include "lib/base/buf.h"
#include "net/caching.h"
#include "net/guard.h"
#include "net/request.h"
#include "net/resolve.h"
#include "net/sniff.h"

#define TOAD__FETCH_DETAIL 256

/* Asked before each request: may it be sent? It may wait, at most `left_ms`. Returns TOAD__ALLOWED or why not, with
 * more in `detail`. It runs in the caller's process. */
typedef toad__refusal (*toad__permit_fn)(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]);

/* A page that was fetched before: asked for again only if it is another one now. */
typedef struct toad__known_page {
    toad_str url; /* of its last hop */
    toad__caching caching;
} toad__known_page;

typedef struct toad__fetch_options {
    toad__guard guard;
    toad__resolve_fn resolve; /* NULL: the system's */
    void *resolve_ctx;
    toad__permit_fn permit; /* NULL: each may */
    void *permit_ctx;
    const toad__known_page *known;     /* NULL: none */
    const toad__http_request *request; /* NULL: a plain GET; beyond the first hop only its `accept` holds */
    bool robots_txt; /* the page is a robots.txt: text whatever it is, its first TOAD__ROBOTS_MAX bytes */
    /* Is what came from this URL a file that has pages in it? Then it is a page as its bytes, whatever they are; NULL:
     * none is, and what is no text is refused. A PDF is one. */
    bool (*is_file)(toad_str url, toad_str body);
    const char *user_agent;  /* NULL: ours */
    const char *ca_file;     /* PEM; NULL: the system's */
    int timeout_ms;          /* of the whole; 0: 30,000 */
    unsigned redirects;      /* at most; the default of toad__fetch_defaults is 5 */
    size_t max_bytes;        /* of the page unpacked; 0: 10 MiB */
    size_t max_header_bytes; /* of all headers of a hop; 0: 64 KiB */
    unsigned max_ratio;      /* unpacked to sent, after the first MiB; 0: 100 */
} toad__fetch_options;

toad__fetch_options toad__fetch_defaults(void);

typedef struct toad__page {
    toad__url url;         /* of the last hop */
    toad__address address; /* that it came from */
    unsigned status, redirects;
    uint64_t wire_bytes;  /* of the body as sent */
    toad_str label;       /* Content-Type as sent, or empty */
    toad__page_type type; /* what it is by its bytes */
    const char *charset;  /* it was decoded from */
    uint64_t replaced;    /* ill-formed sequences, now U+FFFD */
    toad__buf text;       /* UTF-8; free with toad__page_free */
    bool sandboxed;       /* by seccomp, where toad__fetch_isolated ran */
    bool named;           /* it began at a host that the user named (guard.h), and may come from inside */
    bool unchanged;       /* it is still the known page, and `text` is empty */
    toad__caching caching;
    int64_t retry_after; /* seconds; -1: not said */
} toad__page;

void toad__page_free(toad__page *page);

/* Parse and judge `text` and every address it leads to, as a fetch does before it connects; nothing is sent to any of
 * them. `base` NULL, or the hop before. `resolve` false: by spelling alone; `ret_addresses` is then empty for names.
 * Slices of `ret` live as long as `arena`. Errors: TOAD_E_NOMEM. */
toad_status toad__fetch_judge(const toad__fetch_options *o, toad_str text, const toad__url *base, bool resolve,
                              toad__arena *arena, toad__url *ret, toad__addresses *ret_addresses,
                              toad__refusal *ret_why);

/* Fetch `url`. TOAD_OK with `*ret_why` not TOAD__ALLOWED: it was refused or failed, `detail` has more (may be empty; it
 * can hold what strangers wrote) and of `ret` there are only `status` (0: no answer) and `retry_after`. Slices of `ret`
 * live as long as `arena`. Errors: TOAD_E_NOMEM, TOAD_E_IO (no libcurl; see `detail`). Thread rule: any thread. */
toad_status toad__fetch(const toad__fetch_options *o, toad_str url, toad__arena *arena, toad__page *ret,
                        toad__refusal *ret_why, char detail[TOAD__FETCH_DETAIL]);

/* The same in a child process that can do nothing else (sandbox.h); what it answers is checked. Thread rule: any
 * thread. */
toad_status toad__fetch_isolated(const toad__fetch_options *o, toad_str url, toad__arena *arena, toad__page *ret,
                                 toad__refusal *ret_why, char detail[TOAD__FETCH_DETAIL]);

#endif
