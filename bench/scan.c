/* scan.c - how fast a whole scan is: throughput on real text, latency on small texts, worst texts, growth with the
 * input.
 *
 * usage: bench_scan CORPUSDIR. Every figure is CPU time, best of several passes, beside memcpy of the same bytes in the
 * same run. The peers (Vectorscan, PCRE2, Python) are timed by bench_match and bench/peers.py on the same rules. */
#include "bench/timing.h"
#include "tests/support/worst_texts.h"
#include "toadstone/toadstone.h"

#define PASSES 3

static toad_engine *engine;
static toad_scanner *scanner;

static double scan_seconds(toad_str text) {
    const toad_verdict *v;
    double a = cpu_seconds();
    if (toad_scan(scanner, text, NULL, &v)) exit(2);
    return cpu_seconds() - a;
}

static double corpus_seconds(const corpus *c) {
    double best = 1e9;
    for (int pass = 0; pass < PASSES; pass++) {
        double sum = 0;
        for (size_t i = 0; i < c->n; i++) sum += scan_seconds(c->docs[i]);
        if (sum < best) best = sum;
    }
    return best;
}

static double memcpy_seconds(const corpus *c) {
    char *to = malloc(c->bytes + 1);
    double best = 1e9;
    for (int pass = 0; to && pass < PASSES; pass++) {
        double a = cpu_seconds();
        size_t at = 0;
        for (size_t i = 0; i < c->n; i++) memcpy(to + at, c->docs[i].p, c->docs[i].n), at += c->docs[i].n;
        double b = cpu_seconds() - a;
        if (b < best) best = b;
    }
    free(to);
    return best;
}

static void throughput(const char *dir, const char *name, double bar) {
    corpus c = corpus_read(dir, name);
    double ours = corpus_seconds(&c), copy = memcpy_seconds(&c);
    printf("%-10s %7.1f MB %8.3f GB/s  %6.3f of memcpy   bar %.1f  %s\n", name, (double)c.bytes / 1e6,
           (double)c.bytes / ours / 1e9, copy / ours, bar, (double)c.bytes / ours / 1e9 >= bar ? "ok" : "BELOW");
    corpus_free(&c);
}

