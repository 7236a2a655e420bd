/* fuzz_sanitize.c - the sanitizer: idempotent, quick check and pass agree, output well formed and free of what must
 * never stay, map and census consistent. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/encoding.h"
#include "lib/text/keep_rules.h"
#include "lib/text/sanitize.h"

/* Every byte of output stands for input; spans are in order. */
static void check_map(const toad__offmap *map, size_t out_n, size_t in_n) {
    MUST(map->out_len == out_n && map->in_len == in_n);
    uint64_t last = 0;
    for (uint32_t i = 0; i < out_n; i++) {
        toad_span in = toad__offmap_back(map, (toad_span){ i, i + 1 });
        MUST(in.start < in.end && in.end <= in_n && in.start >= last);
        last = in.start;
    }
}

static void check_census(const toad__census *census, size_t n, bool changed) {
    bool any = false;
    for (int c = 0; c < TOAD__CENSUS_CLASSES; c++) {
        any = any || census->count[c];
        MUST(!census->reported[c] || census->count[c]);
        MUST(!census->count[c] || (census->first[c].start < census->first[c].end && census->first[c].end <= n));
    }
    MUST(any || !changed);
}

static void check_encoding(toad_str in) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX);
    toad__offmap map;
    toad__offmap_init(&map);
    const char *encoding;
    MUST(!toad__to_utf8(in, &out, &map, &encoding));
    if (encoding)
        MUST(map.out_len == out.n && map.in_len == in.n && toad__utf8_valid_upto(toad__buf_str(&out)) == out.n);
    else
        MUST(!out.n && !map.n);
    toad__buf_free(&out);
    toad__offmap_free(&map);
}

/* The search by blocks finds what the one by code points finds, from wherever it starts. */
static void check_odd(toad_str in) {
    for (size_t at = 0; at < in.n; at++) {
        size_t odd = toad__next_odd(in, at);
        MUST(odd == toad__next_odd_portable(in, at));
        at = odd;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    check_odd(in);
    toad__buf out, again;
    toad__buf_init(&out, SIZE_MAX);
    toad__buf_init(&again, SIZE_MAX);
    toad__offmap map;
    toad__offmap_init(&map);
    toad__census census;
    MUST(!toad__sanitize(in, &out, &map, &census));
    bool same = toad__str_eq(in, toad__buf_str(&out)), reported = false;
    for (int c = 0; c < TOAD__CENSUS_CLASSES; c++) reported = reported || census.reported[c];
    check_map(&map, out.n, size);
    check_census(&census, size, !same);
    MUST(toad__utf8_valid_upto(toad__buf_str(&out)) == out.n);
    MUST(!out.n || (!memchr(out.p, 0, out.n) && !memchr(out.p, 0x1B, out.n)));
    MUST(toad__sanitize_is_clean(in) == (same && !reported));
    MUST(!toad__sanitize(toad__buf_str(&out), &again, NULL, NULL));
    MUST(toad__str_eq(toad__buf_str(&out), toad__buf_str(&again)));
    toad__buf_free(&out);
    toad__buf_free(&again);
    toad__offmap_free(&map);
    check_encoding(in);
    return 0;
}
