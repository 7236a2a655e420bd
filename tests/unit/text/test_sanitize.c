/* The keep-rules: what goes, what stays, what is reported; and that sanitizing twice is sanitizing once, whatever the
 * bytes. */

#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/keep_rules.h"
#include "lib/text/sanitize.h"
#include "tests/check.h"
#include "tests/support/exact.h"
#include "toadstone/text.h"

typedef struct outcome {
    toad__buf text;
    toad__offmap map;
    toad__census census;
} outcome;

static outcome sanitize(toad_str in) {
    outcome o;
    toad__buf_init(&o.text, SIZE_MAX);
    toad__offmap_init(&o.map);
    char *copy = exact_dup(in.p, in.n);
    assert_int_equal(toad__sanitize(toad__str(copy, in.n), &o.text, &o.map, &o.census), TOAD_OK);
    free(copy);
    return o;
}

static void drop(outcome *o) {
    toad__buf_free(&o->text);
    toad__offmap_free(&o->map);
}

static bool reports(const toad__census *c) {
    for (int i = 0; i < TOAD__CENSUS_CLASSES; i++)
        if (c->reported[i]) return true;
    return false;
}

/* The whole contract for one text: expected output, map, idempotence, and the quick check. */
static void check(toad_str in, toad_str want) {
    outcome o = sanitize(in), again = sanitize(toad__buf_str(&o.text));
    if (!toad__str_eq(toad__buf_str(&o.text), want))
        print_error("in \"%.*s\" got \"%.*s\"\n", (int)in.n, in.p, (int)o.text.n, o.text.p);
    assert_true(toad__str_eq(toad__buf_str(&o.text), want));
    assert_true(toad__str_eq(toad__buf_str(&again.text), want));
    assert_int_equal(o.map.out_len, o.text.n);
    assert_int_equal(o.map.in_len, in.n);
    char *copy = exact_dup(in.p, in.n);
    assert_int_equal(toad__sanitize_is_clean(toad__str(copy, in.n)), toad__str_eq(in, want) && !reports(&o.census));
    free(copy);
    drop(&o);
    drop(&again);
}

#define CHECK(in, want) check(TOAD__S(in), TOAD__S(want))
#define KEEPS(text)     check(TOAD__S(text), TOAD__S(text))

static void joiners(void **state) {
    (void)state;
    KEEPS("\xd9\x86\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xd9\x88\xd8\xa7\xd9\x87\xd9\x85"); /* Persian */
    KEEPS("\xda\xa9\xd8\xa7\xd8\xb1\xe2\x80\x8c\xd9\x87\xd8\xa7"); /* after a letter that does not join */
    KEEPS("\xd9\x87\xe2\x80\x8d");                                 /* the Hijri sign */
    KEEPS("\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7");     /* after a virama */
    KEEPS("\xe0\xb0\x95\xe0\xb1\x8d\xe2\x80\x8c\xe0\xb0\xb7");
    KEEPS("\xe0\xa4\xa8\xe0\xa5\x87\xe2\x80\x8c\xe0\xa4\x95"); /* within one Indic script */
    KEEPS("\xe0\xa6\xb0\xe2\x80\x8d\xe0\xa7\x8d\xe0\xa6\xaf"); /* Bengali ra, joiner, hasanta */
    KEEPS("\xe0\xb8\x81\xe2\x80\x8b\xe0\xb8\x82");             /* Thai */
    KEEPS("\xe1\x9e\x81\xe2\x80\x8b\xe1\x9e\x98");             /* Khmer */
    CHECK("ig\xe2\x80\x8bnore \xe2\x80\x8c"
          "a\xe2\x80\x8dll",
          "ignore all");
    CHECK("A\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8b\xe2\x80\x8bZ", "AZ");
    CHECK("a\xe2\x81\xa0"
          "b\xef\xbb\xbf"
          "c\xcd\x8f"
          "d",
          "abcd");
    CHECK("\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe2\x80\x8d\xe2\x80\x8c\xe0\xa4\xb7",
          "\xe0\xa4\x95\xe0\xa5\x8d\xe2\x80\x8d\xe0\xa4\xb7");
    KEEPS("\xd7\x90\xd6\xb7\xcd\x8f\xd6\xb4"); /* CGJ between Hebrew points */
    KEEPS("a\xe2\x81\xa2"
          "b + f\xe2\x81\xa1(x)");
    CHECK("ig\xe2\x81\xa2nore = 1", "ignore = 1");
    CHECK("i\xe2\x81\xa2g\xe2\x81\xa2n", "ign");
}

