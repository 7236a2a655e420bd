/* fetch.c - where the processor time of a fetched page goes, stage by stage, in one process.
 *
 * usage: bench_fetch BASE PAGES STORE   (bench/fetch.py serves BASE0.html, BASE1.html ...; ./dev bench runs it)
 * Each stage is timed alone on every page; the last is what bzr__web_fetch takes beside them: judging the URL, packing,
 * digests, the transaction, the answer. Children are counted: a fetch happens in one. */
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

static void must(bzr_status status, const char *doing) {
    if (!status) return;
    fprintf(stderr, "%s: %s\n", doing, bzr_status_message(status));
    exit(2);
}

static void one_page(bzr__host *host, const bzr__web_options *options, bzr_str url, double *spent) {
    bzr__page page;
    bzr__refusal why;
    char detail[BZR__FETCH_DETAIL];
    bzr__sight sight;
    const char *unreadable;
    const bzr_verdict *v;
    bzr__buf answer;
    double at[5] = { used() };
    must(bzr__fetch_isolated(&options->net, url, &host->arena, &page, &why, detail), "fetch");
    must(why ? BZR_E_IO : BZR_OK, bzr__refusal_text(why));
    at[1] = used();
    must(bzr__sight_of(page.type, bzr__buf_str(&page.text), &sight, &unreadable), "extract");
    bzr__sight_free(&sight);
    at[2] = used();
    must(bzr__host_scan(host, bzr__buf_str(&page.text), BZR_KIND_WEB, &v), "scan");
    at[3] = used();
    bzr__page_free(&page);
    bzr__buf_init(&answer, BZR__HOST_ANSWER_MAX);
    must(bzr__web_fetch(host, options, url, BZR__FETCHED_BEZOAR, &answer), host->message);
    bzr__buf_free(&answer);
    at[4] = used();
    double known = 0;
    for (int i = FETCH; i < REST; i++) {
        spent[i] += at[i + 1] - at[i];
        known += at[i + 1] - at[i];
    }
    spent[REST] += at[4] - at[3] - known;
    bzr__arena_free(&host->arena);
    bzr__arena_init(&host->arena, BZR__HOST_ANSWER_MAX);
}

int main(int argc, char **argv) {
    bzr_engine *engine;
    bzr__host host;
    bzr__web_options options = bzr__web_defaults();
    double spent[STAGES] = { 0 }, sum = 0;
    if (argc != 4) return fprintf(stderr, "usage: bench_fetch BASE PAGES STORE\n"), 2;
    int pages = atoi(argv[2]);
    options.fresh = true;
    options.net.guard.private_hosts = own;
    options.net.guard.private_n = 1;
    must(bzr_engine_new(NULL, &engine), "engine");
    must(bzr__host_open(engine, NULL, argv[3], &host), host.message);
    for (int i = 0; i < pages; i++) {
        char url[512];
        snprintf(url, sizeof url, "%s%d.html", argv[1], i);
        one_page(&host, &options, bzr__str_z(url), spent);
    }
    for (int i = 0; i < STAGES; i++) sum += spent[i];
    for (int i = 0; i < STAGES; i++)
        printf("%-30s %6.2f ms  %3.0f %%\n", names[i], 1000 * spent[i] / pages, 100 * spent[i] / sum);
    bzr__host_close(&host);
    bzr_engine_free(engine);
    return 0;
}
