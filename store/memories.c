/* memories.c - entries of memory: batches that happen wholly or not at all, and full-text search.
 *
 * Provenance is settled here, inside the transaction, because only here are the parents known: an entry is as
 * trustworthy as the least trusted of what it was made from, and a model's update never makes an entry more trusted
 * than it was. A row that a foreign hand wrote reads as external when its provenance is unknown, and as not intact when
 * its digest does not fit. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "store/internal.h"

#define CONTENT_MAX (1u << 20)
#define PARENTS_MAX 64
#define WORDS_MAX   16
#define WORD_MAX    64
#define COMMON      60 /* of the newest 300 entries: a word that more have is common */

/* ---- rows ---- */

static bzr__memory memory_of(bzr__columns *c) {
    bzr__memory m = { .provenance = BZR_EXTERNAL };
    char digest[65];
    m.id = bzr__next_text(c);
    m.content = bzr__next_text(c);
    m.category = bzr__next_text(c);
    bzr_provenance_parse(bzr__next_text(c), &m.provenance);
    m.source = bzr__next_text(c);
    m.session_id = bzr__next_text(c);
    m.parents = bzr__next_text(c);
    m.created_at = bzr__next_int(c);
    m.updated_at = bzr__next_int(c);
    m.revision = bzr__next_int(c);
    m.sha256 = bzr__next_text(c);
    m.intact = m.sha256.n == 64 && !bzr__sha256(&m.content, 1, digest) && !memcmp(digest, m.sha256.p, 64);
    return m;
}

typedef struct hand_out {
    bzr__memory_fn fn;
    void *ctx;
    bool scored;
    bzr_provenance at_most;
} hand_out;

static bool give_memory(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__columns c = { row };
    bzr__memory m = memory_of(&c);
    if (to->scored) m.score = bzr__next_real(&c);
    return m.provenance < to->at_most || to->fn(to->ctx, &m);
}

bzr_status bzr__store_memories(bzr__store *store, const bzr__memory_filter *filter, bzr__memory_fn fn, void *ctx) {
    hand_out to = { fn, ctx, false, filter->at_most };
    return bzr__store_read(
        store, BZR__SQL_MEMORIES,
        BZR__ARGS(bzr__text(filter->category), bzr__text(filter->session_id), bzr__limit(filter->limit, INT32_MAX)),
        give_memory, &to);
}

typedef struct keep_one {
    bzr__arena *arena;
    bzr__memory memory;
    bool found, full;
} keep_one;

