/* search.h - the operation web_search: hits of a search service, isolated.
 *
 * Title, URL and snippet of each hit are content: markup read, sanitized, neutralized, cut to one line each, scanned
 * together, and what a pattern spans from one hit to the next counts for both. A hit that is blocked, or whose URL no
 * fetch would follow, is left out and counted. Every hit is kept as a content of its URL, with its event, like a
 * fetched page; a model gets no id of a blocked one. What is left is one envelope in ddg-search's form. */
#ifndef TOAD_APP_SEARCH_H
#define TOAD_APP_SEARCH_H

#include "app/host/host.h"
#include "net/fetch.h"
#include "net/search.h"

typedef struct toad__web_search_options {
    const char *provider; /* NULL: what the configuration says */
    unsigned count;       /* 0: 10 */
    toad_str region;      /* "us-en", or empty */
    toad__search_safe safe;
    toad__search_age age;
    bool json;      /* the hits in the envelope as JSON, else as text */
    int timeout_ms; /* 0: 30,000 */
} toad__web_search_options;

/* Search. The service's URL and the key come from the configuration (search.*) and the environment (BRAVE_API_KEY,
 * TAVILY_API_KEY); the key is sent to that URL alone and goes into no answer, event or message. At most one request a
 * second leaves for a service, whoever asks. Answer: {"query","provider","count","blocked","refused","scan","left_out",
 * "text"}: `scan` is the graver action of the hits given, `left_out` (null for a model) lists {"id","url","reason"},
 * `text` is for the model. What is refused or fails is answered {"success":false,"error","reason"}, with an event.
 * Errors: TOAD_E_ARG (no query, or what the service cannot be asked), those of toad__contents_store, TOAD_E_IO. */
toad_status toad__web_search(toad__host *host, const toad__web_search_options *options, toad_str query,
                             toad__answer *answer);

#endif
