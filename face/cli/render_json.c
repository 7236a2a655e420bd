/* render_json.c - the library's verdict object, word for word; judged as a file of a repository, the same object with
 * severities as they count there and with what the report knows besides.
 *
 * The judged object is made by walking the library's own: every member that is not ours to change is copied as it
 * stands. */
#include "face/cli/render.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

static void add_text(toad__buf *b, const char *key, const char *value) {
    toad__json_add_key(b, key);
    toad__json_add_utf8(b, toad__str_z(value));
}

static void add_number(toad__buf *b, const char *key, uint64_t value) {
    toad__json_add_key(b, key);
    toad__buf_add_u64(b, value);
}

static void add_raw(toad__buf *b, const toad__json *member) {
    toad__buf_add_c(b, ',');
    toad__json_add_str(b, member->key);
    toad__buf_add_c(b, ':');
    toad__buf_add_str(b, member->raw);
}

static void add_suppression(toad__buf *b, const toad__suppression *s) {
    toad__json_add_key(b, "suppression");
    toad__buf_add_c(b, '{');
    add_text(b, "reason", s->reason);
    add_text(b, "by", s->by);
    add_text(b, "date", s->date);
    if (s->expires) add_text(b, "expires", s->expires);
    toad__buf_add_c(b, '}');
}

static void add_finding(toad__buf *b, const toad__json *finding, const toad__reported *row) {
    toad__json_add_key(b, NULL);
    toad__buf_add_c(b, '{');
    add_text(b, "rule", row->finding->rule);
    for (const toad__json *m = finding->child; m; m = m->next) {
        if (toad__str_eq(m->key, TOAD__S("severity")))
            add_text(b, "severity", toad_severity_name(row->severity));
        else if (!toad__str_eq(m->key, TOAD__S("rule")))
            add_raw(b, m);
    }
    if (*toad__standing_name(row->standing)) add_text(b, "in", toad__standing_name(row->standing));
    add_text(b, "fingerprint", row->fingerprint);
    if (row->suppression) add_suppression(b, row->suppression);
    toad__buf_add_c(b, '}');
}

static void add_findings(toad__buf *b, const toad__json *list, const toad__report *report) {
    size_t i = 0;
    toad__json_add_key(b, "findings");
    toad__buf_add_c(b, '[');
    for (const toad__json *f = list->child; f && i < report->n; f = f->next, i++)
        if (!report->rows[i].known) add_finding(b, f, &report->rows[i]);
    toad__buf_add_c(b, ']');
}

static void add_judged(toad__buf *b, const toad__json *verdict, const toad__report *report) {
    toad_severity s = report->severity;
    for (const toad__json *m = verdict->child; m; m = m->next) {
        if (toad__str_eq(m->key, TOAD__S("action")))
            add_text(b, "action", toad_action_name(report->action));
        else if (toad__str_eq(m->key, TOAD__S("severity")))
            add_text(b, "severity", toad_severity_name(s));
        else if (toad__str_eq(m->key, TOAD__S("confidence")))
            add_text(b, "confidence", toad_severity_name(s ? s : TOAD_LOW));
        else if (toad__str_eq(m->key, TOAD__S("findings")))
            add_findings(b, m, report);
        else
            add_raw(b, m);
    }
    add_number(b, "known", report->known);
    add_number(b, "suppressed", report->suppressed);
    toad__buf_add_c(b, '}');
}

static toad_status judge(toad__buf *b, toad_str json, const toad__report *report) {
    toad__arena arena;
    const toad__json *verdict;
    size_t at;
    const char *expected;
    toad__arena_init(&arena, (size_t)64 << 20);
    toad_status status = toad__json_parse(json, &arena, &verdict, &at, &expected);
    if (!status) add_judged(b, verdict, report);
    toad__arena_free(&arena);
    return status;
}

void render_json(toad__buf *b, const rendering *r) {
    toad_text *text;
    toad_status status = toad_verdict_json(r->report->verdict, &text);
    if (status) {
        b->status = status;
        return;
    }
    toad__buf_add_z(b, "{\"path\":");
    toad__json_add_utf8(b, toad__str_z(r->name));
    if (r->judged) {
        add_text(b, "artifact", toad__artifact_name(r->report->artifact));
        add_text(b, "source", toad__artifact_source(r->report->artifact));
        status = judge(b, toad_text_str(text), r->report);
    } else {
        toad__buf_add_c(b, ',');
        toad__buf_add_str(b, toad__str_part(toad_text_str(text), 1, SIZE_MAX));
    }
    toad_text_free(text);
    if (status) b->status = status;
}
