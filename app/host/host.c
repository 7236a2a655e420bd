/* host.c - opening, failing, scanning, and writing answers. */
#include "app/host/host.h"

#include "app/config/policy.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
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
static toad_status open_parts(const toad_engine *engine, const toad__config *config, const char *where,
                              toad__host *ret) {
    toad__store_options options = { .where = where };
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
    toad_status status = open_parts(engine, config, where, ret);
    if (status) toad__host_close(ret);
    return status;
}

void toad__host_close(toad__host *host) {
    if (host->gate) host->free_gate(host);
    toad__store_close(host->store);
    toad_scanner_free(host->scanner);
    toad__arena_free(&host->arena);
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

toad_status toad__host_open_or_degrade(const toad_engine *engine, const toad__config *config, const char *where,
                                       toad__host *ret) {
    toad_status status = open_parts(engine, config, where, ret);
    if (is_store_failure(status)) {
        if (chosen(config) != BLOCK) return TOAD_OK;
        say_stopped(ret, "on_store_error is block");
    }
    if (status) toad__host_close(ret);
    return status;
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

/* As toad_verdict_action has it. */
static const char *usual_action(toad_severity severity, toad_completeness completeness) {
    if (severity == TOAD_HIGH) return "block";
    return severity == TOAD_MEDIUM || completeness != TOAD_FULL ? "warn" : "allow";
}

const char *toad__host_action_for(const toad__host *host, toad_str source, toad_severity severity,
                                  toad_completeness completeness) {
    char name[16] = "web";
    size_t row = 0;
    if (!host->config) return usual_action(severity, completeness);
    if (source.n < sizeof name) {
        memcpy(name, source.p, source.n);
        name[source.n] = 0;
    }
    if (!toad__policy_source(name, &row)) toad__policy_source("web", &row);
    const char *action = toad__policy_decide(host->config, row, severity, completeness).action;
    bool may_block = toad__config_flag(host->config, TOAD__CONFIG_AUTO_BLOCK);
    return !may_block && !strcmp(action, "block") ? "warn" : action;
}

const char *toad__host_action(const toad__host *host, toad_str source, const toad_verdict *v) {
    return toad__host_action_for(host, source, toad_verdict_severity(v), toad_verdict_completeness(v));
}

/* ---- answers ---- */

void toad__answer_str(toad__buf *b, const char *key, toad_str value) {
    toad__json_add_key(b, key);
    if (value.p)
        toad__json_add_utf8(b, value);
    else
        toad__buf_add_z(b, "null");
}

void toad__answer_z(toad__buf *b, const char *key, const char *value) {
    toad__answer_str(b, key, value ? toad__str_z(value) : toad__str(NULL, 0));
}

void toad__answer_int(toad__buf *b, const char *key, int64_t value) {
    char digits[24];
    toad__json_add_key(b, key);
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    toad__buf_add_z(b, digits);
}

void toad__answer_bool(toad__buf *b, const char *key, bool value) {
    toad__json_add_key(b, key);
    toad__buf_add_z(b, value ? "true" : "false");
}

void toad__answer_real(toad__buf *b, const char *key, double value) {
    char digits[64];
    toad__json_add_key(b, key);
    snprintf(digits, sizeof digits, "%.2f", value);
    toad__buf_add_z(b, digits);
}

void toad__answer_json(toad__buf *b, const char *key, toad_str value) {
    toad__json_add_key(b, key);
    if (value.n)
        toad__buf_add(b, value.p, value.n);
    else
        toad__buf_add_z(b, "null");
}

void toad__answer_time(toad__buf *b, const char *key, int64_t micros) {
    char text[28];
    if (!micros) {
        toad__answer_z(b, key, NULL);
        return;
    }
    toad__time_text(micros, text);
    toad__answer_z(b, key, text);
}

/* ---- times ---- */

void toad__time_text(int64_t micros, char out[28]) {
    int64_t seconds = micros / SECOND, rest = micros % SECOND;
    if (rest < 0) {
        rest += SECOND;
        seconds--;
    }
    time_t t = (time_t)seconds;
    struct tm tm = { .tm_year = 70 };
    gmtime_r(&t, &tm);
    size_t n = strftime(out, 20, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 28 - n, ".%06dZ", (int)rest);
}

/* Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms"). */
static int64_t days_of(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool read_span(const char *text, int64_t now, int64_t *ret) {
    char *end;
    long n = strtol(text, &end, 10);
    int64_t unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 0;
    if (end == text || !unit || end[1] || n < 0 || n > 1000000) return false;
    *ret = now - n * unit * SECOND;
    return true;
}

bool toad__time_read(const char *text, int64_t now, int64_t *ret) {
    int y, mo, d, h = 0, mi = 0, n = 0;
    double s = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &y, &mo, &d, &n) != 3) return read_span(text, now, ret);
    if (text[n] == 'T' || text[n] == ' ') {
        int more = 0;
        if (sscanf(text + n + 1, "%2d:%2d:%9lf%n", &h, &mi, &s, &more) != 3) return false;
        n += 1 + more;
        if (text[n] == 'Z') n++;
    }
    if (text[n] || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s >= 61)
        return false;
    *ret = (days_of(y, mo, d) * 86400 + h * 3600 + mi * 60) * SECOND + (int64_t)(s * 1e6);
    return true;
}
