/* host.c - opening, failing, scanning, and writing answers. */
#include "app/host/host.h"

#include "app/config/policy.h"
#include "app/memory/memory_gate.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000)

static void take_config(const bzr__config *c, bzr__store_options *options) {
    const char *where = bzr__config_text(c, BZR__CONFIG_STORE);
    if (!options->where && *where) options->where = where;
    options->content_characters = (uint64_t)bzr__config_number(c, BZR__CONFIG_CONTENT_SIZE);
    options->content_ttl = bzr__config_number(c, BZR__CONFIG_CONTENT_TTL);
}

/* `ret->store` NULL: it failed. */
static bzr_status open_parts(const bzr_engine *engine, const bzr__config *config, const char *where, bzr__host *ret) {
    bzr__store_options options = { .where = where };
    if (config) take_config(config, &options);
    *ret = (bzr__host){ .engine = engine, .config = config, .by = BZR__READER_USER };
    bzr__arena_init(&ret->arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr_scanner_new(engine, &ret->scanner);
    if (status) return bzr__host_fail(ret, status, "out of memory");
    char why[BZR__STORE_MESSAGE] = "";
    status = bzr__store_open(&options, &ret->store, why);
    return status ? bzr__host_fail(ret, status, "%s", why) : BZR_OK;
}

bzr_status bzr__host_open(const bzr_engine *engine, const bzr__config *config, const char *where, bzr__host *ret) {
    bzr_status status = open_parts(engine, config, where, ret);
    if (status) bzr__host_close(ret);
    return status;
}

void bzr__host_close(bzr__host *host) {
    bzr__gate_free(host);
    bzr__store_close(host->store);
    bzr_scanner_free(host->scanner);
    bzr__arena_free(&host->arena);
    host->store = NULL;
    host->scanner = NULL;
}

bzr_status bzr__host_fail(bzr__host *host, bzr_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(host->message, sizeof host->message, format, list);
    va_end(list);
    return status;
}

bzr_status bzr__host_store_failed(bzr__host *host, bzr_status status) {
    return status ? bzr__host_fail(host, status, "%s", bzr__store_message()) : BZR_OK;
}

/* ---- when the store fails ---- */

typedef enum on_error { DEGRADE, AUTO, BLOCK } on_error; /* the words of the key, in order */

static on_error chosen(const bzr__config *config) {
    return config ? (on_error)bzr__config_number(config, BZR__CONFIG_STORE_ERROR) : AUTO;
}

static bool is_store_failure(bzr_status status) {
    return status && status != BZR_E_NOMEM && status != BZR_E_ARG && status != BZR_E_LIMIT;
}

static void say_stopped(bzr__host *host, const char *why) {
    size_t n = strlen(host->message);
    snprintf(host->message + n, sizeof host->message - n, "; nothing is shown: %s", why);
}

bzr_status bzr__host_open_or_degrade(const bzr_engine *engine, const bzr__config *config, const char *where,
                                     bzr__host *ret) {
    bzr_status status = open_parts(engine, config, where, ret);
    if (is_store_failure(status)) {
        if (chosen(config) != BLOCK) return BZR_OK;
        say_stopped(ret, "on_store_error is block");
    }
    if (status) bzr__host_close(ret);
    return status;
}

/* One line in one piece, so that those of many processes do not mingle. */
static bzr_status log_event(const bzr__host *host, const bzr__event *event) {
    struct timespec now = { 0 };
    bzr__event e = *event;
    bzr__buf details, line;
    clock_gettime(CLOCK_REALTIME, &now);
    bzr__buf_init(&details, 1u << 16);
    bzr__buf_init(&line, 1u << 20);
    bzr__buf_add_z(&details, "{\"on_store_error\":");
    bzr__buf_add_z(&details, chosen(host->config) == DEGRADE ? "\"degrade\",\"cause\":" : "\"auto\",\"cause\":");
    bzr__json_add_str(&details, bzr__str_z(host->message));
    bzr__buf_add_c(&details, '}');
    e.at = now.tv_sec * SECOND + now.tv_nsec / 1000;
    e.details = bzr__buf_str(&details);
    bzr__event_json(&e, &line);
    bzr__buf_add_c(&line, '\n');
    bzr_status status = details.status ? details.status : line.status;
    if (!status && fwrite(line.p, 1, line.n, stderr) < line.n) status = BZR_E_IO;
    bzr__buf_free(&details);
    bzr__buf_free(&line);
    return status;
}

bzr_status bzr__host_on_store_error(bzr__host *host, bzr_status status, bool blocked, const bzr__event *event) {
    if (!is_store_failure(status)) return status;
    on_error choice = chosen(host->config);
    bool stop = choice == BLOCK || (choice == AUTO && blocked);
    bzr_status logged = stop ? BZR_OK : log_event(host, event);
    if (!stop && !logged) return BZR_OK;
    if (logged) say_stopped(host, "the event could not be logged either");
    else say_stopped(host, choice == BLOCK ? "on_store_error is block" : "the content is blocked");
    return status;
}

/* ---- scan ---- */

bzr_status bzr__host_scan(bzr__host *host, bzr_str text, bzr_kind kind, const bzr_verdict **ret) {
    bzr_scan_options options = BZR_SCAN_OPTIONS_INIT;
    options.kind = kind;
    bzr_status status = bzr_scan(host->scanner, text, &options, ret);
    return status ? bzr__host_fail(host, status, "the text could not be scanned: %s", bzr_status_message(status)) : BZR_OK;
}

/* As bzr_verdict_action has it. */
static const char *usual_action(bzr_severity severity, bzr_completeness completeness) {
    if (severity == BZR_HIGH) return "block";
    return severity == BZR_MEDIUM || completeness != BZR_FULL ? "warn" : "allow";
}

const char *bzr__host_action_for(const bzr__host *host, bzr_str source, bzr_severity severity, bzr_completeness completeness) {
    char name[16] = "web";
    size_t row = 0;
    if (!host->config) return usual_action(severity, completeness);
    if (source.n < sizeof name) {
        memcpy(name, source.p, source.n);
        name[source.n] = 0;
    }
    if (!bzr__policy_source(name, &row)) bzr__policy_source("web", &row);
    const char *action = bzr__policy_decide(host->config, row, severity, completeness).action;
    bool may_block = bzr__config_flag(host->config, BZR__CONFIG_AUTO_BLOCK);
    return !may_block && !strcmp(action, "block") ? "warn" : action;
}

const char *bzr__host_action(const bzr__host *host, bzr_str source, const bzr_verdict *v) {
    return bzr__host_action_for(host, source, bzr_verdict_severity(v), bzr_verdict_completeness(v));
}

/* ---- answers ---- */

void bzr__answer_str(bzr__buf *b, const char *key, bzr_str value) {
    bzr__json_add_key(b, key);
    if (value.p) bzr__json_add_utf8(b, value);
    else bzr__buf_add_z(b, "null");
}

void bzr__answer_z(bzr__buf *b, const char *key, const char *value) { bzr__answer_str(b, key, value ? bzr__str_z(value) : bzr__str(NULL, 0)); }

void bzr__answer_int(bzr__buf *b, const char *key, int64_t value) {
    char digits[24];
    bzr__json_add_key(b, key);
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    bzr__buf_add_z(b, digits);
}

void bzr__answer_bool(bzr__buf *b, const char *key, bool value) {
    bzr__json_add_key(b, key);
    bzr__buf_add_z(b, value ? "true" : "false");
}

void bzr__answer_real(bzr__buf *b, const char *key, double value) {
    char digits[64];
    bzr__json_add_key(b, key);
    snprintf(digits, sizeof digits, "%.2f", value);
    bzr__buf_add_z(b, digits);
}

void bzr__answer_json(bzr__buf *b, const char *key, bzr_str value) {
    bzr__json_add_key(b, key);
    if (value.n) bzr__buf_add(b, value.p, value.n);
    else bzr__buf_add_z(b, "null");
}

void bzr__answer_time(bzr__buf *b, const char *key, int64_t micros) {
    char text[28];
    if (!micros) {
        bzr__answer_z(b, key, NULL);
        return;
    }
    bzr__time_text(micros, text);
    bzr__answer_z(b, key, text);
}

/* ---- times ---- */

void bzr__time_text(int64_t micros, char out[28]) {
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

/* Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
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

bool bzr__time_read(const char *text, int64_t now, int64_t *ret) {
    int y, mo, d, h = 0, mi = 0, n = 0;
    double s = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &y, &mo, &d, &n) != 3) return read_span(text, now, ret);
    if (text[n] == 'T' || text[n] == ' ') {
        int more = 0;
        if (sscanf(text + n + 1, "%2d:%2d:%9lf%n", &h, &mi, &s, &more) != 3) return false;
        n += 1 + more;
        if (text[n] == 'Z') n++;
    }
    if (text[n] || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s >= 61) return false;
    *ret = (days_of(y, mo, d) * 86400 + h * 3600 + mi * 60) * SECOND + (int64_t)(s * 1e6);
    return true;
}
