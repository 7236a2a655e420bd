/* libcurl.c - finds libcurl and fills the table of libcurl.h. It stays loaded until the process ends: TLS libraries
 * leave exit handlers behind. */
#include "net/libcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define SONAME "libcurl.so.4"

toad__curl_table toad__curl;

static char problem[256]; /* empty: loaded */

/* POSIX lets dlsym's pointer be copied into one to a function; ISO C has no cast for it. */
static void find(void *library, const char *name, void *to) {
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    if (!at && !problem[0])
        snprintf(problem, sizeof problem, "fetching needs libcurl 7.85 or later: the one installed has no %s", name);
}

static void load(void) {
    void *library = dlopen(SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        const char *why = dlerror();
        snprintf(problem, sizeof problem, "fetching needs libcurl: install the package libcurl4 (%s)",
                 why ? why : SONAME);
        return;
    }
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
