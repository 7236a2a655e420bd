/* cmd_doctor.c - `toadstone doctor`: is each installed protection at work?
 *
 * A marked attack that does no harm is sent through each hook, as its command stands in the agent's configuration, and
 * through each proxy entry, with a small server behind it that this file plays; something harmless goes the same way,
 * and must come out as it went in. What is sent is kept in a store of its own that is thrown away; only a prompt, which
 * shows whether your own store can be written, is kept there for a day. What a project's files say is run with
 * --project alone: they may be a stranger's. */
#include "app/mcp/clients.h"
#include "face/cli/act.h"
#include "face/cli/health.h"
#include "face/cli/out.h"
#include "face/cli/program.h"
#include "face/cli/trial.h"
#include "face/hooks/probe.h"
#include "lib/base/str.h"
#include "toadstone/toadstone.h"

#include <stdio.h>

#define ARENA_MAX ((size_t)512 << 20)

/* Answers what the doctor asks, by what stands in the line. */
static const char server_script[] =
    "while IFS= read -r l; do i=${l#*'\"id\":'}; i=${i%%%%[,\\}]*}; r=; case $l in "
    "*'\"initialize\"'*) r='\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
    "\"serverInfo\":{\"name\":\"doctor\",\"version\":\"1\"}';; "
    "*'\"tools/list\"'*) r='\"tools\":[{\"name\":\"calm\",\"inputSchema\":{\"type\":\"object\"}},"
    "{\"name\":\"marked\",\"inputSchema\":{\"type\":\"object\"}}]';; "
    "*'\"tools/call\"'*'\"marked\"'*) r='\"content\":[{\"type\":\"text\",\"text\":\"%s\"}]';; "
    "*'\"tools/call\"'*) r='\"content\":[{\"type\":\"text\",\"text\":\"The kettle is blue.\"}]';; esac; "
    "[ -z \"$r\" ] || printf '{\"jsonrpc\":\"2.0\",\"id\":%%s,\"result\":{%%s}}\\n' \"$i\" \"$r\"; done";

static const char client_lines[] =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-06-18\","
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"toadstone doctor\",\"version\":\"1\"}}}\n"
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"calm\",\"arguments\":{}}}\n"
    "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"marked\",\"arguments\":{}}}\n";

typedef struct doctor {
    const args *a;
    const char *program;
    cli_trial trial;
    char store[96];
    const hook_agent *agent;
    toad__answer answer;
    toad__buf command, input;
    size_t missing, broken; /* of the agent */
    size_t open;            /* of all */
    bool failed;            /* something could not be tried */
} doctor;

/* ---- trying ---- */

static bool holds(toad_str s, const char *z) { return toad__str_find(s, toad__str_z(z), 0) < s.n; }

/* Run d->command with d->input; `own`: in the user's store. */
static bool try_it(doctor *d, bool own) {
    bool named = !own && holds(toad__buf_str(&d->command), " --store ");
    if (named) toad__buf_add_z(&d->command, " --store ");
    if (named) toad__buf_add_z(&d->command, d->store);
    toad__buf_add_c(&d->command, 0);
    bool ok = !d->command.status && !d->input.status &&
              cli_trial_run(&d->trial, d->command.p, own ? NULL : d->store,
                            d->input.n ? toad__buf_str(&d->input) : TOAD__S(""));
    d->failed |= !ok;
    return ok;
}

/* What stands before `verb` starts the program: is it this one? */
static const char *judge_program(doctor *d, toad_str command, const char *verb) {
    toad__buf_clear(&d->command);
    toad__buf_clear(&d->input);
    toad__buf_add_str(&d->command, toad__str_part(command, 0, toad__str_find(command, toad__str_z(verb), 0)));
    toad__buf_add_z(&d->command, " version");
    if (!try_it(d, false)) return "it could not be tried";
    if (d->trial.code == 126 || d->trial.code == 127) return "its program is not there, or cannot be started";
    char version[64];
    snprintf(version, sizeof version, "toadstone %d.%d.%d ", TOAD_VERSION_MAJOR, TOAD_VERSION_MINOR,
             TOAD_VERSION_PATCH);
    bool same = d->trial.out.n && toad__str_starts(toad__buf_str(&d->trial.out), toad__str_z(version));
    return d->trial.code ? "its program fails" : same ? NULL : "its program is another version";
}

