/* events.c - the audit log: reading, counting, verifying, purging. Appending is in store.c, inside every transaction.
 *
 * hash(n) = SHA-256(hash(n-1) as 64 hex digits, then the event as toad__event_json writes it). So a log can be checked
 * with nothing but `printf %s%s | sha256sum`. Event 1 follows 64 zeros, or after a purge the `base` kept for it. The
 * row `head` says where the chain ends, so that a cut tail shows; an anchor noted elsewhere shows a rewritten chain.
 * Verifying reads pages of rows and costs one digest an event. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "store/internal.h"
#include "sys/digest.h"

#include <stdio.h>

#define PAGE 2000

/* Does a JSON string hold it as it stands? Nearly always, and then it is copied in one piece. */
static bool is_plain(toad_str s) {
    unsigned odd = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned c = (unsigned char)s.p[i];
        odd |= (unsigned)(c - 0x20 >= 0x5f) | (unsigned)(c == '"') | (unsigned)(c == '\\');
    }
    return !odd;
}

static void add_member(toad__buf *out, toad_str key, toad_str value) {
    toad__buf_add_str(out, key);
    if (!is_plain(value)) {
        toad__json_add_str(out, value);
        return;
    }
    toad__buf_add_c(out, '"');
    toad__buf_add_str(out, value);
    toad__buf_add_c(out, '"');
}

void toad__event_json(const toad__event *e, toad__buf *out) {
    toad__buf_add_z(out, "{\"seq\":");
    toad__buf_add_u64(out, (uint64_t)e->seq);
    toad__buf_add_z(out, ",\"at\":");
    toad__buf_add_u64(out, (uint64_t)e->at);
    add_member(out, TOAD__S(",\"event_type\":"), e->type);
    add_member(out, TOAD__S(",\"direction\":"), e->direction);
    add_member(out, TOAD__S(",\"channel\":"), e->channel);
    add_member(out, TOAD__S(",\"content\":"), e->content);
    add_member(out, TOAD__S(",\"url\":"), e->url);
    add_member(out, TOAD__S(",\"pattern_matched\":"), e->pattern_matched);
    add_member(out, TOAD__S(",\"confidence\":"), e->confidence);
    add_member(out, TOAD__S(",\"action\":"), e->action);
    add_member(out, TOAD__S(",\"content_id\":"), e->content_id);
    add_member(out, TOAD__S(",\"session_id\":"), e->session_id);
    toad__buf_add_z(out, ",\"details\":");
    toad__buf_add_str(out, e->details.n ? e->details : TOAD__S("{}"));
    toad__buf_add_c(out, '}');
}

toad_status toad__store_events_append(toad__store *store, const toad__event *events, size_t n) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    for (size_t i = 0; i < n; i++) toad__tx_event(&tx, &events[i]);
    return toad__tx_end(&tx);
}

static toad__event event_of(const toad__value *row) {
    toad__columns c = { row };
    toad__event e;
    e.seq = toad__next_int(&c);
    e.at = toad__next_int(&c);
    toad_str *const texts[] = { &e.type,       &e.direction,       &e.channel,    &e.content,
                                &e.url,        &e.pattern_matched, &e.confidence, &e.action,
                                &e.content_id, &e.session_id,      &e.details,    &e.hash };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) *texts[i] = toad__next_text(&c);
    return e;
}

typedef struct hand_out {
    toad__event_fn fn;
    void *ctx;
} hand_out;

static bool give_event(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__event e = event_of(row);
    return to->fn(to->ctx, &e);
}

#define FILTER_ARGS(f)                                                                                            \
    toad__int((f)->since), toad__int((f)->until ? (f)->until : INT64_MAX), toad__int((f)->after_seq),             \
        toad__int((f)->before_seq ? (f)->before_seq : INT64_MAX), toad__text((f)->type), toad__text((f)->action), \
        toad__text((f)->session_id), toad__text((f)->content_id), toad__text((f)->url)

toad_status toad__store_events(toad__store *store, const toad__event_filter *filter, toad__event_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    toad__sql sql = filter->newest_first ? filter->before_seq ? TOAD__SQL_EVENTS_BEFORE : TOAD__SQL_EVENTS_NEWEST
                    : filter->after_seq  ? TOAD__SQL_EVENTS_AFTER
                                         : TOAD__SQL_EVENTS;
    return toad__store_read(store, sql, TOAD__ARGS(FILTER_ARGS(filter), toad__limit(filter->limit, 1000)), give_event,
                            &to);
}

static bool take_count(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    *(uint64_t *)ctx = (uint64_t)row[0].i;
    return false;
}

toad_status toad__store_events_count(toad__store *store, const toad__event_filter *filter, uint64_t *ret) {
    return toad__store_read(store, TOAD__SQL_EVENTS_COUNT, TOAD__ARGS(FILTER_ARGS(filter)), take_count, ret);
}

static bool take_head(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    toad__chain_head *head = ctx;
    toad__columns c = { row };
    head->seq = toad__next_int(&c);
    toad__next_int(&c);
    toad_str hash = toad__next_text(&c);
    memset(head->hash, 0, sizeof head->hash);
    if (hash.n) memcpy(head->hash, hash.p, hash.n < 64 ? hash.n : 64); /* empty: a file that was tampered with */
    return false;
}

static toad_status chain_row(toad__store *store, const char *name, toad__chain_head *ret) {
    toad__chain_head found = { .seq = -1 };
    toad_status status = toad__store_read(store, TOAD__SQL_CHAIN, TOAD__ARGS(toad__text_z(name)), take_head, &found);
    if (!status) *ret = found;
    return status;
}

