/* upstream.c - runs a file of upstream behaviour (tests/vectors/upstream.jsonl or any other of its format)
 * through the library.
 *
 * One JSON object a line: system, function, input, expect, origin, status, note. Rows with status current, seed and
 * fork go through the function that is exact; rows with status gap through the safe one, which must meet `want`. Rows
 * of scanners go through toad_scan: what upstream rightly catches must have a finding, what users complain about and
 * what is clean must not be blocked; silence in a narrow scope or of a detector that is off is no verdict. Such rows,
 * and functions of parts that are not built, are listed and not counted. Prints a table per system, function and
 * status, each miss, and `N passed, N failed`. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/sanitize.h"
#include "toadstone/compat.h"
#include "toadstone/toadstone.h"

#include <stdio.h>
#include <stdlib.h>

typedef enum outcome { PASSED, FAILED, NOT_APPLICABLE } outcome;

typedef struct row {
    const toad__json *input, *expect;
    toad_str system, function, status;
} row;

typedef struct tally {
    char name[96];
    unsigned count[3];
} tally;

/* outheis' _sanitize gap row for U+2800: Braille's own blank is kept. */
#define EXACT_MISSES 0u

typedef struct run {
    unsigned exact_missed, complaints_blocked;
    toad_scanner *scanner; /* NULL: no engine */
    toad__arena arena;     /* of the row */
    toad__buf want, got;   /* of the row, for the report */
    tally tallies[256];
    size_t tallies_n;
    unsigned total[3];
    bool quiet;
} run;

/* ---- reading rows ---- */

static toad_str text_of(const toad__json *node, const char *key) {
    const toad__json *member = toad__json_get(node, key);
    return member && member->type == TOAD__JSON_STRING ? (member->text.p ? member->text : TOAD__S(""))
                                                       : (toad_str){ NULL, 0 };
}

static uint64_t number_of(const toad__json *node, const char *key) {
    const toad__json *member = toad__json_get(node, key);
    return member && member->type == TOAD__JSON_NUMBER ? strtoull(member->raw.p, NULL, 10) : 0;
}

static bool true_of(const toad__json *node, const char *key) {
    const toad__json *member = toad__json_get(node, key);
    return member && member->type == TOAD__JSON_TRUE;
}

static bool is_null(const toad__json *node, const char *key) {
    const toad__json *member = toad__json_get(node, key);
    return member && member->type == TOAD__JSON_NULL;
}

static bool status_is(const row *w, const char *status) { return toad__str_eq(w->status, toad__str_z(status)); }
static bool is_exact(const row *w) { return !status_is(w, "gap") && !status_is(w, "complaint"); }

static bool holds(toad_str s, toad_str part) { return !part.n || toad__str_find(s, part, 0) < s.n; }

/* The string `key`, or what `key`_repeat ([[string, count], ...]) spells out, in the arena. */
static toad_str content_of(run *r, const toad__json *input, const char *key) {
    char name[40];
    toad_str plain = text_of(input, key);
    snprintf(name, sizeof name, "%s_repeat", key);
    const toad__json *list = toad__json_get(input, name);
    if (plain.p || !list) return plain;
    toad__buf all;
    toad__buf_init(&all, 64u << 20);
    for (const toad__json *pair = list->child; pair; pair = pair->next) {
        const toad__json *unit = pair->child;
        unsigned long n = unit && unit->next ? strtoul(unit->next->raw.p, NULL, 10) : 0;
        for (unsigned long i = 0; i < n; i++) toad__buf_add_str(&all, unit->text);
    }
    toad_str copy = toad__arena_dup(&r->arena, toad__buf_str(&all));
    toad__buf_free(&all);
    return copy;
}

static toad_str *strings_of(run *r, const toad__json *list, size_t *n) {
    size_t count = 0, i = 0;
    for (const toad__json *item = list ? list->child : NULL; item; item = item->next) count++;
    toad_str *all = toad__arena_alloc(&r->arena, (count + 1) * sizeof *all);
    for (const toad__json *item = list ? list->child : NULL; item && all; item = item->next)
        all[i++] = item->text.p ? item->text : TOAD__S("");
    *n = all ? count : 0;
    return all;
}

/* ---- judging ---- */

static void note(toad__buf *b, toad_str s) {
    toad__buf_clear(b);
    toad__json_add_str(b, s);
}

static outcome judge(run *r, bool good, toad_str want, toad_str got) {
    note(&r->want, want);
    note(&r->got, got);
    return good ? PASSED : FAILED;
}

/* Compare a text the library made (NULL: nil) with the string or null at `key`. Frees it. */
static outcome same(run *r, const row *w, const char *key, toad_status status, toad_text *text) {
    toad_str want = text_of(w->expect, key), got = text ? toad_text_str(text) : (toad_str){ NULL, 0 };
    bool good = !status && (text ? want.p && toad__str_eq(want, got) : is_null(w->expect, key));
    outcome o = judge(r, good, want.p ? want : TOAD__S("(nil)"), text ? got : TOAD__S("(nil or error)"));
    toad_text_free(text);
    return o;
}

