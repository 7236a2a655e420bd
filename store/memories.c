/* memories.c - entries of memory: batches that happen wholly or not at all, and full-text search.
 *
 * Provenance is settled here, inside the transaction, because only here are the parents known: an entry is as
 * trustworthy as the least trusted of what it was made from, and a model's update never makes an entry more trusted
 * than it was. A row that a foreign hand wrote reads as external when its provenance is unknown, and as not intact when
 * its digest does not fit. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "store/internal.h"
#include "sys/digest.h"

#define CONTENT_MAX (1u << 20)
#define PARENTS_MAX 64
#define WORDS_MAX   16
#define WORD_MAX    64
#define COMMON      60 /* of the newest 300 entries: a word that more have is common */

/* ---- rows ---- */

static toad__memory memory_of(toad__columns *c) {
    toad__memory m = { .provenance = TOAD_EXTERNAL };
    char digest[65];
    m.id = toad__next_text(c);
    m.content = toad__next_text(c);
    m.category = toad__next_text(c);
    toad_provenance_parse(toad__next_text(c), &m.provenance);
    m.source = toad__next_text(c);
    m.session_id = toad__next_text(c);
    m.parents = toad__next_text(c);
    m.created_at = toad__next_int(c);
    m.updated_at = toad__next_int(c);
    m.revision = toad__next_int(c);
    m.sha256 = toad__next_text(c);
    toad__sha256_of(m.content, digest);
    m.intact = m.sha256.n == 64 && !memcmp(digest, m.sha256.p, 64);
    return m;
}

typedef struct hand_out {
    toad__memory_fn fn;
    void *ctx;
    bool scored;
    toad_provenance at_most;
} hand_out;

static bool give_memory(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__columns c = { row };
    toad__memory m = memory_of(&c);
    if (to->scored) m.score = toad__next_real(&c);
    return m.provenance < to->at_most || to->fn(to->ctx, &m);
}

toad_status toad__store_memories(toad__store *store, const toad__memory_filter *filter, toad__memory_fn fn, void *ctx) {
    hand_out to = { fn, ctx, false, filter->at_most };
    return toad__store_read(
        store, TOAD__SQL_MEMORIES,
        TOAD__ARGS(toad__text(filter->category), toad__text(filter->session_id), toad__limit(filter->limit, INT32_MAX)),
        give_memory, &to);
}

typedef struct keep_one {
    toad__arena *arena;
    toad__memory memory;
    bool found, full;
} keep_one;

