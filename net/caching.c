/* caching.c - see caching.h. Each field is read once from left to right. */
#include "net/caching.h"

#include "lib/base/cursor.h"

/* ---- small parts ---- */

static void skip_blanks(toad__cur *c) {
    while (toad__is_blank(toad__cur_peek(c, 0))) toad__cur_skip(c, 1);
}

static bool is_token(int c) { return c > ' ' && c < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", c); }

/* Digits and nothing else; more than TOAD__FRESH_MAX is TOAD__FRESH_MAX. */
static bool read_seconds(toad_str s, int64_t *ret) {
    int64_t v = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (!toad__is_digit((unsigned char)s.p[i])) return false;
        v = v * 10 + (s.p[i] - '0');
        if (v > TOAD__FRESH_MAX) v = TOAD__FRESH_MAX;
    }
    *ret = v;
    return s.n > 0;
}

/* ---- dates ---- */

/* Days from 1970-01-01 (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
static int64_t days_of(int64_t y, int month, int day) {
    y -= month <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static int month_of(toad_str name) {
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    for (int i = 0; i < 12 && name.n == 3; i++)
        if (!memcmp(name.p, months + 3 * i, 3)) return i + 1;
    return 0;
}

typedef struct date {
    int year, month, day, hour, minute, second;
} date;

static bool number(toad__cur *c, size_t digits, int *ret) {
    int64_t v = 0;
    toad_str s = toad__str_part(c->s, c->at, c->at + digits);
    if (s.n < digits || !read_seconds(s, &v)) return false;
    toad__cur_skip(c, digits);
    *ret = (int)v;
    return true;
}

static bool one(toad__cur *c, char wanted) {
    bool is = toad__cur_peek(c, 0) == (unsigned char)wanted;
    toad__cur_skip(c, is);
    return is;
}

static bool month(toad__cur *c, date *d) {
    d->month = month_of(toad__str_part(c->s, c->at, c->at + 3));
    toad__cur_skip(c, 3);
    return d->month > 0;
}

static bool clock_time(toad__cur *c, date *d) {
    return number(c, 2, &d->hour) && one(c, ':') && number(c, 2, &d->minute) && one(c, ':') && number(c, 2, &d->second);
}

static bool gmt(toad__cur *c) {
    return one(c, ' ') && toad__str_eq(toad__str_part(c->s, c->at, c->s.n), TOAD__S("GMT"));
}

/* "06 Nov 1994 08:49:37 GMT" */
static bool fixdate(toad__cur *c, date *d) {
    return number(c, 2, &d->day) && one(c, ' ') && month(c, d) && one(c, ' ') && number(c, 4, &d->year) &&
           one(c, ' ') && clock_time(c, d) && gmt(c);
}

/* "06-Nov-94 08:49:37 GMT". Two digits of a year stand for the one within fifty years that has come, seen from when
 * this was written; nobody has sent this form for longer than that. */
static bool rfc850(toad__cur *c, date *d) {
    bool ok = number(c, 2, &d->day) && one(c, '-') && month(c, d) && one(c, '-') && number(c, 2, &d->year) &&
              one(c, ' ') && clock_time(c, d) && gmt(c);
    d->year += d->year < 76 ? 2000 : 1900;
    return ok;
}

/* "Nov  6 08:49:37 1994" */
static bool asctime_date(toad__cur *c, date *d) {
    if (!month(c, d) || !one(c, ' ')) return false;
    size_t digits = one(c, ' ') ? 1 : 2;
    return number(c, digits, &d->day) && one(c, ' ') && clock_time(c, d) && one(c, ' ') && number(c, 4, &d->year) &&
           toad__cur_end(c);
}

static int last_day(const date *d) {
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = d->year % 4 == 0 && (d->year % 100 != 0 || d->year % 400 == 0);
    return days[d->month - 1] + (d->month == 2 && leap);
}

bool toad__http_date(toad_str s, int64_t *ret) {
    toad__cur c = toad__cur_of(toad__str_trim_blanks(s));
    date d = { 0 };
    size_t letters = 0;
    while (toad__is_alpha(toad__cur_peek(&c, letters)) && letters < 10) letters++;
    toad__cur_skip(&c, letters);
    bool comma = one(&c, ',');
    if (letters < 3 || !one(&c, ' ')) return false;
    bool ok = !comma ? asctime_date(&c, &d) : letters == 3 ? fixdate(&c, &d) : rfc850(&c, &d);
    if (!ok || d.day < 1 || d.day > last_day(&d) || d.hour > 23 || d.minute > 59 || d.second > 60) return false;
    *ret = days_of(d.year, d.month, d.day) * 86400 + d.hour * 3600 + d.minute * 60 + d.second;
    return true;
}

