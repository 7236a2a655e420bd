/* Pages in two pieces: maps stay inside the input, pieces inside their channel, and the state survives any cut. The first byte chooses the cut. */
#include "lib/html/html.h"

#include <stdlib.h>

#define CHECK(x) do { if (!(x)) abort(); } while (0)

static void check(const bzr__html_out *o, size_t n) {
    CHECK(o->visible_map.out_len == o->visible.n || o->status);
    CHECK(o->hidden_map.out_len == o->hidden.n || o->status);
    CHECK(o->visible_map.in_len <= n && o->hidden_map.in_len <= n);
    for (size_t i = 0; i < o->pieces_n; i++) {
        CHECK(o->pieces[i].start <= o->pieces[i].end && o->pieces[i].end <= o->hidden.n);
        CHECK(!i || o->pieces[i - 1].end <= o->pieces[i].start);
    }
    for (size_t i = 0; i < o->links_n; i++) CHECK(o->links[i].in_end <= n && o->links[i].end <= o->urls.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    bzr_str page = { (const char *)data + 1, size - 1 };
    size_t cut = page.n * data[0] / 256;
    bzr__html *h = bzr__html_new();
    bzr__html_out out;
    if (!h) return 0;
    bzr__html_out_init(&out, 4 << 20);
    size_t taken = bzr__html_feed(h, (bzr_str){ page.p, cut }, false, &out);
    CHECK(taken <= cut);
    check(&out, cut);
    bzr__html_out_clear(&out);
    bzr__html_feed(h, (bzr_str){ page.p + taken, page.n - taken }, true, &out);
    check(&out, page.n - taken);
    bzr__html_out_clear(&out);
    bzr__markdown_extract(page, data[0] & 1, &out);
    check(&out, page.n);
    bzr__html_out_free(&out);
    bzr__html_free(h);
    return 0;
}