static bool keep_memory(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    bzr__columns c = { row };
    bzr__memory *m = &k->memory;
    *m = memory_of(&c);
    bzr_str *const texts[] = { &m->id, &m->content, &m->category, &m->source, &m->session_id, &m->parents, &m->sha256 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !bzr__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

static bzr_status not_found(bzr_str id) {
    return bzr__store_fail(BZR_E_NOT_FOUND, "memory not found: %.*s", (int)(id.n < 64 ? id.n : 64), id.n ? id.p : "");
}

bzr_status bzr__store_memory_get(bzr__store *store, bzr_str id, bzr__arena *arena, bzr__memory *ret) {
    keep_one k = { .arena = arena };
    bzr_status status = bzr__store_read(store, BZR__SQL_MEMORY, BZR__ARGS(bzr__text(id)), keep_memory, &k);
    if (!status && k.full) status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status && !k.found) status = not_found(id);
    if (!status) *ret = k.memory;
    return status;
}

/* ---- batches ---- */

typedef struct old_row {
    bool found;
    bzr_provenance provenance;
    int64_t revision;
    bzr__buf category, source, session;
} old_row;

static bool note_row(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    old_row *old = ctx;
    bzr__columns c = { row };
    bzr__memory m = memory_of(&c);
    old->found = true;
    old->provenance = m.provenance;
    old->revision = m.revision;
    bzr__buf_add_str(&old->category, m.category);
    bzr__buf_add_str(&old->source, m.source);
    bzr__buf_add_str(&old->session, m.session_id);
    return false;
}

static void old_init(old_row *old) {
    *old = (old_row){ .found = false };
    bzr__buf_init(&old->category, CONTENT_MAX);
    bzr__buf_init(&old->source, CONTENT_MAX);
    bzr__buf_init(&old->session, CONTENT_MAX);
}

static void old_free(old_row *old) {
    bzr__buf_free(&old->category);
    bzr__buf_free(&old->source);
    bzr__buf_free(&old->session);
}

static bool good_id(bzr_str id) { return id.n && id.n < 128 && !memchr(id.p, ',', id.n); }

static void look_up(bzr__tx *tx, bzr_str id, old_row *old) {
    if (!tx->status && !id.n) bzr__tx_fail(tx, BZR_E_ARG, "memory ID cannot be empty");
    bzr__tx_run(tx, BZR__SQL_MEMORY, BZR__ARGS(bzr__text(id)), note_row, old, NULL);
    if (!tx->status && !old->found) tx->status = not_found(id);
    if (!tx->status) tx->status = old->category.status;
}

static void check_content(bzr__tx *tx, bzr_str content) {
    if (!content.n) bzr__tx_fail(tx, BZR_E_ARG, "Content cannot be empty.");
    if (content.n > CONTENT_MAX)
        bzr__tx_fail(tx, BZR_E_LIMIT, "an entry of memory holds at most %u bytes", CONTENT_MAX);
}

static void memory_event(bzr__tx *tx, const char *what, bzr_str id, const bzr__memory_op *op, bzr_provenance provenance,
                         const char *digest) {
    bzr__buf details;
    bzr__buf_init(&details, 4096);
    bzr__buf_add_z(&details, "{\"id\":");
    bzr__json_add_str(&details, id);
    bzr__buf_add_z(&details, ",\"provenance\":\"");
    bzr__buf_add_z(&details, bzr_provenance_name(provenance));
    bzr__buf_add_z(&details, "\",\"sha256\":\"");
    bzr__buf_add_z(&details, digest);
    bzr__buf_add_z(&details, "\"}");
    if (details.status) bzr__tx_fail(tx, details.status, "an id is too long");
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("memory_write"),
                                     .direction = BZR__S("internal"),
                                     .channel = bzr__str_z(op->by == BZR__READER_USER ? "user" : "agent"),
                                     .content = bzr__str_z(what),
                                     .session_id = op->session_id,
                                     .details = bzr__buf_str(&details) });
    bzr__buf_free(&details);
}

/* The provenance of a new entry, and its parents as one text. */
static bzr_provenance join_parents(bzr__tx *tx, const bzr__memory_op *op, bzr__buf *parents) {
    bzr_provenance provenance = op->provenance;
    if (op->by == BZR__READER_MODEL) provenance = bzr_provenance_join(provenance, BZR_AGENT);
    if (op->parent_count > PARENTS_MAX) bzr__tx_fail(tx, BZR_E_LIMIT, "an entry has at most %d parents", PARENTS_MAX);
    for (size_t i = 0; !tx->status && i < op->parent_count; i++) {
        old_row parent;
        old_init(&parent);
        look_up(tx, op->parents[i], &parent);
        provenance = bzr_provenance_join(provenance, parent.provenance);
        if (i) bzr__buf_add_c(parents, ',');
        bzr__buf_add_str(parents, op->parents[i]);
        old_free(&parent);
    }
    return provenance;
}

static void add_row(bzr__tx *tx, const bzr__memory_op *op, bzr_str id, bzr_provenance provenance, bzr_str parents) {
    char digest[65];
    uint64_t added = 1;
    if (!tx->status) tx->status = bzr__sha256(&op->content, 1, digest);
    if (tx->status) return;
    const bzr__value args[] = { bzr__text(id),           bzr__text(op->content),
                                bzr__text(op->category), bzr__text_z(bzr_provenance_name(provenance)),
                                bzr__text(op->source),   bzr__text(op->session_id),
                                bzr__text(parents),      bzr__int(op->at ? op->at : tx->now),
                                bzr__int(tx->now),       bzr__text_z(digest) };
    if (op->id.n)
        bzr__tx_run(tx, BZR__SQL_MEMORY_ADD, args, sizeof args / sizeof *args, NULL, NULL, &added);
    else
        bzr__tx_queue(tx, BZR__SQL_MEMORY_ADD, args, sizeof args / sizeof *args);
    if (!added) bzr__tx_fail(tx, BZR_E_STATE, "there is already a memory with this ID");
    memory_event(tx, "added", id, op, provenance, digest);
}

