/* request.h - what a request says beside its URL. */
#ifndef TOAD_NET_REQUEST_H
#define TOAD_NET_REQUEST_H

#include "toadstone/types.h"

#define TOAD__REQUEST_HEADERS 4

typedef struct toad__http_request {
    const char *accept;                         /* NULL: what a page is asked for with */
    const char *headers[TOAD__REQUEST_HEADERS]; /* "Name: value", without line breaks; NULL: no more */
    toad_str body;                              /* p not NULL: it is a POST */
} toad__http_request;

#endif
