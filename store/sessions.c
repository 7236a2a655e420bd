/* sessions.c - conversations and the contents they have seen, so that a new process knows what taints them.
 *
 * References outlive the contents they name: that a session has read something does not expire with its body. */
#include "store/internal.h"

#include <stdio.h>

toad_status toad__store_session_touch(toad__store *store, const toad__session *session) {
    toad__tx tx;
    if (!session->id.n) return toad__store_fail(TOAD_E_ARG, "a session needs an id");
    toad__tx_begin(store, &tx);
    toad__tx_queue(&tx, TOAD__SQL_SESSION_TOUCH,
                   TOAD__ARGS(toad__text(session->id), toad__text(session->agent), toad__text(session->details),
                              toad__int(tx.now)));
    return toad__tx_end(&tx);
}

static toad__session session_of(const toad__value *row) {
    toad__columns c = { row };
    toad__session s;
    s.id = toad__next_text(&c);
    s.agent = toad__next_text(&c);
    s.details = toad__next_text(&c);
    s.started_at = toad__next_int(&c);
    s.last_at = toad__next_int(&c);
    return s;
}

typedef struct sessions_out {
    toad__session_fn fn;
    void *ctx;
} sessions_out;

static bool give_session(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const sessions_out *to = ctx;
    toad__session s = session_of(row);
    return to->fn(to->ctx, &s);
}

toad_status toad__store_sessions(toad__store *store, uint64_t limit, toad__session_fn fn, void *ctx) {
    sessions_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_SESSIONS, TOAD__ARGS(toad__limit(limit, 1000)), give_session, &to);
}

typedef struct keep_one {
    toad__arena *arena;
    toad__session session;
    bool found, full;
} keep_one;

static bool keep_session(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->session = session_of(row);
    toad_str *const texts[] = { &k->session.id, &k->session.agent, &k->session.details };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

toad_status toad__store_session_get(toad__store *store, toad_str id, toad__arena *arena, toad__session *ret) {
    keep_one k = { .arena = arena };
    toad_status status = toad__store_read(store, TOAD__SQL_SESSION, TOAD__ARGS(toad__text(id)), keep_session, &k);
    if (!status && k.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status && !k.found) status = toad__store_fail(TOAD_E_NOT_FOUND, "no such session");
    if (!status) *ret = k.session;
    return status;
}

typedef struct refs_out {
    toad__session_ref_fn fn;
    void *ctx;
} refs_out;

static bool give_ref(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const refs_out *to = ctx;
    toad__columns c = { row };
    toad__session_ref r;
    r.session_id = toad__next_text(&c);
    r.content_id = toad__next_text(&c);
    r.url = toad__next_text(&c);
    r.scan_result = toad__next_text(&c);
    r.was_acted_on = toad__next_int(&c) != 0;
    int64_t confirmed = toad__next_int(&c);
    r.user_confirmed = confirmed < 0 ? TOAD__UNANSWERED : confirmed ? TOAD__YES : TOAD__NO;
    r.accessed_at = toad__next_int(&c);
    return to->fn(to->ctx, &r);
}

toad_status toad__store_session_refs(toad__store *store, toad_str session_id, toad__session_ref_fn fn, void *ctx) {
    refs_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_SESSION_REFS, TOAD__ARGS(toad__text(session_id)), give_ref, &to);
}

toad_status toad__store_session_saw(toad__store *store, toad_str session_id, const toad__session_ref *refs, size_t n) {
    toad__tx tx;
    char details[48];
    if (!session_id.n) return toad__store_fail(TOAD_E_ARG, "a session needs an id");
    snprintf(details, sizeof details, "{\"entries\":%zu}", n);
    toad__tx_begin(store, &tx);
    toad__tx_queue(
        &tx, TOAD__SQL_SESSION_TOUCH,
        TOAD__ARGS(toad__text(session_id), toad__text(TOAD__S("")), toad__text(TOAD__S("")), toad__int(tx.now)));
    for (size_t i = 0; i < n; i++)
        toad__tx_queue(&tx, TOAD__SQL_SESSION_SAW,
                       TOAD__ARGS(toad__text(session_id), toad__text(refs[i].content_id), toad__text(refs[i].url),
                                  toad__text(refs[i].scan_result), toad__int(tx.now)));
    toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("memory_read"),
                                        .direction = TOAD__S("inbound"),
                                        .channel = TOAD__S("internal"),
                                        .content = TOAD__S("external"),
                                        .session_id = session_id,
                                        .details = toad__str_z(details) });
    return toad__tx_end(&tx);
}

toad_status toad__store_session_acted(toad__store *store, toad_str session_id, toad_str content_id,
                                      toad__confirmed confirmed) {
    static const char *const answers[] = { "unanswered", "refused", "confirmed" };
    toad__tx tx;
    uint64_t changed = 1;
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_SESSION_ACTED,
                 TOAD__ARGS(toad__text(session_id), toad__text(content_id), toad__int(confirmed)), NULL, NULL,
                 &changed);
    if (!changed) toad__tx_fail(&tx, TOAD_E_NOT_FOUND, "the session has not seen this content");
    toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("content_acted_on"),
                                        .direction = TOAD__S("outbound"),
                                        .channel = TOAD__S("internal"),
                                        .content = toad__str_z(answers[confirmed + 1]),
                                        .content_id = content_id,
                                        .session_id = session_id });
    return toad__tx_end(&tx);
}

/* ---- other names ---- */

toad_status toad__store_alias_put(toad__store *store, toad_str alias, toad_str session_id) {
    toad__tx tx;
    if (!alias.n || !session_id.n) return toad__store_fail(TOAD_E_ARG, "an alias is another name of a session");
    toad__tx_begin(store, &tx);
    toad__tx_queue(&tx, TOAD__SQL_ALIAS_PUT, TOAD__ARGS(toad__text(alias), toad__text(session_id), toad__int(tx.now)));
    toad__tx_queue(&tx, TOAD__SQL_ALIASES_DROP, TOAD__ARGS(toad__int(tx.now - TOAD__ALIAS_KEPT)));
    return toad__tx_end(&tx);
}

typedef struct keep_id {
    toad__arena *arena;
    toad_str id;
    bool found;
} keep_id;

static bool keep_alias(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_id *k = ctx;
    toad__columns c = { row };
    toad_str id = toad__next_text(&c);
    k->id = toad__arena_dup(k->arena, id);
    k->found = true;
    return false;
}

toad_status toad__store_alias_get(toad__store *store, toad_str alias, toad__arena *arena, toad_str *ret) {
    keep_id k = { .arena = arena };
    toad_status status = toad__store_read(store, TOAD__SQL_ALIAS, TOAD__ARGS(toad__text(alias)), keep_alias, &k);
    if (!status && !k.found) return toad__store_fail(TOAD_E_NOT_FOUND, "no session of this name");
    if (!status && !k.id.p) return toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status) *ret = k.id;
    return status;
}
