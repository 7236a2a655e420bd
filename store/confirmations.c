/* confirmations.c - questions to the user, each bound by hash to exactly what will run.
 *
 * The binding is SHA-256 over id, session, tool, arguments, content ids, nonce and expiry, each with its length before
 * it, so that no byte can move from one to the next. The user answers the binding that was shown; spending an approval
 * computes the binding from what is about to run and, apart, from the kept row: all three must agree. An approval is
 * spent once: state and event change in one transaction that holds the chain. */
#include "lib/base/hex.h"
#include "store/internal.h"
#include "sys/digest.h"

#include <stdio.h>

static void bind(const toad__confirmation *c, char ret[65]) {
    const toad_str fields[] = { toad__str_z(c->id), c->session_id,  c->tool,
                                c->arguments,       c->content_ids, toad__str_z(c->nonce) };
    enum { N = sizeof fields / sizeof *fields };
    char lengths[N][24], expiry[24];
    toad_str parts[2 * N + 1];
    for (size_t i = 0; i < N; i++) {
        snprintf(lengths[i], sizeof lengths[i], "%zu:", fields[i].n);
        parts[2 * i] = toad__str_z(lengths[i]);
        parts[2 * i + 1] = fields[i];
    }
    snprintf(expiry, sizeof expiry, "%lld", (long long)c->expires_at);
    parts[2 * N] = toad__str_z(expiry);
    toad__sha256_hex(parts, 2 * N + 1, ret);
}

static bool same(const char a[65], const char b[65]) { return a[0] && toad__same_bytes(a, b, 64); }

static void note(toad__tx *tx, const toad__confirmation *c, const char *what, const char *who) {
    char details[128];
    snprintf(details, sizeof details, "{\"id\":\"%.20s\",\"binding\":\"%.64s\"}", c->id, c->binding);
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("confirmation"),
                                       .direction = TOAD__S("outbound"),
                                       .channel = toad__str_z(who),
                                       .content = toad__str_z(what),
                                       .session_id = c->session_id,
                                       .details = toad__str_z(details) });
}

static toad_status make_nonce(toad__store *store, char ret[33]) {
    unsigned char raw[16];
    toad_status status = toad__store_random(store, raw, sizeof raw);
    if (!status) toad__hex_z(ret, raw, sizeof raw);
    return status;
}

toad_status toad__store_confirmation_ask(toad__store *store, const toad__confirmation *ask, int64_t ttl,
                                         toad__confirmation *ret) {
    toad__tx tx;
    toad__confirmation c = *ask;
    if (ttl <= 0 || ttl > INT64_MAX / 4) return toad__store_fail(TOAD_E_ARG, "a confirmation needs a time to live");
    toad__tx_begin(store, &tx);
    if (!tx.status) tx.status = toad__new_id(store, "conf_", c.id);
    if (!tx.status) tx.status = make_nonce(store, c.nonce);
    c.created_at = tx.now;
    c.expires_at = tx.now + ttl;
    c.answered_at = 0;
    c.state = TOAD__S("pending");
    bind(&c, c.binding);
    toad__tx_queue(&tx, TOAD__SQL_CONFIRMATION_ADD,
                   TOAD__ARGS(toad__text_z(c.id), toad__text(c.session_id), toad__text(c.tool), toad__text(c.arguments),
                              toad__text(c.content_ids), toad__text(c.reasons), toad__text_z(c.nonce),
                              toad__text_z(c.binding), toad__int(c.created_at), toad__int(c.expires_at)));
    note(&tx, &c, "asked", "internal");
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret = c;
    return status;
}

/* ---- rows ---- */

static toad__confirmation confirmation_of(const toad__value *row) {
    toad__columns in = { row };
    toad__confirmation c = { 0 };
    toad__str_copy_to(c.id, sizeof c.id, toad__next_text(&in));
    c.session_id = toad__next_text(&in);
    c.tool = toad__next_text(&in);
    c.arguments = toad__next_text(&in);
    c.content_ids = toad__next_text(&in);
    c.reasons = toad__next_text(&in);
    toad__str_copy_to(c.nonce, sizeof c.nonce, toad__next_text(&in));
    toad__str_copy_to(c.binding, sizeof c.binding, toad__next_text(&in));
    c.created_at = toad__next_int(&in);
    c.expires_at = toad__next_int(&in);
    c.answered_at = toad__next_int(&in);
    c.state = toad__next_text(&in);
    return c;
}

typedef struct hand_out {
    toad__confirmation_fn fn;
    void *ctx;
} hand_out;

static bool give_confirmation(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__confirmation c = confirmation_of(row);
    return to->fn(to->ctx, &c);
}

toad_status toad__store_confirmations(toad__store *store, toad_str state, uint64_t limit, toad__confirmation_fn fn,
                                      void *ctx) {
    hand_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_CONFIRMATIONS, TOAD__ARGS(toad__text(state), toad__limit(limit, 1000)),
                            give_confirmation, &to);
}

typedef struct keep_one {
    toad__arena *arena;
    toad__confirmation kept;
    bool found, full;
} keep_one;

