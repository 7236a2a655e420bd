/* table.h - answers of operations (JSON) as tables and records for people. What strangers wrote is escaped, never
 * interpreted. */
#ifndef TOAD_FACE_CLI_TABLE_H
#define TOAD_FACE_CLI_TABLE_H

#include "lib/base/json.h"

typedef struct cli_column {
    const char *key, *title; /* member of the JSON object, or "a.b" for one of its member a; heading */
} cli_column;

/* One line an object of `rows` (a JSON array), a heading above; `none` is printed where there is no row. Long cells are
 * cut with an ellipsis, but never what is to be copied: ids, digests and bindings. On a terminal the widest are cut
 * more until the table fits, and times are local, to the minute. */
void cli_table(const toad__json *rows, const cli_column *columns, size_t n, const char *none);
/* `title  value` lines of one object, uncut; null and absent members are left out. */
void cli_record(const toad__json *object, const cli_column *columns, size_t n);

#endif
