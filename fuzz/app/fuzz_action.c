/* fuzz_action.c - any JSON as the arguments of a call: canonical form, dialog, deed; and, as a pair with what follows
 * the first line, overlap.
 *
 * Holds: the canonical form is JSON and its own canonical form; what is shown has no character that can't be seen and
 * no more lines than a screen or two; a text has its own long phrases in common with itself. */
#include "app/act/deed.h"
#include "app/act/overlap.h"
#include "app/host/canonical.h"
#include "app/host/display.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/tables/class_tables.gen.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static bool parse(toad_str s, toad__arena *arena, const toad__json **ret) {
    size_t at;
    const char *expected;
    return !toad__json_parse(s, arena, ret, &at, &expected);
}

static void check_canonical(toad_str in, toad__arena *arena) {
    toad__buf once, twice;
    const toad__json *root;
    if (!parse(in, arena, &root)) return;
    toad__buf_init(&once, 1u << 22);
    toad__buf_init(&twice, 1u << 22);
    toad__deed deed = toad__deed_of(toad__str_part(in, 0, 40), root);
    CHECK(toad__deed_name(deed));
    CHECK(!toad__canonical_json(root, arena, &once));
    CHECK(parse(toad__buf_str(&once), arena, &root));
    CHECK(!toad__canonical_json(root, arena, &twice));
    CHECK(toad__str_eq(toad__buf_str(&once), toad__buf_str(&twice)));
    toad__buf_free(&once);
    toad__buf_free(&twice);
}

static void check_shown(toad_str in) {
    toad__buf text, notes;
    size_t lines = 0;
    unsigned len;
    toad__buf_init(&text, 1u << 22);
    toad__buf_init(&notes, 1u << 22);
    CHECK(!toad__display(&text, &notes, "  ", in));
    toad_str shown = toad__buf_str(&text);
    for (size_t i = 0; i < shown.n; i += len) {
        uint32_t c = toad__utf8_decode(shown, i, &len);
        lines += c == '\n';
        CHECK(c != TOAD__BAD && (c == '\n' || (c >= 0x20 && c != 0x7F)));
        unsigned kind = toad__class_of(c)->kind;
        CHECK(c == '\n' || kind == TOAD__CP_NONE || kind == TOAD__CP_MARK || kind == TOAD__CP_STACK);
    }
    CHECK(lines <= 64);
    for (size_t i = 0; i < notes.n; i++) CHECK(notes.p[i] == '\n' || (notes.p[i] >= 0x20 && notes.p[i] < 0x7F));
    toad__buf_free(&text);
    toad__buf_free(&notes);
}

static void check_overlap(toad_str in) {
    size_t cut = toad__str_find(in, TOAD__S("\n"), 0), budget = 1u << 20;
    toad_str one = toad__str_part(in, 0, cut), other = toad__str_part(in, cut, in.n);
    toad__overlap *o;
    toad__taken_list list, own;
    CHECK(!toad__overlap_new(&o));
    CHECK(!toad__overlap_add(o, one, true));
    CHECK(!toad__overlap_look(o, other, &budget, &list));
    for (size_t i = 0; i < TOAD__TAKEN_SORTS; i++) CHECK(list.text[i].n <= 160);
    size_t before = budget;
    CHECK(!toad__overlap_look(o, one, &budget, &own));
    CHECK(budget <= before && own.words >= list.words);
    toad__overlap_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    toad_str in = toad__str(data, size < 65536 ? size : 65536);
    toad__arena_init(&arena, 1u << 26);
    check_canonical(in, &arena);
    check_shown(in);
    check_overlap(in);
    toad__deed_url_payload(in);
    toad__arena_free(&arena);
    return 0;
}
