/* site.h - what a site asks of robots, fetched. */
#ifndef BZR_NET_SITE_H
#define BZR_NET_SITE_H

#include "net/fetch.h"

#define BZR__ROBOTS_FRESH_S ((int64_t)24 * 3600) /* RFC 9309 2.4: no robots.txt is used for longer */
#define BZR__ROBOTS_AGAIN_S ((int64_t)5 * 60)    /* after one that could not be had */

/* What became of a robots.txt (RFC 9309, 2.3.1). */
typedef enum bzr__robots_state {
    BZR__ROBOTS_RULES,  /* there is one: `text` */
    BZR__ROBOTS_NONE,   /* there is none: all may be fetched */
    BZR__ROBOTS_CLOSED, /* the site keeps it to itself (401, 403) or cannot say: nothing may */
} bzr__robots_state;

typedef struct bzr__robots_file {
    bzr__robots_state state;
    int64_t fresh_s; /* how long this may be used; 0: this once */
    bzr__buf text;   /* UTF-8; free with bzr__buf_free */
} bzr__robots_file;

/* scheme://host:port, which a robots.txt speaks for. NUL after it. False: no memory. */
bool bzr__site_of(const bzr__url *url, bzr__arena *arena, bzr_str *ret);
/* Fetch the robots.txt that speaks for `url`, in a child of its own, with the guard, resolver and limits of `o`.
 * Errors: those of bzr__fetch_isolated; then nothing is to be freed. */
bzr_status bzr__robots_fetch(const bzr__fetch_options *o, const bzr__url *url, int timeout_ms, bzr__robots_file *ret);
/* May we fetch the URL? */
bool bzr__robots_permit(bzr__robots_state state, bzr_str text, const bzr__url *url);

#endif
