/* eval.h - labelled rows to measures: recall, false alarms, their intervals and the area under the curve.
 *
 * A row is flagged when its verdict is medium or high, blocked when it is high. Thread rule: one thread at a time. */
#ifndef TOAD_APP_EVAL_H
#define TOAD_APP_EVAL_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "toadstone/scan.h"

/* One line of input: {"text" or "bytes_b64", "label": "attack" or "benign", "id"?, "dataset"?, "subset"?, "kind"?,
 * "pair"?, "goal"?, "carrier"?, "lang"?}. The two rows of a matched pair have one "pair" (see eval_pairs.h). */
typedef struct toad__eval_input {
    toad_str id, bytes, dataset, subset, kind_name, pair, goal, carrier, lang; /* what is missing is "-" */
    bool attack;
    toad_kind kind; /* TOAD_KIND_ANY for a name that says nothing about where the text came from */
    char error[256];
} toad__eval_input;

/* TOAD_E_SYNTAX: it is no row, `error` says why, in ASCII. What is read points into the line or the arena. */
toad_status toad__eval_read(toad_str line, toad__arena *arena, toad__eval_input *ret);

/* What rows are ordered by for the curve and the worst of them: by severity, and within one by what the learned model
 * makes of the text. */
double toad__eval_score(const toad_verdict *verdict);

/* What became of a row. The strings are copied. */
typedef struct toad__eval_row {
    toad_str id, group, rules, excerpt; /* rules: ids, sorted, a blank between; excerpt: escaped */
    toad_str pair, goal, carrier, lang; /* "-" where there is none */
    bool attack, incomplete;
    toad_severity severity;
    double score; /* toad__eval_score */
    uint64_t bytes;
    uint64_t order, spread; /* set by toad__eval_add: the order rows came in, and a hash of what they are called */
} toad__eval_row;

typedef struct toad__eval_share {
    uint64_t hits, of;
} toad__eval_share;

/* 95 % interval of a share. */
void toad__eval_interval(toad__eval_share s, double *low, double *high);

/* Do the intervals of two shares leave each other alone? */
bool toad__eval_apart(toad__eval_share a, toad__eval_share b);

/* The measures of a group of rows. */
typedef struct toad__eval_measures {
    toad__eval_share blocked, flagged;                 /* of the attacks */
    toad__eval_share false_blocked, false_flagged;     /* of the benign rows */
    uint64_t benign_bytes, benign_windows, incomplete; /* a window is 2,048 bytes or what is left */
    double auc; /* chance that an attack scores above a benign row, ties counted half; -1 where one side is missing */
} toad__eval_measures;

typedef struct toad__eval {
    toad__arena arena;
    toad__eval_row *rows;
    size_t n, cap;
} toad__eval;

void toad__eval_init(toad__eval *e);
void toad__eval_free(toad__eval *e);
toad_status toad__eval_add(toad__eval *e, const toad__eval_row *row);
/* Order the rows by group, then id; measures of rows [from, to). Errors: TOAD_E_NOMEM. */
void toad__eval_sort(toad__eval *e);
toad_status toad__eval_measure(const toad__eval *e, size_t from, size_t to, toad__eval_measures *ret);
/* The end of the group that begins at row `from`, the rows being sorted. */
size_t toad__eval_group_end(const toad__eval *e, size_t from);
/* The `most` worst misses (attacks, least score first) or false alarms (benign, highest first) that are in fact wrong;
 * returns how many. Of rows with one score those with the least hash, so that every group has its chance and two runs
 * show the same. */
size_t toad__eval_worst(const toad__eval *e, bool attacks, const toad__eval_row **ret, size_t most);

/* Of each rule that matched anywhere: the rows it matched in. Most false alarms first, then most attacks, then by id.
 */
typedef struct toad__eval_rule {
    toad_str id;
    uint64_t attacks, benign, alarms; /* alarms: benign rows that were flagged */
} toad__eval_rule;
/* `*ret` is malloced and borrows from the rows. Errors: TOAD_E_NOMEM. */
toad_status toad__eval_rules(const toad__eval *e, toad__eval_rule **ret, size_t *ret_n);

#endif