static void add_one(bzr__tx *tx, const bzr__memory_op *op, char ret_id[24]) {
    bzr__buf parents;
    bzr__buf_init(&parents, PARENTS_MAX * 128);
    check_content(tx, op->content);
    if (op->id.n && !good_id(op->id)) bzr__tx_fail(tx, BZR_E_ARG, "a memory ID has no comma and under 128 bytes");
    if (!tx->status && !op->id.n) tx->status = bzr__new_id(tx->store, "mem_", ret_id);
    bzr_provenance provenance = join_parents(tx, op, &parents);
    if (parents.status) bzr__tx_fail(tx, parents.status, "the ids of the parents are too long");
    add_row(tx, op, op->id.n ? op->id : bzr__str_z(ret_id), provenance, bzr__buf_str(&parents));
    bzr__buf_free(&parents);
}

static void check_revision(bzr__tx *tx, const bzr__memory_op *op, const old_row *old) {
    if (op->expect_revision && op->expect_revision != old->revision)
        bzr__tx_fail(tx, BZR_E_STATE, "the memory was changed by someone else: read it again");
}

static void update_one(bzr__tx *tx, const bzr__memory_op *op) {
    old_row old;
    char digest[65];
    old_init(&old);
    check_content(tx, op->content);
    look_up(tx, op->id, &old);
    check_revision(tx, op, &old);
    bzr_provenance provenance = op->provenance;
    if (op->by == BZR__READER_MODEL)
        provenance = bzr_provenance_join(bzr_provenance_join(provenance, BZR_AGENT), old.provenance);
    if (!tx->status) tx->status = bzr__sha256(&op->content, 1, digest);
    bzr__tx_queue(tx, BZR__SQL_MEMORY_UPDATE,
                  BZR__ARGS(bzr__text(op->id), bzr__text(op->content),
                            bzr__text(op->category.p ? op->category : bzr__buf_str(&old.category)),
                            bzr__text_z(bzr_provenance_name(provenance)),
                            bzr__text(op->source.p ? op->source : bzr__buf_str(&old.source)),
                            bzr__text(op->session_id.p ? op->session_id : bzr__buf_str(&old.session)),
                            bzr__int(tx->now), bzr__text_z(tx->status ? "" : digest)));
    if (!tx->status) memory_event(tx, "updated", op->id, op, provenance, digest);
    old_free(&old);
}

static void delete_one(bzr__tx *tx, const bzr__memory_op *op) {
    old_row old;
    old_init(&old);
    look_up(tx, op->id, &old);
    check_revision(tx, op, &old);
    bzr__tx_queue(tx, BZR__SQL_MEMORY_DELETE, BZR__ARGS(bzr__text(op->id)));
    if (!tx->status) memory_event(tx, "deleted", op->id, op, old.provenance, "");
    old_free(&old);
}

static void apply_one(bzr__tx *tx, const bzr__memory_op *op, char ret_id[24]) {
    memset(ret_id, 0, 24);
    switch (op->act) {
    case BZR__MEMORY_ADD: add_one(tx, op, ret_id); break;
    case BZR__MEMORY_UPDATE: update_one(tx, op); break;
    case BZR__MEMORY_DELETE: delete_one(tx, op); break;
    }
}

bzr_status bzr__store_memories_apply(bzr__store *store, const bzr__memory_op *ops, size_t n, char (*ret_ids)[24],
                                     size_t *ret_failed) {
    bzr__tx tx;
    size_t failed = 0;
    char unused[24];
    bzr__tx_begin(store, &tx);
    for (; failed < n && !tx.status; failed++) apply_one(&tx, &ops[failed], ret_ids ? ret_ids[failed] : unused);
    bzr_status status = bzr__tx_end(&tx);
    if (status && ret_failed) *ret_failed = failed ? failed - 1 : 0;
    return status;
}

