/* tool.h - another program, run on hostile bytes: no network, no files written, little time and memory, and killed with
 * all its children when the time is up. What it prints is as hostile as what it read. */
#ifndef BZR_APP_TOOL_H
#define BZR_APP_TOOL_H

#include "lib/base/buf.h"

typedef enum bzr__tool_end {
    BZR__TOOL_DONE,
    BZR__TOOL_MISSING, /* no such program on the PATH */
    BZR__TOOL_LATE,    /* killed at the deadline */
    BZR__TOOL_LARGE,   /* killed, since it printed more than `out` holds */
    BZR__TOOL_FAILED   /* it ended with an error */
} bzr__tool_end;

/* Run argv[0], looked for on the PATH, with `input` as its standard input, a file that it may also open as /dev/stdin.
 * Its standard output is appended to `out`. Errors: BZR_E_NOMEM, BZR_E_IO (no process or file could be made). Thread
 * rule: any thread. */
bzr_status bzr__tool_run(const char *const *argv, bzr_str input, int deadline_ms, bzr__buf *out, bzr__tool_end *ret);

#endif
