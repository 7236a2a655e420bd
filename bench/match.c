/* match.c - the matcher beside Vectorscan, a PCRE2-JIT loop, a loop of Python's re and memcpy: same rules, same folded
 * text, one core, CPU time, best of several passes.
 *
 * usage: bench_match [--brief] CORPUSDIR words.yaml family.yaml ...   (bench/corpus.py makes the corpus; --brief:
 * benign text alone) Python is run as `python3 bench/re_loop.py` from the root of the tree. Each figure is GB/s, with
 * its ratio to ours. Latencies are nanoseconds of one call. The worst texts are made of the rules' own literals. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "lib/scan/match.h"
#include "app/scan/rulefile.h"
#include "bench/timing.h"
#include "lib/base/str.h"
#include "lib/rules/table.h"
#include "tests/oracle/dialect.h"

#include <hs/hs.h>
#include <pcre2.h>

#define PASSES 5

typedef struct text {
    toad_str ours, theirs; /* theirs: line feeds put back */
    uint8_t *lines;
} text;

typedef struct texts {
    text *at;
    size_t n, bytes;
} texts;

static toad__rulefile *rules;
static toad__ruleset *set;
static toad__matcher *matcher;
static hs_database_t *db;
static hs_scratch_t *scratch;
static pcre2_code **code;
static const char **regexes;
static size_t n_codes;
static pcre2_match_data *data;
static uint64_t events;

static void die(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(2);
}

static void *need(void *p) {
    if (!p) die("out of memory");
    return p;
}

/* --- engines --- */

static bool on_match(void *ctx, uint32_t rule, uint32_t start, uint32_t end) {
    (void)ctx, (void)rule, (void)start, (void)end;
    events++;
    return true;
}

static int on_hs(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void *ctx) {
    (void)id, (void)from, (void)to, (void)flags, (void)ctx;
    events++;
    return 0;
}

static void run_ours(const text *t) { toad__match(matcher, TOAD__MATCH_TEXT, t->ours, t->lines, on_match, NULL); }
static void run_vectorscan(const text *t) { hs_scan(db, t->theirs.p, (unsigned)t->theirs.n, 0, scratch, on_hs, NULL); }

static void run_pcre2(const text *t) {
    for (size_t i = 0; i < n_codes; i++)
        events += pcre2_jit_match(code[i], (PCRE2_SPTR)t->theirs.p, t->theirs.n, 0, 0, data, NULL) > 0;
}

static volatile char sink;

static void run_memcpy(const text *t) {
    static char to[1u << 20];
    for (size_t at = 0; at < t->ours.n; at += sizeof to) {
        size_t n = t->ours.n - at < sizeof to ? t->ours.n - at : sizeof to;
        memcpy(to, t->ours.p + at, n);
        sink = to[n - 1];
    }
}

static void read_rules(int argc, char **argv) {
    char message[512];
    rules = need(toad__rulefile_new());
    for (int i = 0; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        toad__buf b;
        toad__buf_init(&b, TOAD__RULEFILE_SIZE);
        int c;
        while (f && (c = getc(f)) != EOF) toad__buf_add_c(&b, (char)c);
        if (!f || toad__rulefile_add(rules, argv[i], toad__buf_str(&b), message, sizeof message))
            die(f ? message : argv[i]);
        fclose(f);
        toad__buf_free(&b);
    }
}

