/* text.h - the body behind the public handle toad_text: one heap block that its holder frees. */
#ifndef TOAD_BASE_TEXT_H
#define TOAD_BASE_TEXT_H

#include "toadstone/types.h"

struct toad_text {
    char *p; /* owned; NULL when n is 0 */
    size_t n;
};

#endif
