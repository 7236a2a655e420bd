/* sessions.c - conversations and the contents they have seen, so that a new process knows what taints them.
 *
 * References outlive the contents they name: that a session has read something does not expire with its body. */
#include "store/internal.h"

bzr_status bzr__store_session_touch(bzr__store *store, const bzr__session *session) {
    bzr__tx tx;
    if (!session->id.n) return bzr__store_fail(BZR_E_ARG, "a session needs an id");
    bzr__tx_begin(store, &tx);
    bzr__tx_queue(
        &tx, BZR__SQL_SESSION_TOUCH,
        BZR__ARGS(bzr__text(session->id), bzr__text(session->agent), bzr__text(session->details), bzr__int(tx.now)));
    return bzr__tx_end(&tx);
}

static bzr__session session_of(const bzr__value *row) {
    bzr__columns c = { row };
    bzr__session s;
    s.id = bzr__next_text(&c);
    s.agent = bzr__next_text(&c);
    s.details = bzr__next_text(&c);
    s.started_at = bzr__next_int(&c);
    s.last_at = bzr__next_int(&c);
    return s;
}

typedef struct sessions_out {
    bzr__session_fn fn;
    void *ctx;
} sessions_out;

static bool give_session(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const sessions_out *to = ctx;
    bzr__session s = session_of(row);
    return to->fn(to->ctx, &s);
}

bzr_status bzr__store_sessions(bzr__store *store, uint64_t limit, bzr__session_fn fn, void *ctx) {
    sessions_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_SESSIONS, BZR__ARGS(bzr__limit(limit, 1000)), give_session, &to);
}

typedef struct keep_one {
    bzr__arena *arena;
    bzr__session session;
    bool found, full;
} keep_one;

static bool keep_session(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->session = session_of(row);
    bzr_str *const texts[] = { &k->session.id, &k->session.agent, &k->session.details };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !bzr__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

bzr_status bzr__store_session_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__session *ret) {
    keep_one k = { .arena = arena };
    bzr_status status = bzr__store_read(store, BZR__SQL_SESSION, BZR__ARGS(bzr__text(id)), keep_session, &k);
    if (!status && k.full) status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status && !k.found) status = bzr__store_fail(BZR_E_NOT_FOUND, "no such session");
    if (!status) *ret = k.session;
    return status;
}

typedef struct refs_out {
    bzr__session_ref_fn fn;
    void *ctx;
} refs_out;

static bool give_ref(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const refs_out *to = ctx;
    bzr__columns c = { row };
    bzr__session_ref r;
    r.session_id = bzr__next_text(&c);
    r.content_id = bzr__next_text(&c);
    r.url = bzr__next_text(&c);
    r.scan_result = bzr__next_text(&c);
    r.was_acted_on = bzr__next_int(&c) != 0;
    int64_t confirmed = bzr__next_int(&c);
    r.user_confirmed = confirmed < 0 ? BZR__UNANSWERED : confirmed ? BZR__YES : BZR__NO;
    r.accessed_at = bzr__next_int(&c);
    return to->fn(to->ctx, &r);
}

bzr_status bzr__store_session_refs(bzr__store *store, bzr_str session_id, bzr__session_ref_fn fn, void *ctx) {
    refs_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_SESSION_REFS, BZR__ARGS(bzr__text(session_id)), give_ref, &to);
}

bzr_status bzr__store_session_acted(bzr__store *store, bzr_str session_id, bzr_str content_id, bzr__answer confirmed) {
    static const char *const answers[] = { "unanswered", "refused", "confirmed" };
    bzr__tx tx;
    uint64_t changed = 1;
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_SESSION_ACTED,
                BZR__ARGS(bzr__text(session_id), bzr__text(content_id), bzr__int(confirmed)), NULL, NULL, &changed);
    if (!changed) bzr__tx_fail(&tx, BZR_E_NOT_FOUND, "the session has not seen this content");
    bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("content_acted_on"),
                                      .direction = BZR__S("outbound"),
                                      .channel = BZR__S("internal"),
                                      .content = bzr__str_z(answers[confirmed + 1]),
                                      .content_id = content_id,
                                      .session_id = session_id });
    return bzr__tx_end(&tx);
}
