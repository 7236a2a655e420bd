/* limits.h - names may be longer than msvcrt says: program.manifest asks for it. */
#ifndef TOAD_WINDOWS_LIMITS_H
#define TOAD_WINDOWS_LIMITS_H

#include_next <limits.h>

#undef PATH_MAX
#define PATH_MAX 4096
#undef NAME_MAX
#define NAME_MAX 255

#endif
