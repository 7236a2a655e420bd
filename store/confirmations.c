/* confirmations.c - questions to the user, each bound by hash to exactly what will run.
 *
 * The binding is SHA-256 over id, session, tool, arguments, content ids, nonce and expiry, each with its length before
 * it, so that no byte can move from one to the next. The user answers the binding that was shown; spending an approval
 * computes the binding from what is about to run and, apart, from the kept row: all three must agree. An approval is
 * spent once: state and event change in one transaction that holds the chain. */
#include "store/internal.h"

#include <openssl/crypto.h>
#include <stdio.h>

static bzr_status bind(const bzr__confirmation *c, char ret[65]) {
    const bzr_str fields[] = { bzr__str_z(c->id), c->session_id,  c->tool,
                               c->arguments,      c->content_ids, bzr__str_z(c->nonce) };
    enum { N = sizeof fields / sizeof *fields };
    char lengths[N][24], expiry[24];
    bzr_str parts[2 * N + 1];
    for (size_t i = 0; i < N; i++) {
        snprintf(lengths[i], sizeof lengths[i], "%zu:", fields[i].n);
        parts[2 * i] = bzr__str_z(lengths[i]);
        parts[2 * i + 1] = fields[i];
    }
    snprintf(expiry, sizeof expiry, "%lld", (long long)c->expires_at);
    parts[2 * N] = bzr__str_z(expiry);
    return bzr__sha256(parts, 2 * N + 1, ret);
}

static bool same(const char a[65], const char b[65]) { return a[0] && CRYPTO_memcmp(a, b, 64) == 0; }

static void note(bzr__tx *tx, const bzr__confirmation *c, const char *what, const char *who) {
    char details[128];
    snprintf(details, sizeof details, "{\"id\":\"%.20s\",\"binding\":\"%.64s\"}", c->id, c->binding);
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("confirmation"),
                                     .direction = BZR__S("outbound"),
                                     .channel = bzr__str_z(who),
                                     .content = bzr__str_z(what),
                                     .session_id = c->session_id,
                                     .details = bzr__str_z(details) });
}

static bzr_status make_nonce(bzr__store *store, char ret[33]) {
    unsigned char raw[16];
    bzr_status status = bzr__store_random(store, raw, sizeof raw);
    for (size_t i = 0; !status && i < sizeof raw; i++) snprintf(ret + 2 * i, 3, "%02x", raw[i]);
    return status;
}

bzr_status bzr__store_confirmation_ask(bzr__store *store, const bzr__confirmation *ask, int64_t ttl,
                                       bzr__confirmation *ret) {
    bzr__tx tx;
    bzr__confirmation c = *ask;
    if (ttl <= 0 || ttl > INT64_MAX / 4) return bzr__store_fail(BZR_E_ARG, "a confirmation needs a time to live");
    bzr__tx_begin(store, &tx);
    if (!tx.status) tx.status = bzr__new_id(store, "conf_", c.id);
    if (!tx.status) tx.status = make_nonce(store, c.nonce);
    c.created_at = tx.now;
    c.expires_at = tx.now + ttl;
    c.answered_at = 0;
    c.state = BZR__S("pending");
    if (!tx.status) tx.status = bind(&c, c.binding);
    bzr__tx_queue(&tx, BZR__SQL_CONFIRMATION_ADD,
                  BZR__ARGS(bzr__text_z(c.id), bzr__text(c.session_id), bzr__text(c.tool), bzr__text(c.arguments),
                            bzr__text(c.content_ids), bzr__text(c.reasons), bzr__text_z(c.nonce),
                            bzr__text_z(c.binding), bzr__int(c.created_at), bzr__int(c.expires_at)));
    note(&tx, &c, "asked", "internal");
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret = c;
    return status;
}

/* ---- rows ---- */

static void copy_z(char *to, size_t room, bzr_str s) {
    size_t n = s.n < room - 1 ? s.n : room - 1;
    if (n) memcpy(to, s.p, n);
    to[n] = 0;
}

static bzr__confirmation confirmation_of(const bzr__value *row) {
    bzr__columns in = { row };
    bzr__confirmation c = { 0 };
    copy_z(c.id, sizeof c.id, bzr__next_text(&in));
    c.session_id = bzr__next_text(&in);
    c.tool = bzr__next_text(&in);
    c.arguments = bzr__next_text(&in);
    c.content_ids = bzr__next_text(&in);
    c.reasons = bzr__next_text(&in);
    copy_z(c.nonce, sizeof c.nonce, bzr__next_text(&in));
    copy_z(c.binding, sizeof c.binding, bzr__next_text(&in));
    c.created_at = bzr__next_int(&in);
    c.expires_at = bzr__next_int(&in);
    c.answered_at = bzr__next_int(&in);
    c.state = bzr__next_text(&in);
    return c;
}

