/* fuzz_action.c - any JSON as the arguments of a call: canonical form, dialog, deed; and, as a pair with what follows
 * the first line, overlap.
 *
 * Holds: the canonical form is JSON and its own canonical form; what is shown has no character that can't be seen and
 * no more lines than a screen or two; a text has its own long phrases in common with itself. */
#include "app/host/canonical.h"
#include "app/act/deed.h"
#include "app/host/display.h"
#include "app/act/overlap.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/class_tables.gen.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool parse(bzr_str s, bzr__arena *arena, const bzr__json **ret) {
    size_t at;
    const char *expected;
    return !bzr__json_parse(s, arena, ret, &at, &expected);
}

static void check_canonical(bzr_str in, bzr__arena *arena) {
    bzr__buf once, twice;
    const bzr__json *root;
    if (!parse(in, arena, &root)) return;
    bzr__buf_init(&once, 1u << 22);
    bzr__buf_init(&twice, 1u << 22);
    bzr__deed deed = bzr__deed_of(bzr__str_part(in, 0, 40), root);
    CHECK(bzr__deed_name(deed));
    CHECK(!bzr__canonical_json(root, arena, &once));
    CHECK(parse(bzr__buf_str(&once), arena, &root));
    CHECK(!bzr__canonical_json(root, arena, &twice));
    CHECK(bzr__str_eq(bzr__buf_str(&once), bzr__buf_str(&twice)));
    bzr__buf_free(&once);
    bzr__buf_free(&twice);
}

static void check_shown(bzr_str in) {
    bzr__buf text, notes;
    size_t lines = 0;
    unsigned len;
    bzr__buf_init(&text, 1u << 22);
    bzr__buf_init(&notes, 1u << 22);
    CHECK(!bzr__display(&text, &notes, "  ", in));
    bzr_str shown = bzr__buf_str(&text);
    for (size_t i = 0; i < shown.n; i += len) {
        uint32_t c = bzr__utf8_decode(shown, i, &len);
        lines += c == '\n';
        CHECK(c != BZR__BAD && (c == '\n' || (c >= 0x20 && c != 0x7F)));
        unsigned kind = bzr__class_of(c)->kind;
        CHECK(c == '\n' || kind == BZR__CP_NONE || kind == BZR__CP_MARK || kind == BZR__CP_STACK);
    }
    CHECK(lines <= 64);
    for (size_t i = 0; i < notes.n; i++) CHECK(notes.p[i] >= 0x20 && notes.p[i] < 0x7F);
    bzr__buf_free(&text);
    bzr__buf_free(&notes);
}

static void check_overlap(bzr_str in) {
    size_t cut = bzr__str_find(in, BZR__S("\n"), 0), budget = 1u << 20;
    bzr_str one = bzr__str_part(in, 0, cut), other = bzr__str_part(in, cut, in.n);
    bzr__overlap *o;
    bzr__taken_list list, own;
    CHECK(!bzr__overlap_new(&o));
    CHECK(!bzr__overlap_add(o, one, true));
    CHECK(!bzr__overlap_look(o, other, &budget, &list));
    for (size_t i = 0; i < BZR__TAKEN_SORTS; i++) CHECK(list.text[i].n <= 160);
    size_t before = budget;
    CHECK(!bzr__overlap_look(o, one, &budget, &own));
    CHECK(budget <= before && own.words >= list.words);
    bzr__overlap_free(o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__arena arena;
    bzr_str in = bzr__str(data, size < 65536 ? size : 65536);
    bzr__arena_init(&arena, 1u << 26);
    check_canonical(in, &arena);
    check_shown(in);
    check_overlap(in);
    bzr__deed_url_payload(in);
    bzr__arena_free(&arena);
    return 0;
}
