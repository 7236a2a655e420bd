/* robots.h - what a site asks robots not to fetch (RFC 9309). */
#ifndef BZR_NET_ROBOTS_H
#define BZR_NET_ROBOTS_H

#include "bezoar/types.h"

#define BZR__ROBOT      "bezoar"              /* what sites call us in robots.txt; the User-Agent begins with it */
#define BZR__ROBOTS_MAX ((size_t)512 << 10) /* bytes of a robots.txt that are read; RFC 9309 asks for 500 KiB */

/* May a robot called `token` (letters, '-' and '_') fetch `target` (path and query)? The longest rule that matches
 * decides, of two as long the one that allows. Matching costs no more than a fixed amount in all; a file that needs
 * more allows nothing. Thread rule: any thread. */
bool bzr__robots_allow(bzr_str robots, bzr_str token, bzr_str target);

#endif
