/* glob.h - '*' in the parts of a path. */
#ifndef TOAD_WINDOWS_GLOB_H
#define TOAD_WINDOWS_GLOB_H

#include <stddef.h>

#define GLOB_NOESCAPE 0
#define GLOB_NOSPACE  1
#define GLOB_NOMATCH  3

typedef struct glob_t {
    size_t gl_pathc;
    char **gl_pathv;
} glob_t;

int glob(const char *pattern, int flags, int (*fails)(const char *, int), glob_t *ret);
void globfree(glob_t *all);

#endif