static toad_str printed(const toad__buf *b) { return b->n ? toad__buf_str(b) : TOAD__S(""); }

static const char *try_hook(doctor *d, const hook_event *event, toad_str command, bool marked) {
    char session[64];
    const char *name = strrchr(d->trial.directory, '-') + 1;
    snprintf(session, sizeof session, "doctor_%s", name);
    toad__buf_clear(&d->command);
    toad__buf_clear(&d->input);
    toad__buf_add_str(&d->command, command);
    hook_probe_payload(d->agent, event, session, d->trial.directory, marked, &d->input);
    bool own = event->moment == HOOK_PROMPT || (event->moment == HOOK_BEFORE && !marked);
    if (!try_it(d, own)) return "it could not be tried";
    return hook_probe_judge(event, marked, printed(&d->trial.out), printed(&d->trial.err), d->trial.code);
}

/* This program reads the attack for the agent, so that a call may follow from it. */
static void read_attack(doctor *d) {
    const hook_event *event = d->agent->events;
    toad__buf command;
    while (event->name && event->moment != HOOK_AFTER) event++;
    toad__buf_init(&command, 1u << 16);
    toad__buf_add_c(&command, '\'');
    toad__buf_add_z(&command, d->program);
    toad__buf_add_z(&command, "' hook --agent ");
    toad__buf_add_z(&command, d->agent->name);
    toad__buf_add_z(&command, " --event ");
    toad__buf_add_z(&command, event->name);
    (void)try_hook(d, event, toad__buf_str(&command), true);
    toad__buf_free(&command);
}

static const char *judge_hook(doctor *d, const hook_event *event, toad_str command) {
    static const char name[] = "AGENTS.md";
    toad__buf text;
    const char *why = judge_program(d, command, " hook --agent ");
    if (why) return why;
    if (!cli_trial_write(&d->trial, name, TOAD__S("Build with make.\n"))) return "it could not be tried";
    why = try_hook(d, event, command, false);
    if (why || event->moment == HOOK_PROMPT) return why;
    if (event->moment == HOOK_BEFORE) read_attack(d);
    toad__buf_init(&text, 4096);
    hook_probe_attack(&text);
    bool ok = cli_trial_write(&d->trial, name, toad__buf_str(&text));
    toad__buf_free(&text);
    return ok ? try_hook(d, event, command, true) : "it could not be tried";
}

static const char *judge_proxy(doctor *d, toad_str command) {
    char script[sizeof server_script + 256];
    toad__buf attack;
    const char *why = judge_program(d, command, " proxy ");
    if (why) return why;
    toad__buf_init(&attack, 4096);
    hook_probe_attack(&attack);
    toad__buf_add_c(&attack, 0);
    snprintf(script, sizeof script, server_script, attack.p);
    toad__buf_free(&attack);
    toad__buf_clear(&d->command);
    toad__buf_clear(&d->input);
    toad__buf_add_str(&d->command, command);
    toad__buf_add_z(&d->command, " --pin off --store ");
    toad__buf_add_z(&d->command, d->trial.directory); /* another: the hooks' session has read the attack */
    toad__buf_add_z(&d->command, "/proxy.db -- sh -c ");
    toad__client_add_word(&d->command, toad__str_z(script));
    toad__buf_add_c(&d->command, 0);
    toad__buf_add_z(&d->input, client_lines);
    if (d->command.status || !cli_trial_run(&d->trial, d->command.p, d->store, toad__buf_str(&d->input)))
        return d->failed = true, "it could not be tried";
    toad_str out = printed(&d->trial.out);
    if (holds(out, HOOK_MARK)) return "it lets a marked attack pass";
    if (!holds(out, "The kettle is blue.")) return "it lets nothing pass: toadstone status";
    return holds(out, "[toadstone]") ? NULL : "it gives no answer";
}

/* ---- what is there ---- */

