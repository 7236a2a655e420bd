/* request.h - what a request says beside its URL. */
#ifndef BZR_NET_REQUEST_H
#define BZR_NET_REQUEST_H

#include "bezoar/types.h"

#define BZR__REQUEST_HEADERS 4

typedef struct bzr__http_request {
    const char *accept;                        /* NULL: what a page is asked for with */
    const char *headers[BZR__REQUEST_HEADERS]; /* "Name: value", without line breaks; NULL: no more */
    bzr_str body;                              /* p not NULL: it is a POST */
} bzr__http_request;

#endif
