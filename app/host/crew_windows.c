/* crew_windows.c - see crew.h. There is no fork, and nothing on Windows that would need a crew: only fetches do. */
#include "app/host/crew.h"

#include <errno.h>

toad_status toad__crew_run(size_t n, unsigned workers, size_t most, const toad__crew_calls *calls, void *ctx) {
    (void)n, (void)workers, (void)most, (void)calls, (void)ctx;
    errno = ENOSYS;
    return TOAD_E_IO;
}
