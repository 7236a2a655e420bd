/* fuzz_skeleton.c - regions are in order and inside the text, the gate agrees with them, skeleton and mended text have
 * faithful maps. */
#include "fuzz/fuzz.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/disguise/core.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/skeleton.h"

static void check_regions(toad_str in) {
    size_t from = 0, last = 0;
    toad__region region;
    bool any = false;
    while (toad__region_next(in, &from, &region)) {
        any = true;
        MUST(region.at.start < region.at.end && region.at.end <= in.n && from >= region.at.end);
        if (region.kind == TOAD__REGION_TYPO)
            MUST(in.n <= TOAD__LIMIT_TYPO && !region.at.start && region.at.end == in.n);
        else
            MUST(region.at.start >= last);
        last = region.at.end;
    }
    MUST(any == toad__region_gate(in));
}

/* Many windows at once are seen as each of them alone. */
static void check_windows(toad_str in) {
    for (size_t from = 0; from < in.n; from += TOAD__STEPS * TOAD__STEP) {
        toad__shaped shaped = toad__shaped_steps(in, 0, from);
        uint64_t words = toad__disguised_steps(in, from, shaped.any);
        for (unsigned i = 0; i < TOAD__STEPS && from + i * TOAD__STEP < in.n; i++) {
            unsigned shapes = toad__shapes_at(in, 0, from + i * TOAD__STEP);
            MUST((shaped.any >> i & 1) == (shapes != 0) &&
                 (shaped.leet >> i & 1) == ((shapes & TOAD__SHAPE_LEET) != 0));
            MUST(!shapes || (words >> i & 1) == (toad__disguised_steps(in, from, UINT64_C(1) << i) >> i & 1));
        }
    }
}

static void check_skeleton(toad_str in, bool symbols) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX);
    toad__offmap map;
    toad__offmap_init(&map);
    MUST(!toad__skeleton(in, symbols, &out, &map));
    MUST(map.out_len == out.n && map.in_len == in.n);
    for (size_t i = 0; i < out.n; i++) {
        toad_span at = toad__offmap_back(&map, (toad_span){ i, i + 1 });
        MUST(toad__is_lower(out.p[i]) && at.end > at.start);
        if (at.end - at.start == 1)
            MUST(toad__skeleton_of[(unsigned char)in.p[at.start] & 127] == out.p[i] || in.p[at.start] == '|');
    }
    toad__buf_free(&out);
    toad__offmap_free(&map);
}

static void check_typos(toad_str in) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX);
    toad__offmap map;
    toad__offmap_init(&map);
    uint32_t n = toad__fix_typos(in, &out, &map);
    MUST(!out.status && map.out_len == out.n && map.in_len == in.n);
    MUST(n || out.n <= in.n + in.n); /* short words may be mended without being counted */
    toad__buf_free(&out);
    toad__offmap_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    check_regions(in);
    check_windows(in);
    check_skeleton(in, false);
    check_skeleton(in, true);
    check_typos(in);
    return 0;
}
