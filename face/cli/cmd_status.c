/* cmd_status.c - `toadstone status`: how things stand, and what to do about it. What is wrong with one part keeps no
 * other from being told. */
#include "app/host/display.h"
#include "app/mcp/clients.h"
#include "face/cli/act.h"
#include "face/cli/asker.h"
#include "face/cli/health.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>

#define ARENA_MAX ((size_t)512 << 20)

/* ---- what is broken ---- */

static size_t broken_servers(const toad__json *file) {
    const toad__json *servers = toad__json_get(file, "servers");
    size_t n = toad__json_get(file, "error") != NULL;
    for (const toad__json *s = servers ? servers->child : NULL; s; s = s->next)
        n += toad__json_get_text(s, "broken").n > 0;
    return n;
}

static size_t count_broken(const toad__json *answer) {
    size_t n = cli_health_broken(answer);
    for (size_t i = 0; i < 2; i++)
        for (const toad__json *c = toad__json_get(answer, i ? "agents" : "clients")->child; c; c = c->next)
            for (const toad__json *f = toad__json_get(c, "files")->child; f; f = f->next) n += broken_servers(f);
    return n;
}

/* ---- for people ---- */

static bool is(const toad__json *row, const char *key, const char *z) {
    return toad__str_eq(toad__json_get_text(row, key), toad__str_z(z));
}

static void print_server(const toad__json *s) {
    bool broken = toad__json_get_text(s, "broken").n;
    cli_say("    ", toad__json_get(s, "server"), ": ");
    if (broken) cli_print_z("broken, ");
    cli_say("", toad__json_get(s, "state"), "");
    if (broken) cli_say("; there is no program ", toad__json_get(s, "broken"), "");
    if (is(s, "state", "left alone")) cli_say(": ", toad__json_get(s, "why"), "");
    cli_print_z("\n");
}

static void print_client(const toad__json *c) {
    bool plain = false;
    for (const toad__json *f = toad__json_get(c, "files")->child; f; f = f->next) {
        const toad__json *servers = toad__json_get(f, "servers"), *error = toad__json_get(f, "error");
        cli_say("  ", toad__json_get(c, "title"), "");
        cli_say("  ", toad__json_get(f, "file"), error || cli_count(servers) ? "\n" : ": no servers\n");
        if (error) cli_say("    broken: ", error, "\n");
        for (const toad__json *s = servers ? servers->child : NULL; s; s = s->next) {
            plain |= is(s, "state", "plain");
            print_server(s);
        }
    }
    if (plain) cli_say("    -> toadstone wrap-client --all --client ", toad__json_get(c, "client"), "\n");
}

static void print_clients(const toad__json *answer) {
    const toad__json *clients = toad__json_get(answer, "clients");
    cli_print_z("MCP clients\n");
    if (!cli_count(clients)) cli_print_z("  none has a configuration here\n");
    for (const toad__json *c = clients->child; c; c = c->next) print_client(c);
}

/* Of an agent's hooks: all are installed, or how many are not. */
static void print_hooks(const toad__json *agent, const toad__json *file) {
    size_t n = 0, installed = 0;
    const toad__json *hooks = toad__json_get(file, "hooks"), *error = toad__json_get(file, "error");
    for (const toad__json *h = hooks ? hooks->child : NULL; h; h = h->next, n++)
        installed += toad__json_get(h, "installed")->type == TOAD__JSON_TRUE;
    cli_say("  ", toad__json_get(agent, "title"), "");
    cli_say("  ", toad__json_get(file, "file"), ": ");
    if (error) cli_say("broken: ", error, "\n");
    if (!error)
        cli_print_z(!installed ? "no hooks\n" : installed < n ? "only some of the hooks\n" : "hooks installed\n");
    if (!error && installed < n) cli_say("    -> toadstone setup --agent ", toad__json_get(agent, "agent"), "\n");
}

