/* fuzz_smuggling.c - the decoders of Unicode smuggling: children within the room, maps that lead into the input, and a
 * sink that says stop is obeyed. */
#include "lib/base/str.h"
#include "lib/decode/table.h"
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

typedef struct check {
    size_t in_n, room;
    unsigned children, allowed;
} check;

static bool on_child(void *ctx, const char *step, bzr_str text, const bzr__offmap *map) {
    check *c = ctx;
    MUST(step && text.n && text.n <= c->room && map->out_len == text.n && map->in_len <= c->in_n);
    for (size_t i = 0; i < text.n; i++) {
        bzr_span at = bzr__offmap_back(map, (bzr_span){ i, i + 1 });
        MUST(at.start <= at.end && at.end <= c->in_n);
    }
    MUST(c->children < c->allowed);
    return ++c->children < c->allowed;
}

static void run(const bzr__decoder *d, bzr_str in, size_t room, unsigned allowed) {
    check c = { in.n, room, 0, allowed };
    bzr__sink sink = { .ctx = &c, .child = on_child, .room = room };
    d->run(in, &sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const bzr__decoder *const all[] = { &bzr__decoder_tags,        &bzr__decoder_selectors,  &bzr__decoder_binary,
                                        &bzr__decoder_private_use, &bzr__decoder_annotation, &bzr__decoder_bidi,
                                        &bzr__decoder_terminal };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        run(all[i], bzr__str(data, size), 1u << 20, 1000);
        run(all[i], bzr__str(data, size), 5, 1);
    }
    return 0;
}
