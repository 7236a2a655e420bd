/* web_again.h - pages that were fetched before and may be answered for again: within the time that their server gave
 * them without a request, afterwards if it says that they are still the same.
 *
 * A page is fetched anew when another judge (judge.h) scanned it, when its stored body no longer fits its digest, when
 * the user has blocked its source since, and when the caller could not have fetched it: an agent does not get from the
 * store what the user once fetched from inside. */
#ifndef BZR_APP_WEB_AGAIN_H
#define BZR_APP_WEB_AGAIN_H

#include "app/records/contents.h"
#include "net/fetch.h"

typedef struct bzr__web_again {
    bool known, fresh; /* fresh: no request is needed */
    bzr_str requested;
    bzr__stored_page page;
    bzr__content content;
    bzr__known_page ask; /* for bzr__fetch_options.known */
} bzr__web_again;

/* Look for the page; what the store cannot tell is not known. Slices live in the host's arena. Errors: BZR_E_NOMEM. */
bzr_status bzr__web_again_find(bzr__host *host, const bzr__fetch_options *net, bzr_str requested, bzr__web_again *ret);
/* Answer for it; `page` is what the server said of it now, NULL: it was not asked. Answer: that of bzr__contents_answer
 * and the facts kept with it. Errors: those of the store. */
bzr_status bzr__web_again_answer(bzr__host *host, bzr__web_again *again, const bzr__page *page,
                                 bzr__fetched_style style, bzr__buf *answer);

/* What is to be kept of a page that has just come, under the URL that was asked for; `facts` is a JSON object. False:
 * it may not be answered for again, and what was kept is dropped. Slices are those given, and of the host's arena. */
bool bzr__web_again_keep(bzr__host *host, const bzr__page *page, bzr_str requested, bzr_str facts,
                         bzr__stored_page *ret);
/* "requested", the members of `facts`, "cached" (false where NULL) and "fresh_until", for the object that was just
 * closed. */
void bzr__web_again_members(bzr_str requested, bzr_str facts, const char *cached, const bzr__stored_page *page,
                            bzr__buf *answer);

#endif
