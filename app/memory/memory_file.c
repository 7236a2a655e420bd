/* memory_file.c - import and export of Markdown memory files. See memory_file.h.
 *
 * The state of a file is an event of the audit log, type "memory_file", written before the file is: it names what the
 * file will hold and what it held, so that a crash between the two leaves a file that is known either way. */
#include "app/memory/memory_file.h"

#include "app/memory/memory_disk.h"
#include "app/memory/memory_gate.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "sys/digest.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BREAK TOAD__S("\n")

/* A refusal: the file is named as the caller named it, escaped. */
static void refuse(const char *path, const char *why, toad__answer *answer) {
    toad__buf message;
    toad__buf_init(&message, 65536);
    toad__memory_add_printable(&message, toad__str_z(path));
    toad__buf_add_z(&message, why);
    toad__answer_bool(answer, "success", false);
    toad__answer_str(answer, "error", toad__buf_str(&message));
    toad__buf_free(&message);
}

static toad_status file_failed(toad__host *host, const char *path, int err) {
    toad__buf name;
    const char *why = err == ELOOP    ? "is a symbolic link, which is not followed"
                      : err == EISDIR ? "is a directory"
                      : err == EINVAL ? "is no regular file"
                      : err == EFBIG  ? "is longer than a memory file may be"
                      : err == EAGAIN ? "is locked by another process"
                      : err == ESTALE ? "was changed while it was being written; nothing was written"
                                      : strerror(err);
    toad__buf_init(&name, 4096);
    toad__memory_add_printable(&name, toad__str_z(path));
    toad__host_fail(host, TOAD_E_IO, "%.*s: %s", (int)(name.n < 500 ? name.n : 500), name.n ? name.p : "", why);
    toad__buf_free(&name);
    return err == ENOMEM ? TOAD_E_NOMEM : err == ENOENT ? TOAD_E_NOT_FOUND : TOAD_E_IO;
}

static toad_status only_user(toad__host *host) {
    if (host->by == TOAD__READER_USER) return TOAD_OK;
    return toad__host_fail(host, TOAD_E_STATE,
                           "a model can neither import nor export memory files: ask the user to do it");
}

/* ---- what the audit log knows of a file ---- */

typedef struct known {
    bool any, lossless;
    char after[65], before[65]; /* before: empty where there was no file */
} known;

static void take_digest(const toad__json *details, const char *key, char ret[65]) {
    toad_str text = toad__json_get_text(details, key);
    memset(ret, 0, 65);
    if (text.n == 64) memcpy(ret, text.p, 64);
}

static bool take_event(void *ctx, const toad__event *event) {
    known *k = ctx;
    toad__arena arena;
    const toad__json *details;
    const char *expected;
    size_t at;
    toad__arena_init(&arena, 65536);
    if (!toad__json_parse(event->details, &arena, &details, &at, &expected)) {
        const toad__json *lossless = toad__json_get(details, "lossless");
        k->any = true;
        k->lossless = lossless && lossless->type == TOAD__JSON_TRUE;
        take_digest(details, "after", k->after);
        take_digest(details, "before", k->before);
    }
    toad__arena_free(&arena);
    return false;
}

static toad_status recall(toad__host *host, toad_str name, known *ret) {
    toad__event_filter filter = { .type = TOAD__S("memory_file"), .url = name, .newest_first = true, .limit = 1 };
    *ret = (known){ .any = false };
    return toad__host_store_failed(host, toad__store_events(host->store, &filter, take_event, ret));
}

static toad_status note(toad__host *host, const char *what, toad_str name, const char *after, const char *before,
                        bool lossless) {
    char details[256];
    snprintf(details, sizeof details, "{\"after\":\"%s\",\"before\":\"%s\",\"lossless\":%s}", after, before,
             lossless ? "true" : "false");
    toad__event event = { .type = TOAD__S("memory_file"),
                          .direction = TOAD__S("internal"),
                          .channel = TOAD__S("user"),
                          .content = toad__str_z(what),
                          .url = name,
                          .session_id = host->session,
                          .details = toad__str_z(details) };
    return toad__host_store_failed(host, toad__store_events_append(host->store, &event, 1));
}

