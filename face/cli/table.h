/* table.h - answers of operations (JSON) as tables and records for people. What strangers wrote is escaped, never
 * interpreted. */
#ifndef TOAD_FACE_CLI_TABLE_H
#define TOAD_FACE_CLI_TABLE_H

#include "lib/base/json.h"

typedef struct cli_column {
    const char *key, *title; /* member of the JSON object, or "a.b" for one of its member a; heading */
} cli_column;

/* One line an object of `rows` (a JSON array), a heading above; `none` is printed where there is no row. On a
 * terminal the widest cells are cut until the table fits, but never what is to be copied (ids, digests, bindings), and
 * times are local and rounded. Elsewhere all is whole. */
void cli_table(const toad__json *rows, const cli_column *columns, size_t n, const char *none);
/* `title  value` lines of one object, uncut; null and absent members are left out. */
void cli_record(const toad__json *object, const cli_column *columns, size_t n);

/* A value as a person reads it, on one line, what strangers wrote escaped. */
void cli_add_value(toad__buf *b, const toad__json *value);
/* A time of ours (RFC 3339, UTC) by the reader's clock, as strftime writes it; `format` NULL: "3 min ago" of the last
 * day, else to the minute. False: it is none. */
bool cli_add_time(toad__buf *b, toad_str s, const char *format);

#endif
