#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/fold_work.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

#define DROP  TOAD__FOLD_DROP
#define BLANK TOAD__FOLD_BLANK
#define KEEP  TOAD__FOLD_KEEP_CASE
#define ESC   "\x1b"

/* The 17 ranges of Default_Ignorable_Code_Point. */
static const uint32_t ignorable[][2] = {
    { 0xAD, 0xAD },       { 0x34F, 0x34F },     { 0x61C, 0x61C },   { 0x115F, 0x1160 }, { 0x17B4, 0x17B5 },
    { 0x180B, 0x180F },   { 0x200B, 0x200F },   { 0x202A, 0x202E }, { 0x2060, 0x206F }, { 0x3164, 0x3164 },
    { 0xFE00, 0xFE0F },   { 0xFEFF, 0xFEFF },   { 0xFFA0, 0xFFA0 }, { 0xFFF0, 0xFFF8 }, { 0x1BCA0, 0x1BCA3 },
    { 0x1D173, 0x1D17A }, { 0xE0000, 0xE0FFF },
};

static void fold_into(toad__view *v, const void *p, size_t n, unsigned flags) {
    char *exact = exact_dup(p, n);
    assert_int_equal(toad__fold(v, toad__str(exact, n), flags), TOAD_OK);
    free(exact);
    assert_int_equal(v->map.out_len, v->text.n);
    assert_int_equal(v->map.in_len, n);
}

static void expect_bytes(const void *in, size_t n, unsigned flags, const char *want) {
    toad__view v;
    toad__view_init(&v, 1 << 20);
    fold_into(&v, in, n, flags);
    char *got = calloc(1, v.text.n + 1);
    assert_non_null(got);
    if (v.text.n) memcpy(got, v.text.p, v.text.n);
    assert_string_equal(got, want);
    free(got);
    toad__view_free(&v);
}

static void expect(const char *in, unsigned flags, const char *want) { expect_bytes(in, strlen(in), flags, want); }

static void expect_both(const char *in, const char *want) {
    expect(in, DROP, want);
    expect(in, BLANK, want);
}

/* "<before><c><after>" in `out`; returns its length. */
static size_t around(char *out, const char *before, uint32_t c, const char *after) {
    size_t n = strlen(before), m = strlen(after);
    memcpy(out, before, n);
    n += toad__utf8_encode(c, out + n);
    memcpy(out + n, after, m);
    return n + m;
}

static void test_ascii(void **state) {
    (void)state;
    expect_both("", "");
    expect_both("Hello, WORLD @[`{", "hello, world @[`{");
    expect_both("a \t b\r\n\r\n\f\vc", "a b c");
    expect_both("  x  ", " x ");
    expect("  X \t\n", KEEP, "  X \t\n");
    expect("a\001b\x7f"
           "c",
           DROP, "abc");
    expect("a\001b\x7f"
           "c",
           BLANK, "a b c");
    expect_bytes("Ign\0ore", 7, DROP, "ignore");
}

/* Long enough that every path works in whole blocks, with runs of blanks at every offset of a block. */
static void test_blocks(void **state) {
    (void)state;
    char in[400], want[400];
    toad__view v;
    toad__view_init(&v, 1024);
    for (size_t gap = 0; gap < 160; gap++) {
        for (size_t len = 1; len < 140; len += 23) {
            size_t n = 0;
            for (; n < gap; n++) in[n] = (char)('A' + n % 26), want[n] = (char)('a' + n % 26);
            memset(in + n, ' ', len);
            in[n + len / 2] = '\n';
            memcpy(in + n + len, "Z", 1);
            memcpy(want + n, " z", 2);
            fold_into(&v, in, n + len + 1, DROP);
            assert_int_equal(v.text.n, gap + 2);
            assert_memory_equal(v.text.p, want, gap + 2);
            assert_true(toad__view_line_start(&v, gap + 1));
            toad_span blank = toad__offmap_back(&v.map, (toad_span){ gap, gap + 1 });
            assert_int_equal(blank.start, gap);
            assert_int_equal(blank.end, gap + len);
        }
    }
    toad__view_free(&v);
}