/* ---- search ---- */

/* Words that say nothing; the list is the one a search for English needs least, and never makes a query empty. */
static bool says_nothing(bzr_str word) {
    static const char *const stop[] = { "the",  "and",  "for",  "are",  "but",  "not",   "you",   "all",
                                        "any",  "can",  "had",  "has",  "have", "how",   "its",   "that",
                                        "this", "was",  "were", "what", "when", "where", "which", "who",
                                        "why",  "will", "with", "from", "does", "did",   "our",   "your" };
    for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
        if (bzr__str_ieq(word, bzr__str_z(stop[i]))) return true;
    return word.n < 2;
}

static bool is_word_byte(int c) { return bzr__is_alnum(c) || c >= 0x80; }

/* The distinct words of a query, at most WORDS_MAX. */
static size_t split(bzr_str query, bool with_stop, bzr_str *words) {
    size_t n = 0;
    for (size_t at = 0; at < query.n && n < WORDS_MAX;) {
        size_t from = at;
        while (at < query.n && is_word_byte((unsigned char)query.p[at])) at++;
        bzr_str word = bzr__str_part(query, from, at);
        if (at == from) at++;
        if (!word.n || word.n > WORD_MAX || (!with_stop && says_nothing(word))) continue;
        size_t i = 0;
        while (i < n && !bzr__str_ieq(words[i], word)) i++;
        if (i == n) words[n++] = word;
    }
    return n;
}

static bool take_tally(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    *(int64_t *)ctx = row[0].i;
    return false;
}

static bzr_status express(bzr__store *store, const bzr_str *words, size_t n, bool all, bzr__buf *ret) {
    bzr__buf_clear(ret);
    bzr__store_backend_of(store)->search_words(words, n, all, ret);
    return ret->status;
}

/* Leave out words that very many entries have, if others remain: they cost the most and rank the least. */
static bzr_status drop_common(bzr__store *store, bzr_str *words, size_t *n, bzr__buf *scratch) {
    bzr_str rare[WORDS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        int64_t tally = 0;
        bzr_status status = express(store, &words[i], 1, false, scratch);
        if (!status)
            status = bzr__store_read(store, BZR__SQL_MEMORIES_TALLY, BZR__ARGS(bzr__text(bzr__buf_str(scratch))),
                                     take_tally, &tally);
        if (status) return status;
        if (tally <= COMMON) rare[kept++] = words[i];
    }
    if (!kept) return BZR_OK;
    memcpy(words, rare, kept * sizeof *words);
    *n = kept;
    return BZR_OK;
}

bzr_status bzr__store_memories_search(bzr__store *store, bzr_str query, bool all_words, uint64_t limit,
                                      bzr__memory_fn fn, void *ctx) {
    bzr_str words[WORDS_MAX];
    hand_out to = { fn, ctx, true, BZR_USER };
    bzr__buf some, each;
    if (query.n && bzr__utf8_valid_upto(query) < query.n) return bzr__store_fail(BZR_E_ARG, "the query is not UTF-8");
    size_t n = split(query, false, words);
    if (!n) n = split(query, true, words);
    if (!n) return BZR_OK;
    bzr__buf_init(&some, 8192);
    bzr__buf_init(&each, 8192);
    bzr_status status = all_words || n == 1 ? BZR_OK : drop_common(store, words, &n, &some);
    if (!status) status = express(store, words, n, all_words, &some);
    if (!status) status = express(store, words, n, true, &each);
    const bzr__value args[] = { bzr__text(bzr__buf_str(&some)), bzr__limit(limit, 10),
                                bzr__int(bzr__store_backend_of(store)->ranked), bzr__text(bzr__buf_str(&each)) };
    if (!status) status = bzr__store_read(store, BZR__SQL_MEMORIES_SEARCH, args, 4, give_memory, &to);
    bzr__buf_free(&some);
    bzr__buf_free(&each);
    return status;
}
