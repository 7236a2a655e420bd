/* fuzz_smuggling.c - the decoders of Unicode smuggling: children within the room, maps that lead into the input, and a
 * sink that says stop is obeyed. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/decode/table.h"

typedef struct check {
    size_t in_n, room;
    unsigned children, allowed;
} check;

static bool on_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    check *c = ctx;
    MUST(step && text.n && text.n <= c->room && map->out_len == text.n && map->in_len <= c->in_n);
    for (size_t i = 0; i < text.n; i++) {
        toad_span at = toad__offmap_back(map, (toad_span){ i, i + 1 });
        MUST(at.start <= at.end && at.end <= c->in_n);
    }
    MUST(c->children < c->allowed);
    return ++c->children < c->allowed;
}

static void run(const toad__decoder *d, toad_str in, size_t room, unsigned allowed) {
    check c = { in.n, room, 0, allowed };
    toad__sink sink = { .ctx = &c, .child = on_child, .room = room };
    d->run(in, &sink);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const toad__decoder *const all[] = { &toad__decoder_tags,        &toad__decoder_selectors,  &toad__decoder_binary,
                                         &toad__decoder_private_use, &toad__decoder_annotation, &toad__decoder_bidi,
                                         &toad__decoder_terminal };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        run(all[i], toad__str(data, size), 1u << 20, 1000);
        run(all[i], toad__str(data, size), 5, 1);
    }
    return 0;
}