static void compile_all(void) {
    const toad__rule_def *defs = toad__rulefile_defs(rules);
    size_t n = toad__rulefile_count(rules), patterns = 0;
    double a = cpu_seconds();
    if (toad__ruleset_compile(defs, n, &set, NULL)) die("the rules do not compile");
    double ours = cpu_seconds() - a;
    matcher = need(toad__matcher_new(set));
    for (size_t i = 0; i < n; i++) patterns += defs[i].n_patterns;
    const char **regex = need(calloc(patterns, sizeof *regex));
    unsigned *flags = need(calloc(patterns, sizeof *flags)), *ids = need(calloc(patterns, sizeof *ids));
    code = need(calloc(patterns, sizeof *code));
    regexes = regex;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < defs[i].n_patterns; k++, n_codes++) {
            toad__buf b;
            toad__buf_init(&b, 1u << 20);
            oracle_regex(defs[i].patterns[k], &b);
            toad__buf_add(&b, "", 1);
            regex[n_codes] = b.p;
            flags[n_codes] = HS_FLAG_MULTILINE | HS_FLAG_DOTALL | HS_FLAG_SINGLEMATCH;
            ids[n_codes] = (unsigned)i;
        }
    hs_compile_error_t *error;
    a = cpu_seconds();
    if (hs_compile_multi(regex, flags, ids, (unsigned)n_codes, HS_MODE_BLOCK, NULL, &db, &error) != HS_SUCCESS)
        die(error->message);
    double theirs = cpu_seconds() - a;
    hs_alloc_scratch(db, &scratch);
    data = need(pcre2_match_data_create(64, NULL));
    for (size_t i = 0; i < n_codes; i++) {
        int e;
        PCRE2_SIZE at;
        code[i] = need(
            pcre2_compile((PCRE2_SPTR)regex[i], PCRE2_ZERO_TERMINATED, PCRE2_MULTILINE | PCRE2_DOTALL, &e, &at, NULL));
        pcre2_jit_compile(code[i], PCRE2_JIT_COMPLETE);
    }
    size_t size;
    hs_database_size(db, &size);
    printf("rules %zu, patterns %zu, grams %u long, %u medium, %u short; table %u bytes, vectorscan %zu\n", n, n_codes,
           set->sets[0].filters[0].n, set->sets[0].filters[1].n, set->sets[0].filters[2].n, set->size, size);
    printf("compile: ours %.1f ms (both sets), vectorscan %.1f ms\n", ours * 1e3, theirs * 1e3);
    printf("scratch: %zu bytes\n", (size_t)set->sets[0].n_patterns * 36 + set->sets[0].state_words * (size_t)8);
}

/* --- texts --- */

static void add_text(texts *to, toad_str folded, const uint8_t *lines) {
    if (!(to->n & (to->n + 1))) to->at = need(realloc(to->at, (to->n * 2 + 2) * sizeof *to->at));
    toad__buf b;
    toad__buf_init(&b, folded.n + 1);
    oracle_text(folded, lines, &b);
    text t = { .theirs = toad__buf_str(&b), .lines = need(calloc(folded.n / 8 + 2, 1)) };
    if (lines) memcpy(t.lines, lines, folded.n / 8);
    char *copy = need(malloc(folded.n + 1));
    memcpy(copy, folded.p, folded.n);
    t.ours = toad__str(copy, folded.n);
    to->at[to->n++] = t;
    to->bytes += folded.n;
}

static texts folded_corpus(const char *dir) {
    corpus c = corpus_read(dir, "benign");
    texts to = { 0 };
    toad__view v;
    toad__view_init(&v, 1u << 26);
    for (size_t i = 0; i < c.n; i++)
        if (!toad__fold(&v, c.docs[i], TOAD__FOLD_DROP) && v.text.n) add_text(&to, toad__buf_str(&v.text), v.lines);
    toad__view_free(&v);
    corpus_free(&c);
    return to;
}

static const toad__table_literal *literal_of(size_t i) {
    return (const toad__table_literal *)toad__table_at(set, set->sets[0].literals) + i;
}

static size_t literals_n(void) { return set->sets[0].n_literals; }

/* Literals of the rules in pseudo-random order, or one of them over and over, until there are n bytes. */
static texts literals_text(size_t n, const toad__table_literal *only) {
    toad__buf b;
    toad__buf_init(&b, n + 64);
    for (uint64_t x = 1; b.n < n; x = x * 6364136223846793005u + 1442695040888963407u) {
        const toad__table_literal *l = only ? only : literal_of((size_t)(x >> 33) % literals_n());
        toad__buf_add(&b, &l->value, l->n);
    }
    texts to = { 0 };
    add_text(&to, toad__buf_str(&b), NULL);
    toad__buf_free(&b);
    return to;
}

