/* fetch_windows.c - see fetch.h, outbound.h: nothing is fetched on Windows, where a fetch has no sandbox to be in. What
 * asks for it is told so; nothing counts as read. */
#include "net/fetch.h"
#include "net/outbound.h"

#include <stdio.h>

#define NOT_HERE "fetching is not in the program for Windows, which has no sandbox for it"

toad__fetch_options toad__fetch_defaults(void) { return (toad__fetch_options){ .redirects = 5 }; }
void toad__page_free(toad__page *page) { toad__buf_free(&page->text); }

toad_status toad__fetch_judge(const toad__fetch_options *o, toad_str text, const toad__url *base, bool resolve,
                              toad__arena *arena, toad__url *ret, toad__addresses *ret_addresses,
                              toad__refusal *ret_why) {
    (void)o, (void)text, (void)base, (void)resolve, (void)arena, (void)ret, (void)ret_addresses, (void)ret_why;
    return TOAD_E_IO;
}

toad_status toad__fetch_isolated(const toad__fetch_options *o, toad_str url, toad__arena *arena, toad__page *ret,
                                 toad__refusal *ret_why, char detail[TOAD__FETCH_DETAIL]) {
    (void)o, (void)url, (void)arena, (void)ret, (void)ret_why;
    snprintf(detail, TOAD__FETCH_DETAIL, NOT_HERE);
    return TOAD_E_IO;
}

toad_status toad__outbound_new(const char *url, const char *user_agent, toad__outbound **ret, char why[256]) {
    (void)url, (void)user_agent, (void)ret;
    snprintf(why, 256, "a server over HTTP cannot be reached by the program for Windows; one that is started can");
    return TOAD_E_IO;
}

void toad__outbound_free(toad__outbound *o) { (void)o; }
toad__outbound_call *toad__outbound_start(toad__outbound *o, const toad__outbound_request *request) {
    return (void)o, (void)request, NULL;
}
void toad__outbound_cancel(toad__outbound *o, toad__outbound_call *call) { (void)o, (void)call; }
size_t toad__outbound_wait(toad__outbound *o, struct pollfd *fds, int *timeout_ms) {
    return (void)o, (void)fds, (void)timeout_ms, 0;
}
void toad__outbound_ready(toad__outbound *o, const struct pollfd *fds, size_t n) { (void)o, (void)fds, (void)n; }
