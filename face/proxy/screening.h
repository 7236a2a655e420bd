/* screening.h - what the proxy's state machine asks, answered by the operations of app/: screen.h and confirm.h.
 *
 * Where a value or a call is one for the user to decide, the question is written here, from words of ours and what
 * bezoar confirm shows; an answer that is not a clear yes is a no. Thread rule: one thread at a time. */
#ifndef BZR_FACE_PROXY_SCREENING_H
#define BZR_FACE_PROXY_SCREENING_H

#include "app/mcp/screen.h"
#include "proto/proxy.h"

typedef struct proxy_screening {
    bzr__host *host;
    bzr__screen *screen;
    bzr_str server;  /* the user's name for it */
    bzr_str session; /* whose calls these are */
} proxy_screening;

/* As the callbacks of bzr__proxy_options; the caller hands on its own. */
bool proxy_screen_value(proxy_screening *s, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question,
                        bzr__proxy_verdict *ret);
bool proxy_permit_call(proxy_screening *s, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question,
                       bzr__proxy_verdict *ret);
bzr__proxy_fate proxy_refuse_value(const bzr__proxy_value *in, const char *why, bzr__buf *out);

#endif