/* The first `keep` bytes of a rule's example, over and over: a match that fails late. */
static texts near_miss_text(size_t n, const char *example) {
    toad__view v;
    toad__buf b;
    toad__view_init(&v, 1u << 20);
    toad__buf_init(&b, n + 4096);
    toad__fold(&v, toad__str_z(example), TOAD__FOLD_DROP);
    size_t keep = v.text.n * 4 / 5;
    while (b.n < n && keep) {
        toad__buf_add(&b, v.text.p, keep);
        toad__buf_add_c(&b, ' ');
    }
    texts to = { 0 };
    add_text(&to, toad__buf_str(&b), NULL);
    toad__buf_free(&b);
    toad__view_free(&v);
    return to;
}

static void free_texts(texts *t) {
    for (size_t i = 0; i < t->n; i++) {
        free((void *)(uintptr_t)t->at[i].ours.p);
        free((void *)(uintptr_t)t->at[i].theirs.p);
        free(t->at[i].lines);
    }
    free(t->at);
}

/* --- measures --- */

typedef void engine_fn(const text *);

/* GB/s on the first `most` bytes. */
static double rate(engine_fn *run, const texts *all, size_t most, int passes) {
    double best = 1e9;
    size_t bytes = 0;
    for (int p = 0; p < passes; p++) {
        bytes = 0;
        events = 0;
        double a = cpu_seconds();
        for (size_t i = 0; i < all->n && bytes < most; i++) {
            run(&all->at[i]);
            bytes += all->at[i].ours.n;
        }
        a = cpu_seconds() - a;
        if (a < best) best = a;
    }
    return (double)bytes / best / 1e9;
}

static void compare(const char *name, const texts *t, size_t most) {
    double ours = rate(run_ours, t, SIZE_MAX, PASSES);
    uint64_t found = events;
    double vectorscan = rate(run_vectorscan, t, most, 2);
    uint64_t found_vs = events;
    double pcre2 = rate(run_pcre2, t, most / 64, 1), copy = rate(run_memcpy, t, SIZE_MAX, PASSES);
    printf("%-28s ours %.3f GB/s (%llu)  vectorscan %.3f (%llu; ours is %.2f times)  pcre2-jit %.4f (%.0f times)  "
           "memcpy %.1f (%.3f of it)\n",
           name, ours, (unsigned long long)found, vectorscan, (unsigned long long)found_vs, ours / vectorscan, pcre2,
           ours / pcre2, copy, ours / copy);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void latency(const char *name, engine_fn *run, const texts *all, size_t n) {
    enum { SAMPLES = 20000 };
    static double ns[SAMPLES];
    size_t k = 0, doc = 0, at = 0;
    while (k < SAMPLES && doc < all->n) {
        text t = all->at[doc];
        if (at + n > t.ours.n) {
            doc++;
            at = 0;
            continue;
        }
        text part = { toad__str(t.ours.p + at, n), toad__str(t.theirs.p + at, n), t.lines };
        struct timespec a, b;
        clock_gettime(CLOCK_MONOTONIC, &a);
        run(&part);
        clock_gettime(CLOCK_MONOTONIC, &b);
        ns[k++] = (double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec);
        at += n + 4096;
    }
    if (!k) return;
    qsort(ns, k, sizeof *ns, by_value);
    printf("  %-10s %6zu bytes: p50 %.0f ns, p99 %.0f ns\n", name, n, ns[k / 2], ns[k * 99 / 100]);
}

/* GB/s of Python's re on the first document of some size. */
static double python_rate(const texts *all) {
    enum { LEAST = 64u << 10, MOST = 256u << 10 };
    char path[] = "/tmp/bench-re-XXXXXX", command[64], line[64] = "";
    size_t doc = 0;
    int fd = mkstemp(path);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f) die("no temporary file");
    for (size_t i = 0; i < n_codes; i++) fprintf(f, "%s%c", regexes[i], 0);
    fputc(0, f);
    while (doc + 1 < all->n && all->at[doc].theirs.n < LEAST) doc++;
    fwrite(all->at[doc].theirs.p, 1, all->at[doc].theirs.n < MOST ? all->at[doc].theirs.n : MOST, f);
    fclose(f);
    snprintf(command, sizeof command, "python3 bench/re_loop.py %s", path);
    FILE *p = popen(command, "r");
    if (!p || !fgets(line, sizeof line, p)) line[0] = 0;
    if (p) pclose(p);
    remove(path);
    return strtod(line, NULL) / 1e9;
}