static void blank_cells(void **state) {
    (void)state;
    KEEPS("\xe2\xa0\x81\xe2\xa0\x80\xe2\xa0\x82"); /* Braille */
    KEEPS("\xe2\xa0\x80 note: \xe2\xa0\x80");      /* an indent, a spinner */
    KEEPS("word\xe2\xa0\x80\xe2\xa0\x83");         /* Braille after a word */
    CHECK("ignore\xe2\xa0\x80"
          "all",
          "ignore all");
    CHECK("4\xe2\xa0\x80\xd1\x8f", "4 \xd1\x8f");
}

static void emoji(void **state) {
    (void)state;
    KEEPS("\xf0\x9f\x91\xa8\xf0\x9f\x8f\xbe\xe2\x80\x8d\xf0\x9f\x92\xbb"); /* man, skin tone, joiner, laptop */
    KEEPS("\xe2\x9d\xa4\xef\xb8\x8f");
    KEEPS("1\xef\xb8\x8f\xe2\x83\xa3 #\xe2\x83\xa3");
    KEEPS("\xf0\x9f\x8f\xb3\xef\xb8\x8f\xe2\x80\x8d\xf0\x9f\x8c\x88");
    KEEPS("\xe8\x91\x9b\xf3\xa0\x84\x80\xe9\xa3\xbe"); /* registered ideographic selector */
    KEEPS("\xe7\xa5\x9e\xef\xb8\x80");
    CHECK("x\xef\xb8\x8fy\xef\xb8\x8f", "xy");
    CHECK("\xe8\x91\x9b\xf3\xa0\x85\x97", "\xe8\x91\x9b"); /* no ideograph has VS88 */
    CHECK("\xe8\x91\x9b\xf3\xa0\x84\x80\xf3\xa0\x84\x81", "\xe8\x91\x9b");
    CHECK("\xe2\x9d\xa4\xef\xb8\x8f\xef\xb8\x8f", "\xe2\x9d\xa4\xef\xb8\x8f");
    KEEPS("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3\xf3\xa0\x81\xb4\xf3\xa0\x81"
          "\xbf");
    CHECK("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xb3\xf3\xa0\x81\xa3\xf3\xa0\x81\xb4",
          "\xf0\x9f\x8f\xb4");
    CHECK("\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa1\xf3\xa0\x81\xac\xf3\xa0\x81\xac\xf3\xa0\x81\xbf", "\xf0\x9f\x8f\xb4");
}

/* Every pair of base and VS15 or VS16 is standardized; seven changes in a row are bits. */
static void presentation_as_bits(void **state) {
    (void)state;
    char in[16 * 6], want[16 * 3];
    for (unsigned i = 0; i < 16; i++) {
        memcpy(in + 6 * i, i & 1 ? "\xe2\x98\xba\xef\xb8\x8e" : "\xe2\x98\xba\xef\xb8\x8f", 6);
        memcpy(want + 3 * i, "\xe2\x98\xba", 3);
    }
    check(toad__str(in, sizeof in), toad__str(want, sizeof want));
    check(toad__str(in, 4 * 6), toad__str(in, 4 * 6));
}

