/* test_formats.c - tapes, gzip, mails, calendars, notebooks and compiled Python, made byte by byte: what is opened,
 * what stays closed and why, and that a cut one is never taken for a whole one. */
#include "lib/base/str.h"
#include "lib/container/container.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

static bool is_binary(toad_str head) { return head.n && memchr(head.p, 0, head.n); }
static bool is(toad_str a, const char *b) { return toad__str_eq(a, toad__str_z(b)); }

typedef struct opened {
    toad__parts parts;
    char *copy;
} opened;

/* From an exactly sized copy. */
static opened open_copy(const char *name, toad_str in) {
    opened o = { .copy = exact_dup(in.p, in.n) };
    assert_int_equal(toad__container_open(toad__str_z(name), toad__str(o.copy, in.n), is_binary, &o.parts), TOAD_OK);
    return o;
}

static void close_copy(opened *o) {
    toad__parts_free(&o->parts);
    free(o->copy);
}

/* The part called so, or the first that stays closed where `name` is NULL; NULL: there is none. */
static const toad__part *find(const opened *o, const char *name) {
    for (size_t i = 1; i < o->parts.n; i++)
        if (name ? is(o->parts.rows[i].name, name) : o->parts.rows[i].closed != NULL) return &o->parts.rows[i];
    return NULL;
}

static void expect(const opened *o, const char *name, const char *text) {
    const toad__part *part = find(o, name);
    if (!part) fail_msg("no part %s", name);
    if (!is(part->text, text)) fail_msg("%s: %.*s", name, (int)part->text.n, part->text.p);
}

/* Opened, it has this part with this text, and nothing stays closed. */
static void expect_one(const char *file, toad_str in, const char *name, const char *text) {
    opened o = open_copy(file, in);
    expect(&o, name, text);
    if (find(&o, NULL)) fail_msg("%s: %s", file, find(&o, NULL)->closed);
    close_copy(&o);
}

static void expect_closed(const char *file, toad_str in, const char *why) {
    opened o = open_copy(file, in);
    if (!find(&o, NULL)) fail_msg("%s: nothing is closed", file);
    assert_string_equal(find(&o, NULL)->closed, why);
    close_copy(&o);
}

/* ---- tape archives ---- */

typedef struct tape {
    char p[16384];
    size_t n;
} tape;

static void sum(char *block) {
    unsigned total = 0;
    memset(block + 148, ' ', 8);
    for (size_t i = 0; i < 512; i++) total += (unsigned char)block[i];
    snprintf(block + 148, 8, "%06o", total);
}

static char *add(tape *t, const char *name, char type, toad_str data) {
    char *block = t->p + t->n;
    memset(block, 0, 512 + (data.n + 511) / 512 * 512);
    memcpy(block, name, strlen(name));
    snprintf(block + 124, 12, "%011o", (unsigned)data.n);
    block[156] = type;
    memcpy(block + 257, "ustar\00000", 8);
    sum(block);
    if (data.n) memcpy(block + 512, data.p, data.n);
    t->n += 512 + (data.n + 511) / 512 * 512;
    return block;
}

static toad_str end(tape *t) {
    memset(t->p + t->n, 0, 1024);
    return toad__str(t->p, t->n + 1024);
}