/* No live marker or token in a text that must hold none. Frees it. */
static outcome inert(run *r, toad_status status, toad_text *text) {
    size_t at = 0;
    toad_str got = text ? toad_text_str(text) : TOAD__S("(error)");
    bool good = !status && text && !toad_find_marker(got, &at) && at == got.n;
    outcome o = judge(r, good, TOAD__S("nothing a model could read as a marker or a template token"), got);
    toad_text_free(text);
    return o;
}

/* The content of an envelope must be inert and the envelope must close once, at its end. Frees it. */
static outcome closed(run *r, toad_status status, toad_text *text, const char *close) {
    size_t at = 0;
    toad_unwrapped *u = NULL;
    toad_str got = text ? toad_text_str(text) : TOAD__S("(error)"), end = toad__str_z(close);
    bool good = !status && text && got.n >= end.n && toad__str_find(got, end, 0) == got.n - end.n &&
                !toad_unwrap(got, TOAD__S(""), &u) && !toad_find_marker(toad_unwrapped_content(u), &at) &&
                at == toad_unwrapped_content(u).n;
    outcome o = judge(r, good, TOAD__S("an envelope that its content cannot close or reopen"), got);
    toad_unwrapped_free(u);
    toad_text_free(text);
    return o;
}

/* ---- PtcRunner ---- */

static outcome ptc_wrap(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str content = text_of(w->input, "content"), source = text_of(w->input, "source");
    if (is_exact(w)) {
        toad_status status = toad_ptc_exact_wrap(content, source, false, &t);
        return same(r, w, "output", status, t);
    }
    toad_status status = toad_ptc_wrap(content, source, &t);
    return closed(r, status, t, "</untrusted_ptc_output>");
}
static outcome ptc_wrap_with_preamble(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_ptc_exact_wrap(text_of(w->input, "content"), text_of(w->input, "source"), true, &t);
    return same(r, w, "output", status, t);
}
static outcome ptc_preamble(run *r, const row *w) {
    toad_str want = text_of(w->expect, "output"), got = toad__str_z(toad_ptc_preamble());
    return judge(r, toad__str_eq(want, got), want, got);
}
static outcome ptc_tool_failure(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_ptc_tool_failure(text_of(w->input, "name"), text_of(w->input, "inspected"), &t);
    return same(r, w, "output", status, t);
}
static outcome ptc_execution_feedback(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_ptc_execution_feedback(text_of(w->input, "result"), text_of(w->input, "println"),
                                                     text_of(w->input, "memory"), &t);
    return same(r, w, "feedback", status, t);
}
static outcome ptc_render_output(run *r, const row *w) {
    toad_text *t = NULL;
    size_t n;
    toad_str *prints = strings_of(r, toad__json_get(w->input, "prints"), &n);
    toad_status status =
        toad_ptc_render_output(prints, n, number_of(w->input, "limit"), true_of(w->input, "has_println"), &t);
    return same(r, w, "output", status, t);
}
static outcome ptc_agent_feedback(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status =
        toad_ptc_agent_feedback(content_of(r, w->input, "observation"), number_of(w->input, "max_chars"), &t);
    return same(r, w, "output", status, t);
}
/* starts_with, contains [..], excludes [..] */
static outcome ptc_error_feedback(run *r, const row *w) {
    toad_text *t = NULL;
    size_t n;
    toad_status status =
        toad_ptc_error_feedback(content_of(r, w->input, "error"), number_of(w->input, "max_chars"), &t);
    toad_str got = t ? toad_text_str(t) : TOAD__S("(error)"), start = text_of(w->expect, "starts_with");
    bool good = !status && toad__str_starts(got, start);
    toad_str *parts = strings_of(r, toad__json_get(w->expect, "contains"), &n);
    for (size_t i = 0; i < n; i++) good = good && holds(got, parts[i]);
    parts = strings_of(r, toad__json_get(w->expect, "excludes"), &n);
    for (size_t i = 0; i < n; i++) good = good && !holds(got, parts[i]);
    outcome o = judge(r, good, start, got);
    toad_text_free(t);
    return o;
}

/* ---- OpenClaw and its port ---- */

