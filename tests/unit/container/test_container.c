/* test_container.c - ZIP archives made byte by byte: what is opened, what stays closed and why, and every bound. */
#include "lib/base/str.h"
#include "lib/container/container.h"
#include "tests/check.h"
#include "tests/support/exact.h"

typedef struct zip {
    char p[4096], central[2048];
    size_t n, central_n, entries;
} zip;

static void put(char *p, size_t *n, size_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) p[(*n)++] = (char)(i < sizeof value ? value >> 8 * i : 0);
}

static void put_str(char *p, size_t *n, toad_str s) {
    if (s.n) memcpy(p + *n, s.p, s.n);
    *n += s.n;
}

/* A local entry; `listed` in the directory, too. */
static void add(zip *z, toad_str name, unsigned flags, unsigned method, toad_str packed, bool listed) {
    size_t start = z->n;
    put_str(z->p, &z->n, TOAD__S("PK\3\4"));
    put(z->p, &z->n, 20, 2), put(z->p, &z->n, flags, 2), put(z->p, &z->n, method, 2), put(z->p, &z->n, 0, 8);
    put(z->p, &z->n, packed.n, 4), put(z->p, &z->n, packed.n, 4), put(z->p, &z->n, name.n, 2), put(z->p, &z->n, 0, 2);
    put_str(z->p, &z->n, name), put_str(z->p, &z->n, packed);
    if (!listed) return;
    char *c = z->central;
    put_str(c, &z->central_n, TOAD__S("PK\1\2"));
    put(c, &z->central_n, 20, 2), put(c, &z->central_n, 20, 2), put(c, &z->central_n, flags, 2);
    put(c, &z->central_n, method, 2), put(c, &z->central_n, 0, 8), put(c, &z->central_n, packed.n, 4);
    put(c, &z->central_n, packed.n, 4), put(c, &z->central_n, name.n, 2), put(c, &z->central_n, 0, 12);
    put(c, &z->central_n, start, 4);
    put_str(c, &z->central_n, name);
    z->entries++;
}

static toad_str finish(zip *z) {
    size_t at = z->n;
    put_str(z->p, &z->n, toad__str(z->central, z->central_n));
    put_str(z->p, &z->n, TOAD__S("PK\5\6"));
    put(z->p, &z->n, 0, 4), put(z->p, &z->n, z->entries, 2), put(z->p, &z->n, z->entries, 2);
    put(z->p, &z->n, z->central_n, 4), put(z->p, &z->n, at, 4), put(z->p, &z->n, 0, 2);
    return toad__str(z->p, z->n);
}

static bool is_binary(toad_str head) { return head.n && memchr(head.p, 0, head.n); }

/* Opened from an exactly sized copy. */
static toad__parts open_copy(toad_str in, char **copy) {
    toad__parts parts;
    *copy = exact_dup(in.p, in.n);
    assert_int_equal(toad__container_open(TOAD__S("x.zip"), toad__str(*copy, in.n), is_binary, &parts), TOAD_OK);
    return parts;
}

static void close_copy(toad__parts *parts, char *copy) {
    toad__parts_free(parts);
    free(copy);
}

static bool is(toad_str a, const char *b) { return toad__str_eq(a, toad__str_z(b)); }

static void test_parts(void **state) {
    (void)state;
    static zip inner, z;
    char *copy;
    add(&inner, TOAD__S("deep.txt"), 0, 0, TOAD__S("deep"), true);
    toad_str packed = finish(&inner);
    add(&z, TOAD__S("a.txt"), 0, 0, TOAD__S("hello"), true);
    add(&z, TOAD__S("d/"), 0, 0, TOAD__S(""), true);
    add(&z, TOAD__S("b\nc.bin"), 0, 0, TOAD__S("\0\1\2"), true);
    add(&z, TOAD__S("in.zip"), 0, 0, packed, true);
    add(&z, TOAD__S("f.txt"), 0, 8, TOAD__S("\xcb\x48\xcd\xc9\xc9\x07\x00"), true); /* raw deflate of "hello" */
    toad__parts p = open_copy(finish(&z), &copy);
    assert_int_equal(p.n, 6);
    assert_true(p.rows[0].opened && is(p.rows[1].name, "a.txt") && is(p.rows[1].text, "hello"));
    assert_int_equal(p.rows[1].at.start, 0);
    assert_int_equal(p.rows[1].at.end, 40);
    assert_true(is(p.rows[2].name, "b?c.bin") && p.rows[2].binary && !p.rows[2].text.n);
    assert_true(p.rows[3].opened && is(p.rows[4].text, "hello") && !p.rows[4].closed);
    assert_true(is(p.rows[5].name, "in.zip!/deep.txt") && is(p.rows[5].text, "deep"));
    assert_int_equal(p.rows[5].steps_n, 2);
    assert_string_equal(p.rows[5].steps[0], "zip:in.zip");
    assert_string_equal(p.rows[5].steps[1], "zip:deep.txt");
    close_copy(&p, copy);
}

