/* test_sniff.c - types by their bytes, and charsets that are not what they are called. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/sniff.h"
#include "net/unpack.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void test_types(void **state) {
    (void)state;
    static const char *const rows[][3] = {
        { "<!DOCTYPE html><p>x", "", "html" },
        { "  \n<HTML>", "text/plain", "html" },
        { "<!-- c --><body>", "", "html" },
        { "<?xml version='1.0'?>\n<html xmlns='x'>", "", "html" },
        { "<p>x", "application/json", "html" },
        { "<pre>x", "", "text" },
        { "plain", "text/html", "html" },
        { "plain", "TEXT/HTML ; charset=x", "html" },
        { "plain", "", "text" },
        { "# Title", "text/markdown; charset=utf-8", "markdown" },
        { "# Title", "text/x-markdown", "markdown" },
        { "{\"a\":1}", "application/json", "json" },
        { " [1]", "application/ld+json", "json" },
        { "hello", "application/json", "text" },
        { "<rss version='2.0'>", "text/html", "feed" },
        { "<?xml version='1.0'?><!-- x --><feed xmlns='x'>", "", "feed" },
        { "<rdf:RDF>", "", "feed" },
        { "<svg>", "image/png", "xml" },
        { "<?xml version='1.0'?><x/>", "", "xml" },
        { "<x/>", "application/xml", "xml" },
        { "a\001b", "text/plain", "binary" },
        { "<p>A stray \010 backspace, as old editors and copied terminals leave them in a page now and then.",
          "text/html", "html" },
        { "", "text/html", "html" },
        { "", "", "text" },
        { "<", "", "text" },
        { "<!--", "", "text" },
        { "<?", "", "text" },
        { "<a", "", "text" },
        { "\033[1mx", "", "text" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i][0]);
        char *text = exact_dup(rows[i][0], n);
        const char *got = toad__page_type_name(toad__sniff_text(toad__str(text, n), toad__str_z(rows[i][1])));
        if (strcmp(got, rows[i][2]) != 0) print_error("row %zu: %s\n", i, rows[i][0]);
        assert_string_equal(got, rows[i][2]);
        free(text);
    }
}

static void test_signatures(void **state) {
    (void)state;
    assert_string_equal(toad__sniff_binary(TOAD__S("%PDF-1.7")), "PDF");
    assert_string_equal(toad__sniff_binary(TOAD__S("RIFFxxxxWEBPVP8 ")), "WebP");
    assert_string_equal(toad__sniff_binary(TOAD__S("PK\3\4")), "ZIP");
    assert_null(toad__sniff_binary(TOAD__S("%PDF")));
    assert_null(toad__sniff_binary(TOAD__S("BMW is a car maker")));
    assert_null(toad__sniff_binary(TOAD__S("")));
}

typedef struct charset_row {
    const char *body;
    size_t n;
    const char *label, *charset, *text;
    unsigned replaced;
} charset_row;
#define BODY(s) (s), sizeof(s) - 1

static void test_charsets(void **state) {
    (void)state;
    static const charset_row rows[] = {
        { BODY("abc"), "", "UTF-8", "abc", 0 },
        { BODY("\xef\xbb\xbf"
               "abc"),
          "text/html; charset=latin1", "UTF-8", "abc", 0 },
        { BODY("\xff\xfe"
               "a\0\xe9\0"),
          "text/html; charset=utf-8", "UTF-16LE", "a\xc3\xa9", 0 },
        { BODY("\xfe\xff"
               "\0a\0\xe9"),
          "", "UTF-16BE", "a\xc3\xa9", 0 },
        { BODY("a\0b\0"), "text/html; charset=UTF-16", "UTF-16LE", "ab", 0 },
        { BODY("abc"), "text/html; charset=UTF-16", "UTF-8", "abc", 0 }, /* a lie: it is plain ASCII */
        { BODY("a\xe9"), "", "windows-1252", "a\xc3\xa9", 0 },
        { BODY("a\xe9"), "text/html; Charset = \"ISO-8859-1\"", "windows-1252", "a\xc3\xa9", 0 },
        { BODY("\xe9"), "text/html; charset=ibm866", "IBM866", "\xd1\x89", 0 },
        { BODY("\xcf\xd0"), "text/html; charset=koi8-r", "KOI8-R", "\xd0\xbe\xd0\xbf", 0 },
        { BODY("\x93\xfa"), "text/html; charset=Shift_JIS", "Shift_JIS", "\xe6\x97\xa5", 0 },
        { BODY("\xc6\xfc"), "text/html; charset=euc-jp", "EUC-JP", "\xe6\x97\xa5", 0 },
        { BODY("\033$BF|\033(B"), "text/html; charset=iso-2022-jp", "ISO-2022-JP", "\xe6\x97\xa5", 0 },
        { BODY("\xc8\xd5"), "text/html; charset=gb2312", "GBK", "\xe6\x97\xa5", 0 },
        { BODY("\xa4\xe9"), "text/html; charset=big5", "Big5", "\xe6\x97\xa5", 0 },
        { BODY("\xec\xed"), "text/html; charset=euc-kr", "EUC-KR", "\xe6\x97\xa5", 0 },
        { BODY("+ADw-p+AD4-"), "text/html; charset=utf-7", "UTF-8", "+ADw-p+AD4-", 0 },
        { BODY("<meta charset=windows-1251>\xe9"), "", "windows-1251", "<meta charset=windows-1251>\xd0\xb9", 0 },
        { BODY("<meta http-equiv=content-type content='text/html; charset=koi8-u'>\xcf"), "text/html", "KOI8-U",
          "<meta http-equiv=content-type content='text/html; charset=koi8-u'>\xd0\xbe", 0 },
        { BODY("<meta charset=utf-16>\xc3\xa9\xff"), "", "UTF-8", "<meta charset=utf-16>\xc3\xa9\xef\xbf\xbd", 1 },
        { BODY("<meta name=x content='charset'>\xe9"), "", "windows-1252", "<meta name=x content='charset'>\xc3\xa9",
          0 },
        { BODY("\xc3\xa9\xff\xfe\xe9"), "text/html; charset=utf-8", "UTF-8",
          "\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd", 3 },
        { BODY("\x81\x8d"), "text/html; charset=windows-1252", "windows-1252", "\xef\xbf\xbd\xef\xbf\xbd", 2 },
        { BODY("a\xd8"), "text/html; charset=utf-16be", "UTF-16BE", "\xe6\x87\x98", 0 },
        { BODY("\xff\xfe"
               "a"),
          "", "UTF-16LE", "\xef\xbf\xbd", 1 }, /* half a unit */
        { BODY("\xff\xfe\x00\xd8"
               "a\0"),
          "", "UTF-16LE",
          "\xef\xbf\xbd"
          "a",
          1 }, /* a lone surrogate */
        { BODY("\x93"), "text/html; charset=Shift_JIS", "Shift_JIS", "\xef\xbf\xbd", 1 },
        { BODY(""), "text/html; charset=gb2312", "UTF-8", "", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad__buf out;
        const char *charset;
        uint64_t replaced;
        char *body = exact_dup(rows[i].body, rows[i].n);
        toad__buf_init(&out, 1u << 20);
        assert_int_equal(
            toad__page_utf8(toad__str(body, rows[i].n), toad__str_z(rows[i].label), &out, &charset, &replaced),
            TOAD_OK);
        if (!toad__str_eq(toad__buf_str(&out), toad__str_z(rows[i].text)) || strcmp(charset, rows[i].charset) != 0)
            print_error("row %zu: %s: %.*s (%u)\n", i, charset, (int)out.n, out.p ? out.p : "", (unsigned)replaced);
        assert_string_equal(charset, rows[i].charset);
        assert_true(toad__str_eq(toad__buf_str(&out), toad__str_z(rows[i].text)));
        assert_int_equal(replaced, rows[i].replaced);
        assert_int_equal(toad__utf8_valid_upto(toad__buf_str(&out)), out.n);
        toad__buf_free(&out);
        free(body);
    }
}

static void test_limits(void **state) {
    (void)state;
    toad__buf out;
    const char *charset;
    uint64_t replaced;
    toad__refusal why;
    toad__buf_init(&out, 4);
    assert_int_equal(toad__page_utf8(TOAD__S("abcdef"), TOAD__S(""), &out, &charset, &replaced), TOAD_E_LIMIT);
    toad__buf_clear(&out);
    assert_int_equal(toad__unpack(TOAD__S("abcdef"), TOAD__S(""), 1, &out, &why), TOAD_OK);
    assert_int_equal(why, TOAD__REFUSED_TOO_LARGE);
    toad__buf_clear(&out);
    assert_int_equal(toad__unpack(TOAD__S("abcdef"), TOAD__S("zstd"), 1, &out, &why), TOAD_OK);
    assert_int_equal(why, TOAD__REFUSED_ENCODING);
    assert_int_equal(toad__unpack(TOAD__S(""), TOAD__S("gzip"), 1, &out, &why), TOAD_OK);
    assert_int_equal(why, TOAD__ALLOWED);
    toad__buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_types), cmocka_unit_test(test_signatures),
                                        cmocka_unit_test(test_charsets), cmocka_unit_test(test_limits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