static void test_every_ignorable(void **state) {
    (void)state;
    unsigned count = 0;
    for (size_t r = 0; r < sizeof ignorable / sizeof *ignorable; r++) {
        for (uint32_t c = ignorable[r][0]; c <= ignorable[r][1]; c++, count++) {
            char in[16];
            size_t n = around(in, "ig", c, "nore");
            expect_bytes(in, n, DROP, "ignore");
            expect_bytes(in, n, KEEP, "ignore");
            char tag[] = { 'i', 'g', (char)toad__lower((int)(c & 0x7F)), 'n', 'o', 'r', 'e', 0 };
            expect_bytes(in, n, BLANK, c > 0xE0020 && c < 0xE007F ? tag : "ig nore");
        }
    }
    assert_int_equal(count, 4174);
}

static void test_other_invisibles(void **state) {
    (void)state;
    static const uint32_t odd[] = { 0x80,     0x86,   0xFFF9, 0xFFFB,  0xFFFC,   0xFFFD, 0xFDD0,  0xFFFE, 0x1FFFF,
                                    0x10FFFF, 0xE000, 0xF8FF, 0xF0041, 0x100041, 0x2800, 0x1D159, 0x13430 };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        char in[16];
        size_t n = around(in, "a", odd[i], "b");
        expect_bytes(in, n, DROP, "ab");
        expect_bytes(in, n, BLANK, "a b");
    }
    expect("a\xe2\xa0\x80"
           "b",
           KEEP, "a b");
}

static void test_white_space(void **state) {
    (void)state;
    static const uint32_t spaces[] = { 0xA0,   0x1680, 0x2000, 0x2007, 0x200A, 0x202F,
                                       0x205F, 0x3000, 0x85,   0x2028, 0x2029 };
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        char in[16];
        toad__view v;
        toad__view_init(&v, 64);
        fold_into(&v, in, around(in, "a ", spaces[i], " b"), DROP);
        assert_true(toad__str_eq(toad__buf_str(&v.text), TOAD__S("a b")));
        assert_int_equal(toad__view_line_start(&v, 2), spaces[i] == 0x85 || spaces[i] == 0x2028 || spaces[i] == 0x2029);
        toad__view_free(&v);
    }
    expect("a\xe2\x80\x8b \xe2\x80\x8b"
           "b",
           DROP, "a b");
}

static void test_lines(void **state) {
    (void)state;
    static const char in[] = "one\ntwo\r\nthree\rfour\x0b"
                             "five\n";
    static const unsigned flags[] = { DROP, BLANK, KEEP };
    for (size_t k = 0; k < 3; k++) {
        toad__view v;
        toad__view_init(&v, 128);
        fold_into(&v, in, sizeof in - 1, flags[k]);
        for (size_t i = 0; i < v.text.n; i++) {
            bool start =
                i == 0 || (toad__is_space((unsigned char)v.text.p[i - 1]) && (k < 2 || v.text.p[i - 1] != ' '));
            assert_int_equal(toad__view_line_start(&v, i), start);
        }
        toad__view_free(&v);
    }
}

static void test_hyphenation(void **state) {
    (void)state;
    expect("instruc-\ntions", DROP, "instructions");
    expect("instruc-\r\n   tions", DROP, "instructions");
    expect("instruc-\ntions", BLANK, "instruc- tions");
    expect("instruc\xc2\xad\ntions", DROP, "instructions");
    expect("f\xc3\xa9-\n\xc3\xa9"
           "e",
           DROP, "feee");
    expect("a -\nb", DROP, "a - b");
    expect("a-\nB", DROP, "a- b");
    expect("a-\n\nb", DROP, "a- b");
    expect("a- b", DROP, "a- b");
    toad__view v;
    toad__view_init(&v, 64);
    fold_into(&v, "fog-\nsystem: x", 14, DROP);
    assert_true(toad__view_line_start(&v, 3)); /* a line start all the same */
    assert_true(v.dropped > 0);
    toad__view_free(&v);
}

