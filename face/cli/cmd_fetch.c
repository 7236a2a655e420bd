/* cmd_fetch.c - `toadstone fetch`: pages from the web, and with --check only the judgement. */
#include "app/host/jsonl.h"
#include "app/web/web.h"
#include "face/cli/act.h"
#include "face/cli/asker.h"
#include "face/cli/fetch_many.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "face/cli/web.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PAGE_MOST ((size_t)1 << 30) /* bytes: the most that --max-bytes can ask for */

enum { LINE_MEMORY = 1 << 22 };

typedef struct check {
    const args *a;
    toad__web_options options;
    bool bad, refused;
} check;

bool cli_web_options(const args *a, uint16_t ports[CLI_PORTS_MAX], toad__web_options *ret) {
    *ret = toad__web_defaults();
    ret->fresh = a->fresh;
    ret->robots = a->robots ? !strcmp(a->robots, "respect") : a->as_model;
    if (a->as_model && (a->private_hosts_n || a->ports_n || !ret->robots)) {
        cli_error(a->command->name,
                  "--allow-private, --port and --robots ignore are the user's: an agent may not widen what is fetched");
        return false;
    }
    if (a->ports_n > CLI_PORTS_MAX) {
        cli_error(a->command->name, "more than %d ports", CLI_PORTS_MAX);
        return false;
    }
    for (size_t i = 0; i < a->ports_n; i++) ports[i] = (uint16_t)strtoul(a->ports[i], NULL, 10);
    ret->net.guard = (toad__guard){
        .ports = ports, .ports_n = a->ports_n, .private_hosts = a->private_hosts, .private_n = a->private_hosts_n
    };
    ret->net.timeout_ms = (int)a->timeout * 1000;
    if (a->has_max_bytes) ret->net.max_bytes = a->max_bytes < PAGE_MOST ? (size_t)a->max_bytes : PAGE_MOST;
    return true;
}

/* ---- --check ---- */

/* `id`: the JSON value as it came, p NULL where there is none; then `url` stands for it. */
static toad_status add_judgement(check *c, toad_str id, toad_str url, toad__answer *answer) {
    toad__refusal why = TOAD__ALLOWED;
    bool allowed = false;
    toad_status status = toad__web_check(&c->options.net, url, !c->a->no_resolve, &allowed, &why);
    if (status) return status;
    c->refused |= !allowed;
    if (id.p)
        toad__answer_json(answer, "id", id);
    else
        toad__answer_str(answer, "url", url);
    toad__answer_bool(answer, "allowed", allowed);
    toad__answer_z(answer, "reason", toad__refusal_code(why));
    return answer->status;
}

static toad_status print_json(check *c, const char *url) {
    toad__answer answer;
    toad__answer_init(&answer, CLI_WHOLE_MAX);
    toad_status status = add_judgement(c, toad__str(NULL, 0), toad__str_z(url), &answer);
    if (!status) status = cli_print_answer(&answer);
    toad__answer_free(&answer);
    return status;
}

static toad_status print_judgement(check *c, const char *url) {
    toad__refusal why = TOAD__ALLOWED;
    bool allowed = false;
    toad_status status = toad__web_check(&c->options.net, toad__str_z(url), !c->a->no_resolve, &allowed, &why);
    if (status) return status;
    c->refused |= !allowed;
    printf("%s  %s  %s: %s\n", allowed ? "allowed" : "refused", cli_safe(url), toad__refusal_code(why),
           toad__refusal_text(why));
    return TOAD_OK;
}

static int check_operands(check *c) {
    toad_status status = TOAD_OK;
    if (!c->a->operands_n) return cli_error("fetch", "which URL?"), EXIT_ERROR;
    for (size_t i = 0; i < c->a->operands_n && !status; i++)
        status = (c->a->json ? print_json : print_judgement)(c, c->a->operands[i]);
    return status ? cli_status("fetch", "judging", status) : c->refused ? EXIT_FINDING : EXIT_OK;
}

static toad_status answer_line(check *c, toad_str line, uint64_t number) {
    toad__arena arena;
    toad__answer answer;
    const toad__json *root = NULL;
    const char *expected;
    size_t at;
    toad__arena_init(&arena, 16 * line.n + LINE_MEMORY);
    toad__answer_init(&answer, CLI_WHOLE_MAX);
    toad_status status = toad__json_parse(line, &arena, &root, &at, &expected);
    const toad__json *id = status ? NULL : toad__json_get(root, "id"),
                     *url = status ? NULL : toad__json_get(root, "url");
    bool ok = url && url->type == TOAD__JSON_STRING;
    if (ok) status = add_judgement(c, id ? id->raw : toad__str(NULL, 0), url->text, &answer);
    if (!ok || status) {
        c->bad = true;
        toad__answer_clear(&answer);
        if (id) toad__answer_json(&answer, "id", id->raw);
        toad__answer_int(&answer, "line", (int64_t)number);
        toad__answer_z(&answer, "error", ok ? toad_status_message(status) : "this is no object with a \"url\"");
    }
    status = cli_print_answer(&answer);
    toad__answer_free(&answer);
    toad__arena_free(&arena);
    return status;
}