static void directions(void **state) {
    (void)state;
    KEEPS("\xe2\x81\xa7\xd7\xa2\xd7\x91\xe2\x81\xa9 and English");
    KEEPS("\xd7\xa2\xd7\x91 \xe2\x80\x8einvoice.pdf\xe2\x80\x8e");
    CHECK("a\xe2\x80\x8e b", "a b");
    CHECK("\xd7\xa2\n\xe2\x80\x8e"
          "b",
          "\xd7\xa2\nb"); /* another paragraph */
    CHECK("\xd7\xa2 \xe2\x81\xa7"
          "a",
          "\xd7\xa2 a"); /* never closed */
    CHECK("\xd7\xa2 a\xe2\x81\xa9", "\xd7\xa2 a");
    CHECK("\xd7\xa2 \xe2\x81\xa7\xe2\x81\xa9", "\xd7\xa2 "); /* empty */
    CHECK("\xd7\xa2\xe2\x81\xa6"
          "a\xe2\x81\xa6"
          "b\xe2\x81\xa6"
          "c\xe2\x81\xa9\xe2\x81\xa9\xe2\x81\xa9",
          "\xd7\xa2"
          "abc");
    CHECK("\xd7\xa2 \xe2\x80\xaetxt.exe\xe2\x80\xac", "\xd7\xa2 txt.exe");
    CHECK("invoice\xe2\x80\xae"
          "fdp.exe",
          "invoicefdp.exe");
}

static void controls(void **state) {
    (void)state;
    KEEPS("a\tb\r\nc\n");
    KEEPS("one\n\f\ntwo");
    CHECK("one\n\ftwo\fthree", "one\ntwo\nthree");
    CHECK("a\0b\x01\x7f"
          "c",
          "abc");
    CHECK("10%\r20%\r", "10%\n20%\n");
    CHECK("a\r\r\nb", "a\r\nb");
    CHECK("a\xc2\x85"
          "b\xe2\x80\xa8"
          "c\xe2\x80\xa9"
          "d\ve",
          "a\nb\nc\nd\ne");
    CHECK("N\bNA\bAM\bM _\bx", "NAM x");
    CHECK("ab\bc", "abc");
    CHECK("x\xc2\x80y", "xy");
    CHECK("\xef\xbb\xbfname", "name");
    KEEPS("\xef\xbb\xbf");
    CHECK("\xef\xbb\xbf\xef\xbb\xbf\xef\xbb\xbfreport", "report");
    CHECK("\xef\xbf\xbc See\xef\xbf\xb9"
          "a\xef\xbf\xba"
          "b\xef\xbf\xbb",
          " Seeab");
    KEEPS("word  \nnext\t\n");
    CHECK("word \t  \t \nnext \t \t", "word\nnext");
    CHECK("word \t\xe2\x80\x8b \t\r\n", "word\r\n");
}

static void bytes(void **state) {
    (void)state;
#define R "\xef\xbf\xbd"
    CHECK("caf\xe9 ouvert", "caf" R " ouvert");
    CHECK("\xc0\xbc"
          "a",
          R R "a");
    CHECK("\xe2\x80", R);
    CHECK("x\xed\xa0\x80y", "x" R R R "y");
    CHECK("\xf4\x90\x80\x80", R R R R);
    CHECK("\xf0\x9f\x98", R);
    CHECK("a\xef\xbf\xbe"
          "b\xef\xb7\x90"
          "c",
          "a" R "b" R "c");
    KEEPS("\xee\x82\xb0 main \xee\x82\xb0");
    KEEPS("\xee\x80\x81\xee\x80\x82\xee\x80\x83");
    CHECK("\xee\x80\x81\xee\x80\x82\xee\x80\x83\xee\x80\x84\xe2\x80\x8b\xee\x80\x85!", R "!");
#undef R
}