static outcome openclaw_sanitize(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str content = content_of(r, w->input, "content");
    toad_status status = is_exact(w) ? toad_openclaw_sanitize(content, &t) : toad_neutralize(content, false, &t);
    return is_exact(w) ? same(r, w, "output", status, t) : inert(r, status, t);
}
static outcome openclaw_strip_tokens(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str content = content_of(r, w->input, "content");
    toad_status status = is_exact(w) ? toad_openclaw_strip_tokens(content, &t) : toad_neutralize(content, false, &t);
    return is_exact(w) ? same(r, w, "output", status, t) : inert(r, status, t);
}
static toad_openclaw_params params_of(const row *w) {
    toad_openclaw_params p = { .source = text_of(w->input, "source"),
                               .sender = text_of(w->input, "sender"),
                               .subject = text_of(w->input, "subject"),
                               .task = text_of(w->input, "taskName"),
                               .job_id = text_of(w->input, "jobId"),
                               .timestamp = text_of(w->input, "timestamp"),
                               .id = text_of(w->input, "marker_id"),
                               .notice = TOAD_NOTICE_LONG };
    const toad__json *warning = toad__json_get(w->input, "includeWarning");
    if (!p.task.n) p.task = text_of(w->input, "jobName");
    if (toad__str_eq(text_of(w->input, "notice"), TOAD__S("short"))) p.notice = TOAD_NOTICE_SHORT;
    if (warning && warning->type == TOAD__JSON_FALSE) p.notice = TOAD_NOTICE_NONE;
    return p;
}
static outcome openclaw_wrap(run *r, const row *w) {
    toad_text *t = NULL;
    toad_openclaw_params p = params_of(w);
    toad_status status = toad_openclaw_wrap(content_of(r, w->input, "content"), &p, &t);
    return same(r, w, "output", status, t);
}
static outcome openclaw_web(run *r, const row *w) {
    toad_text *t = NULL;
    toad_openclaw_params p = params_of(w);
    if (!p.source.p) p.source = TOAD__S("web_search");
    if (!toad__str_eq(p.source, TOAD__S("web_fetch"))) p.notice = TOAD_NOTICE_NONE;
    toad_status status = toad_openclaw_wrap(content_of(r, w->input, "content"), &p, &t);
    return same(r, w, "output", status, t);
}
static outcome openclaw_prompt(run *r, const row *w) {
    toad_text *t = NULL;
    toad_openclaw_params p = params_of(w);
    toad_status status = toad_openclaw_prompt(content_of(r, w->input, "content"), &p, &t);
    return same(r, w, "output", status, t);
}
static uint64_t utf16_units(toad_str s) {
    uint64_t n = 0;
    unsigned len;
    for (size_t i = 0; i < s.n; i += len) n += toad__utf8_decode(s, i, &len) - 0x10000u < 0x100000u ? 2 : 1;
    return n;
}
static outcome openclaw_truncate(run *r, const row *w) {
    toad_text *t = NULL;
    bool truncated = false;
    uint64_t retained = 0;
    toad_status status = toad_openclaw_truncate(content_of(r, w->input, "value"), number_of(w->input, "maxChars"), &t,
                                                &truncated, &retained);
    toad_str got = t ? toad_text_str(t) : TOAD__S("(error)"), want = text_of(w->expect, "text");
    bool good = !status && truncated == true_of(w->expect, "truncated");
    if (toad__json_get(w->expect, "retainedRawChars"))
        good = good && retained == number_of(w->expect, "retainedRawChars");
    if (toad__json_get(w->expect, "text_length"))
        good = good && utf16_units(got) == number_of(w->expect, "text_length");
    if (want.p) good = good && toad__str_eq(want, got);
    outcome o = judge(r, good, want, got);
    toad_text_free(t);
    return o;
}
static outcome openclaw_fold_char(run *r, const row *w) {
    char utf8[4];
    unsigned len;
    toad_str in = text_of(w->input, "char"), want = text_of(w->expect, "fold");
    uint32_t c = toad_openclaw_fold_char(toad__utf8_decode(in, 0, &len));
    toad_str got = toad__str(utf8, c ? toad__utf8_encode(c, utf8) : 0);
    return judge(r, toad__str_eq(want, got), want, got);
}
static outcome openclaw_suspicious(run *r, const row *w) {
    toad_text *t = NULL;
    size_t n;
    toad_str *sources = strings_of(r, toad__json_get(w->expect, "pattern_sources"), &n);
    toad__buf want;
    toad__buf_init(&want, 1u << 20);
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_c(&want, '\n');
        toad__buf_add_str(&want, sources[i]);
    }
    toad_status status = toad_openclaw_suspicious(content_of(r, w->input, "content"), &t);
    toad_str got = t ? toad_text_str(t) : TOAD__S("(error)");
    outcome o = judge(r, !status && toad__str_eq(toad__buf_str(&want), got), toad__buf_str(&want), got);
    toad__buf_free(&want);
    toad_text_free(t);
    return o;
}
static outcome openclaw_hook_type(run *r, const row *w) {
    toad_str want = text_of(w->expect, "value"),
             got = toad__str_z(toad_openclaw_hook_type(text_of(w->input, "sessionKey")));
    return judge(r, toad__str_eq(want, got), want, got);
}
/* resolveHookExternalContentSource: gmail, webhook or nothing */
static outcome openclaw_hook_source(run *r, const row *w) {
    toad_str type = toad__str_z(toad_openclaw_hook_type(text_of(w->input, "sessionKey"))),
             want = text_of(w->expect, "value");
    toad_str got = toad__str_eq(type, TOAD__S("email"))     ? TOAD__S("gmail")
                   : toad__str_eq(type, TOAD__S("webhook")) ? type
                                                            : TOAD__S("");
    return judge(r, toad__str_eq(want, got), want, got);
}
static outcome openclaw_is_hook(run *r, const row *w) {
    bool got = !toad__str_eq(toad__str_z(toad_openclaw_hook_type(text_of(w->input, "sessionKey"))), TOAD__S("unknown"));
    return judge(r, got == true_of(w->expect, "value"), TOAD__S("the value"), got ? TOAD__S("true") : TOAD__S("false"));
}
static outcome openclaw_strip(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_openclaw_strip_for_display(text_of(w->input, "text"), &t);
    return same(r, w, "output", status, t);
}
static outcome ddg_sanitize(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_ddg_sanitize_markers(content_of(r, w->input, "content"), &t);
    return same(r, w, "output", status, t);
}
static outcome ddg_wrap(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status = toad_ddg_wrap(content_of(r, w->input, "content"), &t);
    return same(r, w, "output", status, t);
}
static outcome ddg_format(run *r, const row *w) {
    toad_text *t = NULL;
    const toad__json *list = toad__json_get(w->input, "results");
    size_t n = 0;
    for (const toad__json *item = list ? list->child : NULL; item; item = item->next) n++;
    toad_search_result *results = toad__arena_alloc(&r->arena, (n + 1) * sizeof *results);
    n = 0;
    for (const toad__json *item = list ? list->child : NULL; item && results; item = item->next)
        results[n++] = (toad_search_result){ text_of(item, "title"), text_of(item, "url"), text_of(item, "snippet") };
    bool json = holds(w->function, TOAD__S("Json"));
    toad_str query = text_of(w->input, "query");
    toad_status status =
        json ? toad_ddg_format_json(query, results, n, &t) : toad_ddg_format_text(query, results, n, &t);
    return same(r, w, "output", status, t);
}