typedef enum standing { COVERED, GAP, LEFT, MISSING, BROKEN } standing;

static void add_check(doctor *d, const char *kind, toad_str what, standing found, const char *why) {
    static const char *const names[] = { "covered", "not possible", "left alone", "not covered", "broken" };
    toad__answer_object(&d->answer, NULL);
    toad__answer_z(&d->answer, "kind", kind);
    toad__answer_str(&d->answer, "what", what);
    toad__answer_z(&d->answer, "state", names[found]);
    toad__answer_z(&d->answer, "why", why);
    toad__answer_end(&d->answer);
    d->missing += found == MISSING;
    d->broken += found == BROKEN;
}

static void check_hook(doctor *d, const toad__json *row) {
    toad_str name = toad__json_get_text(row, "event");
    const hook_event *event = hook_event_find(d->agent, name);
    if (toad__json_get(row, "installed")->type != TOAD__JSON_TRUE) {
        add_check(d, "hook", name, MISSING, "there is no hook");
        return;
    }
    const char *why = judge_hook(d, event, toad__json_get_text(row, "command"));
    bool can = event->moment == HOOK_PROMPT || hook_probe_blocks(event);
    add_check(d, "hook", name, why ? BROKEN : can ? COVERED : GAP, why ? why : can ? NULL : "it is noted, and passes");
}

static void check_server(doctor *d, const toad__json *row) {
    toad_str name = toad__json_get_text(row, "server"), state = toad__json_get_text(row, "state"),
             missing = toad__json_get_text(row, "broken"), left = toad__json_get_text(row, "why");
    char text[400];
    const char *why = NULL;
    if (toad__str_eq(state, TOAD__S("plain"))) {
        add_check(d, "server", name, MISSING, "it does not go through the proxy");
    } else if (!toad__str_eq(state, TOAD__S("wrapped"))) {
        snprintf(text, sizeof text, "%.*s", (int)(left.n < 399 ? left.n : 399), left.n ? left.p : "");
        add_check(d, "server", name, LEFT, text);
    } else {
        why = judge_proxy(d, toad__json_get_text(row, "command"));
        if (!why && missing.n) why = "the server's own program is not there";
        add_check(d, "server", name, why ? BROKEN : COVERED, why);
    }
}

/* Whether a file is the project's: such names are relative. */
static bool is_meant(const doctor *d, const toad__json *file) {
    toad_str name = toad__json_get_text(file, "file");
    return d->a->project == !(name.n && *name.p == '/');
}

static void check_configuration(doctor *d, const toad__client_job *job, toad_str what) {
    char message[512];
    toad__arena arena;
    toad__answer one;
    toad__arena_init(&arena, ARENA_MAX);
    toad__answer_init(&one, ARENA_MAX);
    toad_status status = toad__clients_apply(job, &arena, &one, message);
    const toad__json *files = status ? NULL : toad__json_get(&one.root, "files");
    if (status && status != TOAD_E_NOT_FOUND) add_check(d, "file", what, BROKEN, message);
    for (const toad__json *f = files ? files->child : NULL; f; f = f->next) {
        const toad__json *hooks = toad__json_get(f, "hooks"), *servers = toad__json_get(f, "servers");
        if (!is_meant(d, f)) continue;
        for (const toad__json *h = hooks ? hooks->child : NULL; h; h = h->next) check_hook(d, h);
        for (const toad__json *s = servers ? servers->child : NULL; s; s = s->next) check_server(d, s);
    }
    toad__answer_free(&one);
    toad__arena_free(&arena);
}