static void other_scripts(void **state) {
    (void)state;
    KEEPS("\xe1\xa0\xae\xe1\xa0\xa3\xe1\xa0\x8e\xe1\xa0\xa0");
    CHECK("\xe1\xa0\xa0\xe1\xa0\x8b\xe1\xa0\x8c", "\xe1\xa0\xa0");
    KEEPS("\xe1\x85\x9f\xe1\x85\xa1");
    KEEPS("\xe1\x84\x80\xe1\x85\xa0");
    CHECK("a\xe1\x85\x9f"
          "b\xe3\x85\xa4"
          "c\xef\xbe\xa0",
          "abc");
    CHECK("\xe1\x85\x9f\xe1\x85\xa0", "");
    CHECK("a\xf0\x9d\x85\xb3"
          "b",
          "ab");
    KEEPS("\xf0\x9d\x85\x9f\xf0\x9d\x85\xb3\xf0\x9d\x85\x9f");
    CHECK("Donau\xc2\xad"
          "dampf",
          "Donaudampf");
    KEEPS("T\xcc\xb6h\xcc\xb6"
          "e Tie\xcc\x82\xcc\x81ng");
    KEEPS("\xd7\xa9\xd6\xb8\xd6\xbc\xd7\x81\xd6\x96");
    CHECK("a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
          "b",
          "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
          "b");
    CHECK(
        "a\xcc\x81\xe2\x80\x8b\xcc\x81\xe2\x80\x8b\xcc\x81\xe2\x80\x8b\xcc\x81\xe2\x80\x8b\xcc\x81\xe2\x80\x8b\xcc\x81",
        "a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81");
}

/* All 4,174 default-ignorables vanish from the middle of a word, as do the controls, in every alignment to the SIMD
 * steps. */
static void every_ignorable(void **state) {
    (void)state;
    static const uint32_t spans[][2] = {
        { 0xAD, 0xAD },       { 0x34F, 0x34F },     { 0x61C, 0x61C },   { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },
        { 0x180B, 0x180F },   { 0x200B, 0x200F },   { 0x202A, 0x202E }, { 0x2060, 0x206F }, { 0x3164, 0x3164 },
        { 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFF8 }, { 0x1BCA0, 0x1BCA3 },
        { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
    };
    size_t seen = 0;
    for (size_t i = 0; i < sizeof spans / sizeof *spans; i++) {
        for (uint32_t c = spans[i][0]; c <= spans[i][1]; c++, seen++) {
            char word[64] = "................................ig",
                 want[64] = "................................ignore all";
            size_t at = 32 - c % 32;
            unsigned len = toad__utf8_encode(c, word + 34);
            memcpy(word + 34 + len, "nore all", 8);
            outcome o = sanitize(toad__str(word + at, 42 + len - at));
            assert_true(toad__str_eq(toad__buf_str(&o.text), toad__str(want + at, 42 - at)));
            assert_true(c == 0xAD || (reports(&o.census) && o.census.longest_run == 1));
            toad_span back = toad__offmap_back(&o.map, (toad_span){ 33 - at + 1, 34 - at + 1 });
            assert_int_equal(back.start, 34 + len - at);
            drop(&o);
        }
    }
    assert_int_equal(seen, 4174);
}

static void census(void **state) {
    (void)state;
    outcome o = sanitize(TOAD__S("x\xf3\xa0\x81\x81\xf3\xa0\x81\x82 y\xf3\xa0\x81\x83"));
    assert_int_equal(o.census.count[TOAD__CENSUS_TAGS], 3);
    assert_int_equal(o.census.first[TOAD__CENSUS_TAGS].start, 1);
    assert_int_equal(o.census.first[TOAD__CENSUS_TAGS].end, 9);
    assert_int_equal(o.census.longest_run, 2);
    assert_true(o.census.reported[TOAD__CENSUS_TAGS]);
    drop(&o);
    o = sanitize(TOAD__S("ig\xe2\x80\x8bn\xe2\x80\x8bore"));
    assert_int_equal(o.census.intraword, 2);
    assert_true(o.census.reported[TOAD__CENSUS_ZERO_WIDTH]);
    drop(&o);
    o = sanitize(TOAD__S("pay(5\xe2\x81\xa0"
                         "00)"));
    assert_int_equal(o.census.intraword, 1);
    assert_true(reports(&o.census));
    drop(&o);
    assert_string_equal(toad__census_rule(TOAD__CENSUS_BIDI), "bidi_control");
}

/* What honest text has goes without a word. */
static void silent(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\xef\xbb\xbfname;price",
        ("Ver\xc2\xad"
         "fassungs\xc2\xad"
         "be\xc2\xadschwerde"),
        "\x1b[1m\x1b[34minfo\x1b[0m",
        "a\xe2\x80\xa8y",
        "N\bNA\bA",
        "preview \xe2\x80\x8c\xc2\xa0\xe2\x80\x8c\xc2\xa0\xe2\x80\x8c\xc2\xa0\xcd\x8f \xe2\x80\x8c",
        "end \xe2\x80\x8b",
        "\xef\xbf\xbc image",
        "text\x1a",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        outcome o = sanitize(toad__str_z(texts[i]));
        if (reports(&o.census)) print_error("%zu\n", i);
        assert_false(reports(&o.census));
        drop(&o);
    }
}