/* ---- outheis ---- */

static outcome outheis_sanitize(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str in = text_of(w->input, "text");
    if (is_exact(w)) {
        toad_status status = toad_outheis_sanitize(in, &t);
        return same(r, w, "output", status, t);
    }
    toad__buf out;
    toad__census census = { 0 };
    bool reported = false;
    toad__buf_init(&out, 1u << 20);
    toad_status status = toad__sanitize(in, &out, NULL, &census);
    for (unsigned i = 0; i < TOAD__CENSUS_CLASSES; i++) reported = reported || census.reported[i];
    const toad_verdict *v = NULL;
    if (r->scanner && !toad_scan(r->scanner, in, NULL, &v)) reported = reported || toad_verdict_count(v) > 0;
    bool good = !status && (reported || !toad__str_eq(in, toad__buf_str(&out)));
    outcome o = judge(r, good, TOAD__S("stripped or reported"), toad__buf_str(&out));
    toad__buf_free(&out);
    return o;
}
static outcome outheis_to_line(run *r, const row *w) {
    toad_text *t = NULL;
    toad_status status =
        toad_outheis_line(text_of(w->input, "content"), text_of(w->input, "source"), text_of(w->input, "date"), &t);
    if (!is_exact(w)) toad_text_free(t), t = NULL;
    if (is_exact(w)) return same(r, w, "line", status, t);
    toad_provenance p = TOAD_EXTERNAL;
    toad_memory_entry *e = NULL;
    toad_provenance_parse(text_of(w->input, "source"), &p);
    status = toad_memory_line(text_of(w->input, "content"), p, text_of(w->input, "date"), &t);
    toad_str got = t ? toad_text_str(t) : TOAD__S("(error)");
    bool good = !status && toad__str_find(got, TOAD__S("\n"), 0) == got.n && !toad_memory_parse_line(got, &e) &&
                toad_memory_entry_provenance(e) == p;
    outcome o = judge(r, good, TOAD__S("one line that keeps its source"), got);
    toad_memory_entry_free(e);
    toad_text_free(t);
    return o;
}
static outcome outheis_seed_line(run *r, const row *w) {
    toad_text *t = NULL;
    toad_provenance p = TOAD_EXTERNAL;
    toad_provenance_parse(text_of(w->input, "source"), &p);
    toad_status status = toad_memory_line(text_of(w->input, "content"), p, text_of(w->input, "date"), &t);
    return same(r, w, "line_trimmed", status, t);
}
static outcome outheis_parse_line(run *r, const row *w) {
    toad_memory_entry *e = NULL;
    const toad__json *want = toad__json_get(w->expect, "entry");
    toad_status status = toad_memory_parse_line(text_of(w->input, "line"), &e);
    bool good;
    if (!is_exact(w))
        good = !status && toad_memory_entry_provenance(e) == TOAD_EXTERNAL;
    else if (!want || want->type != TOAD__JSON_OBJECT)
        good = status == TOAD_E_NOT_FOUND;
    else
        good = !status && toad__str_eq(text_of(want, "content"), toad_memory_entry_text(e)) &&
               toad__str_eq(text_of(want, "source"), toad_memory_entry_source(e)) &&
               toad__str_eq(text_of(want, "date"), toad_memory_entry_date(e));
    outcome o = judge(r, good, want ? want->raw : TOAD__S("source stays external"),
                      e ? toad_memory_entry_text(e) : TOAD__S("(no entry)"));
    toad_memory_entry_free(e);
    return o;
}
static outcome outheis_wrap(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str in = text_of(w->input, "text");
    toad_status status = is_exact(w) ? toad_outheis_wrap(in, &t) : toad_wrap_external_content(in, &t);
    return is_exact(w) ? same(r, w, "output", status, t) : closed(r, status, t, "</external_content>");
}
static outcome outheis_entry_line(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str content = text_of(w->input, "content"), source = text_of(w->input, "source");
    toad_provenance by = TOAD_EXTERNAL;
    toad_provenance_parse(source, &by);
    toad_status status =
        is_exact(w) ? toad_outheis_prompt_line(content, source, &t) : toad_memory_prompt_line(content, by, &t);
    if (is_exact(w)) return same(r, w, "line", status, t);
    return closed(r, status, t, toad__str_eq(source, TOAD__S("external")) ? "</external_content>" : "");
}
static outcome outheis_prompt(run *r, const row *w) {
    toad_text *t = NULL;
    const toad__json *list = toad__json_get(w->input, "entries");
    size_t n = 0;
    for (const toad__json *item = list ? list->child : NULL; item; item = item->next) n++;
    toad_memory_view *entries = toad__arena_alloc(&r->arena, (n + 1) * sizeof *entries);
    n = 0;
    for (const toad__json *item = list ? list->child : NULL; item && entries; item = item->next)
        entries[n++] = (toad_memory_view){ text_of(item, "content"), text_of(item, "source"), text_of(item, "type") };
    toad_status status = toad_outheis_prompt(entries, n, is_exact(w), &t);
    return same(r, w, "output", status, t);
}
static outcome outheis_explicit(run *r, const row *w) {
    toad_str content, remaining, want = text_of(w->expect, "content");
    const char *type;
    toad_outheis_explicit(text_of(w->input, "text"), &content, &type, &remaining);
    bool good = (want.p != NULL) == (content.p != NULL) && toad__str_eq(want, content) &&
                toad__str_eq(text_of(w->expect, "type"), toad__str_z(type)) &&
                toad__str_eq(text_of(w->expect, "remaining"), remaining);
    return judge(r, good, want, content);
}
static outcome outheis_agenda(run *r, const row *w) {
    toad_text *t = NULL;
    size_t n;
    toad_str *headlines = strings_of(r, toad__json_get(w->input, "headlines"), &n);
    toad_status status = toad_outheis_agenda(text_of(w->input, "source_name"), true_of(w->input, "success"), headlines,
                                             n, text_of(w->input, "error"), &t);
    return same(r, w, "output", status, t);
}

