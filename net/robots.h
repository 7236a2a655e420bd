/* robots.h - what a site asks robots not to fetch (RFC 9309). */
#ifndef TOAD_NET_ROBOTS_H
#define TOAD_NET_ROBOTS_H

#include "toadstone/types.h"

#define TOAD__ROBOT      "toadstone"         /* what sites call us in robots.txt; the User-Agent begins with it */
#define TOAD__ROBOTS_MAX ((size_t)512 << 10) /* bytes of a robots.txt that are read; RFC 9309 asks for 500 KiB */

/* May a robot called `token` (letters, '-' and '_') fetch `target` (path and query)? The longest rule that matches
 * decides, of two as long the one that allows. Matching costs no more than a fixed amount in all; a file that needs
 * more allows nothing. Thread rule: any thread. */
bool toad__robots_allow(toad_str robots, toad_str token, toad_str target);

#endif
