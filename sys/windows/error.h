/* error.h - the last error of Windows as errno. */
#ifndef TOAD_SYS_WINDOWS_ERROR_H
#define TOAD_SYS_WINDOWS_ERROR_H

/* Sets errno; -1. */
int toad__win_fail(void);

#endif
