/* events.c - the audit log: reading, counting, verifying, purging. Appending is in store.c, inside every transaction.
 *
 * hash(n) = SHA-256(hash(n-1) as 64 hex digits, then the event as bzr__event_json writes it). So a log can be checked
 * with nothing but `printf %s%s | sha256sum`. Event 1 follows 64 zeros, or after a purge the `base` kept for it. The
 * row `head` says where the chain ends, so that a cut tail shows; an anchor noted elsewhere shows a rewritten chain.
 * Verifying reads pages of rows and costs one digest an event. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "store/internal.h"

#include <stdio.h>

#define PAGE 2000

/* Does a JSON string hold it as it stands? Nearly always, and then it is copied in one piece. */
static bool is_plain(bzr_str s) {
    unsigned odd = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned c = (unsigned char)s.p[i];
        odd |= (unsigned)(c - 0x20 >= 0x5f) | (unsigned)(c == '"') | (unsigned)(c == '\\');
    }
    return !odd;
}

static void add_member(bzr__buf *out, bzr_str key, bzr_str value) {
    bzr__buf_add_str(out, key);
    if (!is_plain(value)) {
        bzr__json_add_str(out, value);
        return;
    }
    bzr__buf_add_c(out, '"');
    bzr__buf_add_str(out, value);
    bzr__buf_add_c(out, '"');
}

void bzr__event_json(const bzr__event *e, bzr__buf *out) {
    bzr__buf_add_z(out, "{\"seq\":");
    bzr__buf_add_u64(out, (uint64_t)e->seq);
    bzr__buf_add_z(out, ",\"at\":");
    bzr__buf_add_u64(out, (uint64_t)e->at);
    add_member(out, BZR__S(",\"event_type\":"), e->type);
    add_member(out, BZR__S(",\"direction\":"), e->direction);
    add_member(out, BZR__S(",\"channel\":"), e->channel);
    add_member(out, BZR__S(",\"content\":"), e->content);
    add_member(out, BZR__S(",\"url\":"), e->url);
    add_member(out, BZR__S(",\"pattern_matched\":"), e->pattern_matched);
    add_member(out, BZR__S(",\"confidence\":"), e->confidence);
    add_member(out, BZR__S(",\"action\":"), e->action);
    add_member(out, BZR__S(",\"content_id\":"), e->content_id);
    add_member(out, BZR__S(",\"session_id\":"), e->session_id);
    bzr__buf_add_z(out, ",\"details\":");
    bzr__buf_add_str(out, e->details.n ? e->details : BZR__S("{}"));
    bzr__buf_add_c(out, '}');
}

bzr_status bzr__store_events_append(bzr__store *store, const bzr__event *events, size_t n) {
    bzr__tx tx;
    bzr__tx_begin(store, &tx);
    for (size_t i = 0; i < n; i++) bzr__tx_event(&tx, &events[i]);
    return bzr__tx_end(&tx);
}

static bzr__event event_of(const bzr__value *row) {
    bzr__columns c = { row };
    bzr__event e;
    e.seq = bzr__next_int(&c);
    e.at = bzr__next_int(&c);
    bzr_str *const texts[] = { &e.type,       &e.direction,       &e.channel,    &e.content,
                               &e.url,        &e.pattern_matched, &e.confidence, &e.action,
                               &e.content_id, &e.session_id,      &e.details,    &e.hash };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = bzr__next_text(&c);
    return e;
}

typedef struct hand_out {
    bzr__event_fn fn;
    void *ctx;
} hand_out;

static bool give_event(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__event e = event_of(row);
    return to->fn(to->ctx, &e);
}

#define FILTER_ARGS(f)                                                                                         \
    bzr__int((f)->since), bzr__int((f)->until ? (f)->until : INT64_MAX), bzr__int((f)->after_seq),             \
        bzr__int((f)->before_seq ? (f)->before_seq : INT64_MAX), bzr__text((f)->type), bzr__text((f)->action), \
        bzr__text((f)->session_id), bzr__text((f)->content_id), bzr__text((f)->url)

bzr_status bzr__store_events(bzr__store *store, const bzr__event_filter *filter, bzr__event_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    bzr__sql sql = filter->newest_first ? filter->before_seq ? BZR__SQL_EVENTS_BEFORE : BZR__SQL_EVENTS_NEWEST
                   : filter->after_seq  ? BZR__SQL_EVENTS_AFTER
                                        : BZR__SQL_EVENTS;
    return bzr__store_read(store, sql, BZR__ARGS(FILTER_ARGS(filter), bzr__limit(filter->limit, 1000)), give_event,
                           &to);
}

static bool take_count(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    *(uint64_t *)ctx = (uint64_t)row[0].i;
    return false;
}

bzr_status bzr__store_events_count(bzr__store *store, const bzr__event_filter *filter, uint64_t *ret) {
    return bzr__store_read(store, BZR__SQL_EVENTS_COUNT, BZR__ARGS(FILTER_ARGS(filter)), take_count, ret);
}

static bool take_head(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    bzr__chain_head *head = ctx;
    bzr__columns c = { row };
    head->seq = bzr__next_int(&c);
    bzr__next_int(&c);
    bzr_str hash = bzr__next_text(&c);
    memset(head->hash, 0, sizeof head->hash);
    memcpy(head->hash, hash.p, hash.n < 64 ? hash.n : 64);
    return false;
}

static bzr_status chain_row(bzr__store *store, const char *name, bzr__chain_head *ret) {
    bzr__chain_head found = { .seq = -1 };
    bzr_status status = bzr__store_read(store, BZR__SQL_CHAIN, BZR__ARGS(bzr__text_z(name)), take_head, &found);
    if (!status) *ret = found;
    return status;
}