/* ---- docker agent ---- */

/* Two JSON texts that mean the same, blanks aside. */
static bool same_json(toad_str a, toad_str b) {
    size_t i = 0, k = 0;
    bool quoted = false;
    for (;; i++, k++) {
        while (!quoted && i < a.n && toad__is_space((unsigned char)a.p[i])) i++;
        while (!quoted && k < b.n && toad__is_space((unsigned char)b.p[k])) k++;
        if (i >= a.n || k >= b.n) return i >= a.n && k >= b.n;
        if (a.p[i] != b.p[k]) return false;
        if (a.p[i] == '"' && (!i || a.p[i - 1] != '\\')) quoted = !quoted;
    }
}
static outcome docker_refusal(run *r, const row *w) {
    toad_text *t = NULL;
    toad_str id = text_of(w->input, "id");
    if (!id.p) id = text_of(w->input, "pattern_id");
    if (!id.p) id = TOAD__S("ignore_previous_instructions");
    toad_status status = toad_memory_refusal(id, &t);
    const toad__json *member = toad__json_get(w->expect, "json");
    if (!member) member = toad__json_get(w->expect, "output");
    toad_str want = member && member->type == TOAD__JSON_STRING ? member->text : member ? member->raw : w->expect->raw;
    toad_str got = t ? toad_text_str(t) : TOAD__S("(error)");
    outcome o = judge(r, !status && same_json(want, got), want, got);
    toad_text_free(t);
    return o;
}
static outcome docker_placeholder(run *r, const row *w) {
    toad_text *t = NULL;
    size_t n;
    toad_str *ids = strings_of(r, toad__json_get(w->input, "ids"), &n);
    toad_status status = toad_memory_placeholder(ids, n, text_of(w->input, "entry_id"), &t);
    return same(r, w, "text", status, t);
}
static outcome docker_xml(run *r, const row *w) {
    toad_text *t = NULL;
    const toad__json *list = toad__json_get(w->input, "memories");
    size_t n = 0;
    for (const toad__json *item = list ? list->child : NULL; item; item = item->next) n++;
    toad_memory_view *entries = toad__arena_alloc(&r->arena, (n + 1) * sizeof *entries);
    n = 0;
    for (const toad__json *item = list ? list->child : NULL; item && entries; item = item->next)
        entries[n++] = (toad_memory_view){ text_of(item, "memory"), TOAD__S(""), text_of(item, "category") };
    toad_status status = toad_docker_memories(entries, n, &t);
    return same(r, w, "output", status, t);
}

