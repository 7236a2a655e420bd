/* hostname.h - the host of a URL as DNS is asked for it, or why it is refused (WHATWG URL 3.5, UTS #46). */
#ifndef TOAD_NET_HOSTNAME_H
#define TOAD_NET_HOSTNAME_H

#include "net/url.h"

#define TOAD__HOSTNAME_MAX 253

typedef struct toad__hostname {
    bool is_address;
    toad__address address;
    char text[TOAD__HOSTNAME_MAX + 1]; /* ASCII, lower case, no final dot; empty for addresses */
} toad__hostname;

/* Read the host as it stands between userinfo and port. Errors: TOAD_E_NOMEM. */
toad_status toad__hostname_read(toad_str raw, toad__hostname *ret, toad__refusal *ret_why);

#endif
