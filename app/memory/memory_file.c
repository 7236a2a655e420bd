/* memory_file.c - import and export of Markdown memory files. See memory_file.h.
 *
 * The state of a file is an event of the audit log, type "memory_file", written before the file is: it names what the
 * file will hold and what it held, so that a crash between the two leaves a file that is known either way. */
#include "app/memory/memory_file.h"

#include "app/memory/memory_disk.h"
#include "app/memory/memory_gate.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BREAK BZR__S("\n")

/* A refusal: the file is named as the caller named it, escaped. */
static void refuse(const char *path, const char *why, bzr__buf *answer) {
    bzr__buf message;
    bzr__buf_init(&message, 65536);
    bzr__memory_add_printable(&message, bzr__str_z(path));
    bzr__buf_add_z(&message, why);
    bzr__buf_add_z(answer, "{\"success\":false,\"error\":");
    bzr__json_add_utf8(answer, bzr__buf_str(&message));
    bzr__buf_add_c(answer, '}');
    bzr__buf_free(&message);
}

static bzr_status file_failed(bzr__host *host, const char *path, int err) {
    bzr__buf name;
    const char *why = err == ELOOP    ? "is a symbolic link, which is not followed"
                      : err == EISDIR ? "is a directory"
                      : err == EINVAL ? "is no regular file"
                      : err == EFBIG  ? "is longer than a memory file may be"
                      : err == EAGAIN ? "is locked by another process"
                      : err == ESTALE ? "was changed while it was being written; nothing was written"
                                      : strerror(err);
    bzr__buf_init(&name, 4096);
    bzr__memory_add_printable(&name, bzr__str_z(path));
    bzr__host_fail(host, BZR_E_IO, "%.*s: %s", (int)(name.n < 500 ? name.n : 500), name.n ? name.p : "", why);
    bzr__buf_free(&name);
    return err == ENOMEM ? BZR_E_NOMEM : err == ENOENT ? BZR_E_NOT_FOUND : BZR_E_IO;
}

static bzr_status only_user(bzr__host *host) {
    if (host->by == BZR__READER_USER) return BZR_OK;
    return bzr__host_fail(host, BZR_E_STATE,
                          "a model can neither import nor export memory files: ask the user to do it");
}

/* ---- what the audit log knows of a file ---- */

typedef struct known {
    bool any, lossless;
    char after[65], before[65]; /* before: empty where there was no file */
} known;

static void take_digest(const bzr__json *details, const char *key, char ret[65]) {
    bzr_str text = bzr__json_get_text(details, key);
    memset(ret, 0, 65);
    if (text.n == 64) memcpy(ret, text.p, 64);
}

static bool take_event(void *ctx, const bzr__event *event) {
    known *k = ctx;
    bzr__arena arena;
    const bzr__json *details;
    const char *expected;
    size_t at;
    bzr__arena_init(&arena, 65536);
    if (!bzr__json_parse(event->details, &arena, &details, &at, &expected)) {
        const bzr__json *lossless = bzr__json_get(details, "lossless");
        k->any = true;
        k->lossless = lossless && lossless->type == BZR__JSON_TRUE;
        take_digest(details, "after", k->after);
        take_digest(details, "before", k->before);
    }
    bzr__arena_free(&arena);
    return false;
}

static bzr_status recall(bzr__host *host, bzr_str name, known *ret) {
    bzr__event_filter filter = { .type = BZR__S("memory_file"), .url = name, .newest_first = true, .limit = 1 };
    *ret = (known){ .any = false };
    return bzr__host_store_failed(host, bzr__store_events(host->store, &filter, take_event, ret));
}

static bzr_status note(bzr__host *host, const char *what, bzr_str name, const char *after, const char *before,
                       bool lossless) {
    char details[256];
    snprintf(details, sizeof details, "{\"after\":\"%s\",\"before\":\"%s\",\"lossless\":%s}", after, before,
             lossless ? "true" : "false");
    bzr__event event = { .type = BZR__S("memory_file"),
                         .direction = BZR__S("internal"),
                         .channel = BZR__S("user"),
                         .content = bzr__str_z(what),
                         .url = name,
                         .session_id = host->session,
                         .details = bzr__str_z(details) };
    return bzr__host_store_failed(host, bzr__store_events_append(host->store, &event, 1));
}