/* ---- hermes ---- */

static outcome hermes_is_untrusted(run *r, const row *w) {
    bool got = toad_hermes_is_untrusted_tool(text_of(w->input, "name"));
    return judge(r, got == true_of(w->expect, "value"), TOAD__S("the value"), got ? TOAD__S("true") : TOAD__S("false"));
}

/* A list of parts: each text part must come out as upstream's; the others are not the wrapper's matter. */
static outcome hermes_parts(run *r, const row *w, const toad__json *parts) {
    const toad__json *want = toad__json_get(w->expect, "output");
    want = want ? want->child : NULL;
    for (const toad__json *part = parts->child; part; part = part->next, want = want ? want->next : NULL) {
        toad_text *t = NULL;
        if (!toad__str_eq(text_of(part, "type"), TOAD__S("text"))) continue;
        toad_status status = toad_hermes_maybe_wrap(text_of(w->input, "name"), text_of(part, "text"), &t);
        toad_str got = t ? toad_text_str(t) : TOAD__S("(error)"), expected = text_of(want, "text");
        bool good = !status && toad__str_eq(expected, got);
        judge(r, good, expected, got);
        toad_text_free(t);
        if (!good) return FAILED;
    }
    return PASSED;
}

static outcome hermes_wrap(run *r, const row *w) {
    toad_text *t = NULL;
    const toad__json *content = toad__json_get(w->input, "content");
    if (content && content->type == TOAD__JSON_ARRAY) return hermes_parts(r, w, content);
    if (is_exact(w)) {
        toad_status status = toad_hermes_maybe_wrap(text_of(w->input, "name"), content_of(r, w->input, "content"), &t);
        return same(r, w, "output", status, t);
    }
    toad_wrap_options o = TOAD_WRAP_OPTIONS_INIT;
    o.envelope = TOAD_ENVELOPE_UNTRUSTED_TOOL_RESULT;
    o.source = text_of(w->input, "name");
    toad_status status = toad_wrap(content_of(r, w->input, "content"), &o, &t);
    return closed(r, status, t, "</untrusted_tool_result>");
}

/* ---- scanners ---- */

static bool list_is_empty(const toad__json *list) { return !list || !list->child; }

/* What upstream says of the text: did it report, and is that right? */
static bool upstream_reports(const row *w) {
    const toad__json *e = w->expect;
    const toad__json *flagged = toad__json_get(e, "flagged"), *safe = toad__json_get(e, "safe");
    if (flagged) return flagged->type == TOAD__JSON_TRUE;
    if (safe) return safe->type == TOAD__JSON_FALSE;
    if (toad__json_get(e, "findings")) return !list_is_empty(toad__json_get(e, "findings"));
    if (toad__json_get(e, "matches")) return !list_is_empty(toad__json_get(e, "matches"));
    if (toad__json_get(e, "error")) return text_of(e, "error").n > 0;
    if (toad__json_get(e, "message")) return text_of(e, "message").n > 0;
    if (toad__json_get(e, "output")) return toad__str_starts(text_of(e, "output"), TOAD__S("[BLOCKED:"));
    toad_str action = text_of(e, "action");
    return toad__str_eq(action, TOAD__S("block")) || toad__str_eq(action, TOAD__S("warn"));
}

/* Upstream is silent because the detector is off, or because the pattern that knows the text belongs to a wider scope:
 * no verdict on the text. */
static bool says_nothing(const row *w) {
    const toad__json *enabled = toad__json_get(w->input, "enabled");
    toad_str scope = text_of(w->input, "scope");
    if (enabled && enabled->type == TOAD__JSON_FALSE) return true;
    return is_exact(w) && !upstream_reports(w) && scope.n && !toad__str_eq(scope, TOAD__S("strict"));
}

static outcome scan(run *r, const row *w) {
    static const char *const keys[] = { "content", "text", "prompt", "entry" };
    if (!r->scanner || says_nothing(w)) return NOT_APPLICABLE;
    toad_str text = { NULL, 0 };
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !text.p; i++) text = content_of(r, w->input, keys[i]);
    toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
    if (toad__str_eq(text_of(w->input, "scope"), TOAD__S("strict"))) o.scope = TOAD_STRICT;
    const toad_verdict *v;
    if (!text.p || toad_scan(r->scanner, text, &o, &v)) return judge(r, false, TOAD__S("a scan"), TOAD__S("(error)"));
    toad_str want = text_of(w->expect, "want");
    bool block = toad_verdict_action(v) == TOAD_BLOCK, any = toad_verdict_count(v) > 0, good;
    const char *must;
    if (status_is(w, "complaint"))
        good = !block, must = "not blocked (a complaint)";
    else if (status_is(w, "gap"))
        good = toad__str_eq(want, TOAD__S("blocked")) ? block : any, must = "reported (a gap)";
    else if (upstream_reports(w))
        good = any, must = "reported";
    else
        good = !block, must = "not blocked";
    const toad_finding *first = toad_verdict_finding(v, 0);
    judge(r, good, toad__str_z(must), first ? toad__str_z(first->rule) : TOAD__S("nothing"));
    if (!good) {
        toad__buf_add_z(&r->got, " in ");
        toad__json_add_str(&r->got, toad__str_part(text, 0, 160));
    }
    return good ? PASSED : FAILED;
}

