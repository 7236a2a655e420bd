/* turns.c - what was said and read in a session, in order: whose words an act may follow from. */
#include "store/internal.h"

toad_status toad__store_turn_add(toad__store *store, toad_str session_id, const toad__turn *turn) {
    toad__tx tx;
    if (!session_id.n) return toad__store_fail(TOAD_E_ARG, "a turn needs a session");
    toad__tx_begin(store, &tx);
    toad__tx_queue(
        &tx, TOAD__SQL_SESSION_TOUCH,
        TOAD__ARGS(toad__text(session_id), toad__text(TOAD__S("")), toad__text(TOAD__S("")), toad__int(tx.now)));
    toad__tx_queue(&tx, TOAD__SQL_TURN_ADD,
                   TOAD__ARGS(toad__text(session_id), toad__int(tx.now), toad__text(turn->tool), toad__text(turn->text),
                              toad__text(turn->content_id)));
    toad__tx_queue(&tx, TOAD__SQL_TURNS_DROP, TOAD__ARGS(toad__int(tx.now - TOAD__TURNS_KEPT)));
    return toad__tx_end(&tx);
}

typedef struct turns_out {
    toad__turn_fn fn;
    void *ctx;
} turns_out;

static bool give_turn(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const turns_out *to = ctx;
    toad__columns c = { row };
    toad__turn t;
    t.at = toad__next_int(&c);
    t.tool = toad__next_text(&c);
    t.text = toad__next_text(&c);
    t.content_id = toad__next_text(&c);
    return to->fn(to->ctx, &t);
}

toad_status toad__store_turns(toad__store *store, toad_str session_id, uint64_t limit, toad__turn_fn fn, void *ctx) {
    turns_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_TURNS, TOAD__ARGS(toad__text(session_id), toad__limit(limit, 1000)),
                            give_turn, &to);
}
