/* random.c - getentropy(3), which reads the kernel's generator without a file descriptor and never returns a part.
 * POSIX.1-2024 has it; glibc, musl, the BSDs and macOS had it before, outside the POSIX.1-2008 headers, so it is
 * declared here. */
#include "lib/base/random.h"

int getentropy(void *buffer, size_t length);

bool toad__random(void *p, size_t n) { return n <= 256 && getentropy(p, n) == 0; }
