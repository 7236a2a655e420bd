/* text.h - the body behind the public handle bzr_text: one heap block that its holder frees. */
#ifndef BZR_BASE_TEXT_H
#define BZR_BASE_TEXT_H

#include "bezoar/types.h"

struct bzr_text {
    char *p; /* owned; NULL when n is 0 */
    size_t n;
};

#endif
