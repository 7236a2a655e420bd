// The public headers are C++ too.
#include <toadstone/toadstone.h>

int main() { return toad_version()[0] ? 0 : 1; }