/* The name of a file in the log. Events are UTF-8: a path that is none cannot be remembered. */
static toad_status name_of(toad__host *host, const char *path, toad__buf *ret) {
    toad__buf_add_z(ret, "file:");
    int err = toad__memory_disk_name(path, ret);
    if (err) return file_failed(host, path, err);
    if (toad__utf8_valid_upto(toad__buf_str(ret)) < ret->n)
        return toad__host_fail(host, TOAD_E_ARG, "the path of a memory file must be UTF-8");
    return TOAD_OK;
}

/* ---- headings ---- */

/* outheis' headings of a file of one sort; others are named after the category. */
static const char *const headings[][2] = { { "user", "# User Memory" },
                                           { "feedback", "# Feedback Memory" },
                                           { "context", "# Context Memory" },
                                           { "", "# Memory" } };
enum { HEADINGS = sizeof headings / sizeof *headings };
#define OTHER_HEADING "# Memory: "

static bool read_heading(toad_str line, toad_str *category) {
    while (line.n && toad__is_space((unsigned char)line.p[line.n - 1])) line.n--;
    for (size_t i = 0; i < HEADINGS; i++)
        if (toad__str_eq(line, toad__str_z(headings[i][1]))) {
            *category = toad__str_z(headings[i][0]);
            return true;
        }
    if (!toad__str_starts(line, TOAD__S(OTHER_HEADING))) return false;
    *category = toad__str_part(line, sizeof OTHER_HEADING - 1, line.n);
    return true;
}

static void add_heading(toad__buf *out, toad_str category) {
    if (out->n) toad__buf_add_c(out, '\n');
    size_t i = 0;
    while (i < HEADINGS && !toad__str_eq(category, toad__str_z(headings[i][0]))) i++;
    toad__buf_add_z(out, i < HEADINGS ? headings[i][1] : OTHER_HEADING);
    if (i == HEADINGS) toad__buf_add_str(out, category);
    toad__buf_add_z(out, "\n\n");
}

/* user.md, feedback.md, context.md. */
static toad_str category_of_name(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < 3; i++) {
        toad_str category = toad__str_z(headings[i][0]);
        if (toad__str_starts(toad__str_z(name), category) && !strcmp(name + category.n, ".md")) return category;
    }
    return TOAD__S("");
}

/* ---- import ---- */

typedef struct import {
    toad__host *host;
    toad__arena *arena;
    const toad__memory_wanted *wanted;
    toad_str category; /* of the lines that follow */
    toad__memory_draft *drafts;
    size_t n, other_lines, duplicates;
} import;

static int64_t date_to_time(toad_str date) {
    char text[11] = "";
    int64_t at;
    if (date.n == 10) memcpy(text, date.p, 10);
    return toad__time_read(text, 0, &at) && at ? at : 0;
}

/* What stands whole in the envelope is what is inside, and external. Whatever tags are left the gate refuses: an
 * envelope lowers trust, so nothing is won by forging one. */
static toad_str opened(toad_str text, toad_provenance *provenance) {
    const toad_str open = TOAD__S("<external_content>"), close = TOAD__S("</external_content>");
    if (text.n < open.n + close.n || !toad__str_starts(text, open) ||
        !toad__str_eq(toad__str_part(text, text.n - close.n, text.n), close))
        return text;
    *provenance = TOAD_EXTERNAL;
    return toad__str_part(text, open.n, text.n - close.n);
}

