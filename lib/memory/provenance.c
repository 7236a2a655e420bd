/* provenance.c - who authored an entry. The order of the enum is the order of trust; the user stands above the agent,
 * external content below both. */
#include "lib/base/str.h"
#include "toadstone/memory.h"

static const char *const names[] = { [TOAD_USER] = "user", [TOAD_AGENT] = "agent", [TOAD_EXTERNAL] = "external" };
enum { NAMES = sizeof names / sizeof *names };

const char *toad_provenance_name(toad_provenance v) { return (size_t)v < NAMES ? names[v] : "external"; }

bool toad_provenance_parse(toad_str name, toad_provenance *ret) {
    for (size_t i = 0; i < NAMES; i++)
        if (toad__str_eq(name, toad__str_z(names[i]))) {
            *ret = (toad_provenance)i;
            return true;
        }
    return false;
}

toad_provenance toad_provenance_join(toad_provenance a, toad_provenance b) { return a > b ? a : b; }