static void test_tar(void **state) {
    (void)state;
    tape t = { .n = 0 };
    add(&t, "./a.txt", '0', TOAD__S("hello"));
    add(&t, "d/", '5', TOAD__S(""));
    add(&t, "link", '2', TOAD__S(""));
    char *block = add(&t, "b.txt", 0, TOAD__S("second"));
    memcpy(block + 345, "deep/er", 7);
    sum(block);
    add(&t, "????", 'L', TOAD__S("a name that is longer\0"));
    add(&t, "cut", '0', TOAD__S("third"));
    add(&t, "pax", 'x', TOAD__S("14 path=p.txt\n"));
    add(&t, "cut", '0', TOAD__S("fourth"));
    add(&t, "x\ny", 'Q', TOAD__S("\0\1"));
    opened o = open_copy("x", end(&t));
    expect(&o, "a.txt", "hello");
    assert_int_equal(find(&o, "a.txt")->at.start, 0);
    assert_int_equal(find(&o, "a.txt")->at.end, 1024);
    assert_string_equal(find(&o, "a.txt")->steps[0], "tar:a.txt");
    expect(&o, "deep/er/b.txt", "second");
    expect(&o, "a name that is longer", "third");
    expect(&o, "p.txt", "fourth");
    assert_true(find(&o, "x?y")->binary);
    assert_null(find(&o, NULL));
    assert_int_equal(o.parts.n, 6);
    close_copy(&o);
}

/* Behind the end mark other readers go on. */
static void test_tar_behind(void **state) {
    (void)state;
    tape t = { .n = 0 };
    add(&t, "a", '0', TOAD__S("one"));
    t.n += 1024; /* zeros */
    add(&t, "b", '0', TOAD__S("two"));
    expect_one("x", end(&t), "b", "two");
    memcpy(t.p + t.n, "junk", 4);
    t.n += 512;
    expect_closed("x", end(&t), "it is damaged");
}

static void test_tar_closed(void **state) {
    (void)state;
    static const struct {
        const char *why, *data;
        char type;
    } rows[] = { { "it is packed in a way that is not read here", "x", 'S' },
                 { "it is packed in a way that is not read here", "x", 'M' },
                 { "it is damaged", "x", '2' },
                 { "it is damaged", "14 size=99999\n", 'x' },
                 { "it is damaged", "14 path=p.txt\n", 'g' },
                 { "it is damaged", "99 path=p.txt\n", 'x' },
                 { "it is damaged", "nonsense", 'x' },
                 { "it is packed in a way that is not read here", "22 GNU.sparse.major=1\n", 'x' } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tape t = { .n = 0 };
        add(&t, "h", rows[i].type, toad__str_z(rows[i].data));
        add(&t, "f", '0', TOAD__S("text"));
        expect_closed("x", end(&t), rows[i].why);
    }
    tape t = { .n = 0 };
    add(&t, "a", '0', TOAD__S("one"))[0] = 'b'; /* the sum does not hold */
    expect_closed("x", end(&t), "it is damaged");
}

static void test_tar_cut(void **state) {
    (void)state;
    tape t = { .n = 0 };
    add(&t, "a", '0', TOAD__S("one"));
    add(&t, "b", '0', TOAD__S("two"));
    toad_str in = end(&t);
    for (size_t n = 265; n <= t.n; n += 13)
        expect_closed("x", toad__str(in.p, n),
                      n < 512 || (n > 1024 && n < 1536) ? "it is damaged" : "it ends too early");
    expect_one("x", in, "b", "two");
}

/* ---- gzip ---- */

#define HELLO  "\xcb\x48\xcd\xc9\xc9\x07\x00" /* raw deflate of "hello" */
#define MEMBER "\x1f\x8b\x08\0\0\0\0\0\0\3" HELLO "\x86\xa6\x10\x36\x05\0\0\0"
#define NAMED  "\x1f\x8b\x08\x08\0\0\0\0\0\3n.txt\0" HELLO "\x86\xa6\x10\x36\x05\0\0\0"

static void test_gzip(void **state) {
    (void)state;
    toad_str one = TOAD__S(MEMBER);
    expect_one("d/a.txt.gz", one, "a.txt", "hello");
    expect_one("x", one, "", "hello");
    expect_one("x", TOAD__S(NAMED), "n.txt", "hello");
    expect_one("x.gz", TOAD__S(MEMBER MEMBER "\0\0\0"), "x", "hellohello");
    expect_closed("x.gz", TOAD__S(MEMBER "junk"), "it is damaged");
    for (size_t n = 3; n < one.n; n++) {
        opened o = open_copy("x.gz", toad__str(one.p, n));
        assert_non_null(find(&o, NULL));
        close_copy(&o);
    }
}