static bool keep_memory(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    toad__columns c = { row };
    toad__memory *m = &k->memory;
    *m = memory_of(&c);
    toad_str *const texts[] = {
        &m->id, &m->content, &m->category, &m->source, &m->session_id, &m->parents, &m->sha256
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

static toad_status not_found(toad_str id) {
    return toad__store_fail(TOAD_E_NOT_FOUND, "memory not found: %.*s", (int)(id.n < 64 ? id.n : 64), id.n ? id.p : "");
}

toad_status toad__store_memory_get(toad__store *store, toad_str id, toad__arena *arena, toad__memory *ret) {
    keep_one k = { .arena = arena };
    toad_status status = toad__store_read(store, TOAD__SQL_MEMORY, TOAD__ARGS(toad__text(id)), keep_memory, &k);
    if (!status && k.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status && !k.found) status = not_found(id);
    if (!status) *ret = k.memory;
    return status;
}

/* ---- batches ---- */

typedef struct old_row {
    bool found;
    toad_provenance provenance;
    int64_t revision;
    toad__buf category, source, session;
} old_row;

static bool note_row(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    old_row *old = ctx;
    toad__columns c = { row };
    toad__memory m = memory_of(&c);
    old->found = true;
    old->provenance = m.intact ? m.provenance : TOAD_EXTERNAL;
    old->revision = m.revision;
    toad__buf_add_str(&old->category, m.category);
    toad__buf_add_str(&old->source, m.source);
    toad__buf_add_str(&old->session, m.session_id);
    return false;
}

static void old_init(old_row *old) {
    *old = (old_row){ .found = false };
    toad__buf_init(&old->category, CONTENT_MAX);
    toad__buf_init(&old->source, CONTENT_MAX);
    toad__buf_init(&old->session, CONTENT_MAX);
}

static void old_free(old_row *old) {
    toad__buf_free(&old->category);
    toad__buf_free(&old->source);
    toad__buf_free(&old->session);
}

/* Parents are a list with commas, and an id stands in messages and prompts: so it is a plain word. */
bool toad__store_is_memory_id(toad_str id) {
    for (size_t i = 0; i < id.n; i++)
        if (!toad__is_alnum((unsigned char)id.p[i]) && !memchr("._:-", id.p[i], 4)) return false;
    return id.n && id.n <= 64;
}

static void look_up(toad__tx *tx, toad_str id, old_row *old) {
    if (!tx->status && !id.n) toad__tx_fail(tx, TOAD_E_ARG, "memory ID cannot be empty");
    toad__tx_run(tx, TOAD__SQL_MEMORY, TOAD__ARGS(toad__text(id)), note_row, old, NULL);
    if (!tx->status && !old->found) tx->status = not_found(id);
    if (!tx->status) tx->status = old->category.status;
}

static void check_content(toad__tx *tx, toad_str content) {
    if (!content.n) toad__tx_fail(tx, TOAD_E_ARG, "Content cannot be empty.");
    if (content.n > CONTENT_MAX)
        toad__tx_fail(tx, TOAD_E_LIMIT, "an entry of memory holds at most %u bytes", CONTENT_MAX);
}

static void memory_event(toad__tx *tx, const char *what, toad_str id, const toad__memory_op *op,
                         toad_provenance provenance, const char *digest) {
    toad__buf details;
    toad__buf_init(&details, 4096);
    toad__buf_add_z(&details, "{\"id\":");
    toad__json_add_str(&details, id);
    toad__buf_add_z(&details, ",\"provenance\":\"");
    toad__buf_add_z(&details, toad_provenance_name(provenance));
    toad__buf_add_z(&details, "\",\"sha256\":\"");
    toad__buf_add_z(&details, digest);
    toad__buf_add_z(&details, "\"}");
    if (details.status) toad__tx_fail(tx, details.status, "an id is too long");
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("memory_write"),
                                       .direction = TOAD__S("internal"),
                                       .channel = toad__str_z(op->by == TOAD__READER_USER ? "user" : "agent"),
                                       .content = toad__str_z(what),
                                       .session_id = op->session_id,
                                       .details = toad__buf_str(&details) });
    toad__buf_free(&details);
}

/* The provenance of a new entry, and its parents as one text. */
static toad_provenance join_parents(toad__tx *tx, const toad__memory_op *op, toad__buf *parents) {
    toad_provenance provenance = op->provenance;
    if (op->by == TOAD__READER_MODEL) provenance = toad_provenance_join(provenance, TOAD_AGENT);
    if (op->parent_count > PARENTS_MAX) toad__tx_fail(tx, TOAD_E_LIMIT, "an entry has at most %d parents", PARENTS_MAX);
    for (size_t i = 0; !tx->status && i < op->parent_count; i++) {
        old_row parent;
        old_init(&parent);
        look_up(tx, op->parents[i], &parent);
        provenance = toad_provenance_join(provenance, parent.provenance);
        if (i) toad__buf_add_c(parents, ',');
        toad__buf_add_str(parents, op->parents[i]);
        old_free(&parent);
    }
    return provenance;
}

static void add_row(toad__tx *tx, const toad__memory_op *op, toad_str id, toad_provenance provenance,
                    toad_str parents) {
    char digest[65];
    uint64_t added = 1;
    if (tx->status) return;
    toad__sha256_of(op->content, digest);
    const toad__value args[] = { toad__text(id),           toad__text(op->content),
                                 toad__text(op->category), toad__text_z(toad_provenance_name(provenance)),
                                 toad__text(op->source),   toad__text(op->session_id),
                                 toad__text(parents),      toad__int(op->at ? op->at : tx->now),
                                 toad__int(tx->now),       toad__text_z(digest) };
    if (op->id.n)
        toad__tx_run(tx, TOAD__SQL_MEMORY_ADD, args, sizeof args / sizeof *args, NULL, NULL, &added);
    else
        toad__tx_queue(tx, TOAD__SQL_MEMORY_ADD, args, sizeof args / sizeof *args);
    if (!added) toad__tx_fail(tx, TOAD_E_STATE, "there is already a memory with this ID");
    memory_event(tx, "added", id, op, provenance, digest);
}

