/* fetch.c - where the processor time of a fetched page goes, stage by stage, in one process.
 *
 * usage: bench_fetch BASE PAGES STORE   (bench/fetch.py serves BASE0.html, BASE1.html ...; ./dev bench runs it)
 * Each stage is timed alone on every page; the last is what toad__web_fetch takes beside them: judging the URL,
 * packing, digests, the transaction, the answer. Children are counted: a fetch happens in one. */
#include "app/web/sight.h"
#include "app/web/web.h"
#include "bench/timing.h"
#include "lib/base/str.h"

#include <sys/resource.h>

enum { FETCH, EXTRACT, SCAN, REST, STAGES };

static const char *const names[STAGES] = { "fetch (a process of its own)", "extract", "scan",
                                           "judge, pack, store, answer" };
static const char *const own[] = { "127.0.0.1" };

static double used(void) {
    double seconds = 0;
    for (int who = 0; who < 2; who++) {
        struct rusage r;
        getrusage(who ? RUSAGE_CHILDREN : RUSAGE_SELF, &r);
        seconds +=
            (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
    }
    return seconds;
}

static void must(toad_status status, const char *doing) {
    if (!status) return;
    fprintf(stderr, "%s: %s\n", doing, toad_status_message(status));
    exit(2);
}

static void one_page(toad__host *host, const toad__web_options *options, toad_str url, double *spent) {
    toad__page page;
    toad__refusal why;
    char detail[TOAD__FETCH_DETAIL];
    toad__sight sight;
    const char *unreadable;
    const toad_verdict *v;
    toad__answer answer;
    double at[5] = { used() };
    must(toad__fetch_isolated(&options->net, url, &host->arena, &page, &why, detail), "fetch");
    must(why ? TOAD_E_IO : TOAD_OK, toad__refusal_text(why));
    at[1] = used();
    must(toad__sight_of(page.type, page.url.text, toad__buf_str(&page.text), &sight, &unreadable), "extract");
    toad__sight_free(&sight);
    at[2] = used();
    must(toad__host_scan(host, toad__buf_str(&page.text), TOAD_KIND_WEB, &v), "scan");
    at[3] = used();
    toad__page_free(&page);
    toad__answer_init(&answer, TOAD__HOST_ANSWER_MAX);
    must(toad__web_fetch(host, options, url, TOAD__FETCHED_TOADSTONE, &answer), host->message);
    toad__answer_free(&answer);
    at[4] = used();
    double known = 0;
    for (int i = FETCH; i < REST; i++) {
        spent[i] += at[i + 1] - at[i];
        known += at[i + 1] - at[i];
    }
    spent[REST] += at[4] - at[3] - known;
    toad__arena_free(&host->arena);
    toad__arena_init(&host->arena, TOAD__HOST_ANSWER_MAX);
}

int main(int argc, char **argv) {
    toad_engine *engine;
    toad__host host;
    toad__web_options options = toad__web_defaults();
    double spent[STAGES] = { 0 }, sum = 0;
    if (argc != 4) return fprintf(stderr, "usage: bench_fetch BASE PAGES STORE\n"), 2;
    int pages = atoi(argv[2]);
    options.fresh = true;
    options.net.guard.private_hosts = own;
    options.net.guard.private_n = 1;
    must(toad_engine_new(NULL, &engine), "engine");
    must(toad__host_open(engine, NULL, argv[3], &host), host.message);
    for (int i = 0; i < pages; i++) {
        char url[512];
        snprintf(url, sizeof url, "%s%d.html", argv[1], i);
        one_page(&host, &options, toad__str_z(url), spent);
    }
    for (int i = 0; i < STAGES; i++) sum += spent[i];
    for (int i = 0; i < STAGES; i++)
        printf("%-30s %6.2f ms  %3.0f %%\n", names[i], 1000 * spent[i] / pages, 100 * spent[i] / sum);
    toad__host_close(&host);
    toad_engine_free(engine);
    return 0;
}
