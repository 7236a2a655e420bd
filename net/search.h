/* search.h - search services: what each is asked, and what it answers, as one table.
 *
 * DuckDuckGo's page without scripts, SearXNG, Brave, Tavily. A row says how a question is written and where the hits
 * stand; nothing is sent here. Answers are hostile: the page is read by markup.h, JSON by the strict reader; of a hit
 * only title, URL and snippet are taken. An answer that is no list of hits is never an empty list. */
#ifndef BZR_NET_SEARCH_H
#define BZR_NET_SEARCH_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "net/request.h"
#include "net/url.h"

#define BZR__SEARCH_COUNT_MAX 20
#define BZR__SEARCH_WORDS_MAX 400 /* characters of a query: Brave's limit */

typedef enum bzr__search_safe { BZR__SAFE_ANY, BZR__SAFE_OFF, BZR__SAFE_MODERATE, BZR__SAFE_STRICT } bzr__search_safe;
typedef enum bzr__search_age {
    BZR__AGE_ANY,
    BZR__AGE_DAY,
    BZR__AGE_WEEK,
    BZR__AGE_MONTH,
    BZR__AGE_YEAR
} bzr__search_age;

typedef struct bzr__search_query {
    bzr_str text;
    unsigned count; /* hits wanted, 1 to BZR__SEARCH_COUNT_MAX */
    bzr_str region; /* "us-en": country and language; or empty */
    bzr__search_safe safe;
    bzr__search_age age;
    bzr_str endpoint; /* URL to ask in place of the service's own; or empty */
    bzr_str key;      /* visible ASCII, or empty */
} bzr__search_query;

typedef struct bzr__search_hit {
    bzr_str title, url, snippet; /* UTF-8, markup read; the URL as the service gives it */
    bzr_str raw;                 /* title and snippet as they came */
} bzr__search_hit;

typedef enum bzr__search_answer {
    BZR__SEARCH_HITS,    /* none, too, where the service says so */
    BZR__SEARCH_LIMITED, /* it asks who we are, or could not ask its own sources */
    BZR__SEARCH_STRANGE  /* this is no answer of this service */
} bzr__search_answer;

typedef struct bzr__search_provider {
    const char *name, *title;
    const char *endpoint;         /* NULL: only where the user says */
    const char *key, *key_header; /* environment variable of its key, and how it is sent; NULL: it takes none */
    const char *accept;
    bool region, safe; /* can it be asked for these? */
    void (*ask)(const bzr__search_query *q, bzr__buf *url, bzr__buf *body);
    bzr_status (*read)(bzr_str text, bzr__arena *arena, bzr__search_hit *hits, size_t max, size_t *ret_n,
                       bzr__search_answer *ret_answer);
} bzr__search_provider;

/* Row `i`, or NULL past the last; the row of this name, or NULL. */
const bzr__search_provider *bzr__search_provider_at(size_t i);
const bzr__search_provider *bzr__search_provider_find(bzr_str name);
/* "us-en": two letters, a hyphen, two letters, in lower case. */
bool bzr__search_is_region(bzr_str region);

/* The request for a query; its texts live as long as `arena`. Errors: BZR_E_NOMEM, BZR_E_ARG (no endpoint). */
bzr_status bzr__search_ask(const bzr__search_provider *p, const bzr__search_query *q, bzr__arena *arena,
                           bzr_str *ret_url, bzr__http_request *ret);
/* The first `max` hits of an answer. Slices live as long as `text` and `arena`. Errors: BZR_E_NOMEM. */
bzr_status bzr__search_read(const bzr__search_provider *p, bzr_str text, bzr__arena *arena, bzr__search_hit *hits,
                            size_t max, size_t *ret_n, bzr__search_answer *ret_answer);

#endif
