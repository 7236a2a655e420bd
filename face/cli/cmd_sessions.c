/* cmd_sessions.c - `toadstone sessions` and `toadstone learnings`: what conversations have seen, and what was learned
 * from what was blocked. */
#include "app/records/learnings.h"
#include "app/records/sessions.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

static toad_status list(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sessions_list(host, a->limit, answer);
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sessions_show(host, toad__str_z(a->operands[1]), answer);
}

static toad_status rehydrate(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sessions_rehydrate(host, toad__str_z(a->operands[1]), answer);
}

static toad_status lift(toad__host *host, const args *a, toad__answer *answer) {
    return toad__sessions_lift(host, toad__str_z(a->operands[1]), answer);
}

static const cli_column list_columns[] = {
    { "id", "id" }, { "agent", "agent" }, { "started_at", "started" }, { "last_at", "last used" }
};
static const cli_column show_columns[] = {
    { "id", "id" },           { "agent", "agent" },      { "started_at", "started" }, { "last_at", "last used" },
    { "tainted", "tainted" }, { "lifted_at", "lifted" },
};
static const cli_column ref_columns[] = {
    { "content_id", "content id" }, { "scan_result", "scan" },         { "accessed_at", "read" },
    { "was_acted_on", "acted on" }, { "user_confirmed", "confirmed" }, { "url", "url" },
};

static void print_session(const toad__json *answer) {
    cli_record(answer, show_columns, sizeof show_columns / sizeof *show_columns);
    cli_print_z("\n");
    cli_table(toad__json_get(toad__json_get(answer, "metadata"), "web_content_references"), ref_columns,
              sizeof ref_columns / sizeof *ref_columns, "no content yet");
}

static void print_text(const toad__json *answer) {
    cli_print(toad__json_get_text(answer, "text"));
    cli_print_z("\n");
}

static const cli_act session_acts[] = {
    { .name = "list",
      .operands = "",
      .run = list,
      .columns = list_columns,
      .columns_n = sizeof list_columns / sizeof *list_columns,
      .rows = "sessions" },
    { .name = "show", .operands = "ID", .least = 1, .most = 1, .run = show, .print = print_session },
    { .name = "rehydrate", .operands = "ID", .least = 1, .most = 1, .run = rehydrate, .print = print_text },
    { .name = "lift", .operands = "ID", .least = 1, .most = 1, .run = lift },
    { 0 },
};

int cmd_sessions(args *a) { return cli_run_act(a, session_acts); }

static toad_status learnings(toad__host *host, const args *a, toad__answer *answer) {
    return toad__learnings_list(host, a->operands_n > 1 ? toad__str_z(a->operands[1]) : toad__str(NULL, 0), a->limit,
                                answer);
}

static const cli_column learning_columns[] = {
    { "id", "id" },
    { "attributes.reappeared_count", "again" },
    { "attributes.last_seen", "last seen" },
    { "attributes.domain", "domain" },
    { "content", "what" },
};
static const cli_act learning_acts[] = {
    { .name = "list",
      .operands = "[DOMAIN]",
      .most = 1,
      .run = learnings,
      .columns = learning_columns,
      .columns_n = sizeof learning_columns / sizeof *learning_columns,
      .rows = "learnings" },
    { 0 },
};

int cmd_learnings(args *a) {
    static char word[] = "list";
    static char *just_list[] = { word };
    if (!a->operands_n) {
        a->operands = just_list;
        a->operands_n = 1;
    }
    return cli_run_act(a, learning_acts);
}
