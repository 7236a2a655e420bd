/* stdlib.h - see ../posix.c. */
#ifndef TOAD_WINDOWS_STDLIB_H
#define TOAD_WINDOWS_STDLIB_H

#include_next <stdlib.h>

#define mkstemp toad__mkstemp

int toad__mkstemp(char *name);
/* To be freed: `room` is NULL. "C:/Users/me", without links. */
char *realpath(const char *path, char *room);
int unsetenv(const char *name);

#endif