typedef struct hand_out {
    bzr__confirmation_fn fn;
    void *ctx;
} hand_out;

static bool give_confirmation(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__confirmation c = confirmation_of(row);
    return to->fn(to->ctx, &c);
}

bzr_status bzr__store_confirmations(bzr__store *store, bzr_str state, uint64_t limit, bzr__confirmation_fn fn,
                                    void *ctx) {
    hand_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_CONFIRMATIONS, BZR__ARGS(bzr__text(state), bzr__limit(limit, 1000)),
                           give_confirmation, &to);
}

typedef struct keep_one {
    bzr__arena *arena;
    bzr__confirmation kept;
    bool found, full;
} keep_one;

static bool keep_confirmation(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->kept = confirmation_of(row);
    bzr_str *const texts[] = { &k->kept.session_id,  &k->kept.tool,    &k->kept.arguments,
                               &k->kept.content_ids, &k->kept.reasons, &k->kept.state };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !bzr__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

static bzr_status found_one(const keep_one *k) {
    if (k->full) return bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    return k->found ? BZR_OK : bzr__store_fail(BZR_E_NOT_FOUND, "no such confirmation");
}

bzr_status bzr__store_confirmation_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__confirmation *ret) {
    keep_one k = { .arena = arena };
    bzr_status status = bzr__store_read(store, BZR__SQL_CONFIRMATION, BZR__ARGS(bzr__text(id)), keep_confirmation, &k);
    if (!status) status = found_one(&k);
    if (!status) *ret = k.kept;
    return status;
}

/* ---- answer and use ---- */

static void load(bzr__tx *tx, bzr_str id, keep_one *k) {
    bzr__tx_run(tx, BZR__SQL_CONFIRMATION, BZR__ARGS(bzr__text(id)), keep_confirmation, k, NULL);
    if (!tx->status) tx->status = found_one(k);
}

/* The kept row must still say what was asked, be in `state` and not have expired. */
static void check(bzr__tx *tx, const bzr__confirmation *kept, const char *state) {
    char binding[65];
    if (!tx->status) tx->status = bind(kept, binding);
    if (tx->status) return;
    if (!same(binding, kept->binding)) bzr__tx_fail(tx, BZR_E_STATE, "the question was changed after it was asked");
    if (!bzr__str_eq(kept->state, bzr__str_z(state)))
        bzr__tx_fail(tx, BZR_E_STATE, "the confirmation is %.*s", (int)(kept->state.n < 16 ? kept->state.n : 16),
                     kept->state.p);
    if (kept->expires_at <= tx->now) bzr__tx_fail(tx, BZR_E_STATE, "the confirmation has expired");
}

static void set_state(bzr__tx *tx, const bzr__confirmation *c, const char *state, const char *who) {
    bzr__tx_queue(tx, BZR__SQL_CONFIRMATION_STATE,
                  BZR__ARGS(bzr__text_z(c->id), bzr__text_z(state), bzr__int(tx->now)));
    note(tx, c, state, who);
}

bzr_status bzr__store_confirmation_answer(bzr__store *store, bzr_str id, bzr_str binding, bool approve) {
    bzr__tx tx;
    bzr__arena arena;
    bzr__arena_init(&arena, 16u << 20);
    keep_one k = { .arena = &arena };
    bzr__tx_begin(store, &tx);
    load(&tx, id, &k);
    check(&tx, &k.kept, "pending");
    if (!tx.status && !bzr__str_eq(binding, bzr__str_z(k.kept.binding)))
        bzr__tx_fail(&tx, BZR_E_STATE, "the answer is for another question");
    set_state(&tx, &k.kept, approve ? "approved" : "denied", "user");
    bzr_status status = bzr__tx_end(&tx);
    bzr__arena_free(&arena);
    return status;
}

bzr_status bzr__store_confirmation_use(bzr__store *store, const bzr__confirmation *act) {
    bzr__tx tx;
    bzr__arena arena;
    char binding[65] = "";
    bzr__arena_init(&arena, 16u << 20);
    keep_one k = { .arena = &arena };
    bzr__tx_begin(store, &tx);
    load(&tx, bzr__str_z(act->id), &k);
    check(&tx, &k.kept, "approved");
    if (!tx.status) tx.status = bind(act, binding);
    if (!tx.status && !same(binding, k.kept.binding))
        bzr__tx_fail(&tx, BZR_E_STATE, "what is about to run is not what was confirmed");
    set_state(&tx, &k.kept, "used", "internal");
    bzr_status status = bzr__tx_end(&tx);
    bzr__arena_free(&arena);
    return status;
}
