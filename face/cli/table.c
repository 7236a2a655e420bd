/* table.c - columns as wide as their widest cell, in code points; on a terminal no wider together than that is. */
#include "face/cli/table.h"

#include "app/host/times.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <time.h>

enum { CELL_MOST = 60, CELL_LEAST = 8, COLUMNS_MOST = 16, DAY_MINUTES = 24 * 60 };

bool cli_add_time(toad__buf *b, toad_str s, const char *format) {
    struct tm local;
    char text[48], z[28];
    int64_t micros;
    if (s.n < 20 || s.n >= sizeof z || s.p[10] != 'T' || s.p[s.n - 1] != 'Z') return false;
    toad__str_copy_to(z, sizeof z, s);
    if (!toad__time_read(z, 0, &micros)) return false;
    time_t at = (time_t)(micros / 1000000), now = time(NULL);
    long long ago = (long long)now - at, minutes = ago / 60;
    if (!format && ago >= 0 && minutes < DAY_MINUTES)
        snprintf(text, sizeof text,
                 minutes >= 60 ? "%lld h ago"
                 : minutes     ? "%lld min ago"
                               : "just now",
                 minutes >= 60 ? minutes / 60 : minutes);
    else if (!localtime_r(&at, &local) || !strftime(text, sizeof text, format ? format : "%Y-%m-%d %H:%M", &local))
        return false;
    toad__buf_add_z(b, text);
    return true;
}

void cli_add_value(toad__buf *b, const toad__json *value) {
    if (!value || value->type == TOAD__JSON_NULL) {
        toad__buf_add_c(b, '-');
    } else if (value->type == TOAD__JSON_STRING) {
        size_t from = b->n;
        toad__json_add_utf8(b, value->text);
        if (b->status || b->n < from + 2) return;
        size_t to = from, end = b->n - 1; /* without its quotation marks, and without what escapes others */
        for (size_t i = from + 1; i < end; i++) {
            if (b->p[i] == '\\' && b->p[i + 1] == '"') i++;
            b->p[to++] = b->p[i];
            if (b->p[i] == '\\') b->p[to++] = b->p[++i];
        }
        b->n = to;
    } else if (value->type == TOAD__JSON_TRUE || value->type == TOAD__JSON_FALSE) {
        toad__buf_add_z(b, value->type == TOAD__JSON_TRUE ? "yes" : "no");
    } else if (value->type == TOAD__JSON_ARRAY) {
        for (const toad__json *item = value->child; item; item = item->next) {
            if (item != value->child) toad__buf_add_z(b, ", ");
            if (item->type == TOAD__JSON_STRING)
                cli_add_value(b, item);
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

static bool is_time(const char *key) {
    size_t n = strlen(key);
    return n > 3 && !strcmp(key + n - 3, "_at");
}

/* What is to be copied into another command is never cut. */
static bool is_whole(const char *key) {
    size_t n = strlen(key);
    return !strcmp(key, "id") || (n > 3 && !strcmp(key + n - 3, "_id")) || !strcmp(key, "digest") ||
           !strcmp(key, "binding");
}

/* A cell of at most `most` code points. */
static void cell(const toad__json *row, const cli_column *column, size_t most, bool people, toad__buf *scratch) {
    const toad__json *value = member(row, column->key);
    toad__buf_clear(scratch);
    if (people && value && value->type == TOAD__JSON_STRING && is_time(column->key) &&
        cli_add_time(scratch, value->text, NULL))
        return;
    cli_add_value(scratch, value);
    toad_str all = toad__buf_str(scratch);
    if (is_whole(column->key) || points(all) <= most) return;
    scratch->n = cut(all, most - 3);
    toad__buf_add_z(scratch, "...");
}

/* Take from the widest column that may be cut until all fit. */
static void fit(const cli_column *columns, size_t n, size_t room, size_t width[]) {
    for (;;) {
        size_t sum = 0, widest = n;
        for (size_t c = 0; c < n; c++) {
            sum += width[c] + (c + 1 < n ? 2 : 0);
            bool may = !is_whole(columns[c].key) && !is_time(columns[c].key) && width[c] > CELL_LEAST &&
                       width[c] > strlen(columns[c].title);
            if (may && (widest == n || width[c] > width[widest])) widest = c;
        }
        if (sum <= room || widest == n) return;
        width[widest]--;
    }
}

static void print_padded(toad_str s, size_t width, bool last) {
    cli_print(s);
    for (size_t n = points(s); !last && n < width + 2; n++) cli_print_z(" ");
    if (last) cli_print_z("\n");
}

void cli_table(const toad__json *rows, const cli_column *columns, size_t n, const char *none) {
    size_t width[COLUMNS_MOST], room = cli_width(), most = room ? CELL_MOST : SIZE_MAX;
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
            cell(row, &columns[c], most, room != 0, &scratch);
            if (points(toad__buf_str(&scratch)) > width[c]) width[c] = points(toad__buf_str(&scratch));
        }
    }
    if (room) fit(columns, n, room, width);
    for (size_t c = 0; c < n; c++) print_padded(toad__str_z(columns[c].title), width[c], c + 1 == n);
    for (const toad__json *row = rows->child; row; row = row->next) {
        for (size_t c = 0; c < n; c++) {
            cell(row, &columns[c], width[c] > CELL_LEAST ? width[c] : CELL_LEAST, room != 0, &scratch);
            print_padded(toad__buf_str(&scratch), width[c], c + 1 == n);
        }
    }
    toad__buf_free(&scratch);
}

void cli_record(const toad__json *object, const cli_column *columns, size_t n) {
    size_t width = 0;
    bool people = cli_width() != 0;
    toad__buf scratch;
    toad__buf_init(&scratch, CLI_WHOLE_MAX);
    for (size_t c = 0; c < n; c++)
        if (strlen(columns[c].title) > width) width = strlen(columns[c].title);
    for (size_t c = 0; c < n; c++) {
        const toad__json *value = member(object, columns[c].key);
        if (!value || value->type == TOAD__JSON_NULL) continue;
        toad__buf_clear(&scratch);
        bool time = people && value->type == TOAD__JSON_STRING && is_time(columns[c].key);
        if (!time || !cli_add_time(&scratch, value->text, NULL)) cli_add_value(&scratch, value);
        print_padded(toad__str_z(columns[c].title), width, false);
        print_padded(toad__buf_str(&scratch), 0, true);
    }
    toad__buf_free(&scratch);
}
