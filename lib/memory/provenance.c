/* provenance.c - who authored an entry. The order of the enum is the order of trust; the user stands above the agent,
 * external content below both. */
#include "bezoar/memory.h"
#include "lib/base/str.h"

static const char *const names[] = { [BZR_USER] = "user", [BZR_AGENT] = "agent", [BZR_EXTERNAL] = "external" };
enum { NAMES = sizeof names / sizeof *names };

const char *bzr_provenance_name(bzr_provenance v) { return (size_t)v < NAMES ? names[v] : "external"; }

bool bzr_provenance_parse(bzr_str name, bzr_provenance *ret) {
    for (size_t i = 0; i < NAMES; i++)
        if (bzr__str_eq(name, bzr__str_z(names[i]))) {
            *ret = (bzr_provenance)i;
            return true;
        }
    return false;
}

bzr_provenance bzr_provenance_join(bzr_provenance a, bzr_provenance b) { return a > b ? a : b; }
