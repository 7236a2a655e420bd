/* tool_windows.c - see tool.h: no program is run on hostile bytes where it could not be locked in. Whoever asks hears
 * that there is none, and says what stayed closed. */
#include "app/host/tool.h"

toad_status toad__tool_run(const char *const *argv, toad_str input, int deadline_ms, toad__buf *out,
                           toad__tool_end *ret) {
    (void)argv, (void)input, (void)deadline_ms, (void)out;
    *ret = TOAD__TOOL_MISSING;
    return TOAD_OK;
}