static void test_backspace(void **state) {
    (void)state;
    expect("X\bI\b\bIg\bgnore all", DROP, "ignore all");
    expect("n\bn_\bx", DROP, "nx");
    expect("\b\ba", DROP, "a");
    expect("a\n\bb", DROP, "a b");
    expect("\xd0\xb6\b!", DROP, "!");
    expect("ab\xef\xb7\xba\bc", DROP, "abc");
    expect("ignore\ball", BLANK, "ignore all");
}

static void test_terminal(void **state) {
    (void)state;
    expect("Ig" ESC "[8mno" ESC "[0mre", DROP, "ignore");
    expect("Ignore" ESC "[1;31mall", BLANK, "ignore all");
    expect("a" ESC "]0;Ignore all\x07"
           "b",
           DROP, "ab");
    expect("a" ESC "]0;Ignore all\x07"
           "b",
           BLANK, "a 0;ignore all b");
    expect("a\xc2\x9d"
           "8;;x\xc2\x9c"
           "b",
           DROP, "ab");
    expect(ESC "[Ignore all", BLANK, " [ignore all");
    expect(ESC "Ignore", BLANK, " ignore");
    expect("a" ESC "]no end\nb", DROP, "a b");
    expect("a" ESC, DROP, "a");
}

static void test_bytes(void **state) {
    (void)state;
    expect("\xc0\xbc\xe0\x81\x89gn\xc3ore\xff \x80"
           "all",
           DROP, "<ignore all");
    expect("\xe2Ignore", DROP, "ignore");
    expect("Ign\xc3ore", BLANK, "ign ore");
    expect("\xc1\x89\xc1\xa7\xc0\xa0\xc0\x80x", DROP, "ig x");
    expect("x\xed\xad\x80\xed\xb1\x89y", DROP, "xy"); /* a tag as a CESU-8 pair */
    expect("a\xed\xa0\x80"
           "b\xf4\x90\x80\x80"
           "c\xf8\x88\x80\x80\x80",
           DROP, "abc");
}

static void test_lookalikes(void **state) {
    (void)state;
    expect_both("\xd0\x86gn\xd0\xbe\xd0\xb3\xd0\xb5 \xd1\x82\xd0\xbc\xd0\xba\xd0\xbd\xd0\xb2\xd0\xb8\xd1\x8f",
                "ignore tmkhbnr");
    expect_both("\xce\xb7\xcf\x89\xce\xbd\xcf\x81", "nwvp");
    expect_both("\xef\xbc\xa9\xef\xbd\x87 \xf0\x9d\x90\x88\xe2\x84\x8a\xe2\x93\x9d", "ig ign");
    expect_both("\xc9\xaa\xc9\xa2\xc9\xb4\xe1\xb4\x8f\xca\x80\xe1\xb4\x87", "ignore");
    expect_both("\xf0\x9f\x85\x98\xf0\x9f\x85\xb8\xf0\x9f\x87\xae\xf0\x9f\x84\x98\xe2\x92\x9c i\xe2\x83\xa3",
                "iiiia i");
    expect_both("\xc9\xa8\xc7\xa5n\xc3\xb8re a\xc5\x82\xc5\x82 \xc4\x91\xc5\xa7", "ignore all dt");
    expect_both("I\xcc\x82g\xcc\xb8n\xd2\x89", "ign");
    expect_both("previou\xc5\xbf \xef\xac\x81 \xef\xac\x86 \xc4\xb0 \xc4\xb1 STRA\xc3\x9f"
                "E",
                "previous fi st i i strasse");
    expect_both("0 1 | m rn l I", "0 1 | m rn l i");
    expect_both("\xf0\x9c\xb3\x9e\xf0\x9c\xb3\x9c", "ig"); /* outlined, Unicode 16 */
    expect("\xd0\x90\xce\xb1\xef\xbc\xa9", KEEP, "Aa\x49");
}

