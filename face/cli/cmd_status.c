/* cmd_status.c - `toadstone status`: how things stand, and what to do about it. What is wrong with one part keeps no
 * other from being told. */
#include "app/host/display.h"
#include "app/mcp/clients.h"
#include "app/mcp/status.h"
#include "face/cli/act.h"
#include "face/cli/asker.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>

#define ARENA_MAX ((size_t)512 << 20)

/* ---- gathering ---- */

static void add_config(const toad__config *config, toad__answer *answer) {
    size_t n = config ? toad__config_mistakes(config) : 0;
    toad__answer_object(answer, "configuration");
    toad__answer_bool(answer, "valid", config && !n);
    toad__answer_array(answer, "mistakes");
    for (size_t i = 0; i < n; i++) {
        const toad__mistake *m = toad__config_mistake(config, i);
        toad__answer_object(answer, NULL);
        toad__answer_z(answer, "file", m->file);
        toad__answer_int(answer, "line", (int64_t)m->line);
        toad__answer_z(answer, "key", m->key);
        toad__answer_z(answer, "message", m->message);
        toad__answer_end(answer);
    }
    toad__answer_end(answer);
    toad__answer_end(answer);
}

static toad_status add_store(const args *a, const toad__config *config, toad__answer *answer) {
    toad_engine *engine = NULL;
    toad__host host;
    bool there;
    toad_status status = toad__status_store(config, a->store, &there, answer);
    if (status || !there) return status;
    status = toad_engine_new(NULL, &engine);
    if (status) return status;
    status = toad__host_open(engine, config, a->store, &host);
    if (status) {
        toad__answer_z(answer, "store_error", host.message);
    } else {
        host.by = a->as_model ? TOAD__READER_MODEL : TOAD__READER_USER;
        if (toad__status_waiting(&host, answer)) toad__answer_z(answer, "store_error", host.message);
        toad__host_close(&host);
    }
    toad_engine_free(engine);
    return TOAD_OK;
}

/* ---- what is broken ---- */

static size_t broken_servers(const toad__json *file) {
    const toad__json *servers = toad__json_get(file, "servers");
    size_t n = toad__json_get(file, "error") != NULL;
    for (const toad__json *s = servers ? servers->child : NULL; s; s = s->next)
        n += toad__json_get_text(s, "broken").n > 0;
    return n;
}

static size_t count_broken(const toad__json *answer) {
    const toad__json *store = toad__json_get(answer, "store"), *writable = toad__json_get(store, "writable");
    size_t n = toad__json_get(toad__json_get(answer, "configuration"), "valid")->type == TOAD__JSON_FALSE;
    n += toad__json_get(answer, "store_error") || toad__json_get(store, "why");
    n += writable && writable->type == TOAD__JSON_FALSE;
    for (const toad__json *c = toad__json_get(answer, "clients")->child; c; c = c->next)
        for (const toad__json *f = toad__json_get(c, "files")->child; f; f = f->next) n += broken_servers(f);
    return n;
}

/* ---- for people ---- */

static void say(const char *before, const toad__json *value, const char *after) {
    toad__buf b;
    toad__buf_init(&b, 1u << 20);
    if (value) cli_add_value(&b, value);
    cli_print_z(before);
    cli_print(toad__buf_str(&b));
    cli_print_z(after);
    toad__buf_free(&b);
}

static bool is(const toad__json *row, const char *key, const char *z) {
    return toad__str_eq(toad__json_get_text(row, key), toad__str_z(z));
}

static size_t count(const toad__json *rows) {
    size_t n = 0;
    for (const toad__json *row = rows ? rows->child : NULL; row; row = row->next) n++;
    return n;
}

static void print_server(const toad__json *s) {
    bool broken = toad__json_get_text(s, "broken").n;
    say("    ", toad__json_get(s, "server"), ": ");
    if (broken) cli_print_z("broken, ");
    say("", toad__json_get(s, "state"), "");
    if (broken) say("; there is no program ", toad__json_get(s, "broken"), "");
    if (is(s, "state", "left alone")) say(": ", toad__json_get(s, "why"), "");
    cli_print_z("\n");
}

static void print_client(const toad__json *c) {
    bool plain = false;
    for (const toad__json *f = toad__json_get(c, "files")->child; f; f = f->next) {
        const toad__json *servers = toad__json_get(f, "servers"), *error = toad__json_get(f, "error");
        say("  ", toad__json_get(c, "title"), "");
        say("  ", toad__json_get(f, "file"), error || count(servers) ? "\n" : ": no servers\n");
        if (error) say("    broken: ", error, "\n");
        for (const toad__json *s = servers ? servers->child : NULL; s; s = s->next) {
            plain |= is(s, "state", "plain");
            print_server(s);
        }
    }
    if (plain) say("    -> toadstone wrap-client --all --client ", toad__json_get(c, "client"), "\n");
}

