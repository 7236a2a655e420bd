/* cmd_token.c - `toadstone token`: what a script shows in the place of a person at a terminal. */
#include "app/host/authority.h"
#include "face/cli/act.h"
#include "face/cli/out.h"

#include <stdio.h>

static toad_status make(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__token_make(host, answer);
}
static toad_status revoke(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__token_revoke(host, answer);
}

static void print_token(const toad__json *answer) {
    cli_print(toad__json_get_text(answer, "token"));
    cli_print_z("\n");
    fflush(stdout);
    cli_hint("it is shown this once: keep it where no agent reads, and give it to a script as TOADSTONE_USER_TOKEN");
}
static void print_revoked(const toad__json *answer) {
    (void)answer;
    cli_print_z("no token holds any more\n");
}

static const cli_act acts[] = {
    { .name = "new", .operands = "", .run = make, .print = print_token },
    { .name = "revoke", .operands = "", .run = revoke, .print = print_revoked },
    { 0 },
};

int cmd_token(args *a) { return cli_run_act(a, acts); }