/* The name of a file in the log. Events are UTF-8: a path that is none cannot be remembered. */
static bzr_status name_of(bzr__host *host, const char *path, bzr__buf *ret) {
    bzr__buf_add_z(ret, "file:");
    int err = bzr__memory_disk_name(path, ret);
    if (err) return file_failed(host, path, err);
    if (bzr__utf8_valid_upto(bzr__buf_str(ret)) < ret->n)
        return bzr__host_fail(host, BZR_E_ARG, "the path of a memory file must be UTF-8");
    return BZR_OK;
}

static bzr_status digest_of(bzr__host *host, bzr_str text, char ret[65]) {
    bzr_status status = bzr__gate_digest(text, ret);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

/* ---- headings ---- */

/* outheis' headings of a file of one sort; others are named after the category. */
static const char *const headings[][2] = { { "user", "# User Memory" },
                                           { "feedback", "# Feedback Memory" },
                                           { "context", "# Context Memory" },
                                           { "", "# Memory" } };
enum { HEADINGS = sizeof headings / sizeof *headings };
#define OTHER_HEADING "# Memory: "

static bool read_heading(bzr_str line, bzr_str *category) {
    while (line.n && bzr__is_space((unsigned char)line.p[line.n - 1])) line.n--;
    for (size_t i = 0; i < HEADINGS; i++)
        if (bzr__str_eq(line, bzr__str_z(headings[i][1]))) {
            *category = bzr__str_z(headings[i][0]);
            return true;
        }
    if (!bzr__str_starts(line, BZR__S(OTHER_HEADING))) return false;
    *category = bzr__str_part(line, sizeof OTHER_HEADING - 1, line.n);
    return true;
}

static void add_heading(bzr__buf *out, bzr_str category) {
    if (out->n) bzr__buf_add_c(out, '\n');
    size_t i = 0;
    while (i < HEADINGS && !bzr__str_eq(category, bzr__str_z(headings[i][0]))) i++;
    bzr__buf_add_z(out, i < HEADINGS ? headings[i][1] : OTHER_HEADING);
    if (i == HEADINGS) bzr__buf_add_str(out, category);
    bzr__buf_add_z(out, "\n\n");
}

/* user.md, feedback.md, context.md. */
static bzr_str category_of_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < 3; i++) {
        bzr_str category = bzr__str_z(headings[i][0]);
        if (bzr__str_starts(bzr__str_z(name), category) && !strcmp(name + category.n, ".md")) return category;
    }
    return BZR__S("");
}

/* ---- import ---- */

typedef struct import {
    bzr__host *host;
    bzr__arena *arena;
    const bzr__memory_wanted *wanted;
    bzr_str category; /* of the lines that follow */
    bzr__memory_draft *drafts;
    size_t n, other_lines, duplicates;
} import;

static int64_t date_to_time(bzr_str date) {
    char text[11] = "";
    int64_t at;
    if (date.n == 10) memcpy(text, date.p, 10);
    return bzr__time_read(text, 0, &at) && at ? at : 0;
}

static bzr_status keep_entry(import *im, const bzr_memory_entry *entry, size_t number) {
    bzr__memory_draft *d = &im->drafts[im->n++];
    bzr_provenance provenance = bzr_memory_entry_provenance(entry);
    *d =
        (bzr__memory_draft){ .has_provenance = true, .line = number, .at = date_to_time(bzr_memory_entry_date(entry)) };
    d->provenance = im->wanted->has_provenance ? bzr_provenance_join(provenance, im->wanted->provenance) : provenance;
    d->category = im->wanted->category.p ? im->wanted->category : im->category;
    d->content = bzr__arena_dup(im->arena, bzr_memory_entry_text(entry));
    return d->content.p ? BZR_OK : BZR_E_NOMEM;
}

static bool is_blank(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_space((unsigned char)s.p[i])) return false;
    return true;
}