static void print_clients(const toad__json *answer) {
    const toad__json *clients = toad__json_get(answer, "clients");
    cli_print_z("MCP clients\n");
    if (!count(clients)) cli_print_z("  none has a configuration here\n");
    for (const toad__json *c = clients->child; c; c = c->next) print_client(c);
}

static void print_config(const toad__json *answer) {
    const toad__json *config = toad__json_get(answer, "configuration");
    bool valid = toad__json_get(config, "valid")->type == TOAD__JSON_TRUE;
    cli_print_z("configuration\n");
    if (valid) {
        cli_print_z("  valid\n");
        return;
    }
    cli_print_z("  broken: no wrapped server starts with it\n");
    for (const toad__json *m = toad__json_get(config, "mistakes")->child; m; m = m->next) {
        say("    ", toad__json_get(m, "file"), "");
        say(":", toad__json_get(m, "line"), ": ");
        say("", toad__json_get(m, "key"), ": ");
        say("", toad__json_get(m, "message"), "\n");
    }
    cli_print_z("    -> toadstone config check\n");
}

static void print_store(const toad__json *answer) {
    const toad__json *store = toad__json_get(answer, "store"), *error = toad__json_get(answer, "store_error"),
                     *bytes = toad__json_get(store, "bytes"), *writable = toad__json_get(store, "writable");
    bool there = bytes && !toad__str_eq(bytes->raw, TOAD__S("0")),
         stuck = writable && writable->type == TOAD__JSON_FALSE;
    say("store\n  ", toad__json_get(store, "where"), "");
    if (there) say(", ", bytes, " bytes");
    if (toad__json_get(answer, "schema")) say(", schema ", toad__json_get(answer, "schema"), "");
    if (bytes && !there && !stuck) cli_print_z(": none yet; it is made when something is kept");
    cli_print_z("\n");
    if (stuck) cli_print_z("    broken: it cannot be written\n");
    if (error) say("    broken: ", error, "\n");
    if (toad__json_get(store, "why")) say("    broken: ", toad__json_get(store, "why"), "\n");
}

static void print_tool(const toad__json *t) {
    bool plain =
        toad__is_plain_word(toad__json_get_text(t, "server")) && toad__is_plain_word(toad__json_get_text(t, "tool"));
    say("  the tool ", toad__json_get(t, "tool"), "");
    say(" of ", toad__json_get(t, "server"), " is held: ");
    say("", toad__json_get(t, "why"), "\n");
    if (plain) say("    -> toadstone proxy diff ", toad__json_get(t, "server"), "");
    if (plain) say(" ", toad__json_get(t, "tool"), "\n");
    if (!plain) cli_print_z("    -> toadstone proxy tools --held\n");
}

static void print_waiting(const toad__json *answer) {
    const toad__json *questions = toad__json_get(answer, "questions"), *tools = toad__json_get(answer, "tools"),
                     *contents = toad__json_get(answer, "contents");
    if (!questions) return;
    cli_print_z("waiting for you\n");
    if (!count(questions) && !count(tools) && !count(contents)) cli_print_z("  nothing\n");
    for (const toad__json *q = questions->child; q; q = q->next) {
        say("  may an agent do this? ", toad__json_get(q, "tool"), "");
        say("\n    -> toadstone confirm show ", toad__json_get(q, "id"), "\n");
    }
    for (const toad__json *t = tools ? tools->child : NULL; t; t = t->next) print_tool(t);
    for (const toad__json *c = contents->child; c; c = c->next) {
        say("  blocked, from ", toad__json_get(c, "from"), "");
        say(": ", toad__json_get(c, "rule"), "\n");
        if (toad__json_get_text(c, "id").n) say("    -> toadstone contents show ", toad__json_get(c, "id"), "\n");
    }
    const toad__json *all = toad__json_get(answer, "contents_blocked");
    if (count(contents) == 20) say("  ", all, " contents are blocked in all\n    -> toadstone contents list\n");
}

static void print_today(const toad__json *answer) {
    const toad__json *counts = toad__json_get(answer, "counts");
    if (!counts) return;
    cli_print_z("today\n  ");
    if (!counts->child) cli_print_z("nothing was blocked, asked or changed");
    for (const toad__json *n = counts->child; n; n = n->next) {
        say(n == counts->child ? "" : ", ", n, " ");
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
    if (!status) add_config(config, &answer);
    if (!status) status = add_store(a, config, &answer);
    if (!status) status = answer.status;
    if (!status) broken = count_broken(&answer.root);
    if (!status) toad__answer_int(&answer, "broken", (int64_t)broken);
    if (!status && a->json) status = cli_print_answer(&answer);
    if (!status && !a->json) {
        print_clients(&answer.root);
        print_config(&answer.root);
        print_store(&answer.root);
        print_waiting(&answer.root);
        print_today(&answer.root);
    }
    int code = status ? cli_status("status", "looking", status) : broken ? EXIT_FINDING : EXIT_OK;
    toad__answer_free(&answer);
    toad__arena_free(&arena);
    toad__config_free(config);
    return code;
}
