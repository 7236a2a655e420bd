/* io.h - without a name that is ours. */
#ifndef TOAD_WINDOWS_IO_H
#define TOAD_WINDOWS_IO_H

#define tell toad__msvcrt_tell
#include_next <io.h>
#undef tell

#endif
