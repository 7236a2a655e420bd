/* times.h - points in time, microseconds since 1970, as people and JSON have them. */
#ifndef TOAD_APP_TIMES_H
#define TOAD_APP_TIMES_H

#include <stdbool.h>
#include <stdint.h>

/* RFC 3339, UTC, microseconds. `out` has 28 bytes. */
void toad__time_text(int64_t micros, char out[28]);
/* Read RFC 3339, "YYYY-MM-DD", or a span back from `now`: 30m, 12h, 7d. False: none of these. */
bool toad__time_read(const char *text, int64_t now, int64_t *ret);
/* The last midnight before `now` by the clock of this machine. */
int64_t toad__time_midnight(int64_t now);

#endif
