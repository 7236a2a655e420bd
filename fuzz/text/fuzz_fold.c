/* fuzz_fold.c - any bytes, every view and every path of the folder.
 *
 * Holds: the answer is the same on every vector path; the map is in order, covers all of text and input and gives every
 * output byte a span; the text is well-formed UTF-8; folding a match view again changes nothing; a ceiling is kept. */
#include "fuzz/fuzz.h"
#include "lib/base/utf8.h"
#include "lib/text/fold_work.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static void check_map(const toad__view *v, size_t size) {
    const toad__offmap *m = &v->map;
    CHECK(m->out_len == v->text.n && m->in_len == size);
    for (size_t i = 1; i < m->n; i++) CHECK(m->runs[i].out >= m->runs[i - 1].out && m->runs[i].in >= m->runs[i - 1].in);
    uint64_t start = 0;
    for (size_t i = 0; i < v->text.n; i++) {
        toad_span at = toad__offmap_back(m, (toad_span){ i, i + 1 });
        CHECK(at.start >= start && at.start < at.end && at.end <= size);
        start = at.start;
    }
}

static void check_same(const toad__view *a, const toad__view *b) {
    CHECK(a->text.n == b->text.n && (!a->text.n || !memcmp(a->text.p, b->text.p, a->text.n)));
    CHECK(a->map.n == b->map.n && (!a->map.n || !memcmp(a->map.runs, b->map.runs, a->map.n * sizeof *a->map.runs)));
    CHECK(a->dropped == b->dropped && a->lookalikes == b->lookalikes && a->letters == b->letters &&
          a->ascii == b->ascii);
    for (size_t i = 0; i <= a->text.n; i++) CHECK(toad__view_line_start(a, i) == toad__view_line_start(b, i));
}

static void check_flags(toad_str in, unsigned flags) {
    toad__view v, w;
    toad__view_init(&v, in.n * 16 + 64);
    toad__view_init(&w, in.n * 16 + 64);
    CHECK(!toad__fold_by(&v, in, flags, toad__fold_blocks_of(TOAD__FOLD_PORTABLE)));
    check_map(&v, in.n);
    CHECK(toad__view_line_start(&v, 0));
    CHECK(toad__utf8_valid_upto(toad__buf_str(&v.text)) == v.text.n);
    for (int path = TOAD__FOLD_PORTABLE + 1; path < TOAD__FOLD_PATHS; path++) {
        toad__fold_blocks *blocks = toad__fold_blocks_of((toad__fold_path)path);
        if (!blocks) continue;
        CHECK(!toad__fold_by(&w, in, flags, blocks));
        check_same(&v, &w);
    }
    if (!(flags & TOAD__FOLD_KEEP_CASE)) {
        CHECK(!toad__fold(&w, toad__buf_str(&v.text), flags));
        CHECK(w.text.n == v.text.n && (!v.text.n || !memcmp(w.text.p, v.text.p, v.text.n)));
    }
    toad__view_free(&w);
    toad__view_init(&w, v.text.n / 2);
    toad_status status = toad__fold(&w, in, flags);
    CHECK(status == TOAD_OK || status == TOAD_E_LIMIT);
    CHECK(w.text.n <= v.text.n / 2 && w.map.out_len == w.text.n && w.map.in_len <= in.n);
    toad__view_free(&w);
    toad__view_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = { (const char *)data, size };
    check_flags(in, TOAD__FOLD_DROP);
    check_flags(in, TOAD__FOLD_BLANK);
    check_flags(in, TOAD__FOLD_KEEP_CASE);
    return 0;
}
