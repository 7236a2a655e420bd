/* library.h - a shared library that is loaded when something first needs it, so that whoever never does need not have
 * it. */
#ifndef TOAD_SYS_LIBRARY_H
#define TOAD_SYS_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

/* NULL where it cannot be had: `problem` then says so in a sentence that begins with `needs` ("fetching needs libcurl")
 * and names the Debian package. What is loaded stays: TLS libraries leave exit handlers behind. Its names are kept to
 * itself, and all of them are bound at once, so that a damaged installation shows here and not in the middle of work.
 */
void *toad__library(const char *soname, const char *package, const char *needs, char *problem, size_t n);
/* Writes the function `name` through `to`, a pointer to a pointer; NULL and false where the library has none. */
bool toad__symbol(void *library, const char *name, void *to);

#endif
