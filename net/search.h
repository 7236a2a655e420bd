/* search.h - search services: what each is asked, and what it answers, as one table.
 *
 * DuckDuckGo's page without scripts, SearXNG, Brave, Tavily. A row says how a question is written and where the hits
 * stand; nothing is sent here. Answers are hostile: the page is read by markup.h, JSON by the strict reader; of a hit
 * only title, URL and snippet are taken. An answer that is no list of hits is never an empty list. */
#ifndef TOAD_NET_SEARCH_H
#define TOAD_NET_SEARCH_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "net/request.h"
#include "net/url.h"

#define TOAD__SEARCH_COUNT_MAX 20
#define TOAD__SEARCH_WORDS_MAX 400 /* characters of a query: Brave's limit */

typedef enum toad__search_safe {
    TOAD__SAFE_ANY,
    TOAD__SAFE_OFF,
    TOAD__SAFE_MODERATE,
    TOAD__SAFE_STRICT
} toad__search_safe;
typedef enum toad__search_age {
    TOAD__AGE_ANY,
    TOAD__AGE_DAY,
    TOAD__AGE_WEEK,
    TOAD__AGE_MONTH,
    TOAD__AGE_YEAR
} toad__search_age;

typedef struct toad__search_query {
    toad_str text;
    unsigned count;  /* hits wanted, 1 to TOAD__SEARCH_COUNT_MAX */
    toad_str region; /* "us-en": country and language; or empty */
    toad__search_safe safe;
    toad__search_age age;
    toad_str endpoint; /* URL to ask in place of the service's own; or empty */
    toad_str key;      /* visible ASCII, or empty */
} toad__search_query;

typedef struct toad__search_hit {
    toad_str title, url, snippet; /* UTF-8, markup read; the URL as the service gives it */
    toad_str raw;                 /* title and snippet as they came */
} toad__search_hit;

typedef enum toad__search_answer {
    TOAD__SEARCH_HITS,    /* none, too, where the service says so */
    TOAD__SEARCH_LIMITED, /* it asks who we are, or could not ask its own sources */
    TOAD__SEARCH_STRANGE  /* this is no answer of this service */
} toad__search_answer;

typedef struct toad__search_provider {
    const char *name, *title;
    const char *endpoint;         /* NULL: only where the user says */
    const char *key, *key_header; /* environment variable of its key, and how it is sent; NULL: it takes none */
    const char *accept;
    bool region, safe; /* can it be asked for these? */
    void (*ask)(const toad__search_query *q, toad__buf *url, toad__buf *body);
    toad_status (*read)(toad_str text, toad__arena *arena, toad__search_hit *hits, size_t max, size_t *ret_n,
                        toad__search_answer *ret_answer);
} toad__search_provider;

/* Row `i`, or NULL past the last; the row of this name, or NULL. */
const toad__search_provider *toad__search_provider_at(size_t i);
const toad__search_provider *toad__search_provider_find(toad_str name);
/* "us-en": two letters, a hyphen, two letters, in lower case. */
bool toad__search_is_region(toad_str region);

/* The request for a query; its texts live as long as `arena`. Errors: TOAD_E_NOMEM, TOAD_E_ARG (no endpoint). */
toad_status toad__search_ask(const toad__search_provider *p, const toad__search_query *q, toad__arena *arena,
                             toad_str *ret_url, toad__http_request *ret);
/* The first `max` hits of an answer. Slices live as long as `text` and `arena`. Errors: TOAD_E_NOMEM. */
toad_status toad__search_read(const toad__search_provider *p, toad_str text, toad__arena *arena, toad__search_hit *hits,
                              size_t max, size_t *ret_n, toad__search_answer *ret_answer);

#endif
