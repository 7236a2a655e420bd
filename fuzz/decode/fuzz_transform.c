/* fuzz_transform.c - every transform at any place of any bytes; letter ciphers undo themselves, no map leaves the text.
 */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/decode/decode.h"

static bool on_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    const toad_str *in = ctx;
    toad_span back = toad__offmap_back(map, (toad_span){ 0, text.n });
    MUST(step && *step->name && back.start <= back.end && back.end <= in->n && !map->status);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "caesar+1", "caesar+13",      "caesar+25",   "atbash", "rot47",
                                         "reversed", "reversed_words", "upside_down", "leet",   "pig_latin" };
    if (size < 3) return 0;
    toad_str in = toad__str(data + 3, size - 3);
    toad_span at = { data[1], (uint64_t)data[1] + data[2] };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        toad__sink sink = { .ctx = &in, .child = on_child, .room = data[0] < 128 ? 1u << 16 : data[0] };
        MUST(toad__transform(names[i], in, toad__transform_region(in, at), &sink));
        MUST(sink.status != TOAD_E_NOMEM);
    }
    toad__sink none = { .ctx = &in, .child = on_child, .room = 0 };
    MUST(!toad__transform("caesar+26", in, toad__transform_region(in, at), &none));
    return 0;
}
