/* tool.h - another program, run on hostile bytes: no network, no files written, little time and memory, and killed with
 * all its children when the time is up. What it prints is as hostile as what it read. */
#ifndef TOAD_APP_TOOL_H
#define TOAD_APP_TOOL_H

#include "lib/base/buf.h"

typedef enum toad__tool_end {
    TOAD__TOOL_DONE,
    TOAD__TOOL_MISSING, /* no such program on the PATH */
    TOAD__TOOL_LATE,    /* killed at the deadline */
    TOAD__TOOL_LARGE,   /* killed, since it printed more than `out` holds */
    TOAD__TOOL_FAILED   /* it ended with an error */
} toad__tool_end;

/* Run argv[0], looked for on the PATH, with `input` as its standard input, a file that it may also open as /dev/stdin.
 * Its standard output is appended to `out`. Errors: TOAD_E_NOMEM, TOAD_E_IO (no process or file could be made). Thread
 * rule: any thread. */
toad_status toad__tool_run(const char *const *argv, toad_str input, int deadline_ms, toad__buf *out,
                           toad__tool_end *ret);

#endif
