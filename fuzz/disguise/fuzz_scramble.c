/* fuzz_scramble.c - parts are in order and inside the text; setting words right changes no length and no sign. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/disguise/scramble.h"

static void check_part(toad_str part) {
    toad__buf out;
    toad__offmap map;
    toad__buf_init(&out, SIZE_MAX);
    toad__offmap_init(&map);
    toad__unscramble(part, &out, &map);
    MUST(!out.status && out.n == part.n && map.out_len == part.n && map.in_len == part.n);
    for (size_t i = 0; i < part.n; i++)
        MUST(out.p[i] == part.p[i] || (toad__is_lower(out.p[i]) && toad__is_lower(part.p[i])));
    toad__buf_free(&out);
    toad__offmap_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    for (int closely = 0; closely < 2; closely++) {
        toad_span part;
        uint64_t last = 0;
        for (size_t from = 0; toad__scrambled_next(in, closely, &from, &part); last = part.end) {
            MUST(part.start >= last && part.start < part.end && part.end <= in.n && from >= part.end);
            check_part(toad__str_part(in, (size_t)part.start, (size_t)part.end));
        }
    }
    toad__is_common_word(in.p, in.n);
    return 0;
}
