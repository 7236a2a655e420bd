/* library.c - see library.h. A static program loads nothing: what it loaded would bring in a libc of its own beside the
 * one that is in the program, and two of them in a process corrupt each other. */
#include "sys/library.h"

#include <stdio.h>
#include <string.h>

#ifdef TOAD__STATIC

void *toad__library(const char *soname, const char *package, const char *needs, char *problem, size_t n) {
    (void)soname, (void)package;
    snprintf(
        problem, n,
        "%s, which this program cannot load: it is static; use Toadstone's Debian package, or build it from source",
        needs);
    return NULL;
}

bool toad__symbol(void *library, const char *name, void *to) {
    (void)library, (void)name;
    memset(to, 0, sizeof(void *));
    return false;
}

#else

#include <dlfcn.h>

void *toad__library(const char *soname, const char *package, const char *needs, char *problem, size_t n) {
    void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);
    const char *why = library ? NULL : dlerror();
    if (!library) snprintf(problem, n, "%s: install the package %s (%.150s)", needs, package, why ? why : soname);
    return library;
}

/* POSIX lets dlsym's pointer be copied into one to a function; ISO C has no cast for it. */
bool toad__symbol(void *library, const char *name, void *to) {
    void *at = dlsym(library, name);
    memcpy(to, &at, sizeof at);
    return at;
}

#endif
