/* cmd_log.c - `toadstone log`: what happened, a line an event, newest last. */
#include "app/records/log.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <time.h>

enum { POLL_MS = 200, NARROW = 110, LINE_LEAST = 40 };
#define LINE_MAX_BYTES ((size_t)1 << 20)

static void add_member(toad__buf *b, const toad__json *entry, const char *key, const char *before) {
    const toad__json *value = toad__json_get(entry, key);
    if (!value || value->type == TOAD__JSON_NULL) return;
    toad__buf_add_z(b, before);
    cli_add_value(b, value);
}

static void cut(toad__buf *b, size_t most) {
    size_t i = 0;
    for (; i < b->n; i++)
        if (((unsigned char)b->p[i] & 0xc0) != 0x80 && !most--) break;
    if (i == b->n) return;
    while (i && i + 3 > b->n) i--;
    b->n = i;
    toad__buf_add_z(b, "...");
}

/* "14:03 blocked  mcp:work/get_page: why (2 times)  toadstone contents show ID"; on a narrow terminal the command has a
 * line of its own. */
static void print_entry(const toad__json *entry, size_t width) {
    toad__buf b;
    char what[16];
    toad_str look = toad__json_get_text(entry, "look"), times = toad__json_get(entry, "times")->raw,
             at = toad__json_get_text(entry, "at");
    size_t behind = look.n && width >= NARROW ? look.n + 2 : 0;
    toad__buf_init(&b, LINE_MAX_BYTES);
    if (!width || !cli_add_time(&b, at, "%b %d %H:%M")) toad__buf_add_str(&b, at);
    toad__str_copy_to(what, sizeof what, toad__json_get_text(entry, "what"));
    toad__buf_add_z(&b, "  ");
    toad__buf_add_z(&b, what);
    for (size_t n = strlen(what); n < 10; n++) toad__buf_add_c(&b, ' ');
    size_t from = b.n;
    if (toad__json_get_text(entry, "from").n) add_member(&b, entry, "from", "");
    if (toad__json_get_text(entry, "why").n) add_member(&b, entry, "why", b.n > from ? ": " : "");
    if (width) cut(&b, width > behind + LINE_LEAST + 8 ? width - behind - 12 : LINE_LEAST);
    if (!toad__str_eq(times, TOAD__S("1"))) {
        toad__buf_add_z(&b, " (");
        toad__buf_add_str(&b, times);
        toad__buf_add_z(&b, " times)");
    }
    if (look.n) toad__buf_add_z(&b, width && !behind ? "\n    " : "  ");
    toad__buf_add_str(&b, look);
    toad__buf_add_c(&b, '\n');
    if (!b.status) cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
}

static void print_entries(const toad__json *answer) {
    size_t width = cli_width();
    for (const toad__json *e = toad__json_get(answer, "entries")->child; e; e = e->next) print_entry(e, width);
}

static void print_log(const toad__json *answer) {
    const toad__json *counts = toad__json_get(answer, "counts");
    const char *before = "";
    if (toad__json_get(answer, "more")->type == TOAD__JSON_TRUE) cli_print_z("older ones are left out: --limit N\n");
    print_entries(answer);
    if (!counts->child) cli_print_z("nothing was blocked, asked or changed");
    for (const toad__json *n = counts->child; n; n = n->next) {
        cli_print_z(before);
        cli_print(n->raw);
        cli_print_z(" ");
        cli_print(n->key);
        before = ", ";
    }
    cli_print_z("\n");
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    toad__log_in in = { a->since, a->limit };
    return toad__log(host, &in, answer);
}

/* ---- as it comes ---- */

static void print_news(const args *a, const toad__answer *answer, uint64_t *given) {
    size_t width = cli_width();
    for (const toad__json *e = toad__json_get(&answer->root, "entries")->child; e; e = e->next) {
        if (a->limit && *given == a->limit) return;
        ++*given;
        if (!a->json) {
            print_entry(e, width);
            continue;
        }
        toad__buf line;
        toad__buf_init(&line, LINE_MAX_BYTES);
        toad__answer_write_value(e, &line);
        toad__buf_add_c(&line, '\n');
        if (!line.status) cli_print(toad__buf_str(&line));
        toad__buf_free(&line);
    }
}

/* What --since asks for, then what is new, until --limit entries are out or whoever reads them goes away. */
static toad_status follow(toad__host *host, const args *a, toad__answer *answer) {
    const struct timespec pause = { 0, POLL_MS * 1000000L };
    toad__chain_head head = { 0 };
    uint64_t given = 0;
    toad_status status = toad__host_store_failed(host, toad__store_audit_head(host->store, &head));
    int64_t after = head.seq;
    if (!status && a->since && !(status = show(host, a, answer))) print_news(a, answer, &given);
    while (!status) {
        bool failed = fflush(stdout) != 0;
        toad__answer_clear(answer);
        if (failed || (a->limit && given >= a->limit)) break;
        nanosleep(&pause, NULL);
        status = toad__log_news(host, &after, answer);
        if (!status) print_news(a, answer, &given);
    }
    return status;
}

int cmd_log(args *a) {
    static const cli_act once = { .name = "log", .run = show, .print = print_log },
                         ever = { .name = "log", .run = follow, .prints = true };
    if (a->operands_n) {
        cli_error("log", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    return cli_run_one(a, a->follow ? &ever : &once);
}
