/* ignore.c - the gitignore matcher.
 *
 * A pattern is matched name by name, and inside a name byte by byte. Both levels have one kind of wildcard that spans
 * (`**` over names, `*` over bytes), and both remember only the last one seen: if a later part does not fit, growing an
 * earlier wildcard could not help. So there is no exponential pattern: an ignore file in a hostile tree is hostile
 * input.
 *
 * Invariant: patterns are kept in the order of the file and asked from the last to the first. */
#include "app/repository/ignore.h"
#include "lib/base/str.h"

#include <stdlib.h>

typedef struct pattern {
    toad_str glob; /* into set->lines; without '!', outer slashes and trailing blanks */
    bool negated, dir_only, anchored;
} pattern;

struct toad__ignore {
    char *lines;
    pattern *patterns;
    size_t n;
};

static toad_str trim_line(toad_str line) {
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    while (line.n && line.p[line.n - 1] == ' ' && !(line.n > 1 && line.p[line.n - 2] == '\\')) line.n--;
    return line;
}

/* False for a blank line, a comment or a line that names nothing. */
static bool read_pattern(toad_str line, pattern *ret) {
    pattern out = { .glob = trim_line(line) };
    toad_str *g = &out.glob;
    if (!g->n || g->p[0] == '#') return false;
    if (g->p[0] == '!') {
        out.negated = true;
        *g = toad__str_part(*g, 1, g->n);
    }
    if (g->n && g->p[g->n - 1] == '/') {
        out.dir_only = true;
        g->n--;
    }
    out.anchored = g->n && memchr(g->p, '/', g->n);
    if (g->n && g->p[0] == '/') *g = toad__str_part(*g, 1, g->n);
    *ret = out;
    return g->n > 0;
}

static size_t count_lines(toad_str s) {
    size_t n = 1;
    for (size_t i = 0; i < s.n; i++) n += s.p[i] == '\n';
    return n;
}

toad_status toad__ignore_new(toad_str lines, toad__ignore **ret) {
    toad__ignore *set = calloc(1, sizeof *set);
    if (!set) return TOAD_E_NOMEM;
    set->lines = malloc(lines.n + 1);
    set->patterns = calloc(count_lines(lines), sizeof *set->patterns);
    if (!set->lines || !set->patterns) {
        toad__ignore_free(set);
        return TOAD_E_NOMEM;
    }
    if (lines.n) memcpy(set->lines, lines.p, lines.n);
    lines.p = set->lines;
    if (toad__str_starts(lines, TOAD__S("\xef\xbb\xbf"))) lines = toad__str_part(lines, 3, lines.n);
    for (size_t at = 0, end; at < lines.n; at = end + 1) {
        end = toad__str_find(lines, TOAD__S("\n"), at);
        set->n += read_pattern(toad__str_part(lines, at, end), &set->patterns[set->n]);
    }
    *ret = set;
    return TOAD_OK;
}

void toad__ignore_free(toad__ignore *set) {
    if (!set) return;
    free(set->lines);
    free(set->patterns);
    free(set);
}

/* A bracket expression standing at g.p[at] == '['. Returns its length, 0 if it has no end (then '[' is a plain byte).
 */
static size_t match_class(toad_str g, size_t at, unsigned char c, bool *ret_hit) {
    size_t i = at + 1;
    bool negated = i < g.n && (g.p[i] == '!' || g.p[i] == '^'), hit = false;
    i += negated;
    for (size_t first = i; i < g.n && (g.p[i] != ']' || i == first);) {
        if (g.p[i] == '\\' && i + 1 < g.n) i++;
        unsigned char low = (unsigned char)g.p[i++], high = low;
        if (i + 1 < g.n && g.p[i] == '-' && g.p[i + 1] != ']') {
            i++;
            if (g.p[i] == '\\' && i + 1 < g.n) i++;
            high = (unsigned char)g.p[i++];
        }
        hit |= c >= low && c <= high;
    }
    if (i >= g.n) return 0;
    *ret_hit = hit != negated;
    return i + 1 - at;
}

/* Match one byte of a name against the unit of the glob at `at`; returns the unit's length, or 0. */
static size_t match_unit(toad_str g, size_t at, unsigned char c) {
    bool hit = false;
    if (g.p[at] == '?') return 1;
    if (g.p[at] == '\\' && at + 1 < g.n) return (unsigned char)g.p[at + 1] == c ? 2 : 0;
    size_t len = g.p[at] == '[' ? match_class(g, at, c, &hit) : 0;
    if (len) return hit ? len : 0;
    return (unsigned char)g.p[at] == c;
}

static bool match_name(toad_str g, toad_str name) {
    size_t at = 0, i = 0, star = SIZE_MAX, from = 0;
    while (i < name.n) {
        size_t len = 0;
        if (at < g.n && g.p[at] == '*') {
            star = at++;
            from = i;
            continue;
        }
        if (at < g.n) len = match_unit(g, at, (unsigned char)name.p[i]);
        if (len) {
            at += len;
            i++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            i = ++from;
        } else {
            return false;
        }
    }
    while (at < g.n && g.p[at] == '*') at++;
    return at == g.n;
}

/* The name that begins at `at`. */
static toad_str name_at(toad_str path, size_t at) {
    return toad__str_part(path, at, toad__str_find(path, TOAD__S("/"), at));
}

static bool match_path(toad_str g, toad_str path) {
    size_t at = 0, i = 0, star = SIZE_MAX, from = 0; /* at and i stand at the start of a name, or past the end */
    while (i < path.n) {
        toad_str want = at < g.n ? name_at(g, at) : TOAD__S(""), name = name_at(path, i);
        if (at < g.n && toad__str_eq(want, TOAD__S("**"))) {
            if (at + want.n >= g.n) return true; /* a trailing one takes all that is inside */
            star = at += want.n + 1;
            from = i;
        } else if (at < g.n && match_name(want, name)) {
            at += want.n + 1;
            i += name.n + 1;
        } else if (star != SIZE_MAX) {
            at = star;
            i = from += name_at(path, from).n + 1;
        } else {
            return false;
        }
        if (i > path.n && at > g.n) return true;
    }
    return false;
}

static bool match_pattern(const pattern *p, toad_str path) {
    if (p->anchored) return match_path(p->glob, path);
    size_t at = path.n;
    while (at && path.p[at - 1] != '/') at--;
    return match_name(p->glob, toad__str_part(path, at, path.n));
}

toad__ignore_answer toad__ignore_ask(const toad__ignore *set, toad_str path, bool is_dir) {
    for (size_t i = set->n; i-- > 0;) {
        const pattern *p = &set->patterns[i];
        if ((p->dir_only && !is_dir) || !match_pattern(p, path)) continue;
        return p->negated ? TOAD__IGNORE_TAKE_BACK : TOAD__IGNORE_LEAVE_OUT;
    }
    return TOAD__IGNORE_SILENT;
}