static void add_one(toad__tx *tx, const toad__memory_op *op, toad__memory_made *ret) {
    toad__buf parents;
    toad__buf_init(&parents, PARENTS_MAX * 128);
    check_content(tx, op->content);
    if (op->id.n && !toad__store_is_memory_id(op->id))
        toad__tx_fail(tx, TOAD_E_ARG, "a memory ID is 1 to 64 of A-Z a-z 0-9 . _ : -");
    if (!tx->status && !op->id.n) tx->status = toad__new_id(tx->store, "mem_", ret->id);
    ret->provenance = join_parents(tx, op, &parents);
    if (parents.status) toad__tx_fail(tx, parents.status, "the ids of the parents are too long");
    add_row(tx, op, op->id.n ? op->id : toad__str_z(ret->id), ret->provenance, toad__buf_str(&parents));
    toad__buf_free(&parents);
}

static void check_revision(toad__tx *tx, const toad__memory_op *op, const old_row *old) {
    if (op->expect_revision && op->expect_revision != old->revision)
        toad__tx_fail(tx, TOAD_E_STATE, "the memory was changed by someone else: read it again");
}

static void update_one(toad__tx *tx, const toad__memory_op *op, toad__memory_made *ret) {
    old_row old;
    char digest[65];
    old_init(&old);
    check_content(tx, op->content);
    look_up(tx, op->id, &old);
    check_revision(tx, op, &old);
    toad_provenance provenance = op->provenance;
    if (op->by == TOAD__READER_MODEL)
        provenance = toad_provenance_join(toad_provenance_join(provenance, TOAD_AGENT), old.provenance);
    toad__sha256_of(op->content, digest);
    toad__tx_queue(tx, TOAD__SQL_MEMORY_UPDATE,
                   TOAD__ARGS(toad__text(op->id), toad__text(op->content),
                              toad__text(op->category.p ? op->category : toad__buf_str(&old.category)),
                              toad__text_z(toad_provenance_name(provenance)),
                              toad__text(op->source.p ? op->source : toad__buf_str(&old.source)),
                              toad__text(op->session_id.p ? op->session_id : toad__buf_str(&old.session)),
                              toad__int(tx->now), toad__text_z(tx->status ? "" : digest)));
    if (!tx->status) memory_event(tx, "updated", op->id, op, provenance, digest);
    ret->provenance = provenance;
    old_free(&old);
}

static void delete_one(toad__tx *tx, const toad__memory_op *op) {
    old_row old;
    old_init(&old);
    look_up(tx, op->id, &old);
    check_revision(tx, op, &old);
    toad__tx_queue(tx, TOAD__SQL_MEMORY_DELETE, TOAD__ARGS(toad__text(op->id)));
    /* What the user deletes is gone, from what sessions were given, too. */
    if (op->by == TOAD__READER_USER) toad__tx_queue(tx, TOAD__SQL_SNAPSHOTS_DROP, TOAD__ARGS(toad__int(INT64_MAX)));
    if (!tx->status) memory_event(tx, "deleted", op->id, op, old.provenance, "");
    old_free(&old);
}

static void apply_one(toad__tx *tx, const toad__memory_op *op, toad__memory_made *ret) {
    *ret = (toad__memory_made){ .provenance = TOAD_EXTERNAL };
    switch (op->act) {
    case TOAD__MEMORY_ADD: add_one(tx, op, ret); break;
    case TOAD__MEMORY_UPDATE: update_one(tx, op, ret); break;
    case TOAD__MEMORY_DELETE: delete_one(tx, op); break;
    }
}

toad_status toad__store_memories_apply(toad__store *store, const toad__memory_op *ops, size_t n, toad__memory_made *ret,
                                       size_t *ret_failed) {
    toad__tx tx;
    size_t failed = 0;
    toad__memory_made unused;
    toad__tx_begin(store, &tx);
    for (; failed < n && !tx.status; failed++) apply_one(&tx, &ops[failed], ret ? &ret[failed] : &unused);
    toad_status status = toad__tx_end(&tx);
    if (status && ret_failed) *ret_failed = failed ? failed - 1 : 0;
    return status;
}

