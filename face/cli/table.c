/* table.c - columns as wide as their widest cell, in code points. */
#include "face/cli/table.h"

#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>

enum { CELL_MOST = 60, COLUMNS_MOST = 16 };

/* A value as a person reads it, on one line. */
static void add_cell(toad__buf *b, const toad__json *value) {
    if (!value || value->type == TOAD__JSON_NULL) {
        toad__buf_add_c(b, '-');
    } else if (value->type == TOAD__JSON_STRING) {
        size_t from = b->n;
        toad__json_add_utf8(b, value->text);
        if (b->status || b->n < from + 2) return;
        memmove(b->p + from, b->p + from + 1, b->n - from - 2); /* without its quotation marks */
        b->n -= 2;
    } else if (value->type == TOAD__JSON_TRUE || value->type == TOAD__JSON_FALSE) {
        toad__buf_add_z(b, value->type == TOAD__JSON_TRUE ? "yes" : "no");
    } else if (value->type == TOAD__JSON_ARRAY) {
        for (const toad__json *item = value->child; item; item = item->next) {
            if (item != value->child) toad__buf_add_z(b, ", ");
            if (item->type == TOAD__JSON_STRING)
                add_cell(b, item);
            else
                toad__buf_add(b, item->raw.p, item->raw.n);
        }
    } else {
        toad__buf_add(b, value->raw.p, value->raw.n);
    }
}

static size_t points(toad_str s) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

/* Bytes of the first `most` code points. */
static size_t cut(toad_str s, size_t most) {
    size_t i = 0;
    for (; i < s.n; i++)
        if (((unsigned char)s.p[i] & 0xc0) != 0x80 && !most--) break;
    return i;
}

/* The member that a key names; "a.b" is the member b of the member a. */
static const toad__json *member(const toad__json *row, const char *key) {
    char first[32];
    size_t n = strcspn(key, ".");
    if (!key[n] || n >= sizeof first) return toad__json_get(row, key);
    memcpy(first, key, n);
    first[n] = 0;
    return toad__json_get(toad__json_get(row, first), key + n + 1);
}

static void cell(const toad__json *row, const cli_column *column, toad__buf *scratch) {
    toad__buf_clear(scratch);
    add_cell(scratch, member(row, column->key));
    toad_str all = toad__buf_str(scratch);
    if (points(all) <= CELL_MOST) return;
    scratch->n = cut(all, CELL_MOST - 3);
    toad__buf_add_z(scratch, "...");
}

static void print_padded(toad_str s, size_t width, bool last) {
    cli_print(s);
    for (size_t n = points(s); !last && n < width + 2; n++) cli_print_z(" ");
    if (last) cli_print_z("\n");
}

void cli_table(const toad__json *rows, const cli_column *columns, size_t n, const char *none) {
    size_t width[COLUMNS_MOST];
    toad__buf scratch;
    if (!rows || !rows->child) {
        cli_print_z(none);
        cli_print_z("\n");
        return;
    }
    toad__buf_init(&scratch, CLI_WHOLE_MAX);
    if (n > COLUMNS_MOST) n = COLUMNS_MOST;
    for (size_t c = 0; c < n; c++) {
        width[c] = strlen(columns[c].title);
        for (const toad__json *row = rows->child; row; row = row->next) {
            cell(row, &columns[c], &scratch);
            if (points(toad__buf_str(&scratch)) > width[c]) width[c] = points(toad__buf_str(&scratch));
        }
    }
    for (size_t c = 0; c < n; c++) print_padded(toad__str_z(columns[c].title), width[c], c + 1 == n);
    for (const toad__json *row = rows->child; row; row = row->next) {
        for (size_t c = 0; c < n; c++) {
            cell(row, &columns[c], &scratch);
            print_padded(toad__buf_str(&scratch), width[c], c + 1 == n);
        }
    }
    toad__buf_free(&scratch);
}

void cli_record(const toad__json *object, const cli_column *columns, size_t n) {
    size_t width = 0;
    toad__buf scratch;
    toad__buf_init(&scratch, CLI_WHOLE_MAX);
    for (size_t c = 0; c < n; c++)
        if (strlen(columns[c].title) > width) width = strlen(columns[c].title);
    for (size_t c = 0; c < n; c++) {
        const toad__json *value = member(object, columns[c].key);
        if (!value || value->type == TOAD__JSON_NULL) continue;
        toad__buf_clear(&scratch);
        add_cell(&scratch, value);
        print_padded(toad__str_z(columns[c].title), width, false);
        print_padded(toad__buf_str(&scratch), 0, true);
    }
    toad__buf_free(&scratch);
}