static bool check_file(check *c, const char *path) {
    toad__input in;
    toad__lines lines;
    int err = toad__input_open(&in, path, true);
    if (err) return cli_error("fetch", "cannot open '%s': %s", cli_safe(path), strerror(err)), false;
    toad_status status = toad__lines_open(&lines, &in);
    for (bool more = true; !status && more;) {
        toad_str line;
        status = toad__lines_next(&lines, &line, &more);
        if (status || !more || (!line.n && !lines.line.status)) continue;
        status = answer_line(c, lines.line.status ? toad__str(NULL, 0) : line, lines.number);
        if (!in.seekable) fflush(stdout);
    }
    if (status) cli_status("fetch", path, status);
    toad__lines_close(&lines);
    toad__input_close(&in);
    return !status;
}

static int check_lines(check *c) {
    static char dash[] = "-";
    char *none[] = { dash };
    size_t n = c->a->operands_n ? c->a->operands_n : 1;
    bool ok = true;
    for (size_t i = 0; i < n; i++) ok &= check_file(c, (c->a->operands_n ? c->a->operands : none)[i]);
    return !ok || c->bad ? EXIT_ERROR : c->refused ? EXIT_FINDING : EXIT_OK;
}

/* ---- fetch ---- */

static toad_status fetch(toad__host *host, const args *a, toad__answer *answer) {
    uint16_t ports[CLI_PORTS_MAX];
    toad__web_options options;
    if (!cli_web_options(a, ports, &options)) return toad__host_fail(host, TOAD_E_ARG, "nothing was fetched");
    return toad__web_fetch(host, &options, toad__str_z(a->operands[1]), (toad__fetched_style)a->style, answer);
}

static void print_fetched(const toad__json *answer) {
    toad_str id = toad__json_get_text(answer, "id");
    cli_print(toad__json_get_text(answer, "text"));
    cli_print_z("\n");
    fflush(stdout);
    if (id.n && toad__str_eq(toad__json_get_text(answer, "scan"), TOAD__S("block")))
        cli_hint("kept for you as %.*s: look at it with 'toadstone contents show %.*s'", (int)id.n, id.p, (int)id.n,
                 id.p);
}

/* Acts are chosen by the first operand; `name` goes before the one that was given. */
static int run_act(args *a, char *name, const cli_act *acts) {
    char *given[] = { name, a->operands[0] };
    char **operands = a->operands;
    size_t n = a->operands_n;
    a->operands = given;
    a->operands_n = 2;
    int code = cli_run_act(a, acts);
    a->operands = operands;
    a->operands_n = n;
    return code;
}

static int fetch_one(args *a) {
    static char name[] = "url";
    static const cli_act acts[] = { { .name = "url",
                                      .operands = "URL",
                                      .least = 1,
                                      .most = 1,
                                      .run = fetch,
                                      .print = print_fetched,
                                      .degrades = true },
                                    { 0 } };
    return run_act(a, name, acts);
}

static int fetch_all(args *a) {
    uint16_t ports[CLI_PORTS_MAX];
    toad__web_options options;
    if (a->jsonl || a->no_resolve) {
        cli_error("fetch", "--jsonl and --no-resolve go with --check; --json gives one line for each URL");
        return EXIT_ERROR;
    }
    if (a->operands_n == 1) return fetch_one(a);
    if (a->operands_n)
        return cli_web_options(a, ports, &options) ? cli_fetch_many(a, &options, (toad__fetched_style)a->style)
                                                   : EXIT_ERROR;
    cli_error("fetch", "which URL?");
    cli_hint("try 'toadstone help fetch'");
    return EXIT_ERROR;
}

static int check_all(args *a) {
    uint16_t ports[2 * CLI_PORTS_MAX];
    check c = { .a = a };
    toad__config *config;
    if (!cli_web_options(a, ports, &c.options) || !cli_load_config("fetch", &config)) return EXIT_ERROR;
    c.options.net.guard.ports_n = toad__web_ports(config, ports, c.options.net.guard.ports_n, 2 * CLI_PORTS_MAX);
    toad__config_free(config);
    return a->jsonl ? check_lines(&c) : check_operands(&c);
}

int cmd_fetch(args *a) {
    cli_decide_asker(a, false);
    return a->check ? check_all(a) : fetch_all(a);
}

int cmd_read(args *a) {
    static char name[] = "read";
    char *given[] = { name, a->operands_n ? a->operands[0] : NULL };
    if (a->operands_n != 1) {
        cli_error("read", "which id?");
        return EXIT_ERROR;
    }
    a->operands = given;
    a->operands_n = 2;
    return cmd_contents(a);
}