/* ---- search ---- */

/* Words that say nothing; the list is the one a search for English needs least, and never makes a query empty. */
static bool says_nothing(toad_str word) {
    static const char *const stop[] = { "the",  "and",  "for",  "are",  "but",  "not",   "you",   "all",
                                        "any",  "can",  "had",  "has",  "have", "how",   "its",   "that",
                                        "this", "was",  "were", "what", "when", "where", "which", "who",
                                        "why",  "will", "with", "from", "does", "did",   "our",   "your" };
    for (size_t i = 0; i < sizeof stop / sizeof *stop; i++)
        if (toad__str_ieq(word, toad__str_z(stop[i]))) return true;
    return word.n < 2;
}

static bool is_word_byte(int c) { return toad__is_alnum(c) || c >= 0x80; }

/* The distinct words of a query, at most WORDS_MAX. */
static size_t split(toad_str query, bool with_stop, toad_str *words) {
    size_t n = 0;
    for (size_t at = 0; at < query.n && n < WORDS_MAX;) {
        size_t from = at;
        while (at < query.n && is_word_byte((unsigned char)query.p[at])) at++;
        toad_str word = toad__str_part(query, from, at);
        if (at == from) at++;
        if (!word.n || word.n > WORD_MAX || (!with_stop && says_nothing(word))) continue;
        size_t i = 0;
        while (i < n && !toad__str_ieq(words[i], word)) i++;
        if (i == n) words[n++] = word;
    }
    return n;
}

static bool take_tally(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    *(int64_t *)ctx = row[0].i;
    return false;
}

static toad_status express(toad__store *store, const toad_str *words, size_t n, bool all, toad__buf *ret) {
    toad__buf_clear(ret);
    toad__store_backend_of(store)->search_words(words, n, all, ret);
    return ret->status;
}

/* Leave out words that very many entries have, if others remain: they cost the most and rank the least. */
static toad_status drop_common(toad__store *store, toad_str *words, size_t *n, toad__buf *scratch) {
    toad_str rare[WORDS_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < *n; i++) {
        int64_t tally = 0;
        toad_status status = express(store, &words[i], 1, false, scratch);
        if (!status)
            status = toad__store_read(store, TOAD__SQL_MEMORIES_TALLY, TOAD__ARGS(toad__text(toad__buf_str(scratch))),
                                      take_tally, &tally);
        if (status) return status;
        if (tally <= COMMON) rare[kept++] = words[i];
    }
    if (!kept) return TOAD_OK;
    memcpy(words, rare, kept * sizeof *words);
    *n = kept;
    return TOAD_OK;
}

toad_status toad__store_memories_search(toad__store *store, toad_str query, bool all_words, uint64_t limit,
                                        toad__memory_fn fn, void *ctx) {
    toad_str words[WORDS_MAX];
    hand_out to = { fn, ctx, true, TOAD_USER };
    toad__buf some, each;
    if (query.n && toad__utf8_valid_upto(query) < query.n)
        return toad__store_fail(TOAD_E_ARG, "the query is not UTF-8");
    size_t n = split(query, false, words);
    if (!n) n = split(query, true, words);
    if (!n) return TOAD_OK;
    toad__buf_init(&some, 8192);
    toad__buf_init(&each, 8192);
    toad_status status = all_words || n == 1 ? TOAD_OK : drop_common(store, words, &n, &some);
    if (!status) status = express(store, words, n, all_words, &some);
    if (!status) status = express(store, words, n, true, &each);
    const toad__value args[] = { toad__text(toad__buf_str(&some)), toad__limit(limit, 10),
                                 toad__int(toad__store_backend_of(store)->ranked), toad__text(toad__buf_str(&each)) };
    if (!status) status = toad__store_read(store, TOAD__SQL_MEMORIES_SEARCH, args, 4, give_memory, &to);
    toad__buf_free(&some);
    toad__buf_free(&each);
    return status;
}
