/* pyspace.h - white space as Python's str.strip() and \s see it, so that lines written by outheis are read as outheis
 * reads them. */
#ifndef TOAD_MEMORY_PYSPACE_H
#define TOAD_MEMORY_PYSPACE_H

#include "lib/base/str.h"

/* Offset behind the white space at `at`. */
size_t toad__pyspace_skip(toad_str s, size_t at);
/* `s` without white space at both ends. */
toad_str toad__pyspace_trim(toad_str s);

#endif
