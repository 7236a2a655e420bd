/* health.c - see health.h. */
#include "face/cli/health.h"

#include "app/mcp/status.h"
#include "face/cli/out.h"
#include "face/cli/table.h"
#include "lib/base/str.h"

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

toad_status cli_health_look(const args *a, const toad__config *config, toad__answer *answer) {
    add_config(config, answer);
    return add_store(a, config, answer);
}

size_t cli_health_broken(const toad__json *answer) {
    const toad__json *store = toad__json_get(answer, "store"), *writable = toad__json_get(store, "writable");
    size_t n = toad__json_get(toad__json_get(answer, "configuration"), "valid")->type == TOAD__JSON_FALSE;
    n += toad__json_get(answer, "store_error") || toad__json_get(store, "why");
    return n + (writable && writable->type == TOAD__JSON_FALSE);
}

/* ---- for people ---- */

void cli_say(const char *before, const toad__json *value, const char *after) {
    toad__buf b;
    toad__buf_init(&b, 1u << 20);
    if (value) cli_add_value(&b, value);
    cli_print_z(before);
    cli_print(toad__buf_str(&b));
    cli_print_z(after);
    toad__buf_free(&b);
}

size_t cli_count(const toad__json *rows) {
    size_t n = 0;
    for (const toad__json *row = rows ? rows->child : NULL; row; row = row->next) n++;
    return n;
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
        cli_say("    ", toad__json_get(m, "file"), "");
        cli_say(":", toad__json_get(m, "line"), ": ");
        cli_say("", toad__json_get(m, "key"), ": ");
        cli_say("", toad__json_get(m, "message"), "\n");
    }
    cli_print_z("    -> toadstone config check\n");
}

static void print_store(const toad__json *answer) {
    const toad__json *store = toad__json_get(answer, "store"), *error = toad__json_get(answer, "store_error"),
                     *bytes = toad__json_get(store, "bytes"), *writable = toad__json_get(store, "writable");
    bool there = bytes && !toad__str_eq(bytes->raw, TOAD__S("0")),
         stuck = writable && writable->type == TOAD__JSON_FALSE;
    cli_say("store\n  ", toad__json_get(store, "where"), "");
    if (there) cli_say(", ", bytes, " bytes");
    if (toad__json_get(answer, "schema")) cli_say(", schema ", toad__json_get(answer, "schema"), "");
    if (bytes && !there && !stuck) cli_print_z(": none yet; it is made when something is kept");
    cli_print_z("\n");
    if (stuck) cli_print_z("    broken: it cannot be written\n");
    if (error) cli_say("    broken: ", error, "\n");
    if (toad__json_get(store, "why")) cli_say("    broken: ", toad__json_get(store, "why"), "\n");
}

void cli_health_print(const toad__json *answer) {
    print_config(answer);
    print_store(answer);
}