toad_status toad__store_audit_head(toad__store *store, toad__chain_head *ret) { return chain_row(store, "head", ret); }

/* ---- verify ---- */

typedef struct walk {
    toad__audit_report report;
    toad__chain_head at; /* the last event that held */
    const toad__chain_head *anchor;
    bool anchored;
    toad__buf json;
    toad_status status;
    size_t page;
} walk;

static bool broken(walk *w, int64_t seq, const char *why) {
    w->report.ok = false;
    w->report.bad_seq = seq;
    w->report.why = why;
    return false;
}

/* What toad__json_add_str shows as U+FFFD must not pass for the text that was hashed. */
static bool well_formed(const toad__event *e) {
    const toad_str texts[] = { e->type,       e->direction, e->channel,    e->content,    e->url,    e->pattern_matched,
                               e->confidence, e->action,    e->content_id, e->session_id, e->details };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].n && toad__utf8_valid_upto(texts[i]) < texts[i].n) return false;
    return e->at >= 0;
}

static void note_anchor(walk *w) {
    if (w->anchor && w->at.seq == w->anchor->seq) w->anchored = !strcmp(w->at.hash, w->anchor->hash);
}

static bool check_event(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    walk *w = ctx;
    char hash[65];
    toad__event e = event_of(row);
    w->page++;
    if (e.seq <= w->at.seq) return broken(w, e.seq, "not chained");
    if (e.seq != w->at.seq + 1) return broken(w, w->at.seq + 1, "missing");
    if (!well_formed(&e)) return broken(w, e.seq, "malformed");
    toad__buf_clear(&w->json);
    toad__event_json(&e, &w->json);
    w->status = w->json.status;
    if (w->status) return false;
    toad__sha256_hex((const toad_str[]){ { w->at.hash, 64 }, toad__buf_str(&w->json) }, 2, hash);
    if (e.hash.n != 64 || memcmp(e.hash.p, hash, 64)) return broken(w, e.seq, "changed");
    w->at.seq = e.seq;
    memcpy(w->at.hash, hash, sizeof hash);
    w->report.checked++;
    note_anchor(w);
    return true;
}

/* From the very first row, so that one smuggled in below the base shows, too. */
static toad_status walk_chain(toad__store *store, walk *w) {
    int64_t after = INT64_MIN;
    do {
        w->page = 0;
        toad_status status = toad__store_read(store, TOAD__SQL_EVENTS_WALK,
                                              TOAD__ARGS(toad__int(after), toad__int(PAGE)), check_event, w);
        if (status || w->status) return status ? status : w->status;
        after = w->at.seq;
    } while (w->page == PAGE && w->report.ok);
    return TOAD_OK;
}

/* Events that others append meanwhile are welcome: the head noted first must be on the way, and the end of the way must
 * be the head noted last or before it. */
static void compare_heads(walk *w, const toad__chain_head *first) {
    if (w->at.seq < first->seq)
        broken(w, w->at.seq + 1, "truncated");
    else if (w->at.seq == first->seq && strcmp(w->at.hash, first->hash))
        broken(w, w->at.seq, "not chained");
    else if (w->anchor && !w->anchored)
        broken(w, w->anchor->seq, "anchor");
}

static toad_status no_later_head(toad__store *store, walk *w) {
    toad__chain_head last;
    toad_status status = toad__store_audit_head(store, &last);
    if (!status && w->report.ok && w->at.seq > last.seq) broken(w, last.seq + 1, "not chained");
    return status;
}

toad_status toad__store_audit_verify(toad__store *store, const toad__chain_head *anchor, toad__audit_report *ret) {
    walk w = { .report = { .ok = true }, .anchor = anchor };
    toad__chain_head first;
    toad_status status = toad__store_audit_head(store, &first);
    if (!status) status = chain_row(store, "base", &w.at);
    if (status) return status;
    toad__buf_init(&w.json, 8u << 20);
    if (first.seq < 0 || w.at.seq < 0) broken(&w, 0, "missing");
    note_anchor(&w);
    if (w.report.ok) status = walk_chain(store, &w);
    if (!status && w.report.ok) compare_heads(&w, &first);
    if (!status) status = no_later_head(store, &w);
    toad__buf_free(&w.json);
    if (status) return status;
    w.report.head = w.at;
    *ret = w.report;
    return TOAD_OK;
}

/* ---- purge ---- */

static bool take_cut(void *ctx, const toad__value *row, size_t n) {
    take_head(ctx, row, n);
    return false;
}

toad_status toad__store_audit_purge(toad__store *store, int64_t before, uint64_t *ret_removed) {
    toad__tx tx;
    toad__chain_head cut = { 0 };
    uint64_t removed = 0;
    char details[64];
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_EVENTS_CUT, TOAD__ARGS(toad__int(before)), take_cut, &cut, NULL);
    if (!tx.status && cut.seq) {
        toad__tx_run(&tx, TOAD__SQL_EVENTS_PURGE, TOAD__ARGS(toad__int(cut.seq)), NULL, NULL, &removed);
        toad__tx_queue(&tx, TOAD__SQL_CHAIN_SET,
                       TOAD__ARGS(toad__text_z("base"), toad__int(cut.seq), toad__int(0), toad__text_z(cut.hash)));
        snprintf(details, sizeof details, "{\"removed\":%llu,\"upto\":%lld}", (unsigned long long)removed,
                 (long long)cut.seq);
        toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("audit_purge"),
                                            .direction = TOAD__S("internal"),
                                            .channel = TOAD__S("internal"),
                                            .content = TOAD__S("purged"),
                                            .details = toad__str_z(details) });
    }
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
