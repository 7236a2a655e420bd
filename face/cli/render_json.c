/* render_json.c - the library's verdict object, word for word; judged as a file of a repository, the same object with
 * severities as they count there and with what the report knows besides. */
#include "face/cli/render.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/verdict/verdict.h"

#include <assert.h>

#define CLOSED_LISTED 100u

static void add_text(toad__buf *b, const char *key, const char *value) {
    toad__json_add_key(b, key);
    toad__json_add_utf8(b, toad__str_z(value));
}

static void add_number(toad__buf *b, const char *key, uint64_t value) {
    toad__json_add_key(b, key);
    toad__buf_add_u64(b, value);
}

static bool finding(const void *ctx, size_t i, toad_severity *ret) {
    const toad__report *report = ctx;
    assert(i < report->n);
    *ret = report->rows[i].severity;
    return !report->rows[i].known;
}

static void add_part(toad__buf *b, const toad__reported *row) {
    add_text(b, "part", row->part);
    add_text(b, "artifact", toad__artifact_name(row->artifact));
    add_number(b, "line", row->from.line);
    add_number(b, "column", row->from.column);
}

static void add_closed(toad__buf *b, const toad__report *report) {
    toad__buf_add_z(b, ",\"closed\":[");
    for (size_t i = 0; i < report->closed_n && i < CLOSED_LISTED; i++) {
        if (i) toad__buf_add_c(b, ',');
        toad__buf_add_c(b, '{');
        add_text(b, "part", report->closed[i].part);
        add_text(b, "why", report->closed[i].why);
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_c(b, ']');
    add_number(b, "closed_total", report->closed_n);
}

static void members(const void *ctx, size_t i, toad__buf *b) {
    const toad__reported *row = &((const toad__report *)ctx)->rows[i];
    const toad__suppression *s = row->suppression;
    if (*toad__standing_name(row->standing)) add_text(b, "in", toad__standing_name(row->standing));
    add_text(b, "fingerprint", row->fingerprint);
    if (row->part) add_part(b, row);
    if (!s) return;
    toad__json_add_key(b, "suppression");
    toad__buf_add_c(b, '{');
    add_text(b, "reason", s->reason);
    add_text(b, "by", s->by);
    add_text(b, "date", s->date);
    if (s->expires) add_text(b, "expires", s->expires);
    toad__buf_add_c(b, '}');
}

void render_json(toad__buf *b, const rendering *r) {
    const toad__report *report = r->report;
    toad__weighed weighed = { report->action, report->severity, report, finding, members };
    toad__buf_add_z(b, "{\"path\":");
    toad__json_add_utf8(b, toad__str_z(r->name));
    if (r->judged) {
        add_text(b, "artifact", toad__artifact_name(report->artifact));
        add_text(b, "source", toad__artifact_source(report->artifact));
    }
    toad__buf_add_c(b, ',');
    toad__verdict_members(report->verdict, r->judged ? &weighed : NULL, b);
    if (r->judged) {
        add_number(b, "known", report->known);
        add_number(b, "suppressed", report->suppressed);
        if (report->minified) toad__buf_add_z(b, ",\"minified\":true");
    }
    if (report->closed_n) add_closed(b, report);
    toad__buf_add_c(b, '}');
}