bool toad__retry_after(toad_str s, int64_t now_s, int64_t *ret) {
    int64_t at;
    if (read_seconds(toad__str_trim_blanks(s), ret)) return true;
    if (!toad__http_date(s, &at)) return false;
    *ret = at > now_s ? at - now_s : 0;
    return true;
}

/* ---- Cache-Control ---- */

typedef struct control {
    bool no_store, no_cache, has_age;
    int64_t max_age;
} control;

/* The argument after '=': a token, or what stands between quotes. */
static toad_str argument(toad__cur *c) {
    if (!one(c, '=')) return toad__str(NULL, 0);
    bool quoted = one(c, '"');
    size_t from = c->at;
    while (!toad__cur_end(c) && (quoted ? toad__cur_peek(c, 0) != '"' : is_token(toad__cur_peek(c, 0))))
        toad__cur_skip(c, quoted && toad__cur_peek(c, 0) == '\\' ? 2 : 1);
    toad_str value = toad__str_part(c->s, from, c->at);
    if (quoted) toad__cur_skip(c, 1);
    return value;
}

static void take_directive(control *r, toad_str name, toad_str value) {
    int64_t age;
    r->no_store |= toad__str_ieq(name, TOAD__S("no-store"));
    r->no_cache |= toad__str_ieq(name, TOAD__S("no-cache"));
    if (!toad__str_ieq(name, TOAD__S("max-age"))) return;
    if (!read_seconds(value, &age)) age = 0;
    r->max_age = r->has_age && r->max_age < age ? r->max_age : age;
    r->has_age = true;
}

static control read_control(toad_str field) {
    control r = { 0 };
    toad__cur c = toad__cur_of(field);
    while (!toad__cur_end(&c)) {
        skip_blanks(&c);
        size_t from = c.at;
        while (is_token(toad__cur_peek(&c, 0))) toad__cur_skip(&c, 1);
        toad_str name = toad__str_part(c.s, from, c.at);
        take_directive(&r, name, argument(&c));
        while (!toad__cur_end(&c) && toad__cur_peek(&c, 0) != ',') toad__cur_skip(&c, 1);
        toad__cur_skip(&c, 1);
    }
    return r;
}

/* ---- the whole ---- */

static bool is_etag(toad_str s) {
    if (toad__str_starts(s, TOAD__S("W/"))) s = toad__str_part(s, 2, s.n);
    if (s.n < 2 || s.p[0] != '"' || s.p[s.n - 1] != '"') return false;
    for (size_t i = 1; i + 1 < s.n; i++)
        if ((unsigned char)s.p[i] <= ' ' || (unsigned char)s.p[i] >= 0x7f || s.p[i] == '"') return false;
    return true;
}

static bool is_date(toad_str s) {
    int64_t at;
    return toad__http_date(s, &at);
}

static void keep(toad_str s, char *to, size_t room, bool (*is_valid)(toad_str)) {
    s = toad__str_trim_blanks(s);
    if (s.n >= room || !is_valid(s)) return;
    memcpy(to, s.p, s.n);
    to[s.n] = 0;
}

/* Seconds that the server gives it, from when it sent it; -1: it does not say. */
static int64_t lifetime(const control *r, const toad__caching_fields *f, int64_t now_s) {
    int64_t ends, sent;
    if (r->no_cache) return 0;
    if (r->has_age) return r->max_age;
    if (!f->expires.n) return -1;
    if (!toad__http_date(f->date, &sent)) sent = now_s;
    if (!toad__http_date(f->expires, &ends) || ends <= sent) return 0;
    return ends - sent < TOAD__FRESH_MAX ? ends - sent : TOAD__FRESH_MAX;
}

toad__caching toad__caching_of(const toad__caching_fields *f, int64_t now_s) {
    control r = read_control(f->cache_control);
    toad__caching c = { .fresh_s = lifetime(&r, f, now_s) };
    int64_t age = 0;
    c.no_store = r.no_store || (f->vary.n && memchr(f->vary.p, '*', f->vary.n));
    if (f->age.n && !read_seconds(toad__str_trim_blanks(f->age), &age)) age = TOAD__FRESH_MAX;
    if (c.fresh_s > 0) c.fresh_s = age < c.fresh_s ? c.fresh_s - age : 0;
    keep(f->etag, c.etag, sizeof c.etag, is_etag);
    keep(f->modified, c.modified, sizeof c.modified, is_date);
    return c;
}

static bool is_kept(const char *text, size_t room, bool (*is_valid)(toad_str)) {
    return memchr(text, 0, room) && (!*text || is_valid(toad__str_z(text)));
}

bool toad__caching_is_valid(const toad__caching *c) {
    return c->fresh_s >= -1 && c->fresh_s <= TOAD__FRESH_MAX && is_kept(c->etag, sizeof c->etag, is_etag) &&
           is_kept(c->modified, sizeof c->modified, is_date);
}
