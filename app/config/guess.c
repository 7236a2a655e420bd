/* guess.c - edit distance, and how much of it is a slip of the hand. */
#include "app/config/guess.h"
#include "lib/base/str.h"

#define NAME_MAX_BYTES 60

/* Edit distance of two short names; two letters in turn are one mistake. */
static unsigned distance(toad_str a, toad_str b) {
    unsigned rows_of[3][NAME_MAX_BYTES + 1];
    if (a.n > NAME_MAX_BYTES || b.n > NAME_MAX_BYTES) return 99;
    for (unsigned i = 0; i <= a.n; i++) {
        unsigned *row = rows_of[i % 3], *above = rows_of[(i + 2) % 3], *over = rows_of[(i + 1) % 3];
        for (unsigned j = 0; j <= b.n; j++) {
            if (!i || !j) {
                row[j] = i + j;
                continue;
            }
            unsigned best = above[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool turned = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            row[j] = turned && over[j - 2] + 1 < best ? over[j - 2] + 1 : best;
        }
    }
    return rows_of[a.n % 3][b.n];
}

toad__guess toad__guess_of(toad_str typed) { return (toad__guess){ typed, { NULL, 0 }, 2 + (unsigned)(typed.n / 4) }; }

/* The beginning of a name is as good as one mistake. */
void toad__guess_try(toad__guess *g, toad_str name) {
    unsigned d = g->typed.n > 1 && toad__str_starts(name, g->typed) ? 1 : distance(g->typed, name);
    if (d >= g->least || d >= name.n) return;
    g->least = d;
    g->best = name;
}