/* Entries for a snapshot: which ones upstream blocks must be reported, the others must not be blocked. */
static outcome scan_entries(run *r, const row *w) {
    size_t n, m;
    if (!r->scanner) return NOT_APPLICABLE;
    toad_str *entries = strings_of(r, toad__json_get(w->input, "entries"), &n);
    toad_str *shown = strings_of(r, toad__json_get(w->expect, "entries"), &m);
    for (size_t i = 0; i < n; i++) {
        toad_scan_options o = TOAD_SCAN_OPTIONS_INIT;
        const toad_verdict *v;
        o.scope = TOAD_STRICT;
        if (toad_scan(r->scanner, entries[i], &o, &v)) return judge(r, false, TOAD__S("a scan"), TOAD__S("(error)"));
        bool blocked = i < m ? !toad__str_eq(entries[i], shown[i]) : true;
        bool forged = toad__str_starts(entries[i], TOAD__S("[BLOCKED:"));
        bool good = blocked ? toad_verdict_count(v) > 0 : forged || toad_verdict_action(v) != TOAD_BLOCK;
        if (!good) return judge(r, false, blocked ? TOAD__S("reported") : TOAD__S("not blocked"), entries[i]);
    }
    return PASSED;
}

/* ---- the table ---- */

static const struct handler {
    const char *system, *function;
    outcome (*check)(run *r, const row *w);
} handlers[] = {
    { "ptc_runner", "wrap", ptc_wrap },
    { "ptc_runner", "wrap_with_preamble", ptc_wrap_with_preamble },
    { "ptc_runner", "preamble", ptc_preamble },
    { "ptc_runner", "tool_failure", ptc_tool_failure },
    { "ptc_runner", "execution_feedback", ptc_execution_feedback },
    { "ptc_runner", "render_output", ptc_render_output },
    { "ptc_runner", "agent_feedback_success", ptc_agent_feedback },
    { "ptc_runner", "build_error_feedback", ptc_error_feedback },
    { "openclaw", "sanitizeExternalContentText", openclaw_sanitize },
    { "openclaw", "sanitizeModelSpecialTokens", openclaw_strip_tokens },
    { "openclaw", "wrapExternalContent", openclaw_wrap },
    { "openclaw", "wrapWebContent", openclaw_web },
    { "openclaw", "buildSafeExternalPrompt", openclaw_prompt },
    { "openclaw", "truncateSanitizedExternalContent", openclaw_truncate },
    { "openclaw", "foldMarkerChar", openclaw_fold_char },
    { "openclaw", "detectSuspiciousPatterns", openclaw_suspicious },
    { "openclaw", "getHookType", openclaw_hook_type },
    { "openclaw", "resolveHookExternalContentSource", openclaw_hook_source },
    { "openclaw", "isExternalHookSession", openclaw_is_hook },
    { "openclaw", "stripExternalContentForDisplay", openclaw_strip },
    { "openclaw", "ddg_search.sanitizeMarkers", ddg_sanitize },
    { "openclaw", "ddg_search.wrapExternalContent", ddg_wrap },
    { "openclaw", "ddg_search.formatText", ddg_format },
    { "openclaw", "ddg_search.formatJson", ddg_format },
    { "outheis", "_sanitize", outheis_sanitize },
    { "outheis", "to_line", outheis_to_line },
    { "outheis", "to_line.seed", outheis_seed_line },
    { "outheis", "_parse_line", outheis_parse_line },
    { "outheis", "wrap_external_content", outheis_wrap },
    { "outheis", "_format_entry_line", outheis_entry_line },
    { "outheis", "to_prompt_context", outheis_prompt },
    { "outheis", "parse_explicit_memory", outheis_explicit },
    { "outheis", "format_for_agenda", outheis_agenda },
    { "docker_agent", "write_blocked_error", docker_refusal },
    { "docker_agent", "snapshot_placeholder", docker_placeholder },
    { "docker_agent", "format_memories_xml", docker_xml },
    { "docker_agent", "scan_class", scan },
    { "hermes", "is_untrusted_tool", hermes_is_untrusted },
    { "hermes", "maybe_wrap_untrusted", hermes_wrap },
    { "hermes", "scan_for_threats", scan },
    { "hermes", "scan_for_threats.secret_formats", scan },
    { "hermes", "first_threat_message", scan },
    { "hermes", "scan_context_content", scan },
    { "hermes", "scan_cron_prompt", scan },
    { "hermes", "sanitize_entries_for_snapshot", scan_entries },
    { "nanofolks", "injection_detector.scan", scan },
    { "nanofolks", "is_content_safe", scan },
    { "nanofolks", "seed_scan_level", scan },
};

