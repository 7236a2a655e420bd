/* eval_pairs.c - see eval_pairs.h. Rows are sorted by pair; each whole pair gives one cell of 1 for each of its names,
 * and cells of one name are added up. */
#include "app/scan/eval_pairs.h"
#include "app/host/interval.h"
#include "lib/base/str.h"

#include <math.h>
#include <stdlib.h>

static const char *const facets[] = { "all", "goal", "carrier", "lang" };
enum { FACETS = sizeof facets / sizeof *facets };

/* How the two sides hang together: the correlation, with Newcombe's correction for chance. */
static double correlation(const toad__eval_cell *c) {
    double a = (double)c->both, b = (double)c->attack_only, d = (double)c->twin_only, e = (double)c->neither;
    double margins = (a + b) * (d + e) * (a + d) * (b + e), product = a * e - b * d;
    if (margins <= 0) return 0;
    if (product > 0) product = fmax(product - (a + b + d + e) / 2, 0);
    return product / sqrt(margins);
}

double toad__eval_difference(const toad__eval_cell *c, double *low, double *high) {
    double n = (double)(c->both + c->attack_only + c->twin_only + c->neither), l1, u1, l2, u2;
    *low = -1, *high = 1;
    if (n <= 0) return 0;
    double p1 = (double)(c->both + c->attack_only) / n, p2 = (double)(c->both + c->twin_only) / n;
    double phi = correlation(c);
    toad__interval(p1, n, &l1, &u1);
    toad__interval(p2, n, &l2, &u2);
    double down = p1 - l1, up = u1 - p1, down2 = p2 - l2, up2 = u2 - p2;
    *low = p1 - p2 - sqrt(fmax(down * down - 2 * phi * down * up2 + up2 * up2, 0));
    *high = p1 - p2 + sqrt(fmax(up * up - 2 * phi * up * down2 + down2 * down2, 0));
    return p1 - p2;
}

static int by_text(toad_str a, toad_str b) {
    int order = memcmp(a.p, b.p, a.n < b.n ? a.n : b.n);
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

static int by_pair(const void *a, const void *b) {
    const toad__eval_row *x = *(const toad__eval_row *const *)a, *y = *(const toad__eval_row *const *)b;
    int order = by_text(x->pair, y->pair);
    return order ? order : (int)y->attack - (int)x->attack;
}

static int facet_rank(const toad__eval_cell *c) {
    int i = 0;
    while (i < FACETS && strcmp(facets[i], c->facet)) i++;
    return i;
}

static int by_name(const void *a, const void *b) {
    const toad__eval_cell *x = a, *y = b;
    int order = facet_rank(x) - facet_rank(y);
    return order ? order : by_text(x->name, y->name);
}

static int by_misses(const void *a, const void *b) {
    const toad__eval_cell *x = a, *y = b;
    uint64_t missed = x->neither + x->twin_only, other = y->neither + y->twin_only;
    int order = facet_rank(x) - facet_rank(y);
    if (!order) order = (missed < other) - (missed > other);
    return order ? order : by_text(x->name, y->name);
}

static void add(toad__eval_cell *to, const toad__eval_cell *c) {
    to->both += c->both;
    to->attack_only += c->attack_only;
    to->twin_only += c->twin_only;
    to->neither += c->neither;
    to->attacks_blocked += c->attacks_blocked;
    to->twins_blocked += c->twins_blocked;
}

/* The cells of one pair; what the attack says of goal, carrier and language is true of both. */
static size_t add_pair(const toad__eval_row *attack, const toad__eval_row *twin, toad__eval_cell *to) {
    const toad_str names[FACETS] = { TOAD__S("all"), attack->goal, attack->carrier, attack->lang };
    bool hit = attack->severity >= TOAD_MEDIUM, alarm = twin->severity >= TOAD_MEDIUM;
    size_t n = 0;
    for (int i = 0; i < FACETS; i++)
        if (!toad__str_eq(names[i], TOAD__S("-")))
            to[n++] = (toad__eval_cell){ .facet = facets[i],
                                         .name = names[i],
                                         .both = hit && alarm,
                                         .attack_only = hit && !alarm,
                                         .twin_only = !hit && alarm,
                                         .neither = !hit && !alarm,
                                         .attacks_blocked = attack->severity >= TOAD_HIGH,
                                         .twins_blocked = twin->severity >= TOAD_HIGH };
    return n;
}

/* Cells that are called the same become one. */
static size_t merge(toad__eval_cell *cells, size_t n) {
    size_t to = 0;
    if (n) qsort(cells, n, sizeof *cells, by_name);
    for (size_t i = 0; i < n; i++) {
        if (to && !by_name(&cells[to - 1], &cells[i]))
            add(&cells[to - 1], &cells[i]);
        else
            cells[to++] = cells[i];
    }
    if (to) qsort(cells, to, sizeof *cells, by_misses);
    return to;
}

toad_status toad__eval_pair_up(const toad__eval *e, toad__eval_cell **ret, size_t *ret_n, uint64_t *alone) {
    const toad__eval_row **rows = malloc((e->n + 1) * sizeof *rows);
    toad__eval_cell *cells = malloc((e->n + 1) * FACETS * sizeof *cells);
    size_t paired = 0, n = 0;
    uint64_t left = 0;
    if (!rows || !cells) {
        free(rows);
        free(cells);
        return TOAD_E_NOMEM;
    }
    for (size_t i = 0; i < e->n; i++)
        if (!toad__str_eq(e->rows[i].pair, TOAD__S("-"))) rows[paired++] = &e->rows[i];
    if (paired) qsort(rows, paired, sizeof *rows, by_pair);
    for (size_t i = 0, k; i < paired; i = k) {
        for (k = i; k < paired && toad__str_eq(rows[k]->pair, rows[i]->pair);) k++;
        if (k - i == 2 && rows[i]->attack && !rows[i + 1]->attack)
            n += add_pair(rows[i], rows[i + 1], cells + n);
        else
            left += k - i;
    }
    free(rows);
    *ret = cells;
    *ret_n = merge(cells, n);
    *alone = left;
    return TOAD_OK;
}