static toad_status keep_entry(import *im, const toad_memory_entry *entry, size_t number) {
    toad__memory_draft *d = &im->drafts[im->n++];
    toad_provenance provenance = toad_memory_entry_provenance(entry);
    toad_str text = opened(toad_memory_entry_text(entry), &provenance);
    *d = (toad__memory_draft){ .has_provenance = true,
                               .line = number,
                               .at = date_to_time(toad_memory_entry_date(entry)) };
    d->provenance = im->wanted->has_provenance ? toad_provenance_join(provenance, im->wanted->provenance) : provenance;
    d->category = im->wanted->category.p ? im->wanted->category : im->category;
    d->content = toad__arena_dup(im->arena, text);
    return d->content.p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status read_line(import *im, toad_str line, size_t number) {
    toad_memory_entry *entry;
    toad_status status = toad_memory_parse_line(line, &entry);
    if (status == TOAD_E_NOT_FOUND) {
        im->other_lines += !read_heading(line, &im->category) && !toad__str_is_blank(line);
        return TOAD_OK;
    }
    if (!status) {
        status = keep_entry(im, entry, number);
        toad_memory_entry_free(entry);
    }
    return toad__host_failed(im->host, status);
}

static toad_status read_lines(import *im, toad_str text) {
    size_t lines = 1, number = 0;
    for (size_t at = 0; at < text.n; at++) lines += text.p[at] == '\n';
    im->drafts = toad__arena_alloc(im->arena, lines * sizeof *im->drafts);
    if (!im->drafts) return toad__host_fail(im->host, TOAD_E_LIMIT, "the file has too many lines");
    toad_status status = TOAD_OK;
    if (toad__str_starts(text, TOAD__S("\xef\xbb\xbf"))) text = toad__str_part(text, 3, text.n);
    for (size_t at = 0; at < text.n && !status;) {
        size_t end = toad__str_find(text, LINE_BREAK, at);
        status = read_line(im, toad__str_part(text, at, end), ++number);
        at = end + 1;
    }
    return status;
}

/* Category and content as one digest: entries that are the same. */
typedef struct same {
    char digest[65];
} same;

static int by_digest(const void *a, const void *b) { return memcmp(a, b, sizeof(same)); }

static void same_of(toad_str category, toad_str content, same *ret) {
    toad__sha256_hex((const toad_str[]){ category, toad__str("", 1), content }, 3, ret->digest);
}

static toad_status list_present(import *im, same **ret, size_t *ret_n) {
    toad__memory_wanted all = { .limit = 0 };
    toad__memory *rows;
    size_t n;
    toad_status status = toad__memory_collect(im->host, &all, im->arena, &rows, &n);
    same *present = status ? NULL : toad__arena_alloc(im->arena, (n ? n : 1) * sizeof *present);
    if (!status && !present)
        status = toad__host_fail(im->host, TOAD_E_LIMIT, "there are too many memories to compare with");
    for (size_t i = 0; i < n && !status; i++) same_of(rows[i].category, rows[i].content, &present[i]);
    if (status) return status;
    qsort(present, n, sizeof *present, by_digest);
    *ret = present;
    *ret_n = n;
    return TOAD_OK;
}

/* Leave out what is in the store, compared as it would be stored. Twice in one file is twice: it may be meant so. */
static toad_status drop_present(import *im) {
    same *present = NULL, one;
    size_t n = 0, kept = 0;
    toad_status status = list_present(im, &present, &n);
    for (size_t i = 0; i < im->n && !status; i++) {
        const toad__memory_draft *d = &im->drafts[i];
        toad__refusal refused;
        toad__buf clean;
        toad__buf_init(&clean, d->content.n * 3 + 64);
        status = toad__gate_write(im->host, d->content, &clean, NULL, &refused);
        if (!status && !refused.rule) same_of(d->category, toad__buf_str(&clean), &one);
        toad__buf_free(&clean);
        if (!status && !refused.rule && bsearch(&one, present, n, sizeof *present, by_digest))
            im->duplicates++;
        else if (!status)
            im->drafts[kept++] = *d;
    }
    im->n = kept;
    return status;
}

static bool left_some_out(const toad__answer *answer) {
    const toad__json *refused = toad__json_get(&answer->root, "refused");
    return refused && refused->child;
}

static toad_status import_text(toad__host *host, const char *path, toad_str text, const toad__memory_wanted *wanted,
                               bool all_or_nothing, toad__arena *arena, toad__answer *answer) {
    toad__buf name;
    char digest[65];
import im = {.host = host, .arena = arena, .wanted = wanted, .category = category_of_name(path) };
    toad__buf_init(&name, 65536);
    toad_status status = name_of(host, path, &name);
    if (!status) status = read_lines(&im, text);
    if (!status) status = drop_present(&im);
    if (!status) status = toad__memory_add_all(host, im.drafts, im.n, !all_or_nothing, answer);
    if (!status && !toad__answer_refused(answer)) {
        toad__sha256_of(text, digest);
        status = note(host, "imported", toad__buf_str(&name), digest, "", !im.other_lines && !left_some_out(answer));
        toad__answer_int(answer, "duplicates", (int64_t)im.duplicates);
        toad__answer_int(answer, "other_lines", (int64_t)im.other_lines);
    }
    toad__buf_free(&name);
    return status;
}

toad_status toad__memory_import(toad__host *host, const char *path, const toad__memory_wanted *wanted,
                                bool all_or_nothing, toad__answer *answer) {
    toad__buf text;
    toad__arena arena;
    toad_status status = only_user(host);
    if (status) return status;
    toad__buf_init(&text, TOAD__MEMORY_FILE_MAX);
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    int err = toad__memory_disk_read(path, &text);
    status = err ? file_failed(host, path, err)
                 : import_text(host, path, toad__buf_str(&text), wanted, all_or_nothing, &arena, answer);
    toad__arena_free(&arena);
    toad__buf_free(&text);
    return status;
}

/* ---- export ---- */

typedef struct sheet {
    toad__buf text;
    size_t entries, blocked;
} sheet;

static toad_status add_entry(toad__host *host, const toad__memory *row, sheet *page) {
    toad_text *line;
    char date[28];
    toad__time_text(row->created_at > 0 ? row->created_at : 0, date);
    toad_status status = toad_memory_line(row->content, toad__gate_provenance(row), toad__str(date, 10), &line);
    if (status)
        return toad__host_fail(host, status, "an entry cannot be written as a line: %s", toad_status_message(status));
    toad__buf_add_str(&page->text, toad_text_str(line));
    toad__buf_add_c(&page->text, '\n');
    toad_text_free(line);
    page->entries++;
    return TOAD_OK;
}

/* Pointers to the rows that may be shown. */
static toad_status good_rows(toad__host *host, const toad__memory *rows, size_t n, const toad__memory **ret,
                             sheet *page, size_t *ret_n) {
    toad_status status = TOAD_OK;
    *ret_n = 0;
    for (size_t i = 0; i < n && !status; i++) {
        toad__threats threats;
        status = toad__gate_row(host, &rows[i], &threats);
        if (!status && threats.n)
            page->blocked++;
        else if (!status)
            ret[(*ret_n)++] = &rows[i];
    }
    return status;
}

static int by_category(const void *a, const void *b) {
    const toad__memory *x = *(const toad__memory *const *)a, *y = *(const toad__memory *const *)b;
    size_t n = x->category.n < y->category.n ? x->category.n : y->category.n;
    int c = n ? memcmp(x->category.p, y->category.p, n) : 0;
    if (!c) c = x->category.n < y->category.n ? -1 : x->category.n > y->category.n;
    return c ? c : x < y ? -1 : x > y;
}

/* A section per category, in the order of their names; entries in the order of their making. */
static toad_status write_page(toad__host *host, const toad__memory *rows, size_t n, toad__arena *arena, sheet *page) {
    const toad__memory **order = toad__arena_alloc(arena, (n ? n : 1) * sizeof *order);
    if (!order) return toad__host_failed(host, TOAD_E_NOMEM);
    toad_status status = good_rows(host, rows, n, order, page, &n);
    if (!status) qsort(order, n, sizeof *order, by_category);
    for (size_t i = 0; i < n && !status; i++) {
        if (!i || !toad__str_eq(order[i]->category, order[i - 1]->category))
            add_heading(&page->text, order[i]->category);
        status = add_entry(host, order[i], page);
    }
    if (!n) add_heading(&page->text, TOAD__S(""));
    if (!status && page->text.status) status = toad__host_fail(host, page->text.status, "the file would be too long");
    return status;
}

static toad_status make_page(toad__host *host, const toad__memory_wanted *wanted, sheet *page) {
    toad__arena arena;
    toad__memory *rows;
    size_t n;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__memory_collect(host, wanted, &arena, &rows, &n);
    if (!status) status = write_page(host, rows, n, &arena, page);
    toad__arena_free(&arena);
    return status;
}

static void answer_export(const char *path, const sheet *page, const char *digest, bool written, toad__answer *answer) {
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "file", path);
    toad__answer_int(answer, "entries", (int64_t)page->entries);
    toad__answer_int(answer, "blocked", (int64_t)page->blocked);
    toad__answer_z(answer, "sha256", digest);
    toad__answer_bool(answer, "written", written);
}

