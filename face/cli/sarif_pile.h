/* sarif_pile.h - the results of a run, kept until all are known, since a run may hold only so many and the gravest are
 * wanted.
 *
 * GitHub refuses a run of more than 25,000 results and keeps the 5,000 gravest. A result is a line. Memory is bounded:
 * what can no longer be among the results is not kept. */
#ifndef TOAD_FACE_CLI_SARIF_PILE_H
#define TOAD_FACE_CLI_SARIF_PILE_H

#include "lib/base/buf.h"

#define SARIF_RESULTS_MAX   25000u
#define SARIF_RESULTS_SHOWN 5000u

typedef struct sarif_pile sarif_pile;

sarif_pile *sarif_pile_new(void); /* NULL: out of memory */
void sarif_pile_free(sarif_pile *p);
/* Lines, and for each its severity as a byte. Errors: TOAD_E_NOMEM. */
toad_status sarif_pile_add(sarif_pile *p, toad_str lines, toad_str severities);
uint64_t sarif_pile_count(const sarif_pile *p); /* of all that were added */
/* Print what a run may hold, in the order added, with commas between; returns how many are left out. */
uint64_t sarif_pile_print(const sarif_pile *p, void (*print)(toad_str));

#endif
