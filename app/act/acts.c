/* acts.c - see acts.h. */
#include "app/act/acts.h"

#include "app/host/interval.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define ARENA_MAX ((size_t)1 << 30)

static toad_str or_dash(toad_str s) { return s.n ? s : TOAD__S("-"); }

/* "banking/injection_task_3": numbers of tasks are the domain's own. */
static toad_status read_task(const toad__json *root, bool injected, toad__arena *arena, toad_str *ret) {
    const toad__json *meta = toad__json_get(root, "meta");
    toad_str domain = toad__json_get_text(meta, "domain"),
             task = toad__json_get_text(meta, injected ? "injection_task" : "user_task");
    *ret = or_dash(toad__json_get_text(root, "task"));
    if (!task.n) return TOAD_OK;
    char *p = toad__arena_alloc(arena, domain.n + 1 + task.n);
    if (!p) return TOAD_E_NOMEM;
    if (domain.n) memcpy(p, domain.p, domain.n);
    p[domain.n] = '/';
    memcpy(p + domain.n + 1, task.p, task.n);
    *ret = toad__str(p, domain.n + 1 + task.n);
    return TOAD_OK;
}

toad_status toad__acts_read(const toad__json *root, toad__arena *arena, toad__acts_row *ret) {
    toad_str label = toad__json_get_text(root, "label"), kind = or_dash(toad__json_get_text(root, "kind"));
    bool injected = toad__str_eq(label, TOAD__S("injected"));
    if (!injected && !toad__str_eq(label, TOAD__S("user"))) return TOAD_E_SYNTAX;
    *ret = (toad__acts_row){ .injected = injected, .reads = toad__str_eq(kind, TOAD__S("read")) };
    ret->group[TOAD__ACTS_SUITE] = or_dash(toad__json_get_text(root, "suite"));
    ret->group[TOAD__ACTS_KIND] = kind;
    return read_task(root, injected, arena, &ret->group[TOAD__ACTS_TASK]);
}

void toad__acts_init(toad__acts *a) {
    *a = (toad__acts){ .rows = NULL };
    toad__arena_init(&a->arena, ARENA_MAX);
}

void toad__acts_free(toad__acts *a) {
    toad__arena_free(&a->arena);
    free(a->rows);
}

toad_status toad__acts_add(toad__acts *a, const toad__acts_row *row) {
    if (a->n == a->cap) {
        size_t cap = a->cap ? 2 * a->cap : 256;
        toad__acts_row *rows = realloc(a->rows, cap * sizeof *rows);
        if (!rows) return TOAD_E_NOMEM;
        a->rows = rows;
        a->cap = cap;
    }
    a->rows[a->n] = *row;
    for (size_t i = 0; i < TOAD__ACTS_BYS; i++) {
        a->rows[a->n].group[i] = toad__arena_dup(&a->arena, row->group[i]);
        if (!a->rows[a->n].group[i].p) return TOAD_E_NOMEM;
    }
    a->n++;
    return TOAD_OK;
}

static int by_text(toad_str a, toad_str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int order_by(const void *left, const void *right, toad__acts_by by) {
    const toad__acts_row *a = left, *b = right;
    int order = by_text(a->group[by], b->group[by]);
    if (!order) order = (int)a->injected - (int)b->injected;
    return order ? order : by_text(a->group[TOAD__ACTS_TASK], b->group[TOAD__ACTS_TASK]);
}

static int by_suite(const void *a, const void *b) { return order_by(a, b, TOAD__ACTS_SUITE); }
static int by_kind(const void *a, const void *b) { return order_by(a, b, TOAD__ACTS_KIND); }
static int by_task(const void *a, const void *b) { return order_by(a, b, TOAD__ACTS_TASK); }

void toad__acts_sort(toad__acts *a, toad__acts_by by) {
    if (a->n)
        qsort(a->rows, a->n, sizeof *a->rows,
              by == TOAD__ACTS_SUITE  ? by_suite
              : by == TOAD__ACTS_KIND ? by_kind
                                      : by_task);
}

size_t toad__acts_group_end(const toad__acts *a, toad__acts_by by, size_t from) {
    size_t to = from;
    while (to < a->n && toad__str_eq(a->rows[to].group[by], a->rows[from].group[by])) to++;
    return to;
}

typedef struct task {
    toad_str name;
    double rows, asked;
} task;

static int by_name(const void *left, const void *right) {
    return by_text(((const task *)left)->name, ((const task *)right)->name);
}

/* Rows that independent ones would need for this scatter between tasks: p(1-p) by the variance of the ratio. */
static double effective(const task *tasks, size_t n, double rows, double p) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double off = tasks[i].asked - p * tasks[i].rows;
        sum += off * off;
    }
    double variance = n > 1 ? (double)n / (double)(n - 1) * sum / (rows * rows) : 0;
    if (variance <= 0) return (double)n; /* all alike: as many as there are tasks */
    double most = p * (1 - p) / variance;
    return most < rows ? most : rows;
}

void toad__acts_measure(const toad__acts *a, size_t from, size_t to, bool injected, bool all, toad__acts_share *ret) {
    task *tasks = calloc(to - from + 1, sizeof *tasks);
    size_t n = 0, kept = 0;
    *ret = (toad__acts_share){ .high = 1 };
    for (size_t i = from; i < to && tasks; i++) {
        const toad__acts_row *row = &a->rows[i];
        if (row->injected != injected || (row->reads && !all)) continue;
        tasks[n++] = (task){ row->group[TOAD__ACTS_TASK], 1, row->asked };
        ret->rows++;
        ret->asked += row->asked;
    }
    if (n) qsort(tasks, n, sizeof *tasks, by_name);
    for (size_t i = 0; i < n; i++) {
        if (kept && toad__str_eq(tasks[kept - 1].name, tasks[i].name)) {
            tasks[kept - 1].rows++;
            tasks[kept - 1].asked += tasks[i].asked;
        } else {
            tasks[kept++] = tasks[i];
        }
    }
    ret->tasks = kept;
    double p = n ? (double)ret->asked / (double)n : 0;
    if (n) toad__interval(p, effective(tasks, kept, (double)n, p), &ret->low, &ret->high);
    free(tasks);
}
