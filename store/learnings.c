/* learnings.c - security facts made from what was blocked, one for each category, pattern and domain, counted when it
 * comes again. The id is derived from those three, so that remembering needs no look-up and no two writers make two. */
#include "store/internal.h"

#include <stdio.h>

void bzr__tx_learning(bzr__tx *tx, const bzr__learning *l, char ret_id[24]) {
    char hex[65];
    const bzr_str same[] = { l->category, BZR__S("\n"), l->pattern_type, BZR__S("\n"), l->domain };
    bzr_status status = bzr__sha256(same, sizeof same / sizeof *same, hex);
    if (status) {
        bzr__tx_fail(tx, status, "%s", bzr_status_message(status));
        return;
    }
    snprintf(ret_id, 24, "learn_%.12s", hex);
    bzr__tx_queue(tx, BZR__SQL_LEARNING_NOTE,
                  BZR__ARGS(bzr__text_z(ret_id), bzr__text(l->category), bzr__text(l->content), bzr__text(l->source),
                            bzr__text(l->pattern_type), bzr__text(l->domain), bzr__text(l->url),
                            bzr__real(l->relevance), bzr__int(tx->now)));
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("learning"),
                                     .direction = BZR__S("internal"),
                                     .channel = BZR__S("internal"),
                                     .content = bzr__str_z(ret_id),
                                     .url = l->url,
                                     .pattern_matched = l->pattern_type });
}

bzr_status bzr__store_learning_note(bzr__store *store, const bzr__learning *l, char ret_id[24]) {
    bzr__tx tx;
    char id[24] = "";
    bzr__tx_begin(store, &tx);
    bzr__tx_learning(&tx, l, id);
    bzr_status status = bzr__tx_end(&tx);
    if (!status) memcpy(ret_id, id, sizeof id);
    return status;
}

typedef struct hand_out {
    bzr__learning_fn fn;
    void *ctx;
} hand_out;

static bool give_learning(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__columns c = { row };
    bzr__learning l;
    l.id = bzr__next_text(&c);
    l.category = bzr__next_text(&c);
    l.content = bzr__next_text(&c);
    l.source = bzr__next_text(&c);
    l.pattern_type = bzr__next_text(&c);
    l.domain = bzr__next_text(&c);
    l.url = bzr__next_text(&c);
    l.relevance = bzr__next_real(&c);
    l.first_at = bzr__next_int(&c);
    l.last_at = bzr__next_int(&c);
    l.reappeared_count = bzr__next_int(&c);
    return to->fn(to->ctx, &l);
}

bzr_status bzr__store_learnings(bzr__store *store, bzr_str domain, uint64_t limit, bzr__learning_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_LEARNINGS, BZR__ARGS(bzr__text(domain), bzr__limit(limit, 1000)),
                           give_learning, &to);
}
