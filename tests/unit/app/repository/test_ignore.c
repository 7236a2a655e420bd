/* gitignore(5) in app/repository/ignore.c; where git is at hand tests/cli compares with git itself. */
#include "app/repository/ignore.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

static toad__ignore_answer ask(const char *lines, const char *path, bool is_dir) {
    toad__ignore *set = NULL;
    char *l = exact_dup(lines, strlen(lines)), *p = exact_dup(path, strlen(path));
    assert_int_equal(toad__ignore_new(toad__str(l, strlen(lines)), &set), TOAD_OK);
    toad__ignore_answer answer = toad__ignore_ask(set, toad__str(p, strlen(path)), is_dir);
    toad__ignore_free(set);
    free(l);
    free(p);
    return answer;
}

static void out(const char *lines, const char *path) {
    assert_int_equal(ask(lines, path, false), TOAD__IGNORE_LEAVE_OUT);
}
static void in(const char *lines, const char *path) { assert_int_equal(ask(lines, path, false), TOAD__IGNORE_SILENT); }

static void names(void **state) {
    (void)state;
    out("a.txt", "a.txt");
    out("a.txt", "x/y/a.txt");
    in("a.txt", "a.txt/x");
    out("*.o", "x/.o");
    in("*.o", "x.o/y");
    out("a?c", "abc");
    in("a?c", "ac");
    out("*a*b*", "xxaxxbxx");
    in("*a*b*", "xxbxxaxx");
    out("a**c", "abbc");
    in("", "a");
    in("# a", "# a");
    out("\\#a", "#a");
    out("\\!a", "!a");
    out("a ", "a");
    out("a\\ ", "a ");
    out("a\r\n", "a");
    out("\xef\xbb\xbfz", "z");
}

static void classes(void **state) {
    (void)state;
    out("[a-c]x", "bx");
    in("[a-c]x", "dx");
    out("[!a-c]x", "dx");
    out("[]x]", "]");
    out("[\\]]", "]");
    out("[a", "[a");
    out("[a-]", "-");
}

static void anchors(void **state) {
    (void)state;
    out("/a", "a");
    in("/a", "x/a");
    out("a/b", "a/b");
    in("a/b", "x/a/b");
    in("a/*", "a/b/c");
    out("a/*/c", "a/b/c");
}

static void double_stars(void **state) {
    (void)state;
    out("**/a", "a");
    out("**/a", "x/y/a");
    out("a/**", "a/b/c");
    in("a/**", "a");
    out("a/**/b", "a/b");
    out("a/**/b", "a/x/y/b");
    in("a/**/b", "a/x/y/c");
    out("**/a/**/b/*.c", "z/a/a/b/x/b/y.c");
    out("a/**/b/**/c", "a/b/b/x/c");
}

static void order_and_directories(void **state) {
    (void)state;
    assert_int_equal(ask("*.x\n!keep.x", "keep.x", false), TOAD__IGNORE_TAKE_BACK);
    assert_int_equal(ask("!keep.x\n*.x", "keep.x", false), TOAD__IGNORE_LEAVE_OUT);
    assert_int_equal(ask("build/", "build", false), TOAD__IGNORE_SILENT);
    assert_int_equal(ask("build/", "x/build", true), TOAD__IGNORE_LEAVE_OUT);
    assert_int_equal(ask("/build/", "x/build", true), TOAD__IGNORE_SILENT);
    in("!", "!");
    in("/", "a");
}

/* Wildcards against a path that almost fits: must end, at once. */
static void no_backtracking_bomb(void **state) {
    (void)state;
    char glob[2048], path[4096];
    size_t n = 0, m = 0;
    for (int i = 0; i < 200; i++) n += (size_t)snprintf(glob + n, sizeof glob - n, "*a**/");
    memcpy(glob + n, "b", 2);
    for (int i = 0; i < 1000; i++) m += (size_t)snprintf(path + m, sizeof path - m, "aa/");
    memcpy(path + m, "c", 2);
    in(glob, path);
    memset(path, 'a', 4000);
    path[4000] = 0;
    for (size_t i = 0; i < 1000; i++) memcpy(glob + 2 * i, "*a", 2);
    memcpy(glob + 2000, "b", 2);
    in(glob, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(classes),
        cmocka_unit_test(anchors),
        cmocka_unit_test(double_stars),
        cmocka_unit_test(order_and_directories),
        cmocka_unit_test(no_backtracking_bomb),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