static void compare_python(const texts *t) {
    double ours = rate(run_ours, t, SIZE_MAX, PASSES), python = python_rate(t);
    if (python > 0)
        printf("%-28s ours %.3f GB/s  python re %.6f (%.0f times)\n", "benign", ours, python, ours / python);
    else
        printf("%-28s python re: did not run\n", "benign");
}

/* The slowest of many single texts. */
static void worst(const char *name, double gbs, const char *what, double *least, char *slowest, size_t n) {
    if (gbs >= *least) return;
    *least = gbs;
    snprintf(slowest, n, "%s %s", name, what);
}

static void worst_cases(void) {
    char slowest[200] = "";
    double least = 1e9, vectorscan = 0;
    texts t = literals_text(1u << 20, NULL);
    compare("nothing but literals", &t, 1u << 20);
    free_texts(&t);
    for (size_t i = 0; i < literals_n(); i += 2) {
        const toad__table_literal *l = literal_of(i);
        char shown[16] = "";
        memcpy(shown, &l->value, l->n);
        t = literals_text(1u << 17, l);
        double gbs = rate(run_ours, &t, SIZE_MAX, 2);
        if (gbs < least) vectorscan = rate(run_vectorscan, &t, SIZE_MAX, 1);
        worst("literal", gbs, shown, &least, slowest, sizeof slowest);
        free_texts(&t);
    }
    printf("slowest single literal repeated: %.3f GB/s, vectorscan %.3f (%s)\n", least, vectorscan, slowest);
    least = 1e9;
    for (size_t i = 0; i < toad__rulefile_count(rules); i++)
        for (size_t k = 0; k < toad__rulefile_source(rules, i)->n_match; k++) {
            const char *example = toad__rulefile_source(rules, i)->match[k];
            t = near_miss_text(1u << 17, example);
            double gbs = t.bytes ? rate(run_ours, &t, SIZE_MAX, 2) : 1e9;
            if (gbs < least) vectorscan = rate(run_vectorscan, &t, SIZE_MAX, 1);
            worst(toad__rulefile_defs(rules)[i].id, gbs, example, &least, slowest, sizeof slowest);
            free_texts(&t);
        }
    printf("slowest cut-off example repeated: %.3f GB/s, vectorscan %.3f (%s)\n", least, vectorscan, slowest);
}

int main(int argc, char **argv) {
    bool brief = argc > 1 && !strcmp(argv[1], "--brief");
    argc -= brief, argv += brief;
    if (argc < 3) die("usage: bench_match [--brief] CORPUSDIR words.yaml family.yaml ...");
    read_rules(argc - 2, argv + 2);
    compile_all();
    texts benign = folded_corpus(argv[1]);
    compare("benign", &benign, 16u << 20);
    compare_python(&benign);
    static const size_t sizes[] = { 200, 2048, 20480 };
    for (size_t i = 0; !brief && i < sizeof sizes / sizeof *sizes; i++) {
        latency("ours", run_ours, &benign, sizes[i]);
        latency("vectorscan", run_vectorscan, &benign, sizes[i]);
    }
    if (!brief) worst_cases();
    free_texts(&benign);
    return 0;
}