static void test_closed(void **state) {
    (void)state;
    static const struct {
        const char *why;
        unsigned flags, method;
        bool listed;
    } rows[] = { { "it is encrypted", 1, 0, true },
                 { "it is packed in a way that is not read here", 0, 93, true },
                 { "it is damaged", 0, 8, true },
                 { "it has entries that its directory does not name", 0, 0, false } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zip z = { .n = 0 };
        char *copy;
        add(&z, TOAD__S("x"), rows[i].flags, rows[i].method, TOAD__S("\xff\xff\xff"), rows[i].listed);
        toad__parts p = open_copy(finish(&z), &copy);
        assert_int_equal(p.n, 2);
        assert_string_equal(p.rows[1].closed, rows[i].why);
        assert_int_equal(p.rows[1].completeness, TOAD_DECODE_LIMIT);
        close_copy(&p, copy);
    }
}

/* The same name on both sides, and no two entries in one another. */
static void test_two_readers(void **state) {
    (void)state;
    zip z = { .n = 0 };
    char *copy;
    add(&z, TOAD__S("x"), 0, 0, TOAD__S("one"), true);
    z.central[46] = 'y';
    toad__parts p = open_copy(finish(&z), &copy);
    assert_string_equal(p.rows[1].closed, "it is damaged");
    close_copy(&p, copy);
    zip twice = { .n = 0 };
    add(&twice, TOAD__S("x"), 0, 0, TOAD__S("one"), true);
    memcpy(twice.central + twice.central_n, twice.central, twice.central_n);
    twice.central_n *= 2;
    twice.entries = 2;
    p = open_copy(finish(&twice), &copy);
    assert_int_equal(p.n, 3);
    assert_true(is(p.rows[1].text, "one") && !p.rows[1].closed);
    assert_string_equal(p.rows[2].closed, "it is damaged");
    close_copy(&p, copy);
}

/* A local header that is said to lie behind the end lies nowhere. */
static void test_far(void **state) {
    (void)state;
    zip z = { .n = 0 };
    char *copy;
    add(&z, TOAD__S("x"), 0, 0, TOAD__S("one"), true);
    z.central[44] = 'y';
    toad_str in = finish(&z);
    toad__parts p = open_copy(in, &copy);
    for (size_t i = 0; i < p.n; i++) assert_true(p.rows[i].at.end <= in.n);
    close_copy(&p, copy);
}

static void test_depth(void **state) {
    (void)state;
    static zip z[5];
    char *copy;
    toad_str in = TOAD__S("core");
    for (size_t i = 0; i < 5; i++) {
        add(&z[i], i ? TOAD__S("z") : TOAD__S("t"), 0, 0, in, true);
        in = finish(&z[i]);
    }
    toad__parts p = open_copy(in, &copy);
    assert_int_equal(p.n, 4);
    assert_string_equal(p.rows[3].closed, "it lies too deep in containers");
    assert_int_equal(p.rows[3].completeness, TOAD_DEPTH_LIMIT);
    close_copy(&p, copy);
}

/* Cut anywhere, an archive is never taken for a whole one. */
static void test_cut(void **state) {
    (void)state;
    zip z = { .n = 0 };
    add(&z, TOAD__S("a.txt"), 0, 0, TOAD__S("hello"), true);
    toad_str in = finish(&z);
    for (size_t n = 4; n < in.n; n++) {
        char *copy;
        bool closed = false;
        toad__parts p = open_copy(toad__str(in.p, n), &copy);
        for (size_t i = 0; i < p.n; i++) closed |= p.rows[i].closed != NULL;
        assert_true(closed);
        close_copy(&p, copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_parts),       cmocka_unit_test(test_closed),
                                        cmocka_unit_test(test_two_readers), cmocka_unit_test(test_depth),
                                        cmocka_unit_test(test_cut),         cmocka_unit_test(test_far) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
