/* baseline.c - a sorted array of fingerprints out of JSON, and the JSON out of entries.
 *
 * {"format":"bezoar-baseline/1","findings":[{"fingerprint":"<32 hex>:N","rule":"...","path":"...","severity":"..."}]}.
 * Only the fingerprint is read again; rule, path and severity are for the people who review a change of the file. */
#include "app/repository/baseline.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT   "bezoar-baseline/1"
#define MARK_MAX 48

struct bzr__baseline {
    char (*marks)[MARK_MAX]; /* ascending */
    size_t n;
};

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static bool is_mark(bzr_str s) {
    if (s.n < 34 || s.n >= MARK_MAX || s.p[32] != ':') return false;
    for (size_t i = 0; i < s.n; i++)
        if (i != 32 && (i < 32 ? bzr__hex_value((unsigned char)s.p[i]) < 0 : !bzr__is_digit((unsigned char)s.p[i])))
            return false;
    return true;
}

static size_t count(const bzr__json *list) {
    size_t n = 0;
    for (const bzr__json *i = list->child; i; i = i->next) n++;
    return n;
}

static bzr_status take(const bzr__json *root, bzr__baseline *b, char *message, size_t message_n) {
    const bzr__json *list = bzr__json_get(root, "findings");
    if (!bzr__str_eq(bzr__json_get_text(root, "format"), BZR__S(FORMAT)) || !list || list->type != BZR__JSON_ARRAY) {
        snprintf(message, message_n, "it is no baseline: \"format\":\"" FORMAT "\" and \"findings\" are expected");
        return BZR_E_SYNTAX;
    }
    b->marks = calloc(count(list) + 1, sizeof *b->marks);
    if (!b->marks) return BZR_E_NOMEM;
    for (const bzr__json *i = list->child; i; i = i->next) {
        bzr_str mark = bzr__json_get_text(i, "fingerprint");
        if (!is_mark(mark)) {
            snprintf(message, message_n, "entry %zu has no fingerprint", b->n + 1);
            return BZR_E_SYNTAX;
        }
        memcpy(b->marks[b->n++], mark.p, mark.n);
    }
    qsort(b->marks, b->n, sizeof *b->marks, compare);
    return BZR_OK;
}

bzr_status bzr__baseline_new(bzr_str json, bzr__baseline **ret, char *message, size_t message_n) {
    bzr__arena arena;
    const bzr__json *root;
    size_t at = 0;
    const char *expected = "";
    bzr__baseline *b = calloc(1, sizeof *b);
    if (!b) return BZR_E_NOMEM;
    bzr__arena_init(&arena, 16 * BZR__BASELINE_MAX);
    bzr_status status = bzr__json_parse(json, &arena, &root, &at, &expected);
    if (status == BZR_E_SYNTAX) snprintf(message, message_n, "byte %zu: %s", at, expected);
    if (!status) status = take(root, b, message, message_n);
    bzr__arena_free(&arena);
    if (status)
        bzr__baseline_free(b);
    else
        *ret = b;
    return status;
}

void bzr__baseline_free(bzr__baseline *b) {
    if (!b) return;
    free(b->marks);
    free(b);
}

size_t bzr__baseline_count(const bzr__baseline *b) { return b ? b->n : 0; }

bool bzr__baseline_has(const bzr__baseline *b, const char *fingerprint) {
    return b && b->n && bsearch(fingerprint, b->marks, b->n, sizeof *b->marks, compare);
}

void bzr__baseline_add(bzr__buf *entries, const char *fingerprint, const char *rule, const char *path,
                       bzr_severity severity) {
    bzr__buf_add_z(entries, "{\"fingerprint\":\"");
    bzr__buf_add_z(entries, fingerprint);
    bzr__buf_add_z(entries, "\",\"rule\":");
    bzr__json_add_str(entries, bzr__str_z(rule));
    bzr__buf_add_z(entries, ",\"path\":");
    bzr__json_add_str(entries, bzr__str_z(path));
    bzr__buf_add_z(entries, ",\"severity\":\"");
    bzr__buf_add_z(entries, bzr_severity_name(severity));
    bzr__buf_add_z(entries, "\"},\n");
}

static int write_all(int fd, bzr_str s) {
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) s = bzr__str_part(s, (size_t)n, s.n);
    }
    return 0;
}

static int replace(const char *path, char *beside, bzr_str entries) {
    int fd = mkstemp(beside), err = fd < 0 ? errno : 0;
    if (err) return err;
    if (entries.n >= 2) entries.n -= 2;
    err = write_all(fd, BZR__S("{\"format\":\"" FORMAT "\",\"findings\":[\n"));
    if (!err) err = write_all(fd, entries);
    if (!err) err = write_all(fd, BZR__S("\n]}\n"));
    if (!err && (fchmod(fd, 0644) || fsync(fd))) err = errno;
    if (close(fd) && !err) err = errno;
    if (!err && rename(beside, path)) err = errno;
    if (err) unlink(beside);
    return err;
}

int bzr__baseline_write(const char *path, bzr_str entries) {
    bzr__buf beside;
    bzr__buf_init(&beside, 65536);
    bzr__buf_add_z(&beside, path);
    bzr__buf_add(&beside, ".XXXXXX", 8);
    int err = beside.status ? ENOMEM : replace(path, beside.p, entries);
    bzr__buf_free(&beside);
    return err;
}
