/* audit.c - see audit.h. Exports read pages of events by seq, so memory does not grow with the log. */
#include "app/records/audit.h"

#include "app/host/authority.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { PAGE = 2000, LINE_MAX_BYTES = 16 << 20 };

static toad_status read_time(toad__host *host, const char *name, const char *text, int64_t *ret) {
    if (!text || toad__time_read(text, toad__store_now(host->store), ret)) return TOAD_OK;
    return toad__host_fail(
        host, TOAD_E_ARG,
        "%s: that is no time: write 2026-01-31, 2026-01-31T12:00:00Z, or 30m, 12h, 7d for so long ago", name);
}

static toad_status filter_of(toad__host *host, const toad__audit_query_in *in, toad__event_filter *f) {
    *f = (toad__event_filter){
        .type = in->type, .action = in->action, .session_id = in->session_id, .limit = in->limit
    };
    toad_status status = read_time(host, "--since", in->since, &f->since);
    return status ? status : read_time(host, "--until", in->until, &f->until);
}

typedef struct listing {
    toad__answer *answer;
    bool model;
} listing;

static bool list_one(void *ctx, const toad__event *e) {
    listing *l = ctx;
    toad__audit_event(e, l->model, l->answer);
    return !l->answer->status;
}

toad_status toad__audit_query(toad__host *host, const toad__audit_query_in *in, toad__answer *answer) {
    toad__event_filter filter;
    listing l = { answer, host->by == TOAD__READER_MODEL };
    toad_status status = filter_of(host, in, &filter);
    if (status) return status;
    filter.newest_first = true;
    toad__answer_array(answer, "events");
    status = toad__host_store_failed(host, toad__store_events(host->store, &filter, list_one, &l));
    toad__answer_end(answer);
    return status;
}

/* ---- verify ---- */

static bool read_anchor(const char *text, toad__chain_head *ret) {
    char *end;
    long long seq = strtoll(text, &end, 10);
    if (!toad__is_digit((unsigned char)*text) || *end != ':' || strlen(end + 1) != 64) return false;
    for (const char *p = end + 1; *p; p++)
        if (!toad__is_digit((unsigned char)*p) && !(*p >= 'a' && *p <= 'f')) return false;
    ret->seq = seq;
    memcpy(ret->hash, end + 1, 65);
    return true;
}

void toad__audit_report_answer(const toad__audit_report *r, toad__answer *answer) {
    char text[128];
    toad__answer_bool(answer, "success", r->ok);
    if (!r->ok) {
        snprintf(text, sizeof text, "the audit log is broken at event %lld: %s", (long long)r->bad_seq, r->why);
        toad__answer_z(answer, "error", text);
        toad__answer_int(answer, "bad_seq", r->bad_seq);
        toad__answer_z(answer, "why", r->why);
    }
    toad__answer_int(answer, "checked", (int64_t)r->checked);
    snprintf(text, sizeof text, "%lld:%s", (long long)r->head.seq, r->head.hash);
    toad__answer_z(answer, "anchor", text);
}

toad_status toad__audit_verify(toad__host *host, const char *anchor, toad__answer *answer) {
    toad__chain_head head;
    toad__audit_report report;
    if (anchor && !read_anchor(anchor, &head))
        return toad__host_fail(host, TOAD_E_ARG,
                               "an anchor is SEQ:HASH as 'audit verify' printed it: a number, a colon, 64 hex digits");
    toad_status status =
        toad__host_store_failed(host, toad__store_audit_verify(host->store, anchor ? &head : NULL, &report));
    if (!status) toad__audit_report_answer(&report, answer);
    return status;
}

/* ---- export ---- */

typedef struct outlet {
    toad__audit_format format;
    toad__audit_sink sink;
    void *ctx;
    toad__buf line;
    int64_t last;
    uint64_t given;
    bool full;
} outlet;

static bool give_line(void *ctx, const toad__event *e) {
    outlet *o = ctx;
    toad__buf_clear(&o->line);
    toad__audit_line(e, o->format, &o->line);
    toad__buf_add_c(&o->line, '\n');
    if (o->line.status) return false;
    o->full = !o->sink(o->ctx, toad__buf_str(&o->line));
    if (!o->full) {
        o->last = e->seq;
        o->given++;
    }
    return !o->full;
}

static toad_status give_pages(toad__host *host, toad__event_filter *filter, uint64_t limit, outlet *o) {
    uint64_t before;
    do {
        before = o->given;
        filter->after_seq = o->last ? o->last : -1;
        filter->limit = limit && limit - o->given < PAGE ? limit - o->given : PAGE;
        toad_status status = toad__host_store_failed(host, toad__store_events(host->store, filter, give_line, o));
        if (status) return status;
        if (o->line.status)
            return toad__host_fail(host, o->line.status, "an event could not be written: %s",
                                   toad_status_message(o->line.status));
    } while (!o->full && o->given - before == filter->limit && (!limit || o->given < limit));
    return TOAD_OK;
}

toad_status toad__audit_export(toad__host *host, const toad__audit_query_in *in, toad__audit_format format,
                               toad__audit_sink sink, void *ctx, int64_t *after) {
    toad__event_filter filter;
    outlet o = { .format = format, .sink = sink, .ctx = ctx, .last = *after };
    if (host->by == TOAD__READER_MODEL)
        return toad__host_fail(host, TOAD_E_STATE, "only the user may export the audit log");
    toad_status status = filter_of(host, in, &filter);
    if (status) return status;
    toad__buf_init(&o.line, LINE_MAX_BYTES);
    status = give_pages(host, &filter, in->limit, &o);
    toad__buf_free(&o.line);
    *after = o.last;
    return status;
}
