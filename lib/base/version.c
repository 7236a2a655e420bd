#include "toadstone/toadstone.h"

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)

const char *toad_version(void) {
    return TEXT(TOAD_VERSION_MAJOR) "." TEXT(TOAD_VERSION_MINOR) "." TEXT(TOAD_VERSION_PATCH);
}
