/* errno.h - with the one error of POSIX that msvcrt has no number for. */
#ifndef TOAD_WINDOWS_ERRNO_H
#define TOAD_WINDOWS_ERRNO_H

#include_next <errno.h>

#define ESTALE 200

#endif
