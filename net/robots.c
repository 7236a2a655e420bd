/* robots.c - see robots.h. Two passes over the lines: is there a group for us by name? Then the rules of our groups, or
 * of those for '*'.
 *
 * A rule is a path with '*' for anything and '$' for the end. Its literal pieces are searched from left to right, each
 * at its first place, which is enough because a later place never helps a '*'. Both sides are compared as RFC
 * 9309 2.2.2 says: escapes of unreserved characters undone, the digits of others in one case. */
#include "net/robots.h"

#include "lib/base/cursor.h"
#include "lib/base/hex.h"

enum { PATTERN_MAX = 2048, BUDGET = 64 << 20 };

typedef struct reader {
    toad__cur in;
    toad_str key, value;
} reader;

/* The next line "key: value"; comments, blank and other lines are passed over. */
static bool next_line(reader *r) {
    while (!toad__cur_end(&r->in)) {
        size_t from = r->in.at;
        while (!toad__cur_end(&r->in) && toad__cur_peek(&r->in, 0) != '\n' && toad__cur_peek(&r->in, 0) != '\r')
            r->in.at++;
        toad_str line = toad__str_part(r->in.s, from, r->in.at);
        toad__cur_skip(&r->in, 1);
        line.n = toad__str_find(line, TOAD__S("#"), 0);
        size_t colon = toad__str_find(line, TOAD__S(":"), 0);
        if (colon == line.n) continue;
        r->key = toad__str_trim(toad__str_part(line, 0, colon));
        r->value = toad__str_trim(toad__str_part(line, colon + 1, line.n));
        return true;
    }
    return false;
}

static reader reader_of(toad_str robots) {
    robots = toad__str_part(robots, 0, TOAD__ROBOTS_MAX);
    if (toad__str_starts(robots, TOAD__S("\xef\xbb\xbf"))) robots = toad__str_part(robots, 3, robots.n);
    return (reader){ toad__cur_of(robots), { NULL, 0 }, { NULL, 0 } };
}

static bool is_agent(const reader *r) { return toad__str_ieq(r->key, TOAD__S("user-agent")); }

/* The product token at the start of a user-agent line. */
static bool names(toad_str value, toad_str token) {
    size_t n = 0;
    while (n < value.n && (toad__is_alpha((unsigned char)value.p[n]) || value.p[n] == '-' || value.p[n] == '_')) n++;
    return toad__str_ieq(toad__str_part(value, 0, n), token);
}

static bool is_named(toad_str robots, toad_str token) {
    reader r = reader_of(robots);
    while (next_line(&r))
        if (is_agent(&r) && names(r.value, token)) return true;
    return false;
}

/* ---- rules ---- */

/* One character as it is compared: 0..255, or 256 + byte for one that must stay escaped. */
static int take(toad__cur *c) {
    int b = toad__cur_next(c), escaped = toad__hex_pair(c->s, c->at);
    if (b >= 0x80) return 256 + b; /* the same as its escape */
    if (b != '%' || escaped < 0) return b;
    c->at += 2;
    b = escaped;
    return toad__is_alnum(b) || b == '-' || b == '.' || b == '_' || b == '~' ? b : 256 + b;
}

static size_t normalize(toad_str s, uint16_t *out, size_t max) {
    size_t n = 0;
    for (toad__cur c = toad__cur_of(s); n < max && !toad__cur_end(&c);) out[n++] = (uint16_t)take(&c);
    return n;
}

typedef struct target {
    const uint16_t *p;
    size_t n;
    size_t *budget;
} target;

/* Is `piece` at `at`? */
static bool is_at(const target *t, size_t at, const uint16_t *piece, size_t n) {
    if (n > t->n - at) return false;
    *t->budget -= *t->budget < n + 1 ? *t->budget : n + 1;
    return !memcmp(t->p + at, piece, n * sizeof *piece);
}

/* Does the pattern match the target from its start? */
static bool matches(const target *t, const uint16_t *pattern, size_t n) {
    bool anchored = n && pattern[n - 1] == '$', first = true;
    size_t at = 0, end;
    n -= anchored;
    for (size_t i = 0; i <= n && *t->budget; i = end + 1, first = false) {
        for (end = i; end < n && pattern[end] != '*';) end++;
        size_t piece = end - i;
        if (end == n && anchored && !first) return piece <= t->n - at && is_at(t, t->n - piece, pattern + i, piece);
        if (first && !is_at(t, 0, pattern, piece)) return false;
        while (!first && !is_at(t, at, pattern + i, piece))
            if (at++ >= t->n || !*t->budget) return false;
        at += piece;
        if (end == n) return !anchored || at == t->n;
    }
    return true;
}

bool toad__robots_allow(toad_str robots, toad_str token, toad_str path) {
    uint16_t pattern[PATTERN_MAX], subject[PATTERN_MAX * 2];
    bool named = is_named(robots, token), ours = false, in_agents = false, allowed = true;
    size_t longest = 0, budget = BUDGET;
    target t = { subject, normalize(path, subject, sizeof subject / sizeof *subject), &budget };
    reader r = reader_of(robots);
    if (toad__str_eq(path, TOAD__S("/robots.txt"))) return true;
    while (next_line(&r) && budget) {
        bool allow = toad__str_ieq(r.key, TOAD__S("allow")), rule = allow || toad__str_ieq(r.key, TOAD__S("disallow"));
        if (is_agent(&r)) {
            bool us = named ? names(r.value, token) : toad__str_starts(r.value, TOAD__S("*"));
            ours = us || (in_agents && ours);
            in_agents = true;
        }
        in_agents &= !rule;
        if (!rule || !ours || !r.value.n) continue;
        size_t n = normalize(r.value, pattern, PATTERN_MAX);
        if (n < longest || (n == longest && !allow) || !matches(&t, pattern, n)) continue;
        longest = n;
        allowed = allow;
    }
    return allowed && budget;
}
