/* fuzz_search.c - answers of search services. The first byte chooses the service. What is taken must be UTF-8 where the
 * answer was, lie in bounds, and read the same again; tags and texts must advance and keep to the input. */
#include "lib/base/utf8.h"
#include "lib/html/markup.h"
#include "net/search.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(what)                                                     \
    do {                                                               \
        if (!(what)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                   \
        }                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(bzr_str in, bool xml) {
    bzr__markup m;
    bzr__mark mark;
    bzr__buf out;
    size_t at = 0;
    bzr__markup_init(&m, in, xml);
    bzr__buf_init(&out, 4 * in.n + 64);
    while (bzr__markup_next(&m, &mark)) {
        MUST(mark.start >= at && mark.start < mark.end && mark.end <= in.n && m.at >= mark.end);
        at = mark.end;
        bzr__markup_decode(&m, mark.text, false, &out);
    }
    MUST(!out.status);
    bzr__buf_free(&out);
}

static void must_be_the_same(const bzr__search_hit *a, const bzr__search_hit *b) {
    MUST(bzr__str_eq(a->title, b->title) && bzr__str_eq(a->url, b->url) && bzr__str_eq(a->snippet, b->snippet));
}

static void must_be_utf8(const bzr__search_hit *h) {
    MUST(bzr__utf8_valid_upto(h->title) == h->title.n);
    MUST(bzr__utf8_valid_upto(h->snippet) == h->snippet.n);
    MUST(bzr__utf8_valid_upto(h->raw) == h->raw.n);
}

static void read_twice(const bzr__search_provider *p, bzr_str in, bzr__arena *arena) {
    bzr__search_hit first[BZR__SEARCH_COUNT_MAX], second[BZR__SEARCH_COUNT_MAX];
    bzr__search_answer answer, again;
    size_t n, m;
    MUST(!bzr__search_read(p, in, arena, first, BZR__SEARCH_COUNT_MAX, &n, &answer));
    MUST(!bzr__search_read(p, in, arena, second, BZR__SEARCH_COUNT_MAX / 2, &m, &again));
    MUST(n <= BZR__SEARCH_COUNT_MAX && m <= n && (answer == BZR__SEARCH_HITS || !n));
    for (size_t i = 0; i < m; i++) must_be_the_same(&first[i], &second[i]);
    if (bzr__utf8_valid_upto(in) < in.n) return;
    for (size_t i = 0; i < n; i++) must_be_utf8(&first[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__arena arena;
    bzr_str in = bzr__str(data, size);
    if (!size) return 0;
    const bzr__search_provider *p = bzr__search_provider_at(data[0] % 4u);
    in = bzr__str_part(in, 1, in.n);
    bzr__arena_init(&arena, (size_t)256 << 20);
    read_twice(p, in, &arena);
    walk(in, false);
    walk(in, true);
    bzr__arena_free(&arena);
    return 0;
}
