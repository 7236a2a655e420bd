/* fuzz_search.c - answers of search services. The first byte chooses the service. What is taken must be UTF-8 where the
 * answer was, lie in bounds, and read the same again; tags and texts must advance and keep to the input. */
#include "fuzz/fuzz.h"
#include "lib/base/utf8.h"
#include "lib/html/markup.h"
#include "net/search.h"

static void walk(toad_str in, bool xml) {
    toad__markup m;
    toad__mark mark;
    toad__buf out;
    size_t at = 0;
    toad__markup_init(&m, in, xml);
    toad__buf_init(&out, 4 * in.n + 64);
    while (toad__markup_next(&m, &mark)) {
        MUST(mark.start >= at && mark.start < mark.end && mark.end <= in.n && m.at >= mark.end);
        at = mark.end;
        toad__markup_decode(&m, mark.text, false, &out);
    }
    MUST(!out.status);
    toad__buf_free(&out);
}

static void must_be_the_same(const toad__search_hit *a, const toad__search_hit *b) {
    MUST(toad__str_eq(a->title, b->title) && toad__str_eq(a->url, b->url) && toad__str_eq(a->snippet, b->snippet));
}

static void must_be_utf8(const toad__search_hit *h) {
    MUST(toad__utf8_valid_upto(h->title) == h->title.n);
    MUST(toad__utf8_valid_upto(h->snippet) == h->snippet.n);
    MUST(toad__utf8_valid_upto(h->raw) == h->raw.n);
}

static void read_twice(const toad__search_provider *p, toad_str in, toad__arena *arena) {
    toad__search_hit first[TOAD__SEARCH_COUNT_MAX], second[TOAD__SEARCH_COUNT_MAX];
    toad__search_answer answer, again;
    size_t n, m;
    MUST(!toad__search_read(p, in, arena, first, TOAD__SEARCH_COUNT_MAX, &n, &answer));
    MUST(!toad__search_read(p, in, arena, second, TOAD__SEARCH_COUNT_MAX / 2, &m, &again));
    MUST(n <= TOAD__SEARCH_COUNT_MAX && m <= n && (answer == TOAD__SEARCH_HITS || !n));
    for (size_t i = 0; i < m; i++) must_be_the_same(&first[i], &second[i]);
    if (toad__utf8_valid_upto(in) < in.n) return;
    for (size_t i = 0; i < n; i++) must_be_utf8(&first[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    toad_str in = toad__str(data, size);
    if (!size) return 0;
    const toad__search_provider *p = toad__search_provider_at(data[0] % 4u);
    in = toad__str_part(in, 1, in.n);
    toad__arena_init(&arena, (size_t)256 << 20);
    read_twice(p, in, &arena);
    walk(in, false);
    walk(in, true);
    toad__arena_free(&arena);
    return 0;
}