/* ---- mails ---- */

#define HEAD "From: a@b.example\r\nMIME-Version: 1.0\r\n"

static void test_mail(void **state) {
    (void)state;
    opened o = open_copy("x", TOAD__S(HEAD "Content-Type: multipart/mixed;\r\n boundary=\"=_b\"\r\n\r\npreamble\r\n"
                                           "--=_b\r\nContent-Type: text/html; charset=koi8-r\r\n"
                                           "Content-Transfer-Encoding: quoted-printable\r\n\r\n<p>a=20b=\r\n=C1</p>\r\n"
                                           "--=_b\r\nContent-Type: application/octet-stream\r\n"
                                           "Content-Disposition: attachment; filename=\"f.txt\"\r\n"
                                           "Content-Transfer-Encoding: Base64\r\n\r\naGVs\r\nbG8=\r\n"
                                           "--=_b\r\nContent-Type: message/rfc822\r\n\r\nSubject: inner\r\n"
                                           "Content-Type: multipart/alternative; boundary=in\r\n\r\n"
                                           "--in\r\n\r\nplain\r\n--in--\r\n--=_b--\r\nepilogue"));
    assert_null(find(&o, NULL));
    expect(&o, "body.html", "<p>a b\xC1</p>\r\n");
    assert_true(is(find(&o, "body.html")->label, "text/html; charset=koi8-r"));
    assert_int_equal(find(&o, "body.html")->kind, TOAD_KIND_EMAIL);
    expect(&o, "f.txt", "hello");
    expect(&o, "body.txt", "plain\r\n");
    expect(&o, "headers",
           "--=_b\r\nContent-Type: application/octet-stream\r\n"
           "Content-Disposition: attachment; filename=\"f.txt\"\r\n"
           "Content-Transfer-Encoding: Base64\r\n\r\n");
    const toad__part *last = &o.parts.rows[o.parts.n - 1];
    assert_true(is(last->text, "--in--\r\n--=_b--\r\nepilogue"));
    close_copy(&o);
}

/* Every byte is in a part, and none in two. */
static void test_mail_covers(void **state) {
    (void)state;
    static const char *const mails[] = {
        HEAD "\nbody", HEAD, HEAD "\n", HEAD "Content-Type: multipart/mixed\n\nx\n--y\n",
        HEAD "Content-Type: multipart/mixed; boundary=y\n\nx\n--y\n--y\n\nz\n--y--\n--y\n"
    };
    for (size_t i = 0; i < sizeof mails / sizeof *mails; i++) {
        opened o = open_copy("x.eml", toad__str_z(mails[i]));
        size_t n = 0;
        for (size_t k = 1; k < o.parts.n; k++) n += o.parts.rows[k].text.n;
        assert_int_equal(n, strlen(mails[i]));
        close_copy(&o);
    }
}

/* Words of headers in charsets that the scanner does not know are texts in their charset. */
static void test_mail_words(void **state) {
    (void)state;
    opened o = open_copy("x.eml",
                         TOAD__S("Subject: =\?koi8-r\?B\?8NI=\?=\n =\?KOI8-R*ru\?q\?=C9_a\?= b =\?koi8-r\?b\?0w==\?=\n"
                                 "To: =\?utf-8\?q\?x\?= =\?gb2312\?q\?=C4=E3\?= =\?koi8-r\?x\?y\?=\n\nbody"));
    expect(&o, "words", "\xF0\xD2\xC9 a\n\xD3");
    assert_true(is(find(&o, "words")->label, "text/plain; charset=koi8-r"));
    assert_true(is(o.parts.rows[2].text, "\xC4\xE3") && is(o.parts.rows[2].label, "text/plain; charset=gb2312"));
    expect(&o, "body.txt", "body");
    close_copy(&o);
}

