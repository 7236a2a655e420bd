/* eval_out.h - what `bezoar eval` prints of a run: tables, the worst rows, JSON, and what changed since an earlier run. */
#ifndef BZR_FACE_CLI_EVAL_OUT_H
#define BZR_FACE_CLI_EVAL_OUT_H

#include "app/scan/eval.h"
#include "lib/base/json.h"

typedef struct eval_run {
    bzr__eval eval; /* sorted */
    uint64_t bytes;
    double seconds, scan_seconds; /* by the clock; of all threads, scanning only */
} eval_run;

/* A line for each group of rows (headed `by`), one for all, and one that says how much work it was. */
bzr_status eval_add_table(bzr__buf *b, const eval_run *run, const char *by);
/* A line for each rule that matched anywhere. */
bzr_status eval_add_rules(bzr__buf *b, const eval_run *run);
/* The `most` worst misses, then as many false alarms; at most EVAL_WORST_MAX. */
void eval_add_worst(bzr__buf *b, const eval_run *run, size_t most);
/* The whole run as one line of JSON. */
bzr_status eval_add_json(bzr__buf *b, const eval_run *run, size_t most);
/* What changed since the run `old` (as eval_add_json wrote it), group by group. */
bzr_status eval_add_changes(bzr__buf *b, const eval_run *run, const bzr__json *old);

#define EVAL_WORST_MAX 1000u

#endif
