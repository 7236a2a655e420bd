#include "bezoar/bezoar.h"

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *bzr_version(void) { return TEXT(BZR_VERSION_MAJOR) "." TEXT(BZR_VERSION_MINOR) "." TEXT(BZR_VERSION_PATCH); }