/* May this file, which holds `now`, be replaced? NULL, or why not. */
static const char *objection(const known *k, const char *now) {
    bool ours = k->any && (!strcmp(k->after, now) || (*k->before && !strcmp(k->before, now)));
    if (!k->any)
        return " was not written by Toadstone: nothing was written. Import it first, or export to another file.";
    if (!ours)
        return " was changed since Toadstone last read or wrote it: nothing was written. Import it first, or export to "
               "another file.";
    return k->lossless
               ? NULL
               : " holds lines that are no entries and would be lost: nothing was written. Export to another file.";
}

static toad_status replace(toad__host *host, const char *path, const toad__memory_disk *disk, toad_str name,
                           const sheet *page, toad__answer *answer) {
    known k;
    toad__buf old;
    char before[65] = "", after[65];
    const char *why = NULL;
    toad__buf_init(&old, TOAD__MEMORY_FILE_MAX);
    int err = toad__memory_disk_now(disk, &old);
    bool exists = err != ENOENT;
    toad_status status = err && exists ? file_failed(host, path, err) : recall(host, name, &k);
    if (!status && exists) toad__sha256_of(toad__buf_str(&old), before);
    toad__sha256_of(toad__buf_str(&page->text), after);
    bool same_text = !status && exists && !strcmp(before, after);
    if (!status && old.n && !same_text) why = objection(&k, before);
    if (!status && !why) status = note(host, "exported", name, after, before, true);
    if (!status && !why && !same_text) {
        toad_str was = old.n ? toad__buf_str(&old) : TOAD__S("");
        err = toad__memory_disk_replace(disk, exists ? was : toad__str(NULL, 0), toad__buf_str(&page->text));
        if (err) status = file_failed(host, path, err);
    }
    if (!status && why)
        refuse(path, why, answer);
    else if (!status)
        answer_export(path, page, after, !same_text, answer);
    toad__buf_free(&old);
    return status;
}

