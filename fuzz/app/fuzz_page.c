/* A feed read as a page, and its text cut into parts: the parts are the text, each goes on, and only the end ends. */
#include "app/records/paging.h"
#include "app/web/feed_page.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)           \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static toad_status take(void *ctx, toad_str html) {
    toad__buf_add_str(ctx, html);
    return TOAD_OK;
}

static void check_parts(toad_str s, size_t max) {
    for (size_t at = 0, end; at < s.n; at = end) {
        if (toad__page_end(s, at, max, &end)) return;
        CHECK(end > at && end <= s.n && toad__page_floor(s, end) == end);
    }
    for (size_t at = 0; at < s.n; at += 1 + s.n / 64) CHECK(toad__page_floor(s, at) <= at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    toad_str text = { (const char *)data + 1, size - 1 };
    toad__buf html;
    bool feed = false;
    toad__buf_init(&html, 32u << 20);
    toad_status status = toad__feed_each(text, take, &html, &feed);
    CHECK(status || feed || !html.n);
    toad__buf_free(&html);
    check_parts(text, 1u + data[0] * 2u);
    return 0;
}
