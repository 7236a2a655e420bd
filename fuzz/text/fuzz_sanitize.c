/* fuzz_sanitize.c - the sanitizer: idempotent, quick check and pass agree, output well formed and free of what must
 * never stay, map and census consistent. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/encoding.h"
#include "lib/text/keep_rules.h"
#include "lib/text/sanitize.h"
#include <stdio.h>
#include <stdlib.h>

#define MUST(condition)                                                     \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                        \
        }                                                                   \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Every byte of output stands for input; spans are in order. */
static void check_map(const bzr__offmap *map, size_t out_n, size_t in_n) {
    MUST(map->out_len == out_n && map->in_len == in_n);
    uint64_t last = 0;
    for (uint32_t i = 0; i < out_n; i++) {
        bzr_span in = bzr__offmap_back(map, (bzr_span){ i, i + 1 });
        MUST(in.start < in.end && in.end <= in_n && in.start >= last);
        last = in.start;
    }
}

static void check_census(const bzr__census *census, size_t n, bool changed) {
    bool any = false;
    for (int c = 0; c < BZR__CENSUS_CLASSES; c++) {
        any = any || census->count[c];
        MUST(!census->reported[c] || census->count[c]);
        MUST(!census->count[c] || (census->first[c].start < census->first[c].end && census->first[c].end <= n));
    }
    MUST(any || !changed);
}

static void check_encoding(bzr_str in) {
    bzr__buf out;
    bzr__buf_init(&out, SIZE_MAX);
    bzr__offmap map;
    bzr__offmap_init(&map);
    const char *encoding;
    MUST(!bzr__to_utf8(in, &out, &map, &encoding));
    if (encoding)
        MUST(map.out_len == out.n && map.in_len == in.n && bzr__utf8_valid_upto(bzr__buf_str(&out)) == out.n);
    else
        MUST(!out.n && !map.n);
    bzr__buf_free(&out);
    bzr__offmap_free(&map);
}

/* The search by blocks finds what the one by code points finds, from wherever it starts. */
static void check_odd(bzr_str in) {
    for (size_t at = 0; at < in.n; at++) {
        size_t odd = bzr__next_odd(in, at);
        MUST(odd == bzr__next_odd_portable(in, at));
        at = odd;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size);
    check_odd(in);
    bzr__buf out, again;
    bzr__buf_init(&out, SIZE_MAX);
    bzr__buf_init(&again, SIZE_MAX);
    bzr__offmap map;
    bzr__offmap_init(&map);
    bzr__census census;
    MUST(!bzr__sanitize(in, &out, &map, &census));
    bool same = bzr__str_eq(in, bzr__buf_str(&out)), reported = false;
    for (int c = 0; c < BZR__CENSUS_CLASSES; c++) reported = reported || census.reported[c];
    check_map(&map, out.n, size);
    check_census(&census, size, !same);
    MUST(bzr__utf8_valid_upto(bzr__buf_str(&out)) == out.n);
    MUST(!out.n || (!memchr(out.p, 0, out.n) && !memchr(out.p, 0x1B, out.n)));
    MUST(bzr__sanitize_is_clean(in) == (same && !reported));
    MUST(!bzr__sanitize(bzr__buf_str(&out), &again, NULL, NULL));
    MUST(bzr__str_eq(bzr__buf_str(&out), bzr__buf_str(&again)));
    bzr__buf_free(&out);
    bzr__buf_free(&again);
    bzr__offmap_free(&map);
    check_encoding(in);
    return 0;
}
