/* table.c - columns as wide as their widest cell, in code points. */
#include "face/cli/table.h"

#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>

enum { CELL_MOST = 60, COLUMNS_MOST = 16 };

/* A value as a person reads it, on one line. */
static void add_cell(bzr__buf *b, const bzr__json *value) {
    if (!value || value->type == BZR__JSON_NULL) {
        bzr__buf_add_c(b, '-');
    } else if (value->type == BZR__JSON_STRING) {
        size_t from = b->n;
        bzr__json_add_utf8(b, value->text);
        if (b->status || b->n < from + 2) return;
        memmove(b->p + from, b->p + from + 1, b->n - from - 2); /* without its quotation marks */
        b->n -= 2;
    } else if (value->type == BZR__JSON_TRUE || value->type == BZR__JSON_FALSE) {
        bzr__buf_add_z(b, value->type == BZR__JSON_TRUE ? "yes" : "no");
    } else if (value->type == BZR__JSON_ARRAY) {
        for (const bzr__json *item = value->child; item; item = item->next) {
            if (item != value->child) bzr__buf_add_z(b, ", ");
            if (item->type == BZR__JSON_STRING) add_cell(b, item);
            else bzr__buf_add(b, item->raw.p, item->raw.n);
        }
    } else {
        bzr__buf_add(b, value->raw.p, value->raw.n);
    }
}

static size_t points(bzr_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

/* Bytes of the first `most` code points. */
static size_t cut(bzr_str s, size_t most) {
    size_t i = 0;
    for (; i < s.n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80 && !most--) break;
    return i;
}

/* The member that a key names; "a.b" is the member b of the member a. */
static const bzr__json *member(const bzr__json *row, const char *key) {
    char first[32];
    size_t n = strcspn(key, ".");
    if (!key[n] || n >= sizeof first) return bzr__json_get(row, key);
    memcpy(first, key, n);
    first[n] = 0;
    return bzr__json_get(bzr__json_get(row, first), key + n + 1);
}

static void cell(const bzr__json *row, const cli_column *column, bzr__buf *scratch) {
    bzr__buf_clear(scratch);
    add_cell(scratch, member(row, column->key));
    bzr_str all = bzr__buf_str(scratch);
    if (points(all) <= CELL_MOST) return;
    scratch->n = cut(all, CELL_MOST - 3);
    bzr__buf_add_z(scratch, "...");
}

static void print_padded(bzr_str s, size_t width, bool last) {
    cli_print(s);
    for (size_t n = points(s); !last && n < width + 2; n++) cli_print_z(" ");
    if (last) cli_print_z("\n");
}

void cli_table(const bzr__json *rows, const cli_column *columns, size_t n, const char *none) {
    size_t width[COLUMNS_MOST];
    bzr__buf scratch;
    if (!rows || !rows->child) {
        cli_print_z(none);
        cli_print_z("\n");
        return;
    }
    bzr__buf_init(&scratch, CLI_WHOLE_MAX);
    if (n > COLUMNS_MOST) n = COLUMNS_MOST;
    for (size_t c = 0; c < n; c++) {
        width[c] = strlen(columns[c].title);
        for (const bzr__json *row = rows->child; row; row = row->next) {
            cell(row, &columns[c], &scratch);
            if (points(bzr__buf_str(&scratch)) > width[c]) width[c] = points(bzr__buf_str(&scratch));
        }
    }
    for (size_t c = 0; c < n; c++) print_padded(bzr__str_z(columns[c].title), width[c], c + 1 == n);
    for (const bzr__json *row = rows->child; row; row = row->next) {
        for (size_t c = 0; c < n; c++) {
            cell(row, &columns[c], &scratch);
            print_padded(bzr__buf_str(&scratch), width[c], c + 1 == n);
        }
    }
    bzr__buf_free(&scratch);
}

void cli_record(const bzr__json *object, const cli_column *columns, size_t n) {
    size_t width = 0;
    bzr__buf scratch;
    bzr__buf_init(&scratch, CLI_WHOLE_MAX);
    for (size_t c = 0; c < n; c++)
        if (strlen(columns[c].title) > width) width = strlen(columns[c].title);
    for (size_t c = 0; c < n; c++) {
        const bzr__json *value = member(object, columns[c].key);
        if (!value || value->type == BZR__JSON_NULL) continue;
        bzr__buf_clear(&scratch);
        add_cell(&scratch, value);
        print_padded(bzr__str_z(columns[c].title), width, false);
        print_padded(bzr__buf_str(&scratch), 0, true);
    }
    bzr__buf_free(&scratch);
}