static bzr_status read_line(import *im, bzr_str line, size_t number) {
    bzr_memory_entry *entry;
    bzr_status status = bzr_memory_parse_line(line, &entry);
    if (status == BZR_E_NOT_FOUND) {
        im->other_lines += !read_heading(line, &im->category) && !is_blank(line);
        return BZR_OK;
    }
    if (!status) {
        status = keep_entry(im, entry, number);
        bzr_memory_entry_free(entry);
    }
    return status ? bzr__host_fail(im->host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

static bzr_status read_lines(import *im, bzr_str text) {
    size_t lines = 1, number = 0;
    for (size_t at = 0; at < text.n; at++) lines += text.p[at] == '\n';
    im->drafts = bzr__arena_alloc(im->arena, lines * sizeof *im->drafts);
    if (!im->drafts) return bzr__host_fail(im->host, BZR_E_LIMIT, "the file has too many lines");
    bzr_status status = BZR_OK;
    if (bzr__str_starts(text, BZR__S("\xef\xbb\xbf"))) text = bzr__str_part(text, 3, text.n);
    for (size_t at = 0; at < text.n && !status;) {
        size_t end = bzr__str_find(text, LINE_BREAK, at);
        status = read_line(im, bzr__str_part(text, at, end), ++number);
        at = end + 1;
    }
    return status;
}

/* Category and content as one digest: entries that are the same. */
typedef struct same {
    char digest[65];
} same;

static int by_digest(const void *a, const void *b) { return memcmp(a, b, sizeof(same)); }

static bzr_status same_of(bzr__host *host, bzr_str category, bzr_str content, same *ret) {
    bzr__buf b;
    bzr__buf_init(&b, category.n + content.n + 2);
    bzr__buf_add_str(&b, category);
    bzr__buf_add_c(&b, 0);
    bzr__buf_add_str(&b, content);
    bzr_status status = b.status ? b.status : bzr__gate_digest(bzr__buf_str(&b), ret->digest);
    bzr__buf_free(&b);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

static bzr_status list_present(import *im, same **ret, size_t *ret_n) {
    bzr__memory_wanted all = { .limit = 0 };
    bzr__memory *rows;
    size_t n;
    bzr_status status = bzr__memory_collect(im->host, &all, im->arena, &rows, &n);
    same *present = status ? NULL : bzr__arena_alloc(im->arena, (n ? n : 1) * sizeof *present);
    if (!status && !present)
        status = bzr__host_fail(im->host, BZR_E_LIMIT, "there are too many memories to compare with");
    for (size_t i = 0; i < n && !status; i++)
        status = same_of(im->host, rows[i].category, rows[i].content, &present[i]);
    if (status) return status;
    qsort(present, n, sizeof *present, by_digest);
    *ret = present;
    *ret_n = n;
    return BZR_OK;
}

/* Leave out what is in the store, compared as it would be stored. Twice in one file is twice: it may be meant so. */
static bzr_status drop_present(import *im) {
    same *present = NULL, one;
    size_t n = 0, kept = 0;
    bzr_status status = list_present(im, &present, &n);
    for (size_t i = 0; i < im->n && !status; i++) {
        const bzr__memory_draft *d = &im->drafts[i];
        bzr__refusal refused;
        bzr__buf clean;
        bzr__buf_init(&clean, d->content.n * 3 + 64);
        status = bzr__gate_write(im->host, d->content, &clean, NULL, &refused);
        if (!status && !refused.rule) status = same_of(im->host, d->category, bzr__buf_str(&clean), &one);
        bzr__buf_free(&clean);
        if (!status && !refused.rule && bsearch(&one, present, n, sizeof *present, by_digest))
            im->duplicates++;
        else if (!status)
            im->drafts[kept++] = *d;
    }
    im->n = kept;
    return status;
}

/* Add to the answer of the batch what only an import knows. */
static void extend_answer(const import *im, bzr__buf *answer) {
    if (!answer->n || answer->p[answer->n - 1] != '}') return;
    answer->n--;
    bzr__answer_int(answer, "duplicates", (int64_t)im->duplicates);
    bzr__answer_int(answer, "other_lines", (int64_t)im->other_lines);
    bzr__buf_add_c(answer, '}');
}

static bzr_status import_text(bzr__host *host, const char *path, bzr_str text, const bzr__memory_wanted *wanted,
                              bzr__arena *arena, bzr__buf *answer) {
    bzr__buf name;
    char digest[65];
import im = {.host = host, .arena = arena, .wanted = wanted, .category = category_of_name(path) };
    size_t from = answer->n;
    bzr__buf_init(&name, 65536);
    bzr_status status = name_of(host, path, &name);
    if (!status) status = read_lines(&im, text);
    if (!status) status = drop_present(&im);
    if (!status) status = bzr__memory_add_all(host, im.drafts, im.n, answer);
    if (!status && bzr__str_starts(bzr__str_part(bzr__buf_str(answer), from, answer->n), BZR__S("{\"success\":true"))) {
        status = digest_of(host, text, digest);
        if (!status) status = note(host, "imported", bzr__buf_str(&name), digest, "", !im.other_lines);
        extend_answer(&im, answer);
    }
    bzr__buf_free(&name);
    return status;
}

bzr_status bzr__memory_import(bzr__host *host, const char *path, const bzr__memory_wanted *wanted, bzr__buf *answer) {
    bzr__buf text;
    bzr__arena arena;
    bzr_status status = only_user(host);
    if (status) return status;
    bzr__buf_init(&text, BZR__MEMORY_FILE_MAX);
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    int err = bzr__memory_disk_read(path, &text);
    status = err ? file_failed(host, path, err) : import_text(host, path, bzr__buf_str(&text), wanted, &arena, answer);
    bzr__arena_free(&arena);
    bzr__buf_free(&text);
    return status;
}

/* ---- export ---- */

typedef struct sheet {
    bzr__buf text;
    size_t entries, blocked;
} sheet;

static bzr_status add_entry(bzr__host *host, const bzr__memory *row, sheet *page) {
    bzr_text *line;
    char date[28];
    bzr__time_text(row->created_at > 0 ? row->created_at : 0, date);
    bzr_status status = bzr_memory_line(row->content, bzr__gate_provenance(row), bzr__str(date, 10), &line);
    if (status)
        return bzr__host_fail(host, status, "an entry cannot be written as a line: %s", bzr_status_message(status));
    bzr__buf_add_str(&page->text, bzr_text_str(line));
    bzr__buf_add_c(&page->text, '\n');
    bzr_text_free(line);
    page->entries++;
    return BZR_OK;
}

/* Pointers to the rows that may be shown. */
static bzr_status good_rows(bzr__host *host, const bzr__memory *rows, size_t n, const bzr__memory **ret, sheet *page,
                            size_t *ret_n) {
    bzr_status status = BZR_OK;
    *ret_n = 0;
    for (size_t i = 0; i < n && !status; i++) {
        bzr__threats threats;
        status = bzr__gate_row(host, &rows[i], &threats);
        if (!status && threats.n)
            page->blocked++;
        else if (!status)
            ret[(*ret_n)++] = &rows[i];
    }
    return status;
}

static int by_category(const void *a, const void *b) {
    const bzr__memory *x = *(const bzr__memory *const *)a, *y = *(const bzr__memory *const *)b;
    size_t n = x->category.n < y->category.n ? x->category.n : y->category.n;
    int c = n ? memcmp(x->category.p, y->category.p, n) : 0;
    if (!c) c = x->category.n < y->category.n ? -1 : x->category.n > y->category.n;
    return c ? c : x < y ? -1 : x > y;
}

/* A section per category, in the order of their names; entries in the order of their making. */
static bzr_status write_page(bzr__host *host, const bzr__memory *rows, size_t n, bzr__arena *arena, sheet *page) {
    const bzr__memory **order = bzr__arena_alloc(arena, (n ? n : 1) * sizeof *order);
    if (!order) return bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    bzr_status status = good_rows(host, rows, n, order, page, &n);
    if (!status) qsort(order, n, sizeof *order, by_category);
    for (size_t i = 0; i < n && !status; i++) {
        if (!i || !bzr__str_eq(order[i]->category, order[i - 1]->category))
            add_heading(&page->text, order[i]->category);
        status = add_entry(host, order[i], page);
    }
    if (!n) add_heading(&page->text, BZR__S(""));
    if (!status && page->text.status) status = bzr__host_fail(host, page->text.status, "the file would be too long");
    return status;
}

static bzr_status make_page(bzr__host *host, const bzr__memory_wanted *wanted, sheet *page) {
    bzr__arena arena;
    bzr__memory *rows;
    size_t n;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__memory_collect(host, wanted, &arena, &rows, &n);
    if (!status) status = write_page(host, rows, n, &arena, page);
    bzr__arena_free(&arena);
    return status;
}

static void answer_export(const char *path, const sheet *page, const char *digest, bool written, bzr__buf *answer) {
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_z(answer, "file", path);
    bzr__answer_int(answer, "entries", (int64_t)page->entries);
    bzr__answer_int(answer, "blocked", (int64_t)page->blocked);
    bzr__answer_z(answer, "sha256", digest);
    bzr__answer_bool(answer, "written", written);
    bzr__buf_add_c(answer, '}');
}

/* May this file, which holds `now`, be replaced? NULL, or why not. */
static const char *objection(const known *k, const char *now) {
    bool ours = k->any && (!strcmp(k->after, now) || (*k->before && !strcmp(k->before, now)));
    if (!k->any) return " was not written by Bezoar: nothing was written. Import it first, or export to another file.";
    if (!ours)
        return " was changed since Bezoar last read or wrote it: nothing was written. Import it first, or export to "
               "another file.";
    return k->lossless
               ? NULL
               : " holds lines that are no entries and would be lost: nothing was written. Export to another file.";
}

static bzr_status replace(bzr__host *host, const char *path, const bzr__memory_disk *disk, bzr_str name,
                          const sheet *page, bzr__buf *answer) {
    known k;
    bzr__buf old;
    char before[65] = "", after[65];
    const char *why = NULL;
    bzr__buf_init(&old, BZR__MEMORY_FILE_MAX);
    int err = bzr__memory_disk_now(disk, &old);
    bool exists = err != ENOENT;
    bzr_status status = err && exists ? file_failed(host, path, err) : recall(host, name, &k);
    if (!status && exists) status = digest_of(host, bzr__buf_str(&old), before);
    if (!status) status = digest_of(host, bzr__buf_str(&page->text), after);
    bool same_text = !status && exists && !strcmp(before, after);
    if (!status && old.n && !same_text) why = objection(&k, before);
    if (!status && !why) status = note(host, "exported", name, after, before, true);
    if (!status && !why && !same_text) {
        bzr_str was = old.n ? bzr__buf_str(&old) : BZR__S("");
        err = bzr__memory_disk_replace(disk, exists ? was : bzr__str(NULL, 0), bzr__buf_str(&page->text));
        if (err) status = file_failed(host, path, err);
    }
    if (!status && why)
        refuse(path, why, answer);
    else if (!status)
        answer_export(path, page, after, !same_text, answer);
    bzr__buf_free(&old);
    return status;
}

static bzr_status export_page(bzr__host *host, const char *path, const sheet *page, bzr__buf *answer) {
    bzr__memory_disk disk;
    bzr__buf name;
    bzr__buf_init(&name, 65536);
    bzr_status status = name_of(host, path, &name);
    if (!status) {
        int err = bzr__memory_disk_open(path, &disk);
        if (err) {
            status = file_failed(host, path, err);
        } else {
            status = replace(host, path, &disk, bzr__buf_str(&name), page, answer);
            bzr__memory_disk_close(&disk);
        }
    }
    bzr__buf_free(&name);
    return status;
}

bzr_status bzr__memory_export(bzr__host *host, const char *path, const bzr__memory_wanted *wanted, bzr__buf *answer) {
    sheet page = { .entries = 0 };
    bzr_status status = only_user(host);
    if (status) return status;
    bzr__buf_init(&page.text, BZR__MEMORY_FILE_MAX);
    status = make_page(host, wanted, &page);
    if (!status) status = export_page(host, path, &page, answer);
    bzr__buf_free(&page.text);
    return status;
}

bzr_status bzr__memory_export_text(bzr__host *host, const bzr__memory_wanted *wanted, bzr__buf *answer) {
    sheet page = { .entries = 0 };
    bzr_status status = only_user(host);
    if (status) return status;
    bzr__buf_init(&page.text, BZR__MEMORY_FILE_MAX);
    status = make_page(host, wanted, &page);
    if (!status) {
        bzr__buf_add_c(answer, '{');
        bzr__answer_str(answer, "text", bzr__buf_str(&page.text));
        bzr__answer_int(answer, "entries", (int64_t)page.entries);
        bzr__answer_int(answer, "blocked", (int64_t)page.blocked);
        bzr__buf_add_c(answer, '}');
    }
    bzr__buf_free(&page.text);
    return status;
}