/* Random mixtures of everything that any rule knows. */
/* The search by blocks finds what the one by code points finds, from wherever it starts. */
static void expect_same_odd(const char *in, size_t n) {
    char *exact = exact_dup(in, n);
    for (size_t at = 0; at < n; at++)
        assert_int_equal(toad__next_odd(toad__str(exact, n), at), toad__next_odd_portable(toad__str(exact, n), at));
    free(exact);
}

/* Every code point far from both ends of a block, and across its end; and each cut off. */
static void odd_everywhere(void **state) {
    (void)state;
    char in[400];
    for (uint32_t c = 0x80; c < 0x110000; c += c < 0x3100 || c > 0xF900 ? 1 : 7) {
        size_t n = 0, cut = 70 + c % 4;
        while (n < 60 + c % 5) n += toad__utf8_encode(c % 3 ? 0x436 : 0x4E2D, in + n);
        for (unsigned k = 0; k < 4; k++) n += toad__utf8_encode(c, in + n);
        while (n < 200) in[n++] = 'a';
        toad_str s = toad__str(in, n);
        assert_int_equal(toad__next_odd(s, 0), toad__next_odd_portable(s, 0));
        in[cut] = 'x';
        assert_int_equal(toad__next_odd(s, 0), toad__next_odd_portable(s, 0));
        if (c > 0x20000) c += 0x101;
    }
}

static void idempotent(void **state) {
    (void)state;
    static const uint32_t pool[] = {
        'a',     'b',     ' ',     '\t',    '\n',    '\r',    '\f',    '\b',    '_',     '=',     '(',
        0x1B,    '[',     'm',     0x7F,    0x85,    0x9B,    0xAD,    0x300,   0x301,   0x34F,   0x35C,
        0x5B0,   0x5D0,   0x61C,   0x628,   0x62F,   0x915,   0x94D,   0xE01,   0x1100,  0x1161,  0x11A8,
        0x115F,  0x1160,  0x1820,  0x180B,  0x180E,  0x200B,  0x200C,  0x200D,  0x200E,  0x2028,  0x202E,
        0x202C,  0x2060,  0x2062,  0x2066,  0x2067,  0x2069,  0x263A,  0x2764,  0x3164,  0x4E00,  0x845B,
        0xE000,  0xFE00,  0xFE0E,  0xFE0F,  0xFEFF,  0xFFFC,  0xFFFE,  0x1BC00, 0x1BCA0, 0x1D100, 0x1D173,
        0x13000, 0x13430, 0x1F3F4, 0x1F600, 0x1F3FB, 0xE0067, 0xE007F, 0xE0100, 0xE0101,
    };
    uint64_t seed = 88172645463325252u;
    for (unsigned round = 0; round < 30000; round++) {
        char in[160];
        size_t n = 0;
        for (unsigned k = 0; k < 24; k++) {
            seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
            if (seed % 97 == 0)
                in[n++] = (char)(seed >> 32);
            else
                n += toad__utf8_encode(pool[seed % (sizeof pool / sizeof *pool)], in + n);
        }
        expect_same_odd(in, n);
        outcome o = sanitize(toad__str(in, n));
        check(toad__str(in, n), toad__buf_str(&o.text));
        assert_int_equal(toad__utf8_valid_upto(toad__buf_str(&o.text)), o.text.n);
        drop(&o);
    }
}