static int by_value(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

static void latency(const char *dir, size_t size, double p50_bar, double p99_bar) {
    enum { SAMPLES = 20000 };
    static double us[SAMPLES];
    corpus c = corpus_read(dir, "benign");
    unsigned seed = 7;
    for (int i = 0; i < SAMPLES; i++) {
        toad_str doc;
        do {
            seed = seed * 1103515245u + 12345u;
            doc = c.docs[(seed >> 8) % c.n];
        } while (doc.n < size);
        seed = seed * 1103515245u + 12345u;
        toad_str part = { doc.p + (seed >> 4) % (doc.n - size + 1), size };
        double best = 1e9;
        for (int k = 0; k < 3; k++) {
            double s = scan_seconds(part);
            if (s < best) best = s;
        }
        us[i] = best * 1e6;
    }
    qsort(us, SAMPLES, sizeof *us, by_value);
    printf("%6zu B   p50 %7.2f us (bar %.1f)   p99 %7.2f us (bar %.1f)\n", size, us[SAMPLES / 2], p50_bar,
           us[SAMPLES / 100 * 99], p99_bar);
    corpus_free(&c);
}

/* `unit` repeated to `n` bytes. */
static toad_str repeated(const char *unit, size_t unit_n, size_t n) {
    char *p = malloc(n);
    for (size_t i = 0; p && i < n; i++) p[i] = unit[i % unit_n];
    return (toad_str){ p, p ? n : 0 };
}

static double best_of(toad_str text) {
    double best = 1e9;
    for (int i = 0; i < PASSES; i++) {
        double s = scan_seconds(text);
        if (s < best) best = s;
    }
    return best;
}

/* Throughput on the worst text, and how the time grows when it is doubled. */
static void worst(const char *name, const char *unit, size_t unit_n) {
    toad_str one = repeated(unit, unit_n, 1u << 20), two = repeated(unit, unit_n, 2u << 20);
    double a = best_of(one), b = best_of(two);
    printf("%-28s %8.1f MB/s   doubled: x%.2f\n", name, (double)one.n / a / 1e6, b / a);
    free((char *)one.p);
    free((char *)two.p);
}

/* Time per byte of the worst texts beside prose, size for size: what a text costs follows its length, not what it says.
 */
static void beside_prose(const char *dir) {
    corpus c = corpus_read(dir, "ascii");
    enum { SIZES = 4 };
    static char prose[512u << 10];
    double usual[SIZES];
    size_t n = 0;
    for (size_t i = 0; n < sizeof prose; i = (i + 1) % c.n) {
        size_t part = c.docs[i].n < sizeof prose - n ? c.docs[i].n : sizeof prose - n;
        memcpy(prose + n, c.docs[i].p, part);
        n += part;
    }
    printf("%-20s", "");
    for (size_t k = 0, size = 1024; k < SIZES; k++, size *= 8) {
        usual[k] = best_of((toad_str){ prose, size });
        printf(" %8zu B", size);
    }
    puts("");
    for (size_t i = 0; i < sizeof worst_texts / sizeof *worst_texts; i++) {
        printf("%-20s", worst_texts[i].name);
        for (size_t k = 0, size = 1024; k < SIZES; k++, size *= 8) {
            toad_str text = repeated(worst_texts[i].unit, strlen(worst_texts[i].unit), size);
            printf(" %9.1fx", best_of(text) / usual[k]);
            free((char *)text.p);
        }
        puts("");
    }
    corpus_free(&c);
}

/* Text of nothing but the words the rules look for: the titles of the whole catalogue, in turn. */
static void worst_titles(void) {
    static char all[1 << 20];
    size_t n = 0;
    for (size_t i = 0; i < toad_rules_count(NULL); i++) {
        toad_rule rule;
        if (toad_rules_get(NULL, i, &rule)) break;
        size_t len = strlen(rule.title);
        if (n + len + 1 > sizeof all) break;
        memcpy(all + n, rule.title, len);
        n += len;
        all[n++] = ' ';
    }
    if (n) worst("rule titles", all, n);
}

int main(int argc, char **argv) {
    const char *dir = argc > 1 ? argv[1] : "build/corpus";
    if (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 2;
    printf("end to end scan, %zu rules\n", toad_rules_count(NULL));
    throughput(dir, "benign", 0.4);
    throughput(dir, "ascii", 0.6);
    throughput(dir, "docs", 0);
    throughput(dir, "html", 0);
    throughput(dir, "source", 0);
    throughput(dir, "cyrillic", 0.2);
    throughput(dir, "cjk", 0.2);
    throughput(dir, "multi", 0);
    printf("\nlatency, random slices of the benign corpus\n");
    latency(dir, 200, 1.5, 0);
    latency(dir, 2048, 8, 40);
    printf("\nworst texts, 1 MB (bar 40 MB/s; doubled at most x2.3)\n");
#define WORST(name, unit) worst(name, unit, sizeof(unit) - 1)
    WORST("one phrase", "ignore all previous instructions ");
    WORST("near miss", "ignore all previous instruction and ");
    WORST("near miss, long", "you are now in the very long and winding corridor of the previous ");
    WORST("verbs", "ignore disregard forget override bypass reveal print send post upload execute run ");
    WORST("zero-width spaces", "\xE2\x80\x8B");
    WORST("zero-width in words", "ig\xE2\x80\x8Bnore all ");
    WORST("tags", "\xF3\xA0\x81\x89");
    WORST("combining marks", "a\xCC\x81\xCC\x82\xCC\x83");
    WORST("invalid bytes", "\xFF\xC0");
    WORST("open tags", "<div>");
    WORST("attributes", "<a b=c d='e' f ");
    WORST("comments", "<!--");
    WORST("entities", "&amp;amp;");
    WORST("percent", "%25");
    WORST("base64", "SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=\n");
    WORST("links", "[a](");
    WORST("quotes", "\"' ` ");
    worst_titles();
    printf("\nworst texts beside prose of the same size (bar 8)\n");
    beside_prose(dir);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return 0;
}
