/* render_json.c - the library's verdict object, word for word; judged as a file of a repository, the same object with
 * severities as they count there and with what the report knows besides.
 *
 * The judged object is made by walking the library's own: every member that is not ours to change is copied as it
 * stands. */
#include "face/cli/render.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

static void add_text(bzr__buf *b, const char *key, const char *value) {
    bzr__json_add_key(b, key);
    bzr__json_add_utf8(b, bzr__str_z(value));
}

static void add_number(bzr__buf *b, const char *key, uint64_t value) {
    bzr__json_add_key(b, key);
    bzr__buf_add_u64(b, value);
}

static void add_raw(bzr__buf *b, const bzr__json *member) {
    bzr__buf_add_c(b, ',');
    bzr__json_add_str(b, member->key);
    bzr__buf_add_c(b, ':');
    bzr__buf_add_str(b, member->raw);
}

static void add_suppression(bzr__buf *b, const bzr__suppression *s) {
    bzr__json_add_key(b, "suppression");
    bzr__buf_add_c(b, '{');
    add_text(b, "reason", s->reason);
    add_text(b, "by", s->by);
    add_text(b, "date", s->date);
    if (s->expires) add_text(b, "expires", s->expires);
    bzr__buf_add_c(b, '}');
}

static void add_finding(bzr__buf *b, const bzr__json *finding, const bzr__reported *row) {
    bzr__json_add_key(b, NULL);
    bzr__buf_add_c(b, '{');
    add_text(b, "rule", row->finding->rule);
    for (const bzr__json *m = finding->child; m; m = m->next) {
        if (bzr__str_eq(m->key, BZR__S("severity")))
            add_text(b, "severity", bzr_severity_name(row->severity));
        else if (!bzr__str_eq(m->key, BZR__S("rule")))
            add_raw(b, m);
    }
    if (*bzr__standing_name(row->standing)) add_text(b, "in", bzr__standing_name(row->standing));
    add_text(b, "fingerprint", row->fingerprint);
    if (row->suppression) add_suppression(b, row->suppression);
    bzr__buf_add_c(b, '}');
}

static void add_findings(bzr__buf *b, const bzr__json *list, const bzr__report *report) {
    size_t i = 0;
    bzr__json_add_key(b, "findings");
    bzr__buf_add_c(b, '[');
    for (const bzr__json *f = list->child; f && i < report->n; f = f->next, i++)
        if (!report->rows[i].known) add_finding(b, f, &report->rows[i]);
    bzr__buf_add_c(b, ']');
}

static void add_judged(bzr__buf *b, const bzr__json *verdict, const bzr__report *report) {
    bzr_severity s = report->severity;
    for (const bzr__json *m = verdict->child; m; m = m->next) {
        if (bzr__str_eq(m->key, BZR__S("action")))
            add_text(b, "action", bzr_action_name(report->action));
        else if (bzr__str_eq(m->key, BZR__S("severity")))
            add_text(b, "severity", bzr_severity_name(s));
        else if (bzr__str_eq(m->key, BZR__S("confidence")))
            add_text(b, "confidence", bzr_severity_name(s ? s : BZR_LOW));
        else if (bzr__str_eq(m->key, BZR__S("findings")))
            add_findings(b, m, report);
        else
            add_raw(b, m);
    }
    add_number(b, "known", report->known);
    add_number(b, "suppressed", report->suppressed);
    bzr__buf_add_c(b, '}');
}

static bzr_status judge(bzr__buf *b, bzr_str json, const bzr__report *report) {
    bzr__arena arena;
    const bzr__json *verdict;
    size_t at;
    const char *expected;
    bzr__arena_init(&arena, (size_t)64 << 20);
    bzr_status status = bzr__json_parse(json, &arena, &verdict, &at, &expected);
    if (!status) add_judged(b, verdict, report);
    bzr__arena_free(&arena);
    return status;
}

void render_json(bzr__buf *b, const rendering *r) {
    bzr_text *text;
    bzr_status status = bzr_verdict_json(r->report->verdict, &text);
    if (status) {
        b->status = status;
        return;
    }
    bzr__buf_add_z(b, "{\"path\":");
    bzr__json_add_utf8(b, bzr__str_z(r->name));
    if (r->judged) {
        add_text(b, "artifact", bzr__artifact_name(r->report->artifact));
        add_text(b, "source", bzr__artifact_source(r->report->artifact));
        status = judge(b, bzr_text_str(text), r->report);
    } else {
        bzr__buf_add_c(b, ',');
        bzr__buf_add_str(b, bzr__str_part(bzr_text_str(text), 1, SIZE_MAX));
    }
    bzr_text_free(text);
    if (status) b->status = status;
}