/* Floods: counters, no lists, and time that a quadratic pass would not keep within the test's limit. */
static void floods(void **state) {
    (void)state;
    static const char *const units[] = { "\xe2\x80\x8b",
                                         "\xe2\x81\xa6\xe2\x81\xa9",
                                         "\xcc\x81",
                                         "\x1b]",
                                         "\x1b[1;",
                                         "\xff",
                                         "\xe2\x80",
                                         " \t",
                                         "\xee\x80\x80",
                                         "\r",
                                         "a\b",
                                         "\xe2\x81\xa2",
                                         "\xd7\xa9\xe2\x81\xa7",
                                         "\xef\xb8\x8f",
                                         "\xe1\x84\x80\xe1\x85\xa0",
                                         "\xc2\x9d" };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        size_t unit = strlen(units[i]), n = (1u << 20) / unit * unit;
        char *flood = malloc(n);
        assert_non_null(flood);
        for (size_t k = 0; k < n; k++) flood[k] = units[i][k % unit];
        outcome o = sanitize(toad__str(flood, n));
        assert_int_equal(o.map.in_len, n);
        drop(&o);
        toad__sanitize_is_clean(toad__str(flood, n));
        free(flood);
    }
}

static void limits(void **state) {
    (void)state;
    toad__buf out;
    toad__buf_init(&out, 4);
    assert_int_equal(toad__sanitize(TOAD__S("12345"), &out, NULL, NULL), TOAD_E_LIMIT);
    toad__buf_free(&out);
    toad__buf_init(&out, 4);
    assert_int_equal(toad__sanitize(TOAD__S("1\xe2\x80\x8b\xe2\x80\x8b"
                                            "234"),
                                    &out, NULL, NULL),
                     TOAD_OK);
    assert_int_equal(out.n, 4);
    toad__buf_free(&out);
    toad__buf_init(&out, 64);
    toad__buf_add_z(&out, "kept \t \t ");
    assert_int_equal(toad__sanitize(TOAD__S("\t \ta\n"), &out, NULL, NULL), TOAD_OK);
    assert_true(toad__str_eq(toad__buf_str(&out), TOAD__S("kept \t \t \t \ta\n")));
    toad__buf_free(&out);
    check(toad__str(NULL, 0), toad__str("", 0));
}

static void public_face(void **state) {
    (void)state;
    toad_text *text = NULL;
    toad_removed removed;
    assert_int_equal(toad_sanitize(TOAD__S("\xef\xbb\xbfig\xe2\x80\x8bnore"), NULL, &text, &removed), TOAD_OK);
    assert_true(toad__str_eq(toad_text_str(text), TOAD__S("ignore")));
    assert_int_equal(removed.n, 2);
    assert_string_equal(removed.list[0].name, "invisible_zero_width");
    assert_int_equal(removed.list[0].first.start, 5);
    assert_true(removed.list[0].reported);
    assert_string_equal(removed.list[1].name, "byte_order_mark");
    assert_false(removed.list[1].reported);
    toad_text_free(text);
    toad_sanitize_options small = { sizeof small, 3 };
    text = NULL;
    assert_int_equal(toad_sanitize(TOAD__S("12345"), &small, &text, NULL), TOAD_E_LIMIT);
    assert_null(text);
    assert_int_equal(toad_sanitize(TOAD__S("1"), NULL, NULL, NULL), TOAD_E_ARG);
    assert_int_equal(toad_sanitize(toad__str(NULL, 0), NULL, &text, NULL), TOAD_OK);
    assert_int_equal(toad_text_str(text).n, 0);
    toad_text_free(text);
    assert_true(toad_is_clean(TOAD__S("clean")));
    assert_false(toad_is_clean(TOAD__S("\x1b[8m")));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joiners),         cmocka_unit_test(blank_cells),
        cmocka_unit_test(emoji),           cmocka_unit_test(presentation_as_bits),
        cmocka_unit_test(directions),      cmocka_unit_test(controls),
        cmocka_unit_test(bytes),           cmocka_unit_test(other_scripts),
        cmocka_unit_test(every_ignorable), cmocka_unit_test(census),
        cmocka_unit_test(silent),          cmocka_unit_test(idempotent),
        cmocka_unit_test(odd_everywhere),  cmocka_unit_test(floods),
        cmocka_unit_test(limits),          cmocka_unit_test(public_face),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
