/* web_again.h - pages that were fetched before and may be answered for again: within the time that their server gave
 * them without a request, afterwards if it says that they are still the same.
 *
 * A page is fetched anew when another judge (judge.h) scanned it, when its stored body no longer fits its digest, when
 * the user has blocked its source since, and when the caller could not have fetched it: an agent does not get from the
 * store what the user once fetched from inside. */
#ifndef TOAD_APP_WEB_AGAIN_H
#define TOAD_APP_WEB_AGAIN_H

#include "app/records/contents.h"
#include "net/fetch.h"

typedef struct toad__web_again {
    bool known, fresh; /* fresh: no request is needed */
    toad_str requested;
    toad__stored_page page;
    toad__content content;
    toad__known_page ask; /* for toad__fetch_options.known */
} toad__web_again;

/* Look for the page; what the store cannot tell is not known. Slices live in the host's arena. Errors: TOAD_E_NOMEM. */
toad_status toad__web_again_find(toad__host *host, const toad__fetch_options *net, toad_str requested,
                                 toad__web_again *ret);
/* Answer for it; `page` is what the server said of it now, NULL: it was not asked. Answer: that of
 * toad__contents_answer and the facts kept with it. Errors: those of the store. */
toad_status toad__web_again_answer(toad__host *host, toad__web_again *again, const toad__page *page,
                                   toad__fetched_style style, toad__answer *answer);

/* What is to be kept of a page that has just come, under the URL that was asked for; `facts` is a JSON object. False:
 * it may not be answered for again, and what was kept is dropped. Slices are those given, and of the host's arena. */
bool toad__web_again_keep(toad__host *host, const toad__page *page, toad_str requested, toad_str facts,
                          toad__stored_page *ret);
/* The last members of an answer for a page: "cached" (false where NULL) and "fresh_until". */
void toad__web_again_members(const char *cached, const toad__stored_page *page, toad__answer *answer);

#endif
