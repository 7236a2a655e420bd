/* fuzz_feed.c - feeds. Headlines of a UTF-8 feed must be UTF-8, fewer must be the beginning of more, and a feed that
 * declares entities must give none. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/feed.h"

enum { MOST = 32 };

static void must_be_utf8(const toad__headline *h) {
    MUST(toad__utf8_valid_upto(h->text) == h->text.n);
    MUST(toad__utf8_valid_upto(h->url) == h->url.n);
    MUST(toad__utf8_valid_upto(h->raw) == h->raw.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    toad__headline all[MOST], some[MOST];
    toad__feed_format format, again;
    size_t n, m;
    toad_str in = toad__str(data, size);
    toad__arena_init(&arena, (size_t)256 << 20);
    MUST(!toad__feed_read(in, &arena, all, MOST, &n, &format));
    MUST(!toad__feed_read(in, &arena, some, 2, &m, &again));
    MUST(n <= MOST && m <= 2 && (m <= n || format == TOAD__FEED_DECLARES));
    MUST(toad__feed_format_name(format) || !n);
    for (size_t i = 0; i < m && i < n; i++)
        MUST(toad__str_eq(all[i].text, some[i].text) && toad__str_eq(all[i].url, some[i].url));
    if (toad__utf8_valid_upto(in) == in.n)
        for (size_t i = 0; i < n; i++) must_be_utf8(&all[i]);
    toad__arena_free(&arena);
    return 0;
}