bzr_status bzr__store_audit_head(bzr__store *store, bzr__chain_head *ret) { return chain_row(store, "head", ret); }

/* ---- verify ---- */

typedef struct walk {
    bzr__audit_report report;
    bzr__chain_head at; /* the last event that held */
    const bzr__chain_head *anchor;
    bool anchored;
    bzr__buf json;
    bzr_status status;
    size_t page;
} walk;

static bool broken(walk *w, int64_t seq, const char *why) {
    w->report.ok = false;
    w->report.bad_seq = seq;
    w->report.why = why;
    return false;
}

/* What bzr__json_add_str shows as U+FFFD must not pass for the text that was hashed. */
static bool well_formed(const bzr__event *e) {
    const bzr_str texts[] = { e->type,       e->direction, e->channel,    e->content,    e->url,    e->pattern_matched,
                              e->confidence, e->action,    e->content_id, e->session_id, e->details };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].n && bzr__utf8_valid_upto(texts[i]) < texts[i].n) return false;
    return e->at >= 0;
}

static void note_anchor(walk *w) {
    if (w->anchor && w->at.seq == w->anchor->seq) w->anchored = !strcmp(w->at.hash, w->anchor->hash);
}

static bool check_event(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    walk *w = ctx;
    char hash[65];
    bzr__event e = event_of(row);
    w->page++;
    if (e.seq <= w->at.seq) return broken(w, e.seq, "not chained");
    if (e.seq != w->at.seq + 1) return broken(w, w->at.seq + 1, "missing");
    if (!well_formed(&e)) return broken(w, e.seq, "malformed");
    bzr__buf_clear(&w->json);
    bzr__event_json(&e, &w->json);
    w->status = w->json.status;
    if (!w->status) w->status = bzr__sha256((const bzr_str[]){ { w->at.hash, 64 }, bzr__buf_str(&w->json) }, 2, hash);
    if (w->status) return false;
    if (e.hash.n != 64 || memcmp(e.hash.p, hash, 64)) return broken(w, e.seq, "changed");
    w->at.seq = e.seq;
    memcpy(w->at.hash, hash, sizeof hash);
    w->report.checked++;
    note_anchor(w);
    return true;
}

/* From the very first row, so that one smuggled in below the base shows, too. */
static bzr_status walk_chain(bzr__store *store, walk *w) {
    int64_t after = INT64_MIN;
    do {
        w->page = 0;
        bzr_status status =
            bzr__store_read(store, BZR__SQL_EVENTS_WALK, BZR__ARGS(bzr__int(after), bzr__int(PAGE)), check_event, w);
        if (status || w->status) return status ? status : w->status;
        after = w->at.seq;
    } while (w->page == PAGE && w->report.ok);
    return BZR_OK;
}

/* Events that others append meanwhile are welcome: the head noted first must be on the way, and the end of the way must
 * be the head noted last or before it. */
static void compare_heads(walk *w, const bzr__chain_head *first) {
    if (w->at.seq < first->seq)
        broken(w, w->at.seq + 1, "truncated");
    else if (w->at.seq == first->seq && strcmp(w->at.hash, first->hash))
        broken(w, w->at.seq, "not chained");
    else if (w->anchor && !w->anchored)
        broken(w, w->anchor->seq, "anchor");
}

static bzr_status no_later_head(bzr__store *store, walk *w) {
    bzr__chain_head last;
    bzr_status status = bzr__store_audit_head(store, &last);
    if (!status && w->report.ok && w->at.seq > last.seq) broken(w, last.seq + 1, "not chained");
    return status;
}

bzr_status bzr__store_audit_verify(bzr__store *store, const bzr__chain_head *anchor, bzr__audit_report *ret) {
    walk w = { .report = { .ok = true }, .anchor = anchor };
    bzr__chain_head first;
    bzr_status status = bzr__store_audit_head(store, &first);
    if (!status) status = chain_row(store, "base", &w.at);
    if (status) return status;
    bzr__buf_init(&w.json, 8u << 20);
    if (first.seq < 0 || w.at.seq < 0) broken(&w, 0, "missing");
    note_anchor(&w);
    if (w.report.ok) status = walk_chain(store, &w);
    if (!status && w.report.ok) compare_heads(&w, &first);
    if (!status) status = no_later_head(store, &w);
    bzr__buf_free(&w.json);
    if (status) return status;
    w.report.head = w.at;
    *ret = w.report;
    return BZR_OK;
}

/* ---- purge ---- */

static bool take_cut(void *ctx, const bzr__value *row, size_t n) {
    take_head(ctx, row, n);
    return false;
}

bzr_status bzr__store_audit_purge(bzr__store *store, int64_t before, uint64_t *ret_removed) {
    bzr__tx tx;
    bzr__chain_head cut = { 0 };
    uint64_t removed = 0;
    char details[64];
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_EVENTS_CUT, BZR__ARGS(bzr__int(before)), take_cut, &cut, NULL);
    if (!tx.status && cut.seq) {
        bzr__tx_run(&tx, BZR__SQL_EVENTS_PURGE, BZR__ARGS(bzr__int(cut.seq)), NULL, NULL, &removed);
        bzr__tx_queue(&tx, BZR__SQL_CHAIN_SET,
                      BZR__ARGS(bzr__text_z("base"), bzr__int(cut.seq), bzr__int(0), bzr__text_z(cut.hash)));
        snprintf(details, sizeof details, "{\"removed\":%llu,\"upto\":%lld}", (unsigned long long)removed,
                 (long long)cut.seq);
        bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("audit_purge"),
                                          .direction = BZR__S("internal"),
                                          .channel = BZR__S("internal"),
                                          .content = BZR__S("purged"),
                                          .details = bzr__str_z(details) });
    }
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
