/* fetch_many.c - see fetch_many.h. The engine is made once and shared by all processes; each opens the store for
 * itself. */
#include "face/cli/fetch_many.h"

#include "app/host/authority.h"
#include "app/host/crew.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { AT_ONCE = 4 };

typedef struct many {
    const args *a;
    const toad__web_options *options;
    toad__fetched_style style;
    const toad_engine *engine;
    const toad__config *config;
    toad__host host; /* of a worker */
    int code;
} many;

/* ---- in a worker ---- */

static bool open_host(many *m) {
    if (toad__host_open_or_degrade(m->engine, m->config, m->a->store, &m->host)) return false;
    m->host.session = m->a->session ? toad__str_z(m->a->session) : toad__str(NULL, 0);
    m->host.by = m->a->as_model ? TOAD__READER_MODEL : TOAD__READER_USER;
    return true;
}

static void *start(void *ctx) { return open_host(ctx) ? ctx : NULL; }

/* What goes to the caller's process is what it prints, behind one byte that says whether it is a refusal. */
enum { ANSWERED = 'a', REFUSED = 'r' };

static toad_status fetch(void *worker, size_t i, toad__buf *out) {
    many *m = worker;
    toad__answer answer;
    toad_str url = toad__str_z(m->a->operands[i]);
    toad__answer_init(&answer, CLI_WHOLE_MAX);
    toad_status status = toad__web_fetch(&m->host, m->options, url, m->style, &answer);
    if (!status) status = toad__host_failed(&m->host, answer.status);
    if (status) {
        toad__answer_clear(&answer);
        toad__refuse(&answer, *m->host.message ? m->host.message : toad_status_message(status));
        toad__answer_str(&answer, "url", url);
    }
    bool refused = toad__answer_refused(&answer);
    toad__buf_add_c(out, refused ? REFUSED : ANSWERED);
    if (m->a->json)
        toad__answer_write(&answer, out);
    else
        toad__buf_add_str(out, toad__json_get_text(&answer.root, refused ? "error" : "text"));
    toad__answer_free(&answer);
    toad__arena_free(&m->host.arena);
    toad__arena_init(&m->host.arena, TOAD__HOST_ANSWER_MAX);
    return status;
}

/* ---- here ---- */

static void note(many *m, int code) {
    if (code > m->code) m->code = code;
}

static void done(void *ctx, size_t i, toad_status status, toad_str came) {
    many *m = ctx;
    const char *url = m->a->operands[i];
    if (status) note(m, EXIT_ERROR);
    if (!came.n) {
        cli_error("fetch", "%s: %s", cli_safe(url),
                  status == TOAD_E_IO ? "the process that fetched it died" : toad_status_message(status));
        return;
    }
    bool refused = came.p[0] == REFUSED;
    toad_str text = toad__str_part(came, 1, came.n);
    if (refused) note(m, EXIT_FINDING);
    if (refused && !m->a->json) {
        cli_error("fetch", "%s: %.*s", cli_safe(url), (int)text.n, text.p);
    } else {
        cli_print(text);
        cli_print_z(m->a->json ? "\n" : "\n\n");
    }
}

/* Opened and closed once before the others do: what is wrong with the store is said once, and only one makes it. */
static bool try_store(many *m) {
    bool ok = open_host(m);
    if (ok)
        toad__host_close(&m->host);
    else
        cli_error("fetch", "%s", m->host.message);
    return ok;
}

static int run(many *m) {
    static const toad__crew_calls calls = { start, fetch, done };
    unsigned jobs = m->a->jobs ? m->a->jobs : AT_ONCE;
    if (!try_store(m)) return EXIT_ERROR;
    toad_status status = toad__crew_run(m->a->operands_n, jobs, TOAD__HOST_ANSWER_MAX, &calls, m);
    return status ? cli_status("fetch", "starting processes", status) : m->code;
}

int cli_fetch_many(args *a, const toad__web_options *options, toad__fetched_style style) {
    toad__config *config;
    toad_rules *rules = NULL;
    toad_engine *engine;
    int code = EXIT_ERROR;
    if (!cli_load_config("fetch", &config)) return EXIT_ERROR;
    if (cli_apply_config(a, config) && cli_new_engine(a, &rules, &engine)) {
        many m = { .a = a, .options = options, .style = style, .engine = engine, .config = config };
        code = run(&m);
        toad_engine_free(engine);
        toad_rules_free(rules);
    }
    toad__config_free(config);
    return code;
}
