/* fuzz_disguise.c - readings are in order and inside the text, with faithful maps; shapes and core words are the same
 * looked at together and one by one; setting shuffled words right changes no length and no sign. */
#include "fuzz/fuzz.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/disguise/core.h"
#include "lib/disguise/disguise.h"
#include "lib/disguise/misspelled.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/shuffled.h"
#include "lib/disguise/skeleton.h"

typedef struct written {
    toad__buf text;
    toad__offmap map;
} written;

static written nothing(void) {
    written w;
    toad__buf_init(&w.text, SIZE_MAX);
    toad__offmap_init(&w.map);
    return w;
}

static void drop(written *w) {
    toad__buf_free(&w->text);
    toad__offmap_free(&w->map);
}

/* The letters of a skeleton are those of the text at the places that the map says. */
static void check_letters(toad_str in, const written *w) {
    for (size_t i = 0; i < w->text.n; i++) {
        toad_span at = toad__offmap_back(&w->map, (toad_span){ i, i + 1 });
        MUST(toad__is_lower(w->text.p[i]) && at.end > at.start && at.end <= in.n);
        if (at.end - at.start == 1)
            MUST(toad__skeleton_of[(unsigned char)in.p[at.start] & 127] == w->text.p[i] || in.p[at.start] == '|');
    }
}

static void check_shuffled(toad_str part, toad_str read) {
    MUST(read.n == part.n);
    for (size_t i = 0; i < part.n; i++)
        MUST(read.p[i] == part.p[i] || (toad__is_lower(read.p[i]) && toad__is_lower(part.p[i])));
}

static void check_readings(toad_str in, toad__disguise first) {
    written w = nothing();
    toad__disguises d = toad__disguises_of(in, first, &w.text, &w.map);
    toad__reading r, last = { first, { 0, 0 }, false, { NULL, 0 } };
    while (toad__disguise_next(&d, &r)) {
        bool anew = last.kind < TOAD__MISSPELLED ? r.kind >= TOAD__MISSPELLED : r.kind != last.kind;
        bool again = r.kind == TOAD__LEET && r.at.start == last.at.start && r.at.end == last.at.end;
        MUST(r.at.start < r.at.end && r.at.end <= in.n && (anew || again || r.at.start >= last.at.end));
        MUST(r.kind >= first || first == TOAD__APART);
        MUST(w.map.in_len == r.at.end && w.map.out_len == r.text.n);
        if (r.kind < TOAD__MISSPELLED) check_letters(in, &w);
        if (r.kind == TOAD__MISSPELLED) MUST(in.n <= TOAD__LIMIT_TYPO && !r.at.start && r.at.end == in.n);
        if (r.kind == TOAD__SHUFFLED) check_shuffled(toad__str_part(in, r.at.start, r.at.end), r.text);
        last = r;
    }
    MUST(!w.text.status && !w.map.status);
    drop(&w);
}

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
    written w = nothing();
    MUST(!toad__skeleton(in, symbols, &w.text, &w.map));
    MUST(w.map.out_len == w.text.n && w.map.in_len == in.n);
    check_letters(in, &w);
    drop(&w);
}

static void check_mended(toad_str in) {
    written w = nothing();
    uint32_t n = toad__mend(in, &w.text, &w.map);
    MUST(!w.text.status && w.map.out_len == w.text.n && w.map.in_len == in.n);
    MUST(n || w.text.n <= in.n + in.n); /* small words may be mended without being counted */
    drop(&w);
}

static void check_shuffled_parts(toad_str in, bool closely) {
    toad_span part;
    uint64_t last = 0;
    for (size_t from = 0; toad__shuffled_next(in, closely, &from, &part); last = part.end) {
        MUST(part.start >= last && part.start < part.end && part.end <= in.n && from >= part.end);
        written w = nothing();
        toad_str at = toad__str_part(in, part.start, part.end);
        toad__unshuffle(at, &w.text, &w.map);
        MUST(!w.text.status && w.map.out_len == at.n && w.map.in_len == at.n);
        check_shuffled(at, toad__buf_str(&w.text));
        drop(&w);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    check_readings(in, TOAD__APART);
    check_readings(in, TOAD__SHUFFLED);
    check_windows(in);
    for (int yes = 0; yes < 2; yes++) {
        check_skeleton(in, yes);
        check_shuffled_parts(in, yes);
    }
    check_mended(in);
    toad__is_common_word(in.p, in.n);
    return 0;
}
