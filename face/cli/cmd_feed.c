/* cmd_feed.c - `toadstone feed`: headlines of feeds as Markdown. */
#include "app/web/feed.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "face/cli/web.h"
#include "lib/base/str.h"

#include <stdlib.h>

enum { FEEDS_MAX = 100 };

/* NAME=URL or URL: a name has no colon and no slash. */
static toad__feed_source source_of(const char *operand) {
    size_t n = strcspn(operand, "=:/");
    bool named = n && operand[n] == '=';
    return (toad__feed_source){ .name = toad__str(operand, named ? n : 0),
                                .url = toad__str_z(named ? operand + n + 1 : operand) };
}

static toad_status run(toad__host *host, const args *a, toad__answer *answer) {
    uint16_t ports[CLI_PORTS_MAX];
    toad__web_options options;
    toad__feed_source feeds[FEEDS_MAX];
    size_t n = a->operands_n - 1;
    if (!cli_web_options(a, ports, &options)) return toad__host_fail(host, TOAD_E_ARG, "nothing was fetched");
    for (size_t i = 0; i < n; i++) feeds[i] = source_of(a->operands[i + 1]);
    return toad__feed_write(host, &options, feeds, n, (size_t)a->limit, a->out, answer);
}

static void warn_of(const toad__json *feed) {
    toad_str name = toad__json_get_text(feed, "name"), error = toad__json_get_text(feed, "error");
    toad_str id = toad__json_get_text(feed, "id");
    const toad__json *blocked = toad__json_get(feed, "blocked");
    if (error.n) cli_error("feed", "%.*s: %.*s", (int)name.n, name.p, (int)error.n, error.p);
    if (blocked && !toad__str_eq(blocked->raw, TOAD__S("0")) && id.n)
        cli_error("feed", "%.*s: %.*s left out; look at the feed with 'toadstone contents show %.*s'", (int)name.n,
                  name.p, (int)blocked->raw.n, blocked->raw.p, (int)id.n, id.p);
}

static void print(const toad__json *answer) {
    const toad__json *feeds = toad__json_get(answer, "feeds");
    if (!toad__json_get_text(answer, "file").n) cli_print(toad__json_get_text(answer, "text"));
    for (const toad__json *j = feeds ? feeds->child : NULL; j; j = j->next) warn_of(j);
}

int cmd_feed(args *a) {
    static const cli_act acts[] = { { .name = "urls",
                                      .operands = "[NAME=]URL...",
                                      .least = 1,
                                      .most = FEEDS_MAX,
                                      .run = run,
                                      .print = print,
                                      .degrades = true },
                                    { 0 } };
    static char name[] = "urls";
    char **operands = a->operands;
    size_t n = a->operands_n;
    char **given = n ? malloc((n + 1) * sizeof *given) : NULL;
    if (!given) {
        cli_error("feed", n ? "out of memory" : "which feeds?");
        cli_hint("try 'toadstone help feed'");
        return EXIT_ERROR;
    }
    given[0] = name;
    memcpy(given + 1, operands, n * sizeof *given);
    a->operands = given;
    a->operands_n = n + 1;
    int code = cli_run_act(a, acts);
    free(given);
    a->operands = operands;
    a->operands_n = n;
    return code;
}
