/* eval.h - labelled rows to measures: recall, false alarms, their intervals and the area under the curve.
 *
 * A row is flagged when its verdict is medium or high, blocked when it is high. Thread rule: one thread at a time. */
#ifndef BZR_APP_EVAL_H
#define BZR_APP_EVAL_H

#include "bezoar/scan.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"

/* One line of input: {"text" or "bytes_b64", "label": "attack" or "benign", "id"?, "dataset"?, "subset"?, "kind"?}. */
typedef struct bzr__eval_input {
    bzr_str id, bytes, dataset, subset, kind_name; /* what is missing is "-" */
    bool attack;
    bzr_kind kind; /* BZR_KIND_ANY for a name that says nothing about where the text came from */
    char error[256];
} bzr__eval_input;

/* BZR_E_SYNTAX: it is no row, `error` says why, in ASCII. What is read points into the line or the arena. */
bzr_status bzr__eval_read(bzr_str line, bzr__arena *arena, bzr__eval_input *ret);

/* What rows are ordered by for the curve and the worst of them: by severity, and within one by what the learned model makes of the text. */
double bzr__eval_score(const bzr_verdict *verdict);

/* What became of a row. The strings are copied. */
typedef struct bzr__eval_row {
    bzr_str id, group, rules, excerpt; /* rules: ids, sorted, a blank between; excerpt: escaped */
    bool attack, incomplete;
    bzr_severity severity;
    double score; /* bzr__eval_score */
    uint64_t bytes;
    uint64_t order, spread; /* set by bzr__eval_add: the order rows came in, and a hash of what they are called */
} bzr__eval_row;

typedef struct bzr__eval_share {
    uint64_t hits, of;
} bzr__eval_share;

/* 95 % interval of a share (Wilson 1927, Journal of the American Statistical Association 22, p. 209). */
void bzr__eval_interval(bzr__eval_share s, double *low, double *high);

/* Do the intervals of two shares leave each other alone? */
bool bzr__eval_apart(bzr__eval_share a, bzr__eval_share b);

/* The measures of a group of rows. */
typedef struct bzr__eval_measures {
    bzr__eval_share blocked, flagged;             /* of the attacks */
    bzr__eval_share false_blocked, false_flagged; /* of the benign rows */
    uint64_t benign_bytes, benign_windows, incomplete; /* a window is 2,048 bytes or what is left */
    double auc; /* chance that an attack scores above a benign row, ties counted half; -1 where one side is missing */
} bzr__eval_measures;

typedef struct bzr__eval {
    bzr__arena arena;
    bzr__eval_row *rows;
    size_t n, cap;
} bzr__eval;

void bzr__eval_init(bzr__eval *e);
void bzr__eval_free(bzr__eval *e);
bzr_status bzr__eval_add(bzr__eval *e, const bzr__eval_row *row);
/* Order the rows by group, then id; measures of rows [from, to). Errors: BZR_E_NOMEM. */
void bzr__eval_sort(bzr__eval *e);
bzr_status bzr__eval_measure(const bzr__eval *e, size_t from, size_t to, bzr__eval_measures *ret);
/* The end of the group that begins at row `from`, the rows being sorted. */
size_t bzr__eval_group_end(const bzr__eval *e, size_t from);
/* The `most` worst misses (attacks, least score first) or false alarms (benign, highest first) that are in fact wrong; returns how many. Of rows
 * with one score those with the least hash, so that every group has its chance and two runs show the same. */
size_t bzr__eval_worst(const bzr__eval *e, bool attacks, const bzr__eval_row **ret, size_t most);

/* Of each rule that matched anywhere: the rows it matched in. Most false alarms first, then most attacks, then by id. */
typedef struct bzr__eval_rule {
    bzr_str id;
    uint64_t attacks, benign, alarms; /* alarms: benign rows that were flagged */
} bzr__eval_rule;
/* `*ret` is malloced and borrows from the rows. Errors: BZR_E_NOMEM. */
bzr_status bzr__eval_rules(const bzr__eval *e, bzr__eval_rule **ret, size_t *ret_n);

#endif
