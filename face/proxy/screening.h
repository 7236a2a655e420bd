/* screening.h - what the proxy's state machine asks, answered by the operations of app/: screen.h and confirm.h.
 *
 * Where a value or a call is one for the user to decide, the question is written here, from words of ours and what
 * toadstone confirm shows; an answer that is not a clear yes is a no. Thread rule: one thread at a time. */
#ifndef TOAD_FACE_PROXY_SCREENING_H
#define TOAD_FACE_PROXY_SCREENING_H

#include "app/act/action.h"
#include "app/mcp/screen.h"
#include "proto/proxy.h"

typedef struct proxy_screening {
    toad__host *host;
    toad__screen *screen;
    toad_str server;  /* the user's name for it */
    toad_str session; /* whose calls these are */
    toad_str starter; /* what started the proxy, where it may start hooks, too, that name a session; or empty */
    char agents[TOAD__ACTION_HOOK_SESSION];             /* that session, as it was last looked up */
    void (*note)(const char *server, const char *text); /* a line for people; it makes the text safe to print */
} proxy_screening;

/* As the callbacks of toad__proxy_options; the caller hands on its own. */
bool proxy_screen_value(proxy_screening *s, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                        toad__proxy_verdict *ret);
bool proxy_permit_call(proxy_screening *s, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                       toad__proxy_verdict *ret);
toad__mcp_fate proxy_refuse_value(const toad__proxy_value *in, const char *why, toad__buf *out);

#endif
