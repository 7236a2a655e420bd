/* learnings.c - security facts made from what was blocked, one for each category, pattern and domain, counted when it
 * comes again. The id is derived from those three, so that remembering needs no look-up and no two writers make two. */
#include "store/internal.h"
#include "sys/digest.h"

#include <stdio.h>

void toad__tx_learning(toad__tx *tx, const toad__learning *l, char ret_id[24]) {
    char hex[65];
    const toad_str same[] = { l->category, TOAD__S("\n"), l->pattern_type, TOAD__S("\n"), l->domain };
    toad__sha256_hex(same, sizeof same / sizeof *same, hex);
    snprintf(ret_id, 24, "learn_%.12s", hex);
    toad__tx_queue(tx, TOAD__SQL_LEARNING_NOTE,
                   TOAD__ARGS(toad__text_z(ret_id), toad__text(l->category), toad__text(l->content),
                              toad__text(l->source), toad__text(l->pattern_type), toad__text(l->domain),
                              toad__text(l->url), toad__real(l->relevance), toad__int(tx->now)));
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("learning"),
                                       .direction = TOAD__S("internal"),
                                       .channel = TOAD__S("internal"),
                                       .content = toad__str_z(ret_id),
                                       .url = l->url,
                                       .pattern_matched = l->pattern_type });
}

toad_status toad__store_learning_note(toad__store *store, const toad__learning *l, char ret_id[24]) {
    toad__tx tx;
    char id[24] = "";
    toad__tx_begin(store, &tx);
    toad__tx_learning(&tx, l, id);
    toad_status status = toad__tx_end(&tx);
    if (!status) memcpy(ret_id, id, sizeof id);
    return status;
}

typedef struct hand_out {
    toad__learning_fn fn;
    void *ctx;
} hand_out;

static bool give_learning(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__columns c = { row };
    toad__learning l;
    l.id = toad__next_text(&c);
    l.category = toad__next_text(&c);
    l.content = toad__next_text(&c);
    l.source = toad__next_text(&c);
    l.pattern_type = toad__next_text(&c);
    l.domain = toad__next_text(&c);
    l.url = toad__next_text(&c);
    l.relevance = toad__next_real(&c);
    l.first_at = toad__next_int(&c);
    l.last_at = toad__next_int(&c);
    l.reappeared_count = toad__next_int(&c);
    return to->fn(to->ctx, &l);
}

toad_status toad__store_learnings(toad__store *store, toad_str domain, uint64_t limit, toad__learning_fn fn,
                                  void *ctx) {
    hand_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_LEARNINGS, TOAD__ARGS(toad__text(domain), toad__limit(limit, 1000)),
                            give_learning, &to);
}
