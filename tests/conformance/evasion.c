/* evasion.c - runs a file of evasion vectors (tests/vectors/evasion.jsonl or any other of its format) through
 * the library.
 *
 * One JSON object a line: id, technique, class, text or bytes_b64, plain, expect, note. expect: `detect` = at least one
 * finding (none high where the note says level=low); `strip` = sanitize gives `plain`, or takes something away;
 * `neutralise` = no live `plain` in wrap(text) outside our own lines; `clean` = not blocked and not changed (lossy-ok
 * exempts), and no finding above low. Prints each miss, a table per technique, the bars and `N passed, N failed`; exits
 * 0 when every bar holds. Vectors whose class is `goal`, `language` or `ssrf` are reported apart: other issues own
 * them. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/text/fold.h"
#include "toadstone/toadstone.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define BUDGET_MS 50.0

typedef struct row {
    char name[48], class[24];
    unsigned passed, failed, above_low;
} row;

enum { DETECT, STRIP, NEUTRALISE, CLEAN, EXPECTS };
static const char *const expects[EXPECTS] = { "detect", "strip", "neutralise", "clean" };
static const double bars[EXPECTS] = { 97, 100, 100,
                                      100 }; /* percent; and 99 percent of clean texts without a finding above low */

typedef struct run {
    toad_scanner *scanner;
    unsigned met[EXPECTS], seen[EXPECTS];
    row rows[512];
    size_t rows_n;
    unsigned passed, failed, apart_passed, apart_failed, clean, clean_above_low;
    double slowest;
    char slowest_id[64];
    bool quiet;
} run;

typedef struct vector {
    toad_str id, technique, class, expect, note, plain, text;
} vector;

static char *read_all(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f) return NULL;
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    rewind(f);
    char *p = malloc((size_t)size + 1);
    *n = p ? fread(p, 1, (size_t)size, f) : 0;
    fclose(f);
    return p;
}

