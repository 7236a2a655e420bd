/* survives.h - an operation under a failing allocation, one after the other. For one file of a program linked as
 * fail_alloc.h says. */
#ifndef TOAD_TESTS_SURVIVES_H
#define TOAD_TESTS_SURVIVES_H

#include "tests/support/fail_alloc.h"
#include "tests/world.h"

typedef struct named_operation {
    toad_status (*op)(toad__host *host, toad__buf *out); /* one of the two: it writes a text, */
    const char *name;
    toad_status (*answers)(toad__host *host, toad__answer *answer); /* or it answers */
} named_operation;

/* Fail the first allocation, then later ones, in widening steps, until all succeed. What is answered is looked at by
 * `check`. */
static void survives(toad__host *host, const named_operation *o,
                     void (*check)(const named_operation *o, toad_str text)) {
    for (long n = 0;; n += 1 + n / 40) {
        toad__answer answer;
        toad__buf out;
        toad__answer_init(&answer, TOAD__HOST_ANSWER_MAX);
        toad__buf_init(&out, TOAD__HOST_ANSWER_MAX);
        countdown = n;
        toad_status status = o->op ? o->op(host, &out) : o->answers(host, &answer);
        if (!status && o->answers) toad__answer_write(&answer, &out);
        bool all = countdown >= 0;
        countdown = -1;
        if (!status && !out.status) check(o, toad__buf_str(&out));
        if (all && (status || out.status)) fail_msg("%s: %s", o->name, host->message);
        toad__buf_free(&out);
        toad__answer_free(&answer);
        toad__arena_free(&host->arena);
        toad__arena_init(&host->arena, TOAD__HOST_ANSWER_MAX);
        if (all) return;
        assert_true(n < 20000);
    }
}

#endif
