/* pyspace.h - white space as Python's str.strip() and \s see it, so that lines written by outheis are read as outheis
 * reads them. */
#ifndef BZR_MEMORY_PYSPACE_H
#define BZR_MEMORY_PYSPACE_H

#include "lib/base/str.h"

/* Offset behind the white space at `at`. */
size_t bzr__pyspace_skip(bzr_str s, size_t at);
/* `s` without white space at both ends. */
bzr_str bzr__pyspace_trim(bzr_str s);

#endif