/* Upper and lower case of a script must fold alike, or no rule would match a text in capitals. */
static void test_real_scripts(void **state) {
    (void)state;
    expect_both("\xd0\xb8\xd0\xb3\xd0\xbd\xd0\xbe\xd1\x80\xd0\xb8\xd1\x80\xd1\x83\xd0\xb9 "
                "\xd0\x98\xd0\x93\xd0\x9d\xd0\x9e\xd0\xa0\xd0\x98\xd0\xa0\xd0\xa3\xd0\x99",
                "nrhopnpyn nrhopnpyn");
    expect_both("\xce\xb1\xce\xb3\xce\xbd\xcf\x8c\xce\xb7\xcf\x83\xce\xb5 "
                "\xce\x91\xce\x93\xce\x9d\xce\x8c\xce\x97\xce\xa3\xce\x95",
                "ayvonoe ayvonoe");
    expect_both("I\xce\x97\xce\x9d", "ihn"); /* capitals inside a Latin word look like H and N */
    expect_both("\xec\x9d\xb4\xec\xa0\x84 \xe1\x84\x8b\xe1\x85\xb5\xe1\x84\x8c\xe1\x85\xa5\xe1\x86\xab "
                "\xe3\x85\x87\xe3\x85\xa3\xe3\x85\x88\xe3\x85\x93\xe3\x84\xb4",
                "\xec\x9d\xb4\xec\xa0\x84 \xec\x9d\xb4\xec\xa0\x84 \xec\x9d\xb4\xec\xa0\x84");
    expect_both("\xe3\x85\x8e\xe3\x85\x8f\xe3\x84\xb4\xe3\x85\x8f",
                "\xed\x95\x98\xeb\x82\x98"); /* the consonant goes with the second vowel */
}

static void test_brackets(void **state) {
    (void)state;
    expect_both("\xc2\xab\xe2\x8b\x98\xe3\x80\x88\xe2\x9f\xa8\xe2\xab\xb7\xe2\x89\xaa\xef\xbc\x9c<\xcc\xb8\xe2\x89\xae",
                "<<<<<<<<<<<<<<<");
    /* Canadian syllabics, Cherokee and signs of money, as fancy-text generators use them */
    expect_both("\xe1\x94\x95Y\xe1\x94\x95TE\xe1\x97\xb0 \xe1\x91\xad\xe1\x96\x87O\xe1\x97\xb0\xe1\x91\xadT",
                "system prompt");
    expect_both("\xe1\x8f\x81o\xe1\x8f\x89 \xe2\x82\xb3\xe2\x82\xae", "nov at");
    expect_both("\xef\xbd\x9c\xe2\x88\xa3\xe2\x94\x82\xc7\x80\xc2\xa6\xe2\x80\x96\xd7\x80", "|||||||");
    expect_both("\xef\xbc\xbf\xe2\x96\x81\xe2\x80\xbf\xdf\xba", "____");
    expect_both("\xe2\x88\x95\xe2\x81\x84\xef\xbc\x8f\xe2\xa7\xb8", "////");
    expect_both("\xe2\x80\x9c\xe2\x80\x98\xe2\x80\x94\xe2\x88\x92\xe2\x80\x91", "\"'---");
}

