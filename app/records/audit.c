/* audit.c - see audit.h. Exports read pages of events by seq, so memory does not grow with the log. */
#include "app/records/audit.h"

#include "app/host/authority.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 2000, LINE_MAX_BYTES = 16 << 20 };

static bzr_status read_time(bzr__host *host, const char *name, const char *text, int64_t *ret) {
    if (!text || bzr__time_read(text, bzr__store_now(host->store), ret)) return BZR_OK;
    return bzr__host_fail(
        host, BZR_E_ARG, "%s: that is no time: write 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d for so long ago",
        name);
}

static bzr_status filter_of(bzr__host *host, const bzr__audit_query_in *in, bzr__event_filter *f) {
    *f =
        (bzr__event_filter){ .type = in->type, .action = in->action, .session_id = in->session_id, .limit = in->limit };
    bzr_status status = read_time(host, "--since", in->since, &f->since);
    return status ? status : read_time(host, "--until", in->until, &f->until);
}

typedef struct listing {
    bzr__buf *answer;
    bool model;
} listing;

static bool list_one(void *ctx, const bzr__event *e) {
    listing *l = ctx;
    bzr__audit_event(e, l->model, l->answer);
    return !l->answer->status;
}

bzr_status bzr__audit_query(bzr__host *host, const bzr__audit_query_in *in, bzr__buf *answer) {
    bzr__event_filter filter;
    listing l = { answer, host->by == BZR__READER_MODEL };
    bzr_status status = filter_of(host, in, &filter);
    if (status) return status;
    filter.newest_first = true;
    bzr__buf_add_z(answer, "{\"events\":[");
    status = bzr__host_store_failed(host, bzr__store_events(host->store, &filter, list_one, &l));
    bzr__buf_add_z(answer, "]}");
    return status;
}

/* ---- verify ---- */

static bool read_anchor(const char *text, bzr__chain_head *ret) {
    char *end;
    long long seq = strtoll(text, &end, 10);
    if (!bzr__is_digit((unsigned char)*text) || *end != ':' || strlen(end + 1) != 64) return false;
    for (const char *p = end + 1; *p; p++)
        if (!bzr__is_digit((unsigned char)*p) && !(*p >= 'a' && *p <= 'f')) return false;
    ret->seq = seq;
    memcpy(ret->hash, end + 1, 65);
    return true;
}

static void answer_report(const bzr__audit_report *r, bzr__buf *answer) {
    char text[128];
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", r->ok);
    if (!r->ok) {
        snprintf(text, sizeof text, "the audit log is broken at event %lld: %s", (long long)r->bad_seq, r->why);
        bzr__answer_z(answer, "error", text);
        bzr__answer_int(answer, "bad_seq", r->bad_seq);
        bzr__answer_z(answer, "why", r->why);
    }
    bzr__answer_int(answer, "checked", (int64_t)r->checked);
    snprintf(text, sizeof text, "%lld:%s", (long long)r->head.seq, r->head.hash);
    bzr__answer_z(answer, "anchor", text);
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__audit_verify(bzr__host *host, const char *anchor, bzr__buf *answer) {
    bzr__chain_head head;
    bzr__audit_report report;
    if (anchor && !read_anchor(anchor, &head))
        return bzr__host_fail(host, BZR_E_ARG,
                              "an anchor is SEQ:HASH as 'audit verify' printed it: a number, a colon, 64 hex digits");
    bzr_status status =
        bzr__host_store_failed(host, bzr__store_audit_verify(host->store, anchor ? &head : NULL, &report));
    if (!status) answer_report(&report, answer);
    return status;
}

/* ---- export ---- */

typedef struct outlet {
    bzr__audit_format format;
    bzr__audit_sink sink;
    void *ctx;
    bzr__buf line;
    int64_t last;
    uint64_t given;
    bool full;
} outlet;

static bool give_line(void *ctx, const bzr__event *e) {
    outlet *o = ctx;
    bzr__buf_clear(&o->line);
    bzr__audit_line(e, o->format, &o->line);
    bzr__buf_add_c(&o->line, '\n');
    if (o->line.status) return false;
    o->full = !o->sink(o->ctx, bzr__buf_str(&o->line));
    if (!o->full) {
        o->last = e->seq;
        o->given++;
    }
    return !o->full;
}

static bzr_status give_pages(bzr__host *host, bzr__event_filter *filter, uint64_t limit, outlet *o) {
    uint64_t before;
    do {
        before = o->given;
        filter->after_seq = o->last ? o->last : -1;
        filter->limit = limit && limit - o->given < PAGE ? limit - o->given : PAGE;
        bzr_status status = bzr__host_store_failed(host, bzr__store_events(host->store, filter, give_line, o));
        if (status) return status;
        if (o->line.status)
            return bzr__host_fail(host, o->line.status, "an event could not be written: %s",
                                  bzr_status_message(o->line.status));
    } while (!o->full && o->given - before == filter->limit && (!limit || o->given < limit));
    return BZR_OK;
}

bzr_status bzr__audit_export(bzr__host *host, const bzr__audit_query_in *in, bzr__audit_format format,
                             bzr__audit_sink sink, void *ctx, int64_t *after) {
    bzr__event_filter filter;
    outlet o = { .format = format, .sink = sink, .ctx = ctx, .last = *after };
    if (host->by == BZR__READER_MODEL)
        return bzr__host_fail(host, BZR_E_STATE, "only the user may export the audit log");
    bzr_status status = filter_of(host, in, &filter);
    if (status) return status;
    bzr__buf_init(&o.line, LINE_MAX_BYTES);
    status = give_pages(host, &filter, in->limit, &o);
    bzr__buf_free(&o.line);
    *after = o.last;
    return status;
}
