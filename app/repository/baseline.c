/* baseline.c - a sorted array of fingerprints out of JSON, and the JSON out of entries.
 *
 * {"format":"toadstone-baseline/1","findings":[{"fingerprint":"<32
 * hex>:N","rule":"...","path":"...","severity":"..."}]}. Only the fingerprint is read again; rule, path and severity
 * are for the people who review a change of the file. */
#include "app/repository/baseline.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FORMAT   "toadstone-baseline/1"
#define MARK_MAX 48

struct toad__baseline {
    char (*marks)[MARK_MAX]; /* ascending */
    size_t n;
};

static int compare(const void *a, const void *b) { return strcmp(a, b); }

static bool is_mark(toad_str s) {
    if (s.n < 34 || s.n >= MARK_MAX || s.p[32] != ':') return false;
    for (size_t i = 0; i < s.n; i++)
        if (i != 32 && (i < 32 ? toad__hex_value((unsigned char)s.p[i]) < 0 : !toad__is_digit((unsigned char)s.p[i])))
            return false;
    return true;
}

static size_t count(const toad__json *list) {
    size_t n = 0;
    for (const toad__json *i = list->child; i; i = i->next) n++;
    return n;
}

static toad_status take(const toad__json *root, toad__baseline *b, char *message, size_t message_n) {
    const toad__json *list = toad__json_get(root, "findings");
    if (!toad__str_eq(toad__json_get_text(root, "format"), TOAD__S(FORMAT)) || !list ||
        list->type != TOAD__JSON_ARRAY) {
        snprintf(message, message_n, "it is no baseline: \"format\":\"" FORMAT "\" and \"findings\" are expected");
        return TOAD_E_SYNTAX;
    }
    b->marks = calloc(count(list) + 1, sizeof *b->marks);
    if (!b->marks) return TOAD_E_NOMEM;
    for (const toad__json *i = list->child; i; i = i->next) {
        toad_str mark = toad__json_get_text(i, "fingerprint");
        if (!is_mark(mark)) {
            snprintf(message, message_n, "entry %zu has no fingerprint", b->n + 1);
            return TOAD_E_SYNTAX;
        }
        memcpy(b->marks[b->n++], mark.p, mark.n);
    }
    qsort(b->marks, b->n, sizeof *b->marks, compare);
    return TOAD_OK;
}

toad_status toad__baseline_new(toad_str json, toad__baseline **ret, char *message, size_t message_n) {
    toad__arena arena;
    const toad__json *root;
    size_t at = 0;
    const char *expected = "";
    toad__baseline *b = calloc(1, sizeof *b);
    if (!b) return TOAD_E_NOMEM;
    toad__arena_init(&arena, 16 * TOAD__BASELINE_MAX);
    toad_status status = toad__json_parse(json, &arena, &root, &at, &expected);
    if (status == TOAD_E_SYNTAX) snprintf(message, message_n, "byte %zu: %s", at, expected);
    if (!status) status = take(root, b, message, message_n);
    toad__arena_free(&arena);
    if (status)
        toad__baseline_free(b);
    else
        *ret = b;
    return status;
}

void toad__baseline_free(toad__baseline *b) {
    if (!b) return;
    free(b->marks);
    free(b);
}

size_t toad__baseline_count(const toad__baseline *b) { return b ? b->n : 0; }

bool toad__baseline_has(const toad__baseline *b, const char *fingerprint) {
    return b && b->n && bsearch(fingerprint, b->marks, b->n, sizeof *b->marks, compare);
}

void toad__baseline_add(toad__buf *entries, const char *fingerprint, const char *rule, const char *path,
                        toad_severity severity) {
    toad__buf_add_z(entries, "{\"fingerprint\":\"");
    toad__buf_add_z(entries, fingerprint);
    toad__buf_add_z(entries, "\",\"rule\":");
    toad__json_add_str(entries, toad__str_z(rule));
    toad__buf_add_z(entries, ",\"path\":");
    toad__json_add_str(entries, toad__str_z(path));
    toad__buf_add_z(entries, ",\"severity\":\"");
    toad__buf_add_z(entries, toad_severity_name(severity));
    toad__buf_add_z(entries, "\"},\n");
}

static int write_all(int fd, toad_str s) {
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) s = toad__str_part(s, (size_t)n, s.n);
    }
    return 0;
}

static int replace(const char *path, char *beside, toad_str entries) {
    int fd = mkstemp(beside), err = fd < 0 ? errno : 0;
    if (err) return err;
    if (entries.n >= 2) entries.n -= 2;
    err = write_all(fd, TOAD__S("{\"format\":\"" FORMAT "\",\"findings\":[\n"));
    if (!err) err = write_all(fd, entries);
    if (!err) err = write_all(fd, TOAD__S("\n]}\n"));
    if (!err && (fchmod(fd, 0644) || fsync(fd))) err = errno;
    if (close(fd) && !err) err = errno;
    if (!err && rename(beside, path)) err = errno;
    if (err) unlink(beside);
    return err;
}

int toad__baseline_write(const char *path, toad_str entries) {
    toad__buf beside;
    toad__buf_init(&beside, 65536);
    toad__buf_add_z(&beside, path);
    toad__buf_add(&beside, ".XXXXXX", 8);
    int err = beside.status ? ENOMEM : replace(path, beside.p, entries);
    toad__buf_free(&beside);
    return err;
}
