/* cmd_exceptions.c - `toadstone exceptions`: alarms that the user knows to be false. */
#include "app/records/exceptions.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>

static toad_str operand(const args *a, size_t i) {
    return a->operands_n > i ? toad__str_z(a->operands[i]) : toad__str(NULL, 0);
}

static toad_status add(toad__host *host, const args *a, toad__answer *answer) {
    return toad__exceptions_add(host,
                                &(toad__exception_in){ .content = operand(a, 1),
                                                       .at = toad__str_z(a->at),
                                                       .rules = a->only_rules,
                                                       .rules_n = a->only_rules_n,
                                                       .until = a->until,
                                                       .note = toad__str_z(a->note) },
                                answer);
}
static toad_status list(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__exceptions_list(host, answer);
}
static toad_status remove_one(toad__host *host, const args *a, toad__answer *answer) {
    return toad__exceptions_remove(host, operand(a, 1), answer);
}

static const cli_column columns[] = { { "id", "id" },         { "at", "at" },       { "rule", "rule" },
                                      { "digest", "digest" }, { "until", "until" }, { "made_at", "made" },
                                      { "note", "note" } };
static const cli_column removed[] = { { "removed", "removed" } };

static void print_added(const toad__json *answer) {
    toad_str released = toad__json_get_text(answer, "released");
    cli_table(toad__json_get(answer, "exceptions"), columns, sizeof columns / sizeof *columns, "none");
    fflush(stdout);
    toad_str held = toad__json_get_text(answer, "held");
    if (held.n)
        cli_hint("%.*s is not released: the exception ends before it is gone; what comes anew passes", (int)held.n,
                 held.p);
    if (released.n) cli_hint("%.*s is released, too", (int)released.n, released.p);
}

static const cli_act acts[] = {
    { .name = "add", .operands = "[CONTENT-ID]", .most = 1, .run = add, .print = print_added },
    { .name = "list",
      .operands = "",
      .run = list,
      .columns = columns,
      .columns_n = sizeof columns / sizeof *columns,
      .rows = "exceptions" },
    { .name = "remove",
      .operands = "ID",
      .least = 1,
      .most = 1,
      .run = remove_one,
      .columns = removed,
      .columns_n = 1 },
    { 0 },
};

int cmd_exceptions(args *a) { return cli_run_act(a, acts); }
