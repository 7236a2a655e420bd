/* libpq.c - finds libpq and fills the table of libpq.h. */
#include "store/postgres/libpq.h"

#include "sys/library.h"

#include <pthread.h>
#include <stdio.h>

#define SONAME "libpq.so.5"

toad__pq_table toad__pq;

static char problem[TOAD__STORE_MESSAGE]; /* empty: loaded */

static void find(void *library, const char *name, void *to) {
    if (!toad__symbol(library, name, to) && !problem[0])
        snprintf(problem, sizeof problem, "PostgreSQL needs libpq 14 or later: the one installed has no %s", name);
}

/* `name` itself is by now the field of the table. */
static void load(void) {
    void *library = toad__library(SONAME, "libpq5", "PostgreSQL needs libpq", problem, sizeof problem);
    if (!library) return;
#define X(name) find(library, #name, &name)
    TOAD__PQ(X)
#undef X
}

toad_status toad__pq_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem[0] ? toad__store_fail(TOAD_E_IO, "%s", problem) : TOAD_OK;
}
