/* hostname.h - the host of a URL as DNS is asked for it, or why it is refused (WHATWG URL 3.5, UTS #46). */
#ifndef BZR_NET_HOSTNAME_H
#define BZR_NET_HOSTNAME_H

#include "net/url.h"

#define BZR__HOSTNAME_MAX 253

typedef struct bzr__hostname {
    bool is_address;
    bzr__address address;
    char text[BZR__HOSTNAME_MAX + 1]; /* ASCII, lower case, no final dot; empty for addresses */
} bzr__hostname;

/* Read the host as it stands between userinfo and port. Errors: BZR_E_NOMEM. */
bzr_status bzr__hostname_read(bzr_str raw, bzr__hostname *ret, bzr__refusal *ret_why);

#endif