static bool keep_confirmation(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    k->kept = confirmation_of(row);
    toad_str *const texts[] = { &k->kept.session_id,  &k->kept.tool,    &k->kept.arguments,
                                &k->kept.content_ids, &k->kept.reasons, &k->kept.state };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

static toad_status found_one(const keep_one *k) {
    if (k->full) return toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    return k->found ? TOAD_OK : toad__store_fail(TOAD_E_NOT_FOUND, "no such confirmation");
}

toad_status toad__store_confirmation_get(toad__store *store, toad_str id, toad__arena *arena, toad__confirmation *ret) {
    keep_one k = { .arena = arena };
    toad_status status =
        toad__store_read(store, TOAD__SQL_CONFIRMATION, TOAD__ARGS(toad__text(id)), keep_confirmation, &k);
    if (!status) status = found_one(&k);
    if (!status) *ret = k.kept;
    return status;
}

/* ---- answer and use ---- */

static void load(toad__tx *tx, toad_str id, keep_one *k) {
    toad__tx_run(tx, TOAD__SQL_CONFIRMATION, TOAD__ARGS(toad__text(id)), keep_confirmation, k, NULL);
    if (!tx->status) tx->status = found_one(k);
}

/* The kept row must still say what was asked, be in a state of the list, and not have expired before it was spent. */
static void check(toad__tx *tx, const toad__confirmation *kept, const char *state) {
    char binding[65];
    if (tx->status) return;
    bind(kept, binding);
    if (!same(binding, kept->binding)) toad__tx_fail(tx, TOAD_E_STATE, "the question was changed after it was asked");
    if (!toad__str_is_one_of(kept->state, state))
        toad__tx_fail(tx, TOAD_E_STATE, "the confirmation is %.*s", (int)(kept->state.n < 16 ? kept->state.n : 16),
                      kept->state.p);
    if (kept->expires_at <= tx->now && !toad__str_eq(kept->state, TOAD__S("used")))
        toad__tx_fail(tx, TOAD_E_STATE, "the confirmation has expired");
}

static void set_state(toad__tx *tx, const toad__confirmation *c, const char *state, const char *who) {
    toad__tx_queue(tx, TOAD__SQL_CONFIRMATION_STATE,
                   TOAD__ARGS(toad__text_z(c->id), toad__text_z(state), toad__int(tx->now)));
    note(tx, c, state, who);
}

/* What the question was about is what the user would not have acted on. */
static void mark_skipped(toad__tx *tx, const toad__confirmation *c) {
    for (size_t at = 0; at < c->content_ids.n && !tx->status;) {
        size_t comma = toad__str_find(c->content_ids, TOAD__S(","), at);
        toad__tx_queue(tx, TOAD__SQL_SESSION_SKIPPED,
                       TOAD__ARGS(toad__text(c->session_id), toad__text(toad__str_part(c->content_ids, at, comma))));
        at = comma + 1;
    }
}

toad_status toad__store_confirmation_answer(toad__store *store, toad_str id, toad_str binding, bool approve) {
    toad__tx tx;
    toad__arena arena;
    toad__arena_init(&arena, 16u << 20);
    keep_one k = { .arena = &arena };
    toad__tx_begin(store, &tx);
    load(&tx, id, &k);
    check(&tx, &k.kept, "pending");
    if (!tx.status && !toad__str_eq(binding, toad__str_z(k.kept.binding)))
        toad__tx_fail(&tx, TOAD_E_STATE, "the answer is for another question");
    set_state(&tx, &k.kept, approve ? "approved" : "denied", "user");
    if (!approve) mark_skipped(&tx, &k.kept);
    toad_status status = toad__tx_end(&tx);
    toad__arena_free(&arena);
    return status;
}

/* A change of one question that stays in `state` or goes to `next`; the event says `what`, and who. */
static toad_status change(toad__store *store, toad_str id, const char *state, const char *next, const char *what,
                          const char *who) {
    toad__tx tx;
    toad__arena arena;
    toad__arena_init(&arena, 16u << 20);
    keep_one k = { .arena = &arena };
    toad__tx_begin(store, &tx);
    load(&tx, id, &k);
    check(&tx, &k.kept, state);
    toad__tx_queue(&tx, TOAD__SQL_CONFIRMATION_STATE,
                   TOAD__ARGS(toad__text_z(k.kept.id), toad__text_z(next), toad__int(tx.now)));
    note(&tx, &k.kept, what, who);
    toad_status status = toad__tx_end(&tx);
    toad__arena_free(&arena);
    return status;
}

toad_status toad__store_confirmation_dismiss(toad__store *store, toad_str id) {
    return change(store, id, "pending", "pending", "dismissed", "client");
}

toad_status toad__store_confirmation_revoke(toad__store *store, toad_str id) {
    return change(store, id, "approved used", "denied", "revoked", "user");
}

toad_status toad__store_confirmation_done(toad__store *store, toad_str id) {
    return change(store, id, "pending", "used", "approved", "agent");
}

toad_status toad__store_confirmation_use(toad__store *store, const toad__confirmation *act) {
    toad__tx tx;
    toad__arena arena;
    char binding[65] = "";
    toad__arena_init(&arena, 16u << 20);
    keep_one k = { .arena = &arena };
    toad__tx_begin(store, &tx);
    load(&tx, toad__str_z(act->id), &k);
    check(&tx, &k.kept, "approved");
    bind(act, binding);
    if (!tx.status && !same(binding, k.kept.binding))
        toad__tx_fail(&tx, TOAD_E_STATE, "what is about to run is not what was confirmed");
    set_state(&tx, &k.kept, "used", "internal");
    toad_status status = toad__tx_end(&tx);
    toad__arena_free(&arena);
    return status;
}
