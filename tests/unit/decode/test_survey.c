/* Decoders that look only where the survey sends them find what they find in all of a text. */

#include "lib/base/str.h"
#include "lib/decode/hints.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"
#include "tests/support/exact.h"
#include "tests/unit/decode/decoding.h"

typedef struct digest {
    unsigned children;
    uint64_t hash;
} digest;

static bool digest_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    digest *d = ctx;
    toad_span from = toad__offmap_back(map, (toad_span){ 0, text.n });
    for (const char *c = step->name; *c; c++) d->hash = (d->hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
    for (size_t i = 0; i < text.n; i++) d->hash = (d->hash ^ (unsigned char)text.p[i]) * UINT64_C(1099511628211);
    d->hash = (d->hash ^ from.start) * UINT64_C(1099511628211) ^ from.end;
    return ++d->children < 64;
}

static void check_survey(toad_str in) {
    static toad__survey survey;
    char *copy = exact_dup(in.p, in.n);
    toad__hints hints;
    in.p = copy;
    toad__hints_take(in, &hints);
    memset(&survey, 0, sizeof survey);
    toad__survey_take(in, &survey);
    for (const toad__decoder *const *at = toad__decoders; *at; at++) {
        const toad__decoder *d = *at;
        digest all = { 0, 0 }, sites = { 0, 0 };
        toad__sink sink = { .ctx = &all, .child = digest_child, .room = 1u << 20 };
        d->run(in, &sink);
        sink =
            (toad__sink){ .ctx = &sites, .child = digest_child, .room = 1u << 20, .hints = &hints, .survey = &survey };
        d->run(in, &sink);
        if (all.hash != sites.hash)
            print_error("%s: %u children, %u at sites\n", d->name, all.children, sites.children);
        assert_true(all.hash == sites.hash && all.children == sites.children);
    }
    free(copy);
}

/* What stands anywhere, between anything, is decoded at the sites as it is in all of the text. */
void test_survey(void **state) {
    (void)state;
    static const char *const fillings[] = {
        "a",
        "aB",
        "word ",
        " ",
        "    \n",
        "0",
        ". ",
        "x-",
        "\xd0\x90\xd0\xb1 ",
        "CamelCase ",
        "x\x7f",
        "(f[",
        "%",
        "FJqho3WyVTSfoPOjpzI2nJ91plOcoaA0paIwqTyioaZ " /* base64 under rot13 */
    };
    static char text[8192];
    uint32_t seed = 7;
    for (unsigned round = 0; round < 1500; round++) {
        size_t n = 0;
        for (unsigned part = 0; part < 3; part++) {
            seed = seed * 1664525 + 1013904223;
            const row *r = row_at((seed >> 8) % rows_count());
            const char *filling = fillings[(seed >> 20) % (sizeof fillings / sizeof *fillings)];
            seed = seed * 1664525 + 1013904223;
            for (size_t size = n + (seed >> 8) % 150; n < size; n += strlen(filling))
                memcpy(text + n, filling, strlen(filling));
            if (r->in.n > 2000) continue;
            memcpy(text + n, r->in.p, r->in.n);
            n += r->in.n;
        }
        check_survey(toad__str(text, n));
    }
}

/* In a text of more than 256 KiB a bit of a map stands for several blocks of 64. */
void test_long_survey(void **state) {
    (void)state;
    size_t n = 3000 + 17001 * rows_count();
    char *text = malloc(n);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) text[i] = "word and "[i % 9];
    for (size_t i = 0, at = 1000; i < rows_count(); i++, at += 17001)
        memcpy(text + at, row_at(i)->in.p, row_at(i)->in.n < 2000 ? row_at(i)->in.n : 2000);
    check_survey(toad__str(text, n));
    free(text);
}
