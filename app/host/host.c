/* host.c - opening, failing, and scanning. */
#include "app/host/host.h"

#include "app/config/policy.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/verdict/policy.h"
#include "sys/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000)

static void take_config(const toad__config *c, toad__store_options *options) {
    const char *where = toad__config_text(c, TOAD__CONFIG_STORE);
    if (!options->where && *where) options->where = where;
    options->content_characters = (uint64_t)toad__config_number(c, TOAD__CONFIG_CONTENT_SIZE);
    options->content_ttl = toad__config_number(c, TOAD__CONFIG_CONTENT_TTL);
}

/* `ret->store` NULL: it failed. */
static toad_status open_parts(const toad_engine *engine, const toad__config *config, const char *where, bool brief,
                              toad__host *ret) {
    toad__store_options options = { .where = where, .brief = brief };
    if (config) take_config(config, &options);
    *ret = (toad__host){ .engine = engine, .config = config, .by = TOAD__READER_USER };
    toad__arena_init(&ret->arena, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad_scanner_new(engine, &ret->scanner);
    if (status) return toad__host_fail(ret, status, "out of memory");
    char why[TOAD__STORE_MESSAGE] = "";
    status = toad__store_open(&options, &ret->store, why);
    return status ? toad__host_fail(ret, status, "%s", why) : TOAD_OK;
}

toad_status toad__host_open(const toad_engine *engine, const toad__config *config, const char *where, toad__host *ret) {
    toad_status status = open_parts(engine, config, where, false, ret);
    if (status) toad__host_close(ret);
    return status;
}

void toad__host_close(toad__host *host) {
    if (host->gate) host->free_gate(host);
    toad__store_close(host->store);
    toad_scanner_free(host->scanner);
    toad__arena_free(&host->arena);
    host->gate = NULL;
    host->store = NULL;
    host->scanner = NULL;
}

toad_status toad__host_fail(toad__host *host, toad_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(host->message, sizeof host->message, format, list);
    va_end(list);
    return status;
}

toad_status toad__host_failed(toad__host *host, toad_status status) {
    return status ? toad__host_fail(host, status, "%s", toad_status_message(status)) : TOAD_OK;
}

toad_status toad__host_store_failed(toad__host *host, toad_status status) {
    return status ? toad__host_fail(host, status, "%s", toad__store_message()) : TOAD_OK;
}

/* ---- when the store fails ---- */

typedef enum on_error { DEGRADE, AUTO, BLOCK } on_error; /* the words of the key, in order */

static on_error chosen(const toad__config *config) {
    return config ? (on_error)toad__config_number(config, TOAD__CONFIG_STORE_ERROR) : AUTO;
}

static bool is_store_failure(toad_status status) {
    return status && status != TOAD_E_NOMEM && status != TOAD_E_ARG && status != TOAD_E_LIMIT;
}

static void say_stopped(toad__host *host, const char *why) {
    size_t n = strlen(host->message);
    snprintf(host->message + n, sizeof host->message - n, "; nothing is shown: %s", why);
}

static toad_status open_or_degrade(const toad_engine *engine, const toad__config *config, const char *where, bool brief,
                                   toad__host *ret) {
    toad_status status = open_parts(engine, config, where, brief, ret);
    if (is_store_failure(status)) {
        if (chosen(config) != BLOCK) return TOAD_OK;
        say_stopped(ret, "on_store_error is block");
    }
    if (status) toad__host_close(ret);
    return status;
}

toad_status toad__host_open_or_degrade(const toad_engine *engine, const toad__config *config, const char *where,
                                       toad__host *ret) {
    return open_or_degrade(engine, config, where, false, ret);
}

toad_status toad__host_open_brief(const toad_engine *engine, const toad__config *config, const char *where,
                                  toad__host *ret) {
    return open_or_degrade(engine, config, where, true, ret);
}

/* One line in one piece, so that those of many processes do not mingle. */
static toad_status log_event(const toad__host *host, const toad__event *event) {
    toad__event e = *event;
    toad__buf details, line;
    toad__buf_init(&details, 1u << 16);
    toad__buf_init(&line, 1u << 20);
    toad__buf_add_z(&details, "{\"on_store_error\":");
    toad__buf_add_z(&details, chosen(host->config) == DEGRADE ? "\"degrade\",\"cause\":" : "\"auto\",\"cause\":");
    toad__json_add_str(&details, toad__str_z(host->message));
    toad__buf_add_c(&details, '}');
    e.at = toad__wall_us();
    e.details = toad__buf_str(&details);
    toad__event_json(&e, &line);
    toad__buf_add_c(&line, '\n');
    toad_status status = details.status ? details.status : line.status;
    if (!status && fwrite(line.p, 1, line.n, stderr) < line.n) status = TOAD_E_IO;
    toad__buf_free(&details);
    toad__buf_free(&line);
    return status;
}

toad_status toad__host_on_store_error(toad__host *host, toad_status status, bool blocked, const toad__event *event) {
    if (!is_store_failure(status)) return status;
    on_error choice = chosen(host->config);
    bool stop = choice == BLOCK || (choice == AUTO && blocked);
    toad_status logged = stop ? TOAD_OK : log_event(host, event);
    if (!stop && !logged) return TOAD_OK;
    if (logged)
        say_stopped(host, "the event could not be logged either");
    else
        say_stopped(host, choice == BLOCK ? "on_store_error is block" : "the content is blocked");
    return status;
}

/* ---- scan ---- */

toad_status toad__host_scan(toad__host *host, toad_str text, toad_kind kind, const toad_verdict **ret) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    options.kind = kind;
    toad_status status = toad_scan(host->scanner, text, &options, ret);
    return status ? toad__host_fail(host, status, "the text could not be scanned: %s", toad_status_message(status))
                  : TOAD_OK;
}

toad_policy toad__host_policy(const toad__host *host, toad_str source) {
    char name[16] = "web";
    size_t row = 0;
    if (!host->config) return toad_policy_for(TOAD_KIND_ANY);
    if (source.n < sizeof name) {
        memcpy(name, source.p, source.n);
        name[source.n] = 0;
    }
    if (!toad__policy_source(name, &row)) toad__policy_source("web", &row);
    return toad__policy_row(host->config, row);
}

const char *toad__host_action_for(const toad__host *host, toad_str source, toad_severity severity,
                                  toad_completeness completeness) {
    toad_policy p = toad__host_policy(host, source);
    return toad_action_name(toad__policy_action(&p, severity, completeness));
}

bool toad__action_passes(const char *action) { return !strcmp(action, "allow") || !strcmp(action, "warn"); }

const char *toad__host_action_on(const toad__host *host, toad__surface surface, toad_str source, toad_severity severity,
                                 toad_completeness completeness) {
    toad_policy p = toad__host_policy(host, source);
    return toad_action_name(toad__policy_on(surface, toad__policy_action(&p, severity, completeness)));
}

const char *toad__host_action(const toad__host *host, toad__surface surface, toad_str source, const toad_verdict *v) {
    return toad__host_action_on(host, surface, source, toad_verdict_severity(v), toad_verdict_completeness(v));
}