static void test_mail_closed(void **state) {
    (void)state;
    static const struct {
        const char *text, *why;
    } rows[] = {
        { HEAD "Content-Type: multipart/mixed\n\nx", "it is damaged" },
        { HEAD "Content-Type: multipart/mixed; boundary=b\n\n--b\n\nx", "it ends too early" },
        { HEAD "Content-Type: text/plain\nContent-Type: text/html\n\nx", "it is damaged" },
        { HEAD "Content-Transfer-Encoding: base64\n\naGVsb", "it ends too early" },
        { HEAD "Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n\nAAAA",
          "it is encrypted" },
        { HEAD "\n-----BEGIN PGP MESSAGE-----\nabc\n", "it is encrypted" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_closed("x.eml", toad__str_z(rows[i].text), rows[i].why);
}

/* What begins like a mail and is none stays the text it is. */
static void test_no_mail(void **state) {
    (void)state;
    assert_null(toad__container_kind(TOAD__S("x.txt"), TOAD__S("From: me\nTo: you\n\nHello")));
    assert_null(toad__container_kind(TOAD__S("x.eml"), TOAD__S("just text")));
    assert_null(toad__container_kind(TOAD__S("x"), TOAD__S("---\nMIME-Version: 1.0\nFrom: x\n")));
    assert_string_equal(toad__container_kind(TOAD__S("x.eml"), TOAD__S("Subject: a\n\nb")), "mail");
}

/* ---- calendars ---- */

static void test_calendar(void **state) {
    (void)state;
    opened o = open_copy("x", TOAD__S("\xEF\xBB\xBF"
                                      "begin:vcalendar\r\nDESCRIPTION;X=\"a:b\":one\\, two\\nthree\r\n\tfour\r\n"
                                      "X-ALT-DESC;FMTTYPE=text/html:<b>\\;</b>\r\n"
                                      "ATTACH;ENCODING=BASE64;VALUE=BINARY:aGVs\r\n bG8=\r\nEND:VCALENDAR\r\n\r\n"));
    assert_null(find(&o, NULL));
    expect(&o, "description.html", "<b>;</b>");
    expect(&o, "attachment", "hello");
    expect(&o, "text.txt",
           "begin:vcalendar\nDESCRIPTION;X=\"a:b\":one, two\nthreefour\nX-ALT-DESC;FMTTYPE=text/html:\n"
           "ATTACH;ENCODING=BASE64;VALUE=BINARY:\nEND:VCALENDAR\n");
    close_copy(&o);
    expect_closed("x.ics", TOAD__S("BEGIN:VCALENDAR\nSUMMARY:x\n"), "it ends too early");
    expect_one("x.vcf", TOAD__S("BEGIN:VCARD\nNOTE:x\nEND:VCARD"), "text.txt", "BEGIN:VCARD\nNOTE:x\nEND:VCARD\n");
}

/* ---- notebooks ---- */

static void test_notebook(void **state) {
    (void)state;
    opened o = open_copy(
        "x",
        TOAD__S("{ \"cells\": [{\"cell_type\":\"markdown\",\"source\":[\"a\\n\",\"b\"]},"
                "{\"cell_type\":\"code\",\"source\":\"c\",\"metadata\":{\"k\":1},\"outputs\":[{\"data\":{\"text/html\":"
                "\"<p>\",\"image/png\":\"AAAA\"}},{\"text\":[\"out\"],\"name\":\"a name that is longer than a name "
                "is\"}]}],"
                "\"metadata\":{\"language_info\":{\"file_extension\":\".jl\"}},\"nbformat\":4}"));
    assert_null(find(&o, NULL));
    expect(&o, "cell 1.md", "a\nb");
    expect(&o, "cell 2.jl", "c");
    expect(&o, "cell 2.json", "{\"k\":1}");
    expect(&o, "cell 2 output 1.html", "<p>");
    assert_true(find(&o, "cell 2 output 1")->binary);
    expect(&o, "cell 2 output 2.txt", "out");
    expect(&o, "cell 2 output 2.json", "\"a name that is longer than a name is\"");
    assert_true(toad__str_starts(find(&o, "notebook.json")->text, TOAD__S("{\"language_info\"")));
    close_copy(&o);
    toad_str cut = TOAD__S("{\"cells\":[{\"source\":\"x\"}]");
    o = open_copy("x.ipynb", cut);
    assert_string_equal(find(&o, NULL)->closed, "it is damaged");
    expect(&o, "", cut.p);
    close_copy(&o);
}

/* ---- compiled Python ---- */

#define PYC311 "\xa7\x0d\r\n\0\0\0\0\0\0\0\0\0\0\0\0"
#define FIVE   "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define EMPTY  ")\0"
#define CODE(consts, names)                                      \
    "\xe3" FIVE "s\2\0\0\0\x97\0" consts names EMPTY "s\0\0\0\0" \
    "z\1f"                                                       \
    "z\1n"                                                       \
    "z\1q"                                                       \
    "\1\0\0\0"                                                   \
    "s\0\0\0\0"                                                  \
    "s\0\0\0\0"

static void test_pyc(void **state) {
    (void)state;
    toad_str in = TOAD__S(PYC311 CODE(")\5z\3doca\5\0\0\0const)\1z\5inneri\1\0\0\0{z\1kz\1v0", ")\2Z\4nameZ\5other"));
    expect_one("x", in, "strings.py",
               "\"\"\"doc\"\"\"\n= \"\"\"const\"\"\"\n= \"\"\"inner\"\"\"\n= \"\"\"k\"\"\"\n= \"\"\"v\"\"\"\n"
               "name\nother\nf\nn\nq\n");
    for (size_t n = 17; n < in.n; n++) expect_closed("x", toad__str(in.p, n), "it ends too early");
    expect_closed("x.pyc", TOAD__S("\xff\xff\r\n"), "it is packed in a way that is not read here");
    expect_closed("x", TOAD__S(PYC311 CODE("\x07", EMPTY)), "it is damaged");
    expect_closed("x", TOAD__S(PYC311 CODE(EMPTY, EMPTY) "N"), "it is damaged");
}

/* Tuples in tuples take room in a bounded stack, not on the program's. */
static void test_pyc_depth(void **state) {
    (void)state;
    size_t n = 200000;
    char *deep = malloc(n);
    static const char start[] = PYC311 "\xe3" FIVE "s\0\0\0\0";
    assert_non_null(deep);
    memcpy(deep, start, sizeof start - 1);
    for (size_t i = sizeof start - 1; i < n; i++) deep[i] = (i - sizeof start + 1) % 2 ? 1 : ')';
    expect_closed("x", toad__str(deep, n), "it lies too deep in containers");
    free(deep);
}

static void test_old_office(void **state) {
    (void)state;
    expect_closed("x.doc", TOAD__S("\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1\0\0"),
                  "it is packed in a way that is not read here");
    expect_closed("x.dat", TOAD__S("\x78\x9F\x3E\x22\0\0"), "it is packed in a way that is not read here");
    expect_closed("x.Z", TOAD__S("\x1F\x9D\x90\0"), "it is packed in a way that is not read here");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tar),         cmocka_unit_test(test_tar_behind),  cmocka_unit_test(test_tar_closed),
        cmocka_unit_test(test_tar_cut),     cmocka_unit_test(test_gzip),        cmocka_unit_test(test_mail),
        cmocka_unit_test(test_mail_covers), cmocka_unit_test(test_mail_closed), cmocka_unit_test(test_mail_words),
        cmocka_unit_test(test_no_mail),     cmocka_unit_test(test_calendar),    cmocka_unit_test(test_notebook),
        cmocka_unit_test(test_pyc),         cmocka_unit_test(test_pyc_depth),   cmocka_unit_test(test_old_office)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
