/* origin.h - where a content came from: a URL in one spelling, its host, and the registrable domain that answers for
 * it.
 *
 * Trust is kept by these names, so two spellings of one place must give one name and two places never the same. URLs
 * are read as the WHATWG URL standard reads them (backslashes, userinfo, percent escapes, numbers as IPv4), host names
 * become what DNS is asked for (UTS #46, Punycode): a look-alike is another name and inherits nothing. Domains follow
 * the Public Suffix List, its private part included, so each user of github.io stands alone. */
#ifndef TOAD_APP_ORIGIN_H
#define TOAD_APP_ORIGIN_H

#include "lib/base/arena.h"

typedef struct toad__origin {
    toad_str url;  /* one spelling; what is no URL stands here as it came */
    toad_str host; /* ASCII, lower case; empty where there is none */
    toad_str
        domain;  /* the registrable one; an address or a name without a suffix stands for itself; empty with `host` */
    bool suffix; /* the host is a public suffix: nobody's domain */
} toad__origin;

/* Read the source of a content: a URL, `mcp:SERVER/TOOL` as it came (a server answers for its tools: its domain is
 * `mcp:SERVER`), or any other name. Slices live as long as `arena`. Errors: TOAD_E_NOMEM. */
toad_status toad__origin_of(toad_str source, toad__arena *arena, toad__origin *ret);
/* Read a host name, as in a setting for a domain; `ret->url` is empty. Empty `host`: it is none. Errors: TOAD_E_NOMEM.
 */
toad_status toad__origin_of_host(toad_str name, toad__arena *arena, toad__origin *ret);

#endif
