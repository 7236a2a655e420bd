/* user.c - what the user alone has said: his token, and the alarms that he knows to be false. */
#include "lib/base/json.h"
#include "store/internal.h"

#include <stdio.h>

#define TOKEN "user_token"

/* ---- the token ---- */

static bool copy_digest(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    toad__columns c = { row };
    toad_str digest = toad__next_text(&c);
    if (digest.n == 64) snprintf(ctx, 65, "%.*s", (int)digest.n, digest.p);
    return false;
}

toad_status toad__store_token(toad__store *store, char ret[65]) {
    *ret = 0;
    return toad__store_read(store, TOAD__SQL_FACT, TOAD__ARGS(toad__text_z(TOKEN)), copy_digest, ret);
}

toad_status toad__store_token_put(toad__store *store, const char *digest) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    toad__tx_queue(&tx, TOAD__SQL_FACT_SET, TOAD__ARGS(toad__text_z(TOKEN), toad__text_z(digest)));
    toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("token"),
                                        .direction = TOAD__S("internal"),
                                        .channel = TOAD__S("user"),
                                        .content = *digest ? TOAD__S("made") : TOAD__S("revoked") });
    return toad__tx_end(&tx);
}

/* ---- exceptions ---- */

static void event(toad__tx *tx, const char *what, const toad__exception *e) {
    static const char *const names[] = { "{\"id\":", ",\"at\":", ",\"digest\":", ",\"note\":" };
    const toad_str values[] = { toad__str_z(e->id), e->at, e->digest, e->note };
    char until[32];
    toad__buf details;
    toad__buf_init(&details, 1u << 16);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        toad__buf_add_z(&details, names[i]);
        toad__json_add_str(&details, values[i]);
    }
    snprintf(until, sizeof until, ",\"until\":%lld}", (long long)e->until);
    toad__buf_add_z(&details, until);
    if (details.status) toad__tx_fail(tx, details.status, "an exception is too long");
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("exception"),
                                       .direction = TOAD__S("internal"),
                                       .channel = TOAD__S("user"),
                                       .content = toad__str_z(what),
                                       .url = e->at,
                                       .pattern_matched = e->rule,
                                       .details = toad__buf_str(&details) });
    toad__buf_free(&details);
}

/* Take away the one for the same at the same place, with the release that came with it. */
static void drop_same(toad__tx *tx, const toad__exception *e) {
    toad__tx_queue(tx, TOAD__SQL_CONTENTS_HOLD,
                   TOAD__ARGS(toad__text(e->at), toad__text(e->rule), toad__text(e->digest)));
    toad__tx_queue(tx, TOAD__SQL_EXCEPTION_SAME,
                   TOAD__ARGS(toad__text(e->at), toad__text(e->rule), toad__text(e->digest)));
}

toad_status toad__store_exceptions_put(toad__store *store, toad__exception *list, size_t n,
                                       const toad__content *released) {
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < n && !status; i++) {
        if (!list[i].at.n || !list[i].rule.n == !list[i].digest.n)
            return toad__store_fail(TOAD_E_ARG, "an exception is for a rule, or for bytes, at a source");
        status = toad__new_id(store, "exc_", list[i].id);
    }
    if (status) return status;
    toad__tx tx;
    toad__tx_begin(store, &tx);
    for (size_t i = 0; i < n; i++) {
        toad__exception *e = &list[i];
        e->made_at = tx.now;
        drop_same(&tx, e);
        toad__tx_queue(&tx, TOAD__SQL_EXCEPTION_PUT,
                       TOAD__ARGS(toad__text_z(e->id), toad__text(e->at), toad__text(e->rule), toad__text(e->digest),
                                  toad__text(e->note), toad__int(e->made_at), toad__int(e->until)));
        event(&tx, "added", e);
    }
    if (released) toad__tx_release(&tx, released);
    return toad__tx_end(&tx);
}

typedef struct rows {
    toad__exception_fn fn;
    void *ctx;
} rows;

static bool give(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const rows *to = ctx;
    toad__columns c = { row };
    toad__exception e = { .id = "" };
    toad_str id = toad__next_text(&c);
    snprintf(e.id, sizeof e.id, "%.*s", (int)(id.n < 23 ? id.n : 23), id.n ? id.p : "");
    e.at = toad__next_text(&c);
    e.rule = toad__next_text(&c);
    e.digest = toad__next_text(&c);
    e.note = toad__next_text(&c);
    e.made_at = toad__next_int(&c);
    e.until = toad__next_int(&c);
    return to->fn(to->ctx, &e);
}

toad_status toad__store_exceptions(toad__store *store, toad__exception_fn fn, void *ctx) {
    rows to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_EXCEPTIONS, NULL, 0, give, &to);
}

toad_status toad__store_exceptions_for(toad__store *store, toad_str url, toad_str domain, toad__exception_fn fn,
                                       void *ctx) {
    rows to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_EXCEPTIONS_FOR,
                            TOAD__ARGS(toad__text(url), toad__text(domain), toad__int(toad__store_now(store))), give,
                            &to);
}

typedef struct kept {
    toad__arena *arena;
    toad__exception *ret;
    bool found, full;
} kept;

static bool keep(void *ctx, const toad__exception *e) {
    kept *k = ctx;
    *k->ret = *e;
    toad_str *const texts[] = { &k->ret->at, &k->ret->rule, &k->ret->digest, &k->ret->note };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    return k->found = true, false;
}

toad_status toad__store_exception_get(toad__store *store, toad_str id, toad__arena *arena, toad__exception *ret) {
    kept k = { .arena = arena, .ret = ret };
    rows to = { keep, &k };
    toad_status status = toad__store_read(store, TOAD__SQL_EXCEPTION, TOAD__ARGS(toad__text(id)), give, &to);
    if (status) return status;
    if (k.full) return toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    return k.found ? TOAD_OK : toad__store_fail(TOAD_E_NOT_FOUND, "there is no such exception; see 'exceptions list'");
}

toad_status toad__store_exception_drop(toad__store *store, const toad__exception *e) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    drop_same(&tx, e);
    event(&tx, "removed", e);
    return toad__tx_end(&tx);
}
