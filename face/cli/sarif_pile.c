/* sarif_pile.c - see sarif_pile.h.
 *
 * Invariant: a result is kept when it came unless as many of its severity or above were kept before it; so all that
 * belong to the gravest SARIF_RESULTS_MAX are kept, and at most three times as many. */
#include "face/cli/sarif_pile.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define BYTES_MAX ((size_t)1 << 30)

struct sarif_pile {
    toad__buf lines, severities;
    uint64_t count, kept[4];
};

sarif_pile *sarif_pile_new(void) {
    sarif_pile *p = calloc(1, sizeof *p);
    if (!p) return NULL;
    toad__buf_init(&p->lines, BYTES_MAX);
    toad__buf_init(&p->severities, BYTES_MAX);
    return p;
}

void sarif_pile_free(sarif_pile *p) {
    if (!p) return;
    toad__buf_free(&p->lines);
    toad__buf_free(&p->severities);
    free(p);
}

uint64_t sarif_pile_count(const sarif_pile *p) { return p->count; }

static uint64_t at_or_above(const sarif_pile *p, unsigned severity) {
    uint64_t n = 0;
    for (unsigned s = severity; s < 4; s++) n += p->kept[s];
    return n;
}

static toad_str next_line(toad_str *rest) {
    size_t end = toad__str_find(*rest, TOAD__S("\n"), 0);
    toad_str line = toad__str_part(*rest, 0, end < rest->n ? end + 1 : end);
    *rest = toad__str_part(*rest, line.n, rest->n);
    return line;
}

toad_status sarif_pile_add(sarif_pile *p, toad_str lines, toad_str severities) {
    for (size_t i = 0; i < severities.n; i++) {
        toad_str line = next_line(&lines);
        unsigned severity = (unsigned char)severities.p[i] & 3;
        p->count++;
        if (at_or_above(p, severity) >= SARIF_RESULTS_MAX) continue;
        p->kept[severity]++;
        toad__buf_add_str(&p->lines, line);
        toad__buf_add_c(&p->severities, severities.p[i]);
    }
    return p->lines.status ? p->lines.status : p->severities.status;
}

uint64_t sarif_pile_print(const sarif_pile *p, void (*print)(toad_str)) {
    toad_str rest = toad__buf_str(&p->lines);
    uint64_t quota[4], room = SARIF_RESULTS_MAX, printed = 0;
    for (unsigned s = 4; s-- > 0;) {
        quota[s] = p->kept[s] < room ? p->kept[s] : room;
        room -= quota[s];
    }
    for (size_t i = 0; i < p->severities.n; i++) {
        toad_str line = next_line(&rest);
        unsigned severity = (unsigned char)p->severities.p[i] & 3;
        if (!quota[severity]) continue;
        quota[severity]--;
        if (printed++) print(TOAD__S(",\n"));
        print(toad__str_part(line, 0, line.n - 1));
    }
    return p->count - printed;
}
