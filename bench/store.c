/* store.c - what the store costs: ingest beside a bare loop of the same statements, search, the audit log of a million
 * events.
 *
 * usage: bench_store sqlite|postgres [EVENTS]
 * The bare loop runs the statements of sql.def itself, prepared and batched like the store's, with values made
 * beforehand: the difference is our digests, packing, chain and checks. Wall time, because on PostgreSQL the work is
 * another process's, best of several rounds in which each goes first in turn. PostgreSQL is started here, with fsync.
 */
#include "lib/base/str.h"
#include "store/internal.h"
#include "tests/store/place.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BATCH    500
#define ROUNDS   7
#define BATCHES  6
#define MEMORIES 100000
#define QUERIES  400

static int64_t clock_now = INT64_C(1767225600) * 1000000;
static uint64_t seed = 88172645463325252u;

static int64_t now(void *ctx) {
    (void)ctx;
    return clock_now;
}

static uint64_t next(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    return seed ^= seed << 17;
}

static bool chance(void *ctx, void *p, size_t n) {
    (void)ctx;
    for (size_t i = 0; i < n; i++) ((unsigned char *)p)[i] = (unsigned char)(next() >> 24);
    return true;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void must(toad_status status) {
    if (!status) return;
    fprintf(stderr, "%s\n", toad__store_message());
    exit(2);
}

static toad__store *open_store(const place *p) {
    static const toad__store_host host = { now, chance, NULL };
    toad__store *store;
    toad__store_options options = { .where = p->where, .host = &host };
    must(toad__store_open(&options, &store, NULL));
    return store;
}

/* ---- text ---- */

#define WORDS 30000
static char words[WORDS][12];

static void make_words(void) {
    static const char *const parts[] = { "ka", "lo", "mi", "ne", "ru", "sa", "ti", "vo",
                                         "be", "du", "fi", "go", "ha", "je", "pa", "xi" };
    for (size_t i = 0; i < WORDS; i++) {
        size_t v = i * 2654435761u % 65536;
        snprintf(words[i], sizeof words[i], "%s%s%s%s", parts[v & 15], parts[v >> 4 & 15], parts[v >> 8 & 15],
                 parts[v >> 12 & 15]);
    }
}

/* Zipf's law: rank r with weight 1/r. */
static const char *a_word(void) {
    double u = (double)(next() >> 11) / 9007199254740992.0, x = 1;
    for (double limit = u * 10.3; limit > 0.6931 && x < WORDS / 2; limit -= 0.6931) x *= 2;
    size_t r = (size_t)(x * (1 + (double)(next() >> 11) / 9007199254740992.0)) - 1;
    return words[r < WORDS ? r : WORDS - 1];
}

static size_t make_text(char *to, size_t room) {
    size_t n = 0;
    while (n + 16 < room) n += (size_t)sprintf(to + n, "%s ", a_word());
    return n;
}

/* ---- ingest ---- */

typedef struct load {
    toad__content contents[BATCH];
    toad__event events[BATCH];
    char urls[BATCH][64], bodies[BATCH][4096];
    size_t body;
} load;

static void make_load(load *l) {
    static int serial;
    for (int i = 0; i < BATCH; i++) {
        snprintf(l->urls[i], sizeof l->urls[i], "https://example.com/page/%d", serial++);
        size_t n = make_text(l->bodies[i], l->body);
        l->contents[i] = (toad__content){ .url = toad__str_z(l->urls[i]),
                                          .domain = TOAD__S("example.com"),
                                          .kind = TOAD__S("web"),
                                          .title = TOAD__S("A page about many things"),
                                          .body = { l->bodies[i], n },
                                          .action = TOAD__S("allow"),
                                          .severity = TOAD__S("none"),
                                          .completeness = TOAD__S("full"),
                                          .confidence = TOAD__S("low"),
                                          .findings = TOAD__S("[]") };
        l->events[i] = (toad__event){ .type = TOAD__S("security_scan"),
                                      .direction = TOAD__S("inbound"),
                                      .channel = TOAD__S("internal"),
                                      .content = TOAD__S("injection_detected"),
                                      .url = l->contents[i].url,
                                      .pattern_matched = TOAD__S("ignore_previous_instructions"),
                                      .confidence = TOAD__S("high"),
                                      .action = TOAD__S("block"),
                                      .content_id = TOAD__S("fetch_0123456789ab"),
                                      .session_id = TOAD__S("session_123"),
                                      .details = TOAD__S("{\"catalogue\":\"1\",\"bytes\":2048}") };
    }
}

#define QUEUE(sql, ...) must(b->queue(link, TOAD__SQL_##sql, TOAD__ARGS(__VA_ARGS__)))

static const char hash64[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void bare_event(const toad__backend *b, toad__link *link, const toad__event *e, int64_t seq) {
    QUEUE(EVENT_ADD, toad__int(seq), toad__int(clock_now), toad__text(e->type), toad__text(e->direction),
          toad__text(e->channel), toad__text(e->content), toad__text(e->url), toad__text(e->pattern_matched),
          toad__text(e->confidence), toad__text(e->action), toad__text(e->content_id), toad__text(e->session_id),
          toad__text(e->details), toad__text_z(hash64));
}

/* Packed bodies are made before the clock starts: the bare loop inserts what the store would. */
static void bare_content(const toad__backend *b, toad__link *link, const toad__content *c, int64_t seq) {
    char id[24], digest[65];
    snprintf(id, sizeof id, "fetch_%012llx", (unsigned long long)seq * 11400714819323198485u >> 16);
    snprintf(digest, sizeof digest, "%016llx%s", (unsigned long long)seq * 11400714819323198485u, hash64 + 16);
    toad__value bytes = { .type = TOAD__VALUE_BYTES, .s = { c->body.p, c->body.n * 2 / 5 } };
    QUEUE(BODY_ADD, toad__text_z(digest), toad__int((int64_t)c->body.n), toad__int(1), bytes);
    QUEUE(CONTENT_PUT, toad__text_z(id), toad__text(c->url), toad__text(c->domain), toad__text(c->kind),
          toad__text(c->title), toad__text(c->session_id), toad__text_z(digest), toad__int((int64_t)c->body.n),
          toad__int(0), toad__text(c->action), toad__text(c->severity), toad__text(c->completeness),
          toad__text(c->confidence), toad__text(c->pattern_matched), toad__text(c->findings), toad__int(clock_now),
          toad__int(clock_now));
    QUEUE(SOURCE_SCANNED, toad__text_z("url"), toad__text(c->url), toad__text(c->domain), toad__int(0), toad__int(0),
          toad__int(clock_now));
    QUEUE(SOURCE_SCANNED, toad__text_z("domain"), toad__text(c->domain), toad__text(c->domain), toad__int(0),
          toad__int(0), toad__int(clock_now));
    bare_event(b, link,
               &(toad__event){ .type = TOAD__S("security_scan"),
                               .direction = TOAD__S("inbound"),
                               .channel = TOAD__S("internal"),
                               .content = TOAD__S("clean"),
                               .url = c->url,
                               .confidence = c->confidence,
                               .action = c->action,
                               .content_id = toad__str_z(id) },
               seq);
}

typedef enum what { EVENTS, CONTENTS } what;

static double bare(const toad__backend *b, toad__link *link, const load *l, what w) {
    static int64_t seq;
    double from = seconds();
    must(b->begin(link));
    for (int i = 0; i < BATCH; i++) {
        if (w == EVENTS)
            bare_event(b, link, &l->events[i], ++seq);
        else
            bare_content(b, link, &l->contents[i], ++seq);
    }
    must(b->commit(link));
    return seconds() - from;
}

static double ours(toad__store *store, const load *l, what w) {
    static char ids[BATCH][24];
    double from = seconds();
    if (w == EVENTS)
        must(toad__store_events_append(store, l->events, BATCH));
    else
        must(toad__store_contents_put(store, l->contents, BATCH, ids));
    return seconds() - from;
}

static void ingest(bool postgres, const char *name, what w, size_t body) {
    const toad__backend *b = postgres ? &toad__postgres_backend : &toad__sqlite_backend;
    place mine = place_new(postgres), theirs = place_new(postgres);
    toad__store *store = open_store(&mine);
    toad__store_close(open_store(&theirs));
    toad__link *link;
    load *l = calloc(1, sizeof *l);
    double best_ours = 1e9, best_bare = 1e9;
    if (!l) exit(2);
    l->body = body;
    const toad__store_options options = { .busy_ms = 10000 };
    must(b->open(theirs.where, &options, &link));
    for (int round = 0; round < ROUNDS; round++) {
        double o = 0, t = 0;
        for (int i = 0; i < BATCHES; i++) {
            make_load(l);
            if (i % 2) t += bare(b, link, l, w);
            o += ours(store, l, w);
            if (i % 2 == 0) t += bare(b, link, l, w);
        }
        if (o < best_ours) best_ours = o;
        if (t < best_bare) best_bare = t;
    }
    double n = BATCH * BATCHES;
    printf("%-9s ingest %-22s %8.0f/s  bare loop %8.0f/s  ratio %.2f\n", postgres ? "postgres" : "sqlite", name,
           n / best_ours, n / best_bare, best_bare / best_ours);
    b->close(link);
    toad__store_close(store);
    place_drop(&mine);
    place_drop(&theirs);
    free(l);
}

/* ---- search ---- */

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static bool count(void *ctx, const toad__memory *m) {
    (void)m;
    ++*(int *)ctx;
    return true;
}

static void fill_memories(toad__store *store) {
    static char text[BATCH][200];
    static toad__memory_op ops[BATCH];
    for (int done = 0; done < MEMORIES; done += BATCH) {
        for (int i = 0; i < BATCH; i++) {
            size_t n = make_text(text[i], 60 + next() % 140);
            ops[i] =
                (toad__memory_op){ .act = TOAD__MEMORY_ADD, .content = { text[i], n }, .category = TOAD__S("notes") };
        }
        must(toad__store_memories_apply(store, ops, BATCH, NULL, NULL));
    }
}

static void search(bool postgres) {
    static double times[QUERIES];
    place p = place_new(postgres);
    toad__store *store = open_store(&p);
    double from = seconds();
    fill_memories(store);
    printf("%-9s %d memories written in %.1f s\n", postgres ? "postgres" : "sqlite", MEMORIES, seconds() - from);
    if (postgres) place_raw(&p, "ANALYZE memories");
    for (int terms = 1; terms <= 4; terms++) {
        int found = 0;
        for (int i = 0; i < QUERIES; i++) {
            char query[80] = "";
            for (int k = 0; k < terms; k++) strcat(strcat(query, a_word()), " ");
            from = seconds();
            must(toad__store_memories_search(store, toad__str_z(query), false, 10, count, &found));
            times[i] = (seconds() - from) * 1e3;
        }
        qsort(times, QUERIES, sizeof *times, by_size);
        printf("%-9s search %d words: p50 %.2f ms  p95 %.2f ms  max %.2f ms  (%d hits)\n",
               postgres ? "postgres" : "sqlite", terms, times[QUERIES / 2], times[QUERIES * 95 / 100],
               times[QUERIES - 1], found);
    }
    double best = 1e9;
    int listed = 0;
    for (int i = 0; i < 9; i++) {
        from = seconds();
        must(
            toad__store_memories(store, &(toad__memory_filter){ .at_most = TOAD_USER, .limit = 1000 }, count, &listed));
        if (seconds() - from < best) best = seconds() - from;
    }
    printf("%-9s list of 1000 memories, digests checked: %.2f ms\n", postgres ? "postgres" : "sqlite", best * 1e3);
    toad__store_close(store);
    place_drop(&p);
}

/* ---- audit ---- */

static bool count_events(void *ctx, const toad__event *e) {
    (void)e;
    ++*(uint64_t *)ctx;
    return true;
}

static void audit(bool postgres, int events) {
    place p = place_new(postgres);
    toad__store *store = open_store(&p);
    load *l = calloc(1, sizeof *l);
    if (!l) exit(2);
    l->body = 100;
    make_load(l);
    double from = seconds();
    for (int done = 0; done < events; done += BATCH) {
        clock_now += INT64_C(360) * 1000000; /* 5,000 an hour */
        must(toad__store_events_append(store, l->events, BATCH));
    }
    printf("%-9s %d events written in %.1f s\n", postgres ? "postgres" : "sqlite", events, seconds() - from);
    if (postgres) place_raw(&p, "ANALYZE events");
    double best = 1e9;
    uint64_t n = 0, counted;
    for (int i = 0; i < 9; i++) {
        n = 0;
        from = seconds();
        must(toad__store_events(store,
                                &(toad__event_filter){ .since = clock_now - INT64_C(3600) * 1000000, .limit = 1000000 },
                                count_events, &n));
        double took = seconds() - from;
        if (took < best) best = took;
    }
    from = seconds();
    must(toad__store_events_count(
        store, &(toad__event_filter){ .since = clock_now - INT64_C(3600) * 1000000, .action = TOAD__S("block") },
        &counted));
    printf("%-9s audit query of the last hour: %llu events in %.1f ms; count with a filter %.1f ms\n",
           postgres ? "postgres" : "sqlite", (unsigned long long)n, best * 1e3, (seconds() - from) * 1e3);
    toad__audit_report report;
    from = seconds();
    must(toad__store_audit_verify(store, NULL, &report));
    printf("%-9s audit verify: %llu events in %.1f s, %s\n", postgres ? "postgres" : "sqlite",
           (unsigned long long)report.checked, seconds() - from, report.ok ? "ok" : report.why);
    toad__store_close(store);
    place_drop(&p);
    free(l);
}

int main(int argc, char **argv) {
    bool postgres = argc > 1 && !strcmp(argv[1], "postgres");
    setenv("TOAD_PG_FSYNC", "1", 1);
    if (postgres && !server_start()) return 2;
    make_words();
    ingest(postgres, "events", EVENTS, 100);
    ingest(postgres, "contents of 400 bytes", CONTENTS, 400);
    ingest(postgres, "contents of 4 KB", CONTENTS, 4096);
    search(postgres);
    audit(postgres, argc > 2 ? atoi(argv[2]) : 1000000);
    return 0;
}