/* Every scalar: a match view is a fixed point, the case-keeping view loses nothing a match view would need. */
static void test_fixed_points(void **state) {
    (void)state;
    toad__view a, b, k;
    toad__view_init(&a, 4096);
    toad__view_init(&b, 4096);
    toad__view_init(&k, 4096);
    for (uint32_t c = 1; c < 0x110000; c++) {
        char in[8];
        size_t n = around(in, "x", c, "y");
        bool same_in_all = c != 0x2800 && c != 0x1D159 && c != 8;
        for (unsigned flags = DROP; flags <= BLANK; flags++) {
            assert_int_equal(toad__fold(&a, toad__str(in, n), flags), TOAD_OK);
            assert_int_equal(toad__fold(&b, toad__buf_str(&a.text), flags), TOAD_OK);
            if (!toad__str_eq(toad__buf_str(&a.text), toad__buf_str(&b.text)))
                fail_msg("U+%04X changes when folded again", (unsigned)c);
        }
        assert_int_equal(toad__fold(&a, toad__str(in, n), DROP), TOAD_OK);
        assert_int_equal(toad__fold(&k, toad__str(in, n), KEEP), TOAD_OK);
        assert_int_equal(toad__fold(&b, toad__buf_str(&k.text), DROP), TOAD_OK);
        if (same_in_all && !toad__str_eq(toad__buf_str(&a.text), toad__buf_str(&b.text)))
            fail_msg("U+%04X folds differently after the view that keeps case", (unsigned)c);
    }
    toad__view_free(&k);
    toad__view_free(&b);
    toad__view_free(&a);
}

/* Pieces with a known fold, in random order: each piece's output must map back to the piece. */
static const struct {
    const char *in, *out;
} pieces[] = {
    { "plain ascii text that is a bit longer than a vector of thirty-two bytes;",
      "plain ascii text that is a bit longer than a vector of thirty-two bytes;" },
    { "A", "a" },
    { ".", "." },
    { "\xd0\xb0", "a" },
    { "\xd0\xb6", "\xd0\xb6" },
    { "\xd0\x96", "\xd0\xb6" },
    { "\xc3\xa9", "e" },
    { "e\xcc\x81", "e" },
    { "\xc3\x9f", "ss" },
    { "\xe4\xb8\xad", "\xe4\xb8\xad" },
    { "\xed\x95\x9c", "\xed\x95\x9c" },
    { "\xef\xbc\xa1", "a" },
    { "\xef\xac\x83", "ffi" },
    { "\xf0\x9d\x90\x80", "a" },
    { "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80" },
    { "\xe2\x8b\x98", "<<<" },
    { "\xe3\x8e\x8f", "kg" },
    { "\xc0\xbc", "<" },
    { " x", " x" },
    { "   \t\n y", " y" },
    { "\xc2\xa0z", " z" },
    { "\xef\xb7\xba",
      "\xd8\xb5\xd9\x84\xd9\x89 l\xd9\x84\xd9\x84o \xd8\xb9\xd9\x84\xd9\x8ao \xd9\x88\xd8\xb3\xd9\x84\xd9\x85" },
};
enum { PIECES = sizeof pieces / sizeof *pieces };

static void check_pieces(uint32_t seed) {
    char in[8192];
    size_t ends[60], outs[60], n = 0, m = 0, count = 60;
    char out[8192];
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t k = (seed >> 16) % PIECES;
        memcpy(in + n, pieces[k].in, strlen(pieces[k].in));
        memcpy(out + m, pieces[k].out, strlen(pieces[k].out));
        ends[i] = n += strlen(pieces[k].in);
        outs[i] = m += strlen(pieces[k].out);
    }
    toad__view v;
    toad__view_init(&v, 1 << 16);
    fold_into(&v, in, n, DROP);
    assert_int_equal(v.text.n, m);
    assert_memory_equal(v.text.p, out, m);
    for (size_t i = 0, o = 0; i < count; i++) {
        size_t from = i ? ends[i - 1] : 0;
        toad_span whole = toad__offmap_back(&v.map, (toad_span){ o, outs[i] });
        assert_true(whole.start == from && whole.end >= from + 1 && whole.end <= ends[i]);
        for (; o < outs[i]; o++) {
            toad_span at = toad__offmap_back(&v.map, (toad_span){ o, o + 1 });
            assert_true(at.start >= from && at.start < at.end && at.end <= ends[i]);
        }
    }
    toad__view_free(&v);
}

