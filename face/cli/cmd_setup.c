/* cmd_setup.c - `toadstone setup`: hooks and proxy for every coding agent that is here, and back.
 *
 * Twice over all agents: once to show what would change, once to change it. One agent that cannot be set up does not
 * keep the others from it. */
#include "app/mcp/clients.h"
#include "face/cli/act.h"
#include "face/cli/client_options.h"
#include "face/cli/out.h"
#include "face/cli/program.h"
#include "face/cli/undo.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARENA_MAX ((size_t)512 << 20)
enum { AGENTS = 32 };

typedef struct setup {
    const args *a;
    const toad__hook_file *agents[AGENTS];
    size_t n;
    const char *program;
    const char *hook[CLI_CLIENT_OPTIONS], *proxy[CLI_CLIENT_OPTIONS];
    size_t hook_n, proxy_n;
    toad__answer answer;
    toad__buf text;
    size_t changes, failures;
    bool replaces; /* a hook that is installed by one with other options */
    bool dry;
} setup;

static void find_agents(setup *s) {
    for (size_t i = 0; toad__hook_file_at(i) && s->n < AGENTS; i++) {
        const toad__hook_file *h = toad__hook_file_at(i);
        bool named = false;
        for (size_t k = 0; k < s->a->agents_n; k++) named |= !strcmp(s->a->agents[k], h->name);
        if (named || (!s->a->agents_n && toad__hook_file_is_here(h))) s->agents[s->n++] = h;
    }
}

/* One configuration: what it says is added to the answer under `key`, and to the text. */
static void apply(setup *s, const toad__client_job *job, const char *key) {
    char message[512];
    toad__arena arena;
    toad__answer one;
    toad__buf json;
    toad__arena_init(&arena, ARENA_MAX);
    toad__answer_init(&one, ARENA_MAX);
    toad__buf_init(&json, ARENA_MAX);
    toad_status status = toad__clients_apply(job, &arena, &one, message);
    if (status == TOAD_E_NOT_FOUND) {
        toad__answer_str(&s->answer, key, toad__str(NULL, 0));
    } else if (status) {
        s->failures++;
        cli_error("setup", "%s", message);
        toad__answer_object(&s->answer, key);
        toad__answer_z(&s->answer, "error", message);
        toad__answer_end(&s->answer);
    } else {
        toad__buf_add_str(&s->text, toad__json_get_text(&one.root, "text"));
        s->changes += !toad__str_eq(toad__json_get(&one.root, "changed")->raw, TOAD__S("0"));
        s->replaces |= !toad__str_eq(toad__json_get(&one.root, "replaced")->raw, TOAD__S("0"));
        toad__answer_write_value(toad__json_get(&one.root, "files"), &json);
        toad__answer_json(&s->answer, key, json.status ? TOAD__S("null") : toad__buf_str(&json));
    }
    toad__buf_free(&json);
    toad__answer_free(&one);
    toad__arena_free(&arena);
}

static void set_up(setup *s, const toad__hook_file *h) {
    const args *a = s->a;
    toad__client_job job = { .project = a->project, .dry_run = s->dry };
    job.change = (toad__client_change){
        .hooks = h, .undo = a->undo, .program = s->program, .options = s->hook, .options_n = s->hook_n
    };
    toad__answer_object(&s->answer, NULL);
    toad__answer_z(&s->answer, "agent", h->name);
    apply(s, &job, "hooks");
    const toad__client *client = *h->events ? toad__client_find(h->name) : NULL;
    job.file = a->project && client ? client->project[0] : NULL;
    job.change = (toad__client_change){
        .client = client, .undo = a->undo, .program = s->program, .options = s->proxy, .options_n = s->proxy_n
    };
    if (client && (!a->project || (job.file && !access(job.file, F_OK)))) apply(s, &job, "servers");
    toad__answer_end(&s->answer);
}

/* Over all agents; with `dry` nothing is written. False after a message. */
static bool go(setup *s, bool dry) {
    s->dry = dry;
    s->changes = 0;
    toad__buf_clear(&s->text);
    toad__answer_clear(&s->answer);
    toad__answer_bool(&s->answer, "success", true);
    toad__answer_array(&s->answer, "agents");
    for (size_t i = 0; i < s->n; i++) set_up(s, s->agents[i]);
    toad__answer_end(&s->answer);
    toad__answer_int(&s->answer, "changed", (int64_t)s->changes);
    toad_status status = s->text.status ? s->text.status : s->answer.status;
    if (status) cli_status("setup", "answer", status);
    return !status;
}

/* An agent that installs its own hooks anew could give them options that let everything pass. */
static bool needs_person(const setup *s) { return s->a->undo || s->replaces; }

static bool agrees(const setup *s) {
    char line[16];
    if (needs_person(s))
        return cli_may_undo(s->a, s->a->undo ? CLI_TAKE_AWAY : "replace installed hooks", "the agents above");
    if (s->a->yes || s->a->json || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) return true;
    fprintf(stderr, "Write this? [y/N] ");
    return fgets(line, sizeof line, stdin) && (*line == 'y' || *line == 'Y');
}

static int run(setup *s) {
    if (!go(s, true)) return EXIT_ERROR;
    bool shows = !s->a->json;
    if (shows && s->text.n) cli_print(toad__buf_str(&s->text));
    if (shows && !cli_flush()) return EXIT_ERROR;
    if (!s->changes && shows) cli_hint(s->failures ? "nothing else is to be changed" : "there is nothing to change");
    if (s->changes && !s->a->dry_run) {
        if (!agrees(s)) {
            cli_hint("nothing was written");
            return needs_person(s) ? EXIT_FINDING : EXIT_OK;
        }
        s->failures = 0;
        if (!go(s, false)) return EXIT_ERROR;
        if (shows)
            cli_hint("done; restart the agents. 'toadstone status' says how things stand%s",
                     s->a->undo ? "" : ", 'toadstone setup --undo' takes it back");
    }
    if (s->a->json && cli_print_answer(&s->answer)) return EXIT_ERROR;
    return s->failures ? EXIT_ERROR : EXIT_OK;
}

int cmd_setup(args *a) {
    char path[PATH_MAX];
    setup s = { .a = a };
    if (a->operands_n) {
        cli_error("setup", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    if (!a->undo && !cli_program("setup", &s.program)) return EXIT_ERROR;
    const char *store = a->undo ? NULL : cli_client_store(a, path);
    s.hook_n = cli_hook_options(a, store, s.hook);
    s.proxy_n = cli_proxy_options(a, store, s.proxy);
    find_agents(&s);
    if (!s.n) {
        cli_error("setup", "no coding agent is here");
        cli_hint("name one with --agent: " TOAD__HOOK_NAMES);
        return EXIT_ERROR;
    }
    toad__buf_init(&s.text, ARENA_MAX);
    toad__answer_init(&s.answer, ARENA_MAX);
    int code = run(&s);
    toad__answer_free(&s.answer);
    toad__buf_free(&s.text);
    return code;
}