static void print_agents(const toad__json *answer) {
    const toad__json *agents = toad__json_get(answer, "agents");
    cli_print_z("hooks\n");
    if (!agents->child) cli_print_z("  no agent that can have them is here\n");
    for (const toad__json *a = agents->child; a; a = a->next)
        for (const toad__json *f = toad__json_get(a, "files")->child; f; f = f->next) print_hooks(a, f);
}

static void print_tool(const toad__json *t) {
    bool plain =
        toad__is_plain_word(toad__json_get_text(t, "server")) && toad__is_plain_word(toad__json_get_text(t, "tool"));
    cli_say("  the tool ", toad__json_get(t, "tool"), "");
    cli_say(" of ", toad__json_get(t, "server"), " is held: ");
    cli_say("", toad__json_get(t, "why"), "\n");
    if (plain) cli_say("    -> toadstone proxy diff ", toad__json_get(t, "server"), "");
    if (plain) cli_say(" ", toad__json_get(t, "tool"), "\n");
    if (!plain) cli_print_z("    -> toadstone proxy tools --held\n");
}

static void print_waiting(const toad__json *answer) {
    const toad__json *questions = toad__json_get(answer, "questions"), *tools = toad__json_get(answer, "tools"),
                     *contents = toad__json_get(answer, "contents");
    if (!questions) return;
    cli_print_z("waiting for you\n");
    if (!cli_count(questions) && !cli_count(tools) && !cli_count(contents)) cli_print_z("  nothing\n");
    for (const toad__json *q = questions->child; q; q = q->next) {
        cli_say("  may an agent do this? ", toad__json_get(q, "tool"), "");
        cli_say("\n    -> toadstone confirm show ", toad__json_get(q, "id"), "\n");
    }
    for (const toad__json *t = tools ? tools->child : NULL; t; t = t->next) print_tool(t);
    for (const toad__json *c = contents->child; c; c = c->next) {
        cli_say("  blocked, from ", toad__json_get(c, "from"), "");
        cli_say(": ", toad__json_get(c, "rule"), "\n");
        if (toad__json_get_text(c, "id").n) cli_say("    -> toadstone contents show ", toad__json_get(c, "id"), "\n");
    }
    const toad__json *all = toad__json_get(answer, "contents_blocked");
    if (cli_count(contents) == 20) cli_say("  ", all, " contents are blocked in all\n    -> toadstone contents list\n");
}

static void print_today(const toad__json *answer) {
    const toad__json *counts = toad__json_get(answer, "counts");
    if (!counts) return;
    cli_print_z("today\n  ");
    if (!counts->child) cli_print_z("nothing was blocked, asked or changed");
    for (const toad__json *n = counts->child; n; n = n->next) {
        cli_say(n == counts->child ? "" : ", ", n, " ");
        cli_print(n->key);
    }
    cli_print_z(counts->child ? "\n    -> toadstone log\n" : "\n");
}

int cmd_status(args *a) {
    toad__config *config = NULL;
    toad__arena arena;
    toad__answer answer;
    size_t broken = 0;
    if (a->operands_n) {
        cli_error("status", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    cli_decide_asker(a, false);
    toad__arena_init(&arena, ARENA_MAX);
    toad__answer_init(&answer, ARENA_MAX);
    toad_status status = toad__config_new(&config);
    if (!status && toad__config_load(config)) {
        toad__config_free(config);
        config = NULL;
    }
    if (!status) status = toad__clients_look(&arena, &answer);
    if (!status) status = cli_health_look(a, config, &answer);
    if (!status) status = answer.status;
    if (!status) broken = count_broken(&answer.root);
    if (!status) toad__answer_int(&answer, "broken", (int64_t)broken);
    if (!status && a->json) status = cli_print_answer(&answer);
    if (!status && !a->json) {
        print_clients(&answer.root);
        print_agents(&answer.root);
        cli_health_print(&answer.root);
        print_waiting(&answer.root);
        print_today(&answer.root);
    }
    int code = status ? cli_status("status", "looking", status) : broken ? EXIT_FINDING : EXIT_OK;
    toad__answer_free(&answer);
    toad__arena_free(&arena);
    toad__config_free(config);
    return code;
}