static void test_offsets(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 2000; seed++) check_pieces(seed);
    toad__view v;
    toad__view_init(&v, 1024);
    fold_into(&v, "One run only, however long the text may be; it has no double blanks at all. Not here, not there.",
              96, DROP);
    assert_int_equal(v.map.n, 1);
    fold_into(&v, "padding:                    end", 31, DROP);
    assert_int_equal(v.map.n, 3);
    toad__view_free(&v);
}

static void expect_same_view(const toad__view *a, const toad__view *b) {
    assert_true(toad__str_eq(toad__buf_str(&a->text), toad__buf_str(&b->text)));
    assert_int_equal(a->map.n, b->map.n);
    if (a->map.n) assert_memory_equal(a->map.runs, b->map.runs, a->map.n * sizeof *a->map.runs);
    assert_true(a->map.out_len == b->map.out_len && a->map.in_len == b->map.in_len && a->ascii == b->ascii);
    assert_true(a->letters == b->letters && a->lookalikes == b->lookalikes && a->dropped == b->dropped);
    for (size_t i = 0; i <= a->text.n; i++) assert_int_equal(toad__view_line_start(a, i), toad__view_line_start(b, i));
}

/* Every path folds `n` bytes as the portable one does, in every view. */
static void expect_paths_agree(const char *in, size_t n) {
    char *exact = exact_dup(in, n);
    toad__view a, b;
    toad__view_init(&a, 1 << 16);
    toad__view_init(&b, 1 << 16);
    for (unsigned flags = DROP; flags <= KEEP; flags++) {
        assert_int_equal(toad__fold_by(&a, toad__str(exact, n), flags, toad__fold_blocks_of(TOAD__FOLD_PORTABLE)),
                         TOAD_OK);
        for (int path = 1; path < TOAD__FOLD_PATHS; path++) {
            toad__fold_blocks *blocks = toad__fold_blocks_of((toad__fold_path)path);
            if (!blocks) continue;
            assert_int_equal(toad__fold_by(&b, toad__str(exact, n), flags, blocks), TOAD_OK);
            expect_same_view(&a, &b);
        }
    }
    toad__view_free(&b);
    toad__view_free(&a);
    free(exact);
}

static void test_paths_agree(void **state) {
    (void)state;
    char in[600];
    uint32_t seed = 7;
    for (unsigned round = 0; round < 3000; round++) {
        size_t n = round % sizeof in;
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            in[i] = "Az09 \n\t-\r .\x0b\x01\x7f\xc3\xa9\xd0"[(seed >> 20) % (round % 3 ? 9 : 17)];
        }
        expect_paths_agree(in, n);
    }
    for (unsigned round = 0; round < 3000; round++) { /* few of the pieces each time, so that like stands by like */
        size_t n = 0, first = round % PIECES, some = 1 + round % 4;
        while (n < 300) {
            seed = seed * 1664525 + 1013904223;
            const char *piece = pieces[(first + (seed >> 16) % some) % PIECES].in;
            memcpy(in + n, piece, strlen(piece));
            n += strlen(piece);
        }
        expect_paths_agree(in, n);
    }
}

/* Code points side by side, as the wide loops take them: all there are, and each of them many times. */
static void test_paths_agree_on_every_code_point(void **state) {
    (void)state;
    char in[400];
    for (uint32_t c = 0; c < 0x20400; c += 8) {
        size_t n = 0;
        for (uint32_t k = 0; k < 40; k++) n += toad__utf8_encode(c + k % 8, in + n);
        expect_paths_agree(in, n);
    }
    for (uint32_t c = 0x80; c < 0x800; c++) {
        size_t n = 0;
        for (uint32_t k = 0; k < 19; k++) n += toad__utf8_encode(k % 7 == 6 ? 'x' : c, in + n);
        expect_paths_agree(in, n);
    }
}

