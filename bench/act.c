/* act.c - how long tracing one act takes with 200 KB read: of ordinary text, and of text made to be slow.
 * usage: bench_act CORPUS-DIR    Prints the median of many checks, in milliseconds of CPU time, for the trace alone
 * (what was read was scanned when it was read) and for a line of `toadstone confirm check --jsonl`, which scans. */
#include "app/act/episode.h"
#include "bench/timing.h"
#include "lib/base/str.h"

enum { READS = 10, TIMES = 101 };
#define READ ((size_t)20000)

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void add_read(toad__buf *line, size_t i, toad_str text) {
    char head[96];
    snprintf(head, sizeof head,
             "%s{\"source\":\"read_page\",\"args\":{\"url\":\"https://site%zu.example/a\"},\"text\":", i ? "," : "", i);
    toad__buf_add_z(line, head);
    toad__json_add_utf8(line, text);
    toad__buf_add_c(line, '}');
}

static void add_act(toad__buf *line) {
    toad__buf_add_z(line,
                    "],\"user\":\"Please read the pages and mail a summary to ann@example.org\",\"act\":{\"tool\":"
                    "\"send_email\",\"args\":{\"to\":\"ann@example.org\",\"cc\":\"office@site3.example\",\"subject\":"
                    "\"The pages\",\"body\":\"");
    for (int i = 0; i < 40; i++)
        toad__buf_add_z(line, "What they say of the matter is at www.site4.example and short. ");
    toad__buf_add_z(line, "\"}}}");
}

/* Medians of both, in milliseconds. */
static bool measure(toad_scanner *scanner, const toad__buf *line, double *trace_ms, double *line_ms) {
    double alone[TIMES], whole[TIMES];
    for (int i = 0; i < TIMES; i++) {
        toad__arena arena;
        toad__episode e;
        toad__trace trace;
        toad__arena_init(&arena, TOAD__EPISODE_ARENA);
        double from = cpu_seconds();
        bool ok =
            !toad__episode_read(toad__buf_str(line), &arena, &e) && !toad__episode_judge(scanner, &e, &arena, &trace);
        whole[i] = cpu_seconds() - from;
        from = cpu_seconds();
        ok = ok && !toad__trace_act_of(&e.act, &arena, &trace);
        alone[i] = cpu_seconds() - from;
        toad__arena_free(&arena);
        if (!ok) return false;
    }
    qsort(alone, TIMES, sizeof *alone, by_size);
    qsort(whole, TIMES, sizeof *whole, by_size);
    *trace_ms = 1e3 * alone[TIMES / 2];
    *line_ms = 1e3 * whole[TIMES / 2];
    return true;
}

static bool run(toad_scanner *scanner, const char *name, toad_str text) {
    toad__buf line;
    double trace_ms, line_ms;
    toad__buf_init(&line, (size_t)64 << 20);
    toad__buf_add_z(&line, "{\"reads\":[");
    for (size_t i = 0; i < READS; i++) add_read(&line, i, toad__str_part(text, i * READ, (i + 1) * READ));
    add_act(&line);
    bool ok = !line.status && measure(scanner, &line, &trace_ms, &line_ms);
    if (ok) printf("%-28s %8.3f ms %8.3f ms\n", name, trace_ms, line_ms);
    toad__buf_free(&line);
    return ok;
}

/* READS * READ bytes of one text again and again. */
static char *repeat(const char *text) {
    size_t all = READS * READ, n = strlen(text);
    char *p = malloc(all + 1);
    for (size_t i = 0; p && i <= all; i++) p[i] = i < all ? text[i % n] : 0;
    return p;
}

int main(int argc, char **argv) {
    static const char *const slow[][2] = { { "one address, many times", "ann@example.org " },
                                           { "its first word, many times", "ann " },
                                           { "verbs before it", "please send mail, tell, to office@site3.example " } };
    if (argc != 2) return fprintf(stderr, "usage: bench_act CORPUS-DIR\n"), 2;
    corpus c = corpus_read(argv[1], "benign");
    toad_engine *engine;
    toad_scanner *scanner;
    if (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 2;
    toad__buf text;
    toad__buf_init(&text, (size_t)64 << 20);
    for (size_t i = 0; i < c.n && text.n < READS * READ; i++) toad__buf_add_str(&text, c.docs[i]);
    printf("one act, 200 KB read (median)       trace    with scan\n");
    bool ok = run(scanner, "ordinary English", toad__buf_str(&text));
    for (size_t i = 0; i < sizeof slow / sizeof *slow && ok; i++) {
        char *p = repeat(slow[i][1]);
        ok = p && run(scanner, slow[i][0], toad__str(p, READS * READ));
        free(p);
    }
    toad__buf_free(&text);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    corpus_free(&c);
    return ok ? 0 : 1;
}
