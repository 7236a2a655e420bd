/* sinks.h - what of a call's arguments can be traced.
 *
 * A sink says whom or what the act touches: any short value that is no date. The body of a message, a subject, a
 * description are content, told by the last word of the argument's name or by length; of content only hosts and URLs
 * count. Pure, linear. */
#ifndef TOAD_APP_SINKS_H
#define TOAD_APP_SINKS_H

#include "lib/base/json.h"

typedef enum toad__sink_sort {
    TOAD__SINK,         /* a whole value */
    TOAD__SINK_PART,    /* an address, path or long number in one */
    TOAD__SINK_NUMBER,  /* an amount */
    TOAD__SINK_ADDRESS, /* a host or URL in content */
    TOAD__SINK_COMMAND, /* a whole command, however long; of what stands in one ... */
    TOAD__SINK_REMOTE,  /* ... a machine or an address that it sends to or takes from, ... */
    TOAD__SINK_PACKAGE, /* ... what it installs, ... */
    TOAD__SINK_LOCAL,   /* ... a path or long number */
} toad__sink_sort;

/* Called for each, in order; the parts of a value after it. Stops at an error and returns it. */
typedef toad_status (*toad__sink_fn)(void *ctx, toad_str name, toad_str value, toad__sink_sort sort);
/* `lookup`: of a call that reads every short value counts, whatever it is called. */
toad_status toad__sinks(const toad__json *arguments, bool lookup, toad__sink_fn fn, void *ctx);
/* Is the value nothing but a date or a time? */
bool toad__is_date(toad_str value);

#endif