static outcome dispatch(run *r, const row *w) {
    for (size_t i = 0; i < sizeof handlers / sizeof *handlers; i++)
        if (toad__str_eq(w->system, toad__str_z(handlers[i].system)) &&
            toad__str_eq(w->function, toad__str_z(handlers[i].function)))
            return handlers[i].check(r, w);
    return NOT_APPLICABLE;
}

static tally *tally_of(run *r, const row *w) {
    char name[sizeof r->tallies->name];
    snprintf(name, sizeof name, "%-12.*s %-36.*s %.*s", (int)w->system.n, w->system.p, (int)w->function.n,
             w->function.p, (int)w->status.n, w->status.p);
    for (size_t i = 0; i < r->tallies_n; i++)
        if (!strcmp(r->tallies[i].name, name)) return &r->tallies[i];
    if (r->tallies_n == sizeof r->tallies / sizeof *r->tallies) return &r->tallies[r->tallies_n - 1];
    memcpy(r->tallies[r->tallies_n].name, name, sizeof name);
    return &r->tallies[r->tallies_n++];
}

static bool run_line(run *r, toad_str line, size_t number) {
    const toad__json *root;
    size_t at;
    const char *why = "";
    toad__arena_free(&r->arena);
    toad__arena_init(&r->arena, 256u << 20);
    if (toad__json_parse(line, &r->arena, &root, &at, &why)) {
        fprintf(stderr, "line %zu: no JSON at byte %zu: %s\n", number, at, why);
        return false;
    }
    row w = { toad__json_get(root, "input"), toad__json_get(root, "expect"), text_of(root, "system"),
              text_of(root, "function"), text_of(root, "status") };
    toad__buf_clear(&r->want);
    toad__buf_clear(&r->got);
    outcome o = dispatch(r, &w);
    tally_of(r, &w)->count[o]++;
    r->total[o]++;
    bool exact = toad__str_eq(w.system, TOAD__S("ptc_runner")) || toad__str_eq(w.system, TOAD__S("outheis")) ||
                 toad__str_eq(w.system, TOAD__S("openclaw"));
    r->exact_missed += o == FAILED && exact;
    r->complaints_blocked += o == FAILED && toad__str_eq(w.status, TOAD__S("complaint"));
    if (o == FAILED && !r->quiet)
        printf("MISS line %zu %.*s %.*s (%.*s)\n  want %.*s\n  got  %.*s\n", number, (int)w.system.n, w.system.p,
               (int)w.function.n, w.function.p, (int)w.status.n, w.status.p, (int)r->want.n, r->want.p ? r->want.p : "",
               (int)r->got.n, r->got.p ? r->got.p : "");
    return true;
}

static bool run_file(run *r, const char *path) {
    FILE *f = fopen(path, "rb");
    char *line = NULL;
    size_t cap = 0, number = 0;
    ssize_t n;
    bool good = f != NULL;
    if (!f) fprintf(stderr, "%s: cannot be read\n", path);
    while (f && (n = getline(&line, &cap, f)) > 0) {
        toad_str s = toad__str(line, (size_t)n);
        while (s.n && toad__is_space((unsigned char)s.p[s.n - 1])) s.n--;
        number++;
        if (s.n) good = run_line(r, s, number) && good;
    }
    free(line);
    if (f) fclose(f);
    return good;
}

int main(int argc, char **argv) {
    static run r;
    toad_engine *engine = NULL;
    if (argc < 2) {
        fprintf(stderr, "usage: upstream [--quiet] FILE...\n");
        return 2;
    }
    if (!toad_engine_new(NULL, &engine)) toad_scanner_new(engine, &r.scanner);
    toad__buf_init(&r.want, 64u << 20);
    toad__buf_init(&r.got, 64u << 20);
    bool good = true;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quiet"))
            r.quiet = true;
        else
            good = run_file(&r, argv[i]) && good;
    }
    printf("%-12s %-36s %-10s %6s %6s %9s\n", "system", "function", "status", "passed", "failed", "uncounted");
    for (size_t i = 0; i < r.tallies_n; i++)
        printf("%-60s %6u %6u %9u\n", r.tallies[i].name, r.tallies[i].count[PASSED], r.tallies[i].count[FAILED],
               r.tallies[i].count[NOT_APPLICABLE]);
    if (r.total[NOT_APPLICABLE])
        printf("not counted (not built yet, or no verdict upstream): %u rows\n", r.total[NOT_APPLICABLE]);
    toad__buf_free(&r.want);
    toad__buf_free(&r.got);
    toad__arena_free(&r.arena);
    toad_scanner_free(r.scanner);
    toad_engine_free(engine);
    printf("bar: envelopes, sanitizing, truncation of ptc_runner, outheis, openclaw: %u missed of at most %u; "
           "complaints blocked: %u of at most 0\n",
           r.exact_missed, EXACT_MISSES, r.complaints_blocked);
    printf("%u passed, %u failed\n", r.total[PASSED], r.total[FAILED]);
    return good && r.exact_missed <= EXACT_MISSES && !r.complaints_blocked ? 0 : 1;
}