static void test_counters(void **state) {
    (void)state;
    toad__view v;
    toad__view_init(&v, 4096);
    fold_into(&v, "Plain text\n", 11, DROP);
    assert_true(v.ascii && !v.dropped && !v.lookalikes && v.letters == 9);
    fold_into(&v, "\xd0\x86gn\xd0\xber\xd0\xb5", 9, DROP);
    assert_true(!v.ascii && v.lookalikes == 3 && v.letters == 6);
    static const char russian[] = "\xd0\xbc\xd1\x8b \xd0\xb6\xd0\xb4\xd1\x91\xd0\xbc \xd0\xb4\xd0\xb5\xd0\xbb";
    fold_into(&v, russian, sizeof russian - 1, DROP);
    assert_int_equal(v.lookalikes, 0); /* a text in the script itself is no disguise */
    fold_into(&v, "\xc3\xa9t\xc3\xa9 \xc5\x82", 8, DROP);
    assert_int_equal(v.lookalikes, 0);
    fold_into(&v, "a\x1b[1mb", 6, DROP);
    assert_true(!v.ascii && v.dropped == 1);
    toad__view_free(&v);
}

static void test_ceiling(void **state) {
    (void)state;
    char in[3000];
    for (size_t i = 0; i < sizeof in; i += 3) memcpy(in + i, "\xef\xb7\xba", 3);
    toad__view v;
    for (size_t max = 0; max < 200; max++) {
        toad__view_init(&v, max);
        assert_int_equal(toad__fold(&v, toad__str(in, sizeof in), DROP), TOAD_E_LIMIT);
        assert_true(v.text.n <= max && v.map.out_len == v.text.n);
        assert_int_equal(v.text.n % 30 ? 0 : toad__utf8_valid_upto(toad__buf_str(&v.text)),
                         v.text.n % 30 ? 0 : v.text.n);
        toad__view_free(&v);
    }
    toad__view_init(&v, 10);
    assert_int_equal(toad__fold(&v, TOAD__S("0123456789"), DROP), TOAD_OK);
    assert_int_equal(toad__fold(&v, TOAD__S("0123456789a"), DROP), TOAD_E_LIMIT);
    assert_int_equal(v.text.n, 10);
    toad__view_free(&v);
}

/* Work is counted in passes over hostile texts of doubled length; only their end result is asserted, the suite's time
 * limit does the rest. */
static void test_hostile_lengths(void **state) {
    (void)state;
    static const char *units[] = { "\xcc\x81",      "\b",           "a\b",      ESC "]",     ESC "[", "\xc2\x9d", "-\n",
                                   " \xe2\x80\x8b", "\xe1\x84\x80", "\xce\x97", "\xc2\xad\n" };
    toad__view v;
    toad__view_init(&v, 64u << 20);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
        size_t one = strlen(units[k]), n = 400000 / one * one;
        char *in = malloc(n);
        assert_non_null(in);
        for (size_t i = 0; i < n; i += one) memcpy(in + i, units[k], one);
        for (unsigned flags = DROP; flags <= KEEP; flags++)
            assert_int_equal(toad__fold(&v, toad__str(in, n), flags), TOAD_OK);
        free(in);
    }
    toad__view_free(&v);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ascii),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_every_ignorable),
        cmocka_unit_test(test_other_invisibles),
        cmocka_unit_test(test_white_space),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_hyphenation),
        cmocka_unit_test(test_backspace),
        cmocka_unit_test(test_terminal),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_lookalikes),
        cmocka_unit_test(test_real_scripts),
        cmocka_unit_test(test_brackets),
        cmocka_unit_test(test_fixed_points),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_paths_agree),
        cmocka_unit_test(test_paths_agree_on_every_code_point),
        cmocka_unit_test(test_counters),
        cmocka_unit_test(test_ceiling),
        cmocka_unit_test(test_hostile_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
