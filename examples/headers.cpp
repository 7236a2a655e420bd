// The public headers are C++ too.
#include <bezoar/bezoar.h>

int main() { return bzr_version()[0] ? 0 : 1; }
