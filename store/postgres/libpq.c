/* libpq.c - finds libpq and fills the table of libpq.h.
 *
 * The library stays loaded until the process ends: TLS libraries leave exit handlers and thread data behind that must
 * not be unmapped. Its names are kept to itself (RTLD_LOCAL), and all of them are bound at once (RTLD_NOW), so that a
 * damaged installation shows here and not in the middle of a transaction. */
#include "store/postgres/libpq.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define SONAME "libpq.so.5"

toad__pq_table toad__pq;

static char problem[TOAD__STORE_MESSAGE]; /* empty: loaded */

/* POSIX lets dlsym's pointer be copied into one to a function; ISO C has no cast for it. */
static void find(void *library, const char *name, void *to) {
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    if (!at && !problem[0])
        snprintf(problem, sizeof problem, "PostgreSQL needs libpq 14 or later: the one installed has no %s", name);
}

/* `name` itself is by now the field of the table. */
static void load(void) {
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        snprintf(problem, sizeof problem, "PostgreSQL needs libpq: install the package libpq5 (%s)", dlerror());
        return;
    }
#define X(name) find(library, #name, &name)
    TOAD__PQ(X)
#undef X
}

toad_status toad__pq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem[0] ? toad__store_fail(TOAD_E_IO, "%s", problem) : TOAD_OK;
}
