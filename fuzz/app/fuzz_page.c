/* A feed read as a page, and its text cut into parts: the parts are the text, each goes on, and only the end ends. */
#include "app/web/feed_page.h"
#include "app/records/paging.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define CHECK(x) do { if (!(x)) abort(); } while (0)

static bzr_status take(void *ctx, bzr_str html) {
    bzr__buf_add_str(ctx, html);
    return BZR_OK;
}

static void check_parts(bzr_str s, size_t max) {
    for (size_t at = 0, end; at < s.n; at = end) {
        if (bzr__page_end(s, at, max, &end)) return;
        CHECK(end > at && end <= s.n && bzr__page_floor(s, end) == end);
    }
    for (size_t at = 0; at < s.n; at += 1 + s.n / 64) CHECK(bzr__page_floor(s, at) <= at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    bzr_str text = { (const char *)data + 1, size - 1 };
    bzr__buf html;
    bool feed = false;
    bzr__buf_init(&html, 32u << 20);
    bzr_status status = bzr__feed_each(text, take, &html, &feed);
    CHECK(status || feed || !html.n);
    bzr__buf_free(&html);
    check_parts(text, 1u + data[0] * 2u);
    return 0;
}
