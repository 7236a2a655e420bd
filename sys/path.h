/* path.h - paths, as far as systems differ about them. */
#ifndef TOAD_SYS_PATH_H
#define TOAD_SYS_PATH_H

#include <stdbool.h>

/* Does it say where it is from the root on? On Windows "C:/Users/me", too. NULL does not. */
static inline bool toad__path_is_absolute(const char *path) {
    if (!path) return false;
#ifdef _WIN32
    char drive = (char)(*path | 0x20);
    if (drive >= 'a' && drive <= 'z' && path[1] == ':' && (path[2] == '/' || path[2] == '\\')) return true;
#endif
    return *path == '/';
}

#endif