static toad_status export_page(toad__host *host, const char *path, const sheet *page, toad__answer *answer) {
    toad__memory_disk disk;
    toad__buf name;
    toad__buf_init(&name, 65536);
    toad_status status = name_of(host, path, &name);
    if (!status) {
        int err = toad__memory_disk_open(path, &disk);
        if (err) {
            status = file_failed(host, path, err);
        } else {
            status = replace(host, path, &disk, toad__buf_str(&name), page, answer);
            toad__memory_disk_close(&disk);
        }
    }
    toad__buf_free(&name);
    return status;
}

toad_status toad__memory_export(toad__host *host, const char *path, const toad__memory_wanted *wanted,
                                toad__answer *answer) {
    sheet page = { .entries = 0 };
    toad_status status = only_user(host);
    if (status) return status;
    toad__buf_init(&page.text, TOAD__MEMORY_FILE_MAX);
    status = make_page(host, wanted, &page);
    if (!status) status = export_page(host, path, &page, answer);
    toad__buf_free(&page.text);
    return status;
}

toad_status toad__memory_export_text(toad__host *host, const toad__memory_wanted *wanted, toad__answer *answer) {
    sheet page = { .entries = 0 };
    toad_status status = only_user(host);
    if (status) return status;
    toad__buf_init(&page.text, TOAD__MEMORY_FILE_MAX);
    status = make_page(host, wanted, &page);
    if (!status) {
        toad__answer_str(answer, "text", toad__buf_str(&page.text));
        toad__answer_int(answer, "entries", (int64_t)page.entries);
        toad__answer_int(answer, "blocked", (int64_t)page.blocked);
    }
    toad__buf_free(&page.text);
    return status;
}
