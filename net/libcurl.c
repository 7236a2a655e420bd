/* libcurl.c - finds libcurl and fills the table of libcurl.h. */
#include "net/libcurl.h"

#include "sys/library.h"

#include <pthread.h>
#include <stdio.h>

#define SONAME "libcurl.so.4"

toad__curl_table toad__curl;

static char problem[256]; /* empty: loaded */

static void find(void *library, const char *name, void *to) {
    if (!toad__symbol(library, name, to) && !problem[0])
        snprintf(problem, sizeof problem, "fetching needs libcurl 7.85 or later: the one installed has no %s", name);
}

static void load(void) {
    void *library = toad__library(SONAME, "libcurl4", "fetching needs libcurl", problem, sizeof problem);
    if (!library) return;
#define X(name) find(library, #name, &name);
    TOAD__CURL(X)
#undef X
    if (!problem[0] && curl_global_init(CURL_GLOBAL_DEFAULT))
        snprintf(problem, sizeof problem, "libcurl cannot be started");
}

const char *toad__curl_load(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    return problem[0] ? problem : NULL;
}
