/* fuzz_decode.c - every decoder of the table on any bytes: maps fit their children, rooms are kept, hints are exact.
 *
 * The first byte picks a decoder (or all of them), the second the room. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/decode/decode.h"
#include "lib/decode/hints.h"
#include "lib/decode/survey.h"
#include "lib/text/fold.h"

typedef struct seen {
    size_t in_n, room, children;
    uint64_t hash; /* of all children */
} seen;

static bool on_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    seen *s = ctx;
    MUST(step && *step->name && text.n && text.n <= s->room);
    MUST(map->out_len >= text.n && map->in_len <= s->in_n && !map->status);
    for (size_t i = 1; i < map->n; i++)
        MUST(map->runs[i].out >= map->runs[i - 1].out && map->runs[i].in >= map->runs[i - 1].in);
    toad_span whole = toad__offmap_back(map, (toad_span){ 0, text.n });
    MUST(whole.start <= whole.end && whole.end <= s->in_n);
    for (size_t i = 0; i < text.n; i++) s->hash = (s->hash ^ (unsigned char)text.p[i]) * UINT64_C(1099511628211);
    s->hash = (s->hash ^ whole.start) * UINT64_C(1099511628211) + whole.end;
    return ++s->children < 64;
}

static void check_hints(toad_str in) {
    toad__hints fast, slow = { 0 };
    toad__hints_take(in, &fast);
    toad__hints_portable(in, &slow);
    slow.symbol_run = fast.symbol_run;
    MUST(!memcmp(&fast, &slow, sizeof fast));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2) return 0;
    unsigned pick = data[0], count = 0;
    size_t room = (size_t)data[1] << (data[1] & 1 ? 8 : 0);
    toad_str in = toad__str(data + 2, size - 2);
    toad__view view;
    toad__view_init(&view, 1u << 20);
    MUST(!toad__fold(&view, in, TOAD__FOLD_KEEP_CASE));
    toad__hints hints;
    toad__survey survey;
    toad__hints_take(in, &hints);
    check_hints(in);
    MUST(toad__printable_percent(in) <= 100);
    while (toad__decoders[count]) count++;
    for (unsigned i = 0; i < count; i++) {
        if (pick < count && pick != i) continue;
        const toad__decoder *d = toad__decoders[i];
        toad__is_wanted(d, &hints);
        toad_str text = d->reads == TOAD__RAW ? in : toad__buf_str(&view.text);
        seen s = { text.n, room, 0, 0 }, surveyed = s;
        toad__sink sink = { .ctx = &s, .child = on_child, .room = room };
        d->run(text, &sink);
        MUST(sink.status != TOAD_E_NOMEM);
        toad__hints_take(text, &hints);
        toad__survey_take(text, &survey);
        sink = (toad__sink){ .ctx = &surveyed, .child = on_child, .room = room, .hints = &hints, .survey = &survey };
        d->run(text, &sink);
        MUST(surveyed.hash == s.hash &&
             surveyed.children == s.children); /* what is known of a text hides nothing in it */
    }
    toad__view_free(&view);
    return 0;
}
