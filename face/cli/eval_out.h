/* eval_out.h - what `toadstone eval` prints of a run: tables, the worst rows, JSON, and what changed since an earlier
 * run. */
#ifndef TOAD_FACE_CLI_EVAL_OUT_H
#define TOAD_FACE_CLI_EVAL_OUT_H

#include "app/scan/eval_pairs.h"
#include "lib/base/json.h"

typedef struct eval_run {
    toad__eval eval; /* sorted */
    uint64_t bytes;
    double seconds, scan_seconds; /* by the clock; of all threads, scanning only */
} eval_run;

/* A line for each group of rows (headed `by`), one for all, and one that says how much work it was. */
toad_status eval_add_table(toad__buf *b, const eval_run *run, const char *by);
/* Where rows come in pairs: both sides and their difference, in all and where the misses lie. */
toad_status eval_add_pairs(toad__buf *b, const eval_run *run);
/* A line for each rule that matched anywhere. */
toad_status eval_add_rules(toad__buf *b, const eval_run *run);
/* The `most` worst misses, then as many false alarms; at most EVAL_WORST_MAX. */
void eval_add_worst(toad__buf *b, const eval_run *run, size_t most);
/* The whole run as one line of JSON. */
toad_status eval_add_json(toad__buf *b, const eval_run *run, size_t most);
/* What changed since the run `old` (as eval_add_json wrote it), group by group. */
toad_status eval_add_changes(toad__buf *b, const eval_run *run, const toad__json *old);

#define EVAL_WORST_MAX 1000u

#endif