static int base64_value(int c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static toad_str base64_bytes(toad_str in, char *out) {
    size_t n = 0;
    unsigned bits = 0, held = 0;
    for (size_t i = 0; i < in.n; i++) {
        int v = base64_value((unsigned char)in.p[i]);
        if (v < 0) continue;
        bits = bits << 6 | (unsigned)v;
        held += 6;
        if (held >= 8) out[n++] = (char)(bits >> (held -= 8) & 0xFF);
    }
    return toad__str(out, n);
}

static bool says(toad_str note, const char *word) { return toad__str_find(note, toad__str_z(word), 0) < note.n; }

static toad_str trim(toad_str s) {
    while (s.n && toad__is_space((unsigned char)s.p[0])) s.p++, s.n--;
    while (s.n && toad__is_space((unsigned char)s.p[s.n - 1])) s.n--;
    return s;
}

/* ---- the four expectations ---- */

static const toad_verdict *scan(run *r, const vector *v) {
    const toad_verdict *verdict = NULL;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    toad_status status = toad_scan(r->scanner, v->text, NULL, &verdict);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    double ms = (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6;
    if (ms > r->slowest) {
        r->slowest = ms;
        snprintf(r->slowest_id, sizeof r->slowest_id, "%.*s", (int)v->id.n, v->id.p);
    }
    return status ? NULL : verdict;
}

static const char *check_detect(run *r, const vector *v) {
    const toad_verdict *verdict = scan(r, v);
    if (!verdict) return "scan failed";
    if (!toad_verdict_count(verdict)) return "no finding";
    if (says(v->note, "level=low") && toad_verdict_action(verdict) == TOAD_BLOCK) return "blocked, level is low";
    return NULL;
}

/* Do the letters of `plain` stand in `text` in order? If not, `plain` is a message that was smuggled beside the visible
 * text, not that text. */
static bool holds_letters(toad_str text, toad_str plain) {
    size_t k = 0;
    for (size_t i = 0; i < text.n && k < plain.n; i++) k += text.p[i] == plain.p[k];
    return k == plain.n;
}

static const char *check_strip(run *r, const vector *v) {
    if (!scan(r, v)) return "scan failed";
    toad_text *text;
    if (toad_sanitize(v->text, NULL, &text, NULL)) return "sanitize failed";
    toad_str got = toad_text_str(text);
    const char *why = NULL;
    if (v->plain.p && holds_letters(got, v->plain) && !toad__str_eq(trim(got), trim(v->plain)))
        why = "sanitized text differs from plain";
    if (toad__str_eq(got, v->text) && !(v->plain.p && toad__str_eq(trim(got), trim(v->plain))))
        why = "nothing was stripped";
    toad_text_free(text);
    return why;
}

/* The folded form of `s` without blanks, for comparing markers in every spelling. */
static void fold_tight(toad__view *view, toad_str s) {
    toad__fold(view, s, TOAD__FOLD_DROP);
    size_t n = 0;
    for (size_t i = 0; i < view->text.n; i++)
        if (view->text.p[i] != ' ') view->text.p[n++] = view->text.p[i];
    view->text.n = n;
}

static const char *check_neutralise(run *r, const vector *v) {
    if (!scan(r, v)) return "scan failed";
    toad_wrap_options options = TOAD_WRAP_OPTIONS_INIT;
    toad_text *text = NULL;
    if (toad_wrap(v->text, &options, &text) || !text) return "wrap failed";
    toad_unwrapped *inside = NULL;
    const char *why = NULL;
    if (toad_unwrap(toad_text_str(text), toad__str("", 0), &inside)) why = "our own envelope cannot be found again";
    toad__view body, plain;
    toad__view_init(&body, 64u << 20);
    toad__view_init(&plain, 1u << 20);
    if (!why && v->plain.p) {
        fold_tight(&body, toad_unwrapped_content(inside));
        fold_tight(&plain, v->plain);
        if (plain.text.n && toad__str_find(toad__buf_str(&body.text), toad__buf_str(&plain.text), 0) < body.text.n)
            why = "the marker is still live inside the envelope";
    }
    toad__view_free(&body);
    toad__view_free(&plain);
    toad_unwrapped_free(inside);
    toad_text_free(text);
    return why;
}

static const char *check_clean(run *r, const vector *v, bool *above_low) {
    const toad_verdict *verdict = scan(r, v);
    if (!verdict) return "scan failed";
    *above_low = toad_verdict_severity(verdict) > TOAD_LOW;
    if (toad_verdict_action(verdict) == TOAD_BLOCK) return toad_verdict_finding(verdict, 0)->rule;
    toad_text *text;
    if (toad_sanitize(v->text, NULL, &text, NULL)) return "sanitize failed";
    bool same = toad__str_eq(toad_text_str(text), v->text);
    toad_text_free(text);
    return same || says(v->note, "lossy-ok") ? NULL : "sanitize changed a clean text";
}

/* ---- the walk over the file ---- */

static row *row_of(run *r, toad_str technique, toad_str class) {
    for (size_t i = 0; i < r->rows_n; i++)
        if (toad__str_eq(toad__str_z(r->rows[i].name), technique)) return &r->rows[i];
    row *new = &r->rows[r->rows_n < 511 ? r->rows_n++ : 511];
    snprintf(new->name, sizeof new->name, "%.*s", (int)technique.n, technique.p);
    snprintf(new->class, sizeof new->class, "%.*s", (int)class.n, class.p);
    return new;
}

static bool is_apart(toad_str class) {
    return toad__str_eq(class, TOAD__S("goal")) || toad__str_eq(class, TOAD__S("language")) ||
           toad__str_eq(class, TOAD__S("ssrf"));
}

static void check(run *r, const vector *v) {
    row *at = row_of(r, v->technique, v->class);
    const char *why;
    bool above_low = false;
    double slowest = r->slowest;
    r->slowest = 0;
    if (toad__str_eq(v->expect, TOAD__S("detect")))
        why = check_detect(r, v);
    else if (toad__str_eq(v->expect, TOAD__S("strip")))
        why = check_strip(r, v);
    else if (toad__str_eq(v->expect, TOAD__S("neutralise")))
        why = check_neutralise(r, v);
    else {
        why = check_clean(r, v, &above_low);
        r->clean++;
        r->clean_above_low += above_low;
    }
    if (!why && r->slowest > BUDGET_MS && says(v->note, "budget")) why = "took more than 50 ms";
    if (slowest > r->slowest) r->slowest = slowest;
    at->passed += !why;
    at->failed += !!why;
    at->above_low += above_low;
    for (int e = 0; e < EXPECTS && !is_apart(v->class); e++)
        if (toad__str_eq(v->expect, toad__str_z(expects[e]))) r->seen[e]++, r->met[e] += !why;
    if (is_apart(v->class))
        r->apart_passed += !why, r->apart_failed += !!why;
    else
        r->passed += !why, r->failed += !!why;
    if (why && !r->quiet)
        printf("miss  %-24.*s %-11.*s %s\n", (int)v->id.n, v->id.p, (int)v->expect.n, v->expect.p, why);
    if (above_low && !r->quiet) printf("note  %-24.*s clean       a finding above low\n", (int)v->id.n, v->id.p);
}

static void run_line(run *r, toad_str line) {
    toad__arena arena;
    toad__arena_init(&arena, 64u << 20);
    const toad__json *root;
    size_t at;
    const char *err;
    char *bytes = NULL;
    if (toad__json_parse(line, &arena, &root, &at, &err)) {
        printf("miss  a line is no JSON: %s at %zu\n", err, at);
        r->failed++;
    } else {
        vector v = { toad__json_get_text(root, "id"),    toad__json_get_text(root, "technique"),
                     toad__json_get_text(root, "class"), toad__json_get_text(root, "expect"),
                     toad__json_get_text(root, "note"),  toad__json_get_text(root, "plain"),
                     toad__json_get_text(root, "text") };
        toad_str b64 = toad__json_get_text(root, "bytes_b64");
        if (b64.p) v.text = base64_bytes(b64, bytes = malloc(b64.n + 1));
        check(r, &v);
    }
    free(bytes);
    toad__arena_free(&arena);
}

/* Prints each bar; false if one does not hold. */
static bool bars_hold(const run *r) {
    bool all = true;
    for (int e = 0; e < EXPECTS; e++) {
        double percent = r->seen[e] ? 100.0 * r->met[e] / r->seen[e] : 100;
        bool holds = percent >= bars[e];
        all = all && holds;
        printf("bar   %-12s %6.2f %% (%u of %u), at least %.0f %%: %s\n", expects[e], percent, r->met[e], r->seen[e],
               bars[e], holds ? "holds" : "BROKEN");
    }
    double quiet = r->clean ? 100.0 * (r->clean - r->clean_above_low) / r->clean : 100;
    printf("bar   %-12s %6.2f %%, at least 99 %%: %s\n", "quiet clean", quiet, quiet >= 99 ? "holds" : "BROKEN");
    return all && quiet >= 99;
}

static void print_table(const run *r) {
    printf("\n%-24s %-10s %7s %7s %10s\n", "technique", "class", "passed", "failed", "above low");
    for (size_t i = 0; i < r->rows_n; i++)
        printf("%-24s %-10s %7u %7u %10u\n", r->rows[i].name, r->rows[i].class, r->rows[i].passed, r->rows[i].failed,
               r->rows[i].above_low);
    printf("\nclean texts with a finding above low: %u of %u\n", r->clean_above_low, r->clean);
    printf("slowest vector: %s, %.1f ms\n", r->slowest_id, r->slowest);
    printf("goal, language and ssrf (counted apart): %u passed, %u failed\n", r->apart_passed, r->apart_failed);
    printf("%u passed, %u failed\n", r->passed, r->failed);
}

int main(int argc, char **argv) {
    const char *path = NULL;
    static run r;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quiet"))
            r.quiet = true;
        else
            path = argv[i];
    }
    size_t n = 0;
    char *all = path ? read_all(path, &n) : NULL;
    if (!all) {
        fprintf(stderr, "usage: conformance_evasion [--quiet] FILE.jsonl%s%s\n", path ? ": cannot read " : "",
                path ? path : "");
        return 2;
    }
    toad_engine *engine = NULL;
    if (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &r.scanner)) return 2;
    toad_str file = toad__str(all, n);
    for (size_t at = 0; at < n;) {
        size_t end = toad__str_find(file, TOAD__S("\n"), at);
        if (end > at) run_line(&r, toad__str_part(file, at, end));
        at = end + 1;
    }
    bool hold = bars_hold(&r);
    print_table(&r);
    toad_scanner_free(r.scanner);
    toad_engine_free(engine);
    free(all);
    return hold ? 0 : 1;
}
