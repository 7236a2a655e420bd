/* site.h - what a site asks of robots, fetched. */
#ifndef TOAD_NET_SITE_H
#define TOAD_NET_SITE_H

#include "net/fetch.h"

#define TOAD__ROBOTS_FRESH_S ((int64_t)24 * 3600) /* RFC 9309 2.4: no robots.txt is used for longer */
#define TOAD__ROBOTS_AGAIN_S ((int64_t)5 * 60)    /* after one that could not be had */

/* What became of a robots.txt (RFC 9309, 2.3.1). */
typedef enum toad__robots_state {
    TOAD__ROBOTS_RULES,  /* there is one: `text` */
    TOAD__ROBOTS_NONE,   /* there is none: all may be fetched */
    TOAD__ROBOTS_CLOSED, /* the site keeps it to itself (401, 403) or cannot say: nothing may */
} toad__robots_state;

typedef struct toad__robots_file {
    toad__robots_state state;
    int64_t fresh_s; /* how long this may be used; 0: this once */
    toad__buf text;  /* UTF-8; free with toad__buf_free */
} toad__robots_file;

/* scheme://host:port, which a robots.txt speaks for. NUL after it. False: no memory. */
bool toad__site_of(const toad__url *url, toad__arena *arena, toad_str *ret);
/* Fetch the robots.txt that speaks for `url`, in a child of its own, with the guard, resolver and limits of `o`.
 * Errors: those of toad__fetch_isolated; then nothing is to be freed. */
toad_status toad__robots_fetch(const toad__fetch_options *o, const toad__url *url, int timeout_ms,
                               toad__robots_file *ret);
/* May we fetch the URL? */
bool toad__robots_permit(toad__robots_state state, toad_str text, const toad__url *url);

#endif
