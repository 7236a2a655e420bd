/* acts.h - labelled acts to measures: of those that somebody injected, how many are asked about, and of the user's own,
 * which are false alarms.
 *
 * Acts of one task resemble each other, so a share is known as well as its tasks are many: its interval is Wilson's
 * with the number of rows that independent ones would need for the scatter between tasks (Kish's effective sample
 * size). Thread rule: one thread at a time. */
#ifndef TOAD_APP_ACTS_H
#define TOAD_APP_ACTS_H

#include "lib/base/json.h"

typedef enum toad__acts_by { TOAD__ACTS_SUITE, TOAD__ACTS_KIND, TOAD__ACTS_TASK, TOAD__ACTS_BYS } toad__acts_by;

/* One act and what became of it. The strings are copied. */
typedef struct toad__acts_row {
    toad_str group[TOAD__ACTS_BYS]; /* "-" for what is missing */
    bool injected, asked, reads;
} toad__acts_row;

/* The labels of an episode: "label" ("injected" or "user"), "suite", "kind"; the task is "task", or in "meta" the
 * injection's or the user's, with its "domain" before it. TOAD_E_SYNTAX: it has no label. */
toad_status toad__acts_read(const toad__json *root, toad__arena *arena, toad__acts_row *ret);

typedef struct toad__acts {
    toad__arena arena;
    toad__acts_row *rows;
    size_t n, cap;
} toad__acts;

void toad__acts_init(toad__acts *a);
void toad__acts_free(toad__acts *a);
toad_status toad__acts_add(toad__acts *a, const toad__acts_row *row);

typedef struct toad__acts_share {
    size_t rows, asked, tasks;
    double low, high;
} toad__acts_share;

/* Order the rows by group, then by label and task. */
void toad__acts_sort(toad__acts *a, toad__acts_by by);
/* The end of the group that begins at row `from`. */
size_t toad__acts_group_end(const toad__acts *a, toad__acts_by by, size_t from);
/* Of rows [from, to), the injected ones or the user's own. `all`: acts that only read, too. */
void toad__acts_measure(const toad__acts *a, size_t from, size_t to, bool injected, bool all, toad__acts_share *ret);

#endif
