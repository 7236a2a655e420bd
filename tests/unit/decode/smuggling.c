/* smuggling.c - see smuggling.h. */
#include "tests/unit/decode/smuggling.h"

#include "lib/base/utf8.h"
#include "tests/support/exact.h"

static bool on_child(void *ctx, const toad__step *step, toad_str text, const toad__offmap *map) {
    catch *c = ctx;
    c->children++;
    c->step = step->name;
    c->n = text.n < sizeof c->text ? text.n : sizeof c->text;
    memcpy(c->text, text.p, c->n);
    c->first = toad__offmap_back(map, (toad_span){ 0, 1 });
    c->all = toad__offmap_back(map, (toad_span){ 0, text.n });
    return true;
}

catch run(const toad__decoder *d, toad_str in) {
    catch c = { .n = 0 };
    char *copy = exact_dup(in.p, in.n);
    toad__sink sink = { .ctx = &c, .child = on_child, .room = 1u << 20 };
    d->run(toad__str(copy, in.n), &sink);
    free(copy);
    return c;
}

void reads(const toad__decoder *d, toad_str in, const char *want) {
    catch c = run(d, in);
    if (c.n != strlen(want) || memcmp(c.text, want, c.n)) print_error("got \"%.*s\"\n", (int)c.n, c.text);
    assert_int_equal(c.n, strlen(want));
    assert_memory_equal(c.text, want, c.n);
}

void silent(const toad__decoder *d, toad_str in) { assert_int_equal(run(d, in).children, 0); }

void cp(sheet *s, uint32_t c) { s->n += toad__utf8_encode(c, s->p + s->n); }
void words(sheet *s, const char *text) {
    memcpy(s->p + s->n, text, strlen(text));
    s->n += strlen(text);
}
toad_str str(const sheet *s) { return toad__str(s->p, s->n); }

/* PHRASE, one letter at a time, each at `base` + letter, with `between` after it. */
sheet shifted(const char *before, uint32_t base, const char *between) {
    sheet s = { .n = 0 };
    words(&s, before);
    for (const char *p = PHRASE; *p; p++) {
        cp(&s, base + (unsigned char)*p);
        words(&s, between);
    }
    return s;
}

/* Floods and cut characters cost what any text costs and give nothing. */
void test_floods(void **state) {
    (void)state;
    static const toad__decoder *const all[] = { &toad__decoder_tags,       &toad__decoder_selectors,
                                                &toad__decoder_binary,     &toad__decoder_private_use,
                                                &toad__decoder_annotation, &toad__decoder_bidi,
                                                &toad__decoder_terminal };
    static const char *const units[] = { "\xef\xbf\xb9", "\xe2\x80\xae",  "\xe2\x80\xae\xe2\x80\xac", "\x1b]",
                                         "\xf3\xa0",     "\xee\x80\x81",  "\xe2\x80\x8b\xe2\x80\x8c", "\xef\xb8\x8f",
                                         "\xf3",         "\n\xe2\x81\xa7" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]), n = (1u << 19) / unit * unit;
        char *flood = malloc(n);
        assert_non_null(flood);
        for (size_t k = 0; k < n; k++) flood[k] = units[i][k % unit];
        for (size_t d = 0; d < sizeof all / sizeof *all; d++) run(all[d], toad__str(flood, n - 1));
        free(flood);
    }
}
