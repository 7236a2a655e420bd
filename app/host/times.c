/* times.c - see times.h. */
#include "app/host/times.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND INT64_C(1000000)

void toad__time_text(int64_t micros, char out[28]) {
    int64_t seconds = micros / SECOND, rest = micros % SECOND;
    if (rest < 0) {
        rest += SECOND;
        seconds--;
    }
    time_t t = (time_t)seconds;
    struct tm tm = { .tm_year = 70 };
    gmtime_r(&t, &tm);
    size_t n = strftime(out, 20, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, 28 - n, ".%06dZ", (int)rest);
}

/* Days from 1970-01-01 to a date of the Gregorian calendar (Howard Hinnant, "chrono-Compatible Low-Level Date
 * Algorithms"). */
static int64_t days_of(int year, int month, int day) {
    int64_t y = month <= 2 ? year - 1 : year, era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool read_span(const char *text, int64_t now, int64_t *ret) {
    char *end;
    long n = strtol(text, &end, 10);
    int64_t unit = *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 0;
    if (end == text || !unit || end[1] || n < 0 || n > 1000000) return false;
    *ret = now - n * unit * SECOND;
    return true;
}

bool toad__time_read(const char *text, int64_t now, int64_t *ret) {
    int y, mo, d, h = 0, mi = 0, n = 0;
    double s = 0;
    if (sscanf(text, "%4d-%2d-%2d%n", &y, &mo, &d, &n) != 3) return read_span(text, now, ret);
    if (text[n] == 'T' || text[n] == ' ') {
        int more = 0;
        if (sscanf(text + n + 1, "%2d:%2d:%9lf%n", &h, &mi, &s, &more) != 3) return false;
        n += 1 + more;
        if (text[n] == 'Z') n++;
    }
    if (text[n] || mo < 1 || mo > 12 || d < 1 || d > 31 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s >= 61)
        return false;
    *ret = (days_of(y, mo, d) * 86400 + h * 3600 + mi * 60) * SECOND + (int64_t)(s * 1e6);
    return true;
}

int64_t toad__time_midnight(int64_t now) {
    time_t t = (time_t)(now / SECOND);
    struct tm tm;
    if (!localtime_r(&t, &tm)) return now - now % (86400 * SECOND);
    tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm) * SECOND;
}
