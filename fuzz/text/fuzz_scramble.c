/* fuzz_scramble.c - parts are in order and inside the text; setting words right changes no length and no sign. */
#include "lib/base/str.h"
#include "lib/text/scramble.h"
#include <stdlib.h>

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static void check_part(bzr_str part) {
    bzr__buf out;
    bzr__offmap map;
    bzr__buf_init(&out, SIZE_MAX);
    bzr__offmap_init(&map);
    bzr__unscramble(part, &out, &map);
    MUST(!out.status && out.n == part.n && map.out_len == part.n && map.in_len == part.n);
    for (size_t i = 0; i < part.n; i++) MUST(out.p[i] == part.p[i] || (bzr__is_lower(out.p[i]) && bzr__is_lower(part.p[i])));
    bzr__buf_free(&out);
    bzr__offmap_free(&map);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size);
    for (int closely = 0; closely < 2; closely++) {
        bzr_span part;
        uint64_t last = 0;
        for (size_t from = 0; bzr__scrambled_next(in, closely, &from, &part); last = part.end) {
            MUST(part.start >= last && part.start < part.end && part.end <= in.n && from >= part.end);
            check_part(bzr__str_part(in, (size_t)part.start, (size_t)part.end));
        }
    }
    bzr__is_common_word(in.p, in.n);
    return 0;
}