static void examine(doctor *d, const toad__hook_file *h) {
    const toad__client *client = toad__client_find(h->name);
    toad__client_job job = { .project = d->a->project, .dry_run = true };
    d->agent = hook_agent_find(h->name);
    d->missing = d->broken = 0;
    if (!cli_trial_open(&d->trial)) {
        d->failed = true;
        return;
    }
    snprintf(d->store, sizeof d->store, "%s/s.db", d->trial.directory);
    toad__answer_object(&d->answer, NULL);
    toad__answer_z(&d->answer, "agent", h->name);
    toad__answer_z(&d->answer, "title", h->title);
    toad__answer_array(&d->answer, "checks");
    job.change = (toad__client_change){ .hooks = h, .look = true, .commands = true };
    check_configuration(d, &job, TOAD__S("hooks"));
    job.change = (toad__client_change){ .client = client, .look = true, .commands = true };
    if (client) check_configuration(d, &job, TOAD__S("servers"));
    toad__answer_end(&d->answer);
    toad__answer_z(&d->answer, "gap", d->agent->gap);
    toad__answer_bool(&d->answer, "covered", !d->missing && !d->broken);
    toad__answer_end(&d->answer);
    d->open += d->missing + d->broken;
    cli_trial_close(&d->trial);
}

/* ---- for people ---- */

static void print_agent(const toad__json *agent, bool project) {
    const toad__json *gap = toad__json_get(agent, "gap");
    cli_say("", toad__json_get(agent, "title"), "\n");
    for (const toad__json *c = toad__json_get(agent, "checks")->child; c; c = c->next) {
        const toad__json *why = toad__json_get(c, "why");
        cli_say("  ", toad__json_get(c, "kind"), " ");
        cli_say("", toad__json_get(c, "what"), ": ");
        cli_say("", toad__json_get(c, "state"), "");
        if (why && why->type == TOAD__JSON_STRING) cli_say(": ", why, "");
        cli_print_z("\n");
    }
    if (gap && gap->type == TOAD__JSON_STRING)
        cli_say("  by its nature: ", gap, "; what comes through the proxy is screened all the same\n");
    if (toad__json_get(agent, "covered")->type == TOAD__JSON_TRUE) return;
    cli_say("    -> toadstone setup --agent ", toad__json_get(agent, "agent"), project ? " --project\n" : "\n");
}

static int report(doctor *d) {
    size_t broken = d->open + cli_health_broken(&d->answer.root);
    toad__answer_int(&d->answer, "open", (int64_t)broken);
    if (d->failed) cli_error("doctor", "something could not be tried");
    if (d->answer.status) return cli_status("doctor", "looking", d->answer.status);
    if (d->a->json) {
        if (cli_print_answer(&d->answer)) return EXIT_ERROR;
    } else {
        const toad__json *agents = toad__json_get(&d->answer.root, "agents");
        if (!cli_count(agents)) cli_print_z("no coding agent is here\n");
        for (const toad__json *g = agents->child; g; g = g->next) print_agent(g, d->a->project);
        cli_health_print(&d->answer.root);
        if (!cli_flush()) return EXIT_ERROR;
    }
    return d->failed ? EXIT_ERROR : broken ? EXIT_FINDING : EXIT_OK;
}

int cmd_doctor(args *a) {
    doctor d = { .a = a };
    toad__config *config = NULL;
    if (a->operands_n) {
        cli_error("doctor", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    if (!cli_program("doctor", &d.program)) return EXIT_ERROR;
    toad_status status = toad__config_new(&config);
    if (status) return cli_status("doctor", "looking", status);
    if (toad__config_load(config)) {
        toad__config_free(config);
        config = NULL;
    }
    toad__answer_init(&d.answer, ARENA_MAX);
    toad__buf_init(&d.command, TOAD__CLIENT_FILE);
    toad__buf_init(&d.input, 1u << 20);
    toad__answer_bool(&d.answer, "success", true);
    toad__answer_array(&d.answer, "agents");
    for (size_t i = 0; i < a->agents_n; i++) examine(&d, toad__hook_file_find(a->agents[i]));
    for (size_t i = 0; !a->agents_n && toad__hook_file_at(i); i++)
        if (*toad__hook_file_at(i)->events && toad__hook_file_is_here(toad__hook_file_at(i)))
            examine(&d, toad__hook_file_at(i));
    toad__answer_end(&d.answer);
    status = cli_health_look(a, config, &d.answer);
    int code = status ? cli_status("doctor", "looking", status) : report(&d);
    toad__buf_free(&d.input);
    toad__buf_free(&d.command);
    toad__answer_free(&d.answer);
    toad__config_free(config);
    return code;
}
