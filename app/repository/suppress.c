/* suppress.c - the record of suppressions, strict: a file with one mistake suppresses nothing.
 *
 *     suppressions:
 *       - rule: ignore_previous_instructions
 *         path: docs/examples.md            # as in .gitignore, from the root of the tree; or fingerprint: <32 hex>:N
 *         reason: quotes the attack that it explains
 *         by: ana@example.org
 *         date: 2026-11-21
 *         expires: 2027-05-21              # optional; the first day on which it no longer holds
 *         tree: /home/ana/src/guide        # optional; required in the standing file */
#include "app/repository/suppress.h"
#include "app/repository/ignore.h"
#include "lib/base/arena.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

enum { ENTRIES_MAX = 10000 };

struct toad__suppressions {
    toad__arena arena;
    toad__suppression *rows;
    size_t n, cap;
};

typedef struct reader {
    yaml_parser_t yaml;
    yaml_event_t event;
    bool have, standing;
    const char *today;
    toad__suppressions *s;
    char *message;
    size_t message_n;
    toad_status status;
} reader;

static bool fail(reader *r, size_t line, const char *what) {
    if (!r->status) snprintf(r->message, r->message_n, "line %zu: %s", line, what);
    if (!r->status) r->status = TOAD_E_SYNTAX;
    return false;
}

static size_t line_of(const reader *r) { return r->event.start_mark.line + 1; }

/* The next event, of `type`, without anchor or tag. */
static bool next(reader *r) {
    if (r->have) yaml_event_delete(&r->event);
    r->have = yaml_parser_parse(&r->yaml, &r->event) != 0;
    if (r->have) return true;
    if (r->yaml.error == YAML_MEMORY_ERROR) r->status = TOAD_E_NOMEM;
    return fail(r, r->yaml.problem_mark.line + 1, "not valid YAML");
}

static bool expect(reader *r, yaml_event_type_t type, const char *what) {
    if (!next(r)) return false;
    return r->event.type == type || fail(r, line_of(r), what);
}

static const char *text(reader *r) {
    const yaml_event_t *e = &r->event;
    toad_str s = toad__str(e->data.scalar.value, e->data.scalar.length);
    if (e->data.scalar.anchor || e->data.scalar.tag || !s.n || memchr(s.p, 0, s.n)) {
        fail(r, line_of(r), "a plain, non-empty text is expected");
        return NULL;
    }
    toad_str copy = toad__arena_dup(&r->s->arena, s);
    if (!copy.p) r->status = TOAD_E_NOMEM;
    return copy.p;
}

static bool is_date(const char *z) {
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    while (form[i] && (form[i] == 'd' ? toad__is_digit((unsigned char)z[i]) : z[i] == '-')) i++;
    if (form[i] || z[i]) return false;
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int year = atoi(z), month = atoi(z + 5), day = atoi(z + 8);
    bool leap = month == 2 && !(year % 4) && (year % 100 || !(year % 400));
    return month >= 1 && month <= 12 && day >= 1 && day <= days[month - 1] + leap;
}

static bool is_fingerprint(const char *z) {
    size_t i = 0;
    while (toad__hex_value((unsigned char)z[i]) >= 0) i++;
    size_t digits = strspn(z + i + (z[i] == ':'), "0123456789");
    return i == 32 && (!z[i] || (z[i] == ':' && digits && !z[i + 1 + digits]));
}

static const char **slot_of(toad__suppression *e, toad_str key) {
    const struct {
        const char *name;
        const char **slot;
    } slots[] = { { "rule", &e->rule },       { "path", &e->path }, { "fingerprint", &e->fingerprint },
                  { "reason", &e->reason },   { "by", &e->by },     { "date", &e->date },
                  { "expires", &e->expires }, { "tree", &e->tree } };
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (toad__str_eq(key, toad__str_z(slots[i].name))) return slots[i].slot;
    return NULL;
}

static bool check_entry(reader *r, toad__suppression *e) {
    if (!e->rule || !e->reason || !e->by || !e->date)
        return fail(r, e->line, "an entry needs rule, reason, by and date");
    if (!e->path == !e->fingerprint) return fail(r, e->line, "an entry needs a path or a fingerprint, not both");
    if (e->fingerprint && !is_fingerprint(e->fingerprint))
        return fail(r, e->line, "fingerprint: 32 hexadecimal digits, or those and :N");
    if (!is_date(e->date) || (e->expires && !is_date(e->expires)))
        return fail(r, e->line, "a date is a day of the calendar, written YYYY-MM-DD");
    if (e->tree && e->tree[0] != '/') return fail(r, e->line, "tree: an absolute path is expected");
    if (r->standing && !e->tree) return fail(r, e->line, "tree is missing: here the entry would hold for every tree");
    e->expired = e->expires && strcmp(e->expires, r->today) <= 0;
    if (e->path) r->status = toad__ignore_new(toad__str_z(e->path), &e->glob);
    return !r->status;
}

static bool read_entry(reader *r) {
    toad__suppression e = { .line = line_of(r) };
    while (next(r) && r->event.type != YAML_MAPPING_END_EVENT) {
        if (r->event.type != YAML_SCALAR_EVENT) return fail(r, line_of(r), "an entry holds single texts");
        toad_str key = toad__str(r->event.data.scalar.value, r->event.data.scalar.length);
        const char **slot = slot_of(&e, key);
        if (!slot)
            return fail(r, line_of(r),
                        "unknown key; there are rule, path, fingerprint, reason, by, date, expires and tree");
        if (*slot) return fail(r, line_of(r), "this key stands twice");
        if (!expect(r, YAML_SCALAR_EVENT, "a single text is expected here") || !(*slot = text(r))) return false;
    }
    if (r->status || !check_entry(r, &e)) return false;
    r->s->rows[r->s->n++] = e;
    return true;
}

static bool make_room(reader *r) {
    if (r->s->n < r->s->cap) return true;
    if (r->s->n >= ENTRIES_MAX) return fail(r, line_of(r), "too many entries");
    size_t cap = r->s->cap ? 2 * r->s->cap : 16;
    toad__suppression *rows = realloc(r->s->rows, cap * sizeof *rows);
    if (!rows) return r->status = TOAD_E_NOMEM, false;
    r->s->rows = rows;
    r->s->cap = cap;
    return true;
}

static bool read_file(reader *r) {
    static const char shape[] = "the file is a mapping with one key, suppressions, and a list of entries";
    if (!expect(r, YAML_STREAM_START_EVENT, shape) || !next(r)) return false;
    if (r->event.type == YAML_STREAM_END_EVENT) return true; /* empty */
    if (!expect(r, YAML_MAPPING_START_EVENT, shape) || !expect(r, YAML_SCALAR_EVENT, shape)) return false;
    if (!toad__str_eq(toad__str(r->event.data.scalar.value, r->event.data.scalar.length), TOAD__S("suppressions")))
        return fail(r, line_of(r), shape);
    if (!expect(r, YAML_SEQUENCE_START_EVENT, shape)) return false;
    while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
        if (r->event.type != YAML_MAPPING_START_EVENT) return fail(r, line_of(r), "an entry is a mapping");
        if (!make_room(r) || !read_entry(r)) return false;
    }
    return !r->status && expect(r, YAML_MAPPING_END_EVENT, shape) && expect(r, YAML_DOCUMENT_END_EVENT, shape) &&
           expect(r, YAML_STREAM_END_EVENT, "one document is expected");
}

toad_status toad__suppressions_new(toad_str yaml, bool standing, const char *today, toad__suppressions **ret,
                                   char *message, size_t message_n) {
    reader r = { .standing = standing, .today = today, .message = message, .message_n = message_n };
    r.s = calloc(1, sizeof *r.s);
    if (!r.s) return TOAD_E_NOMEM;
    toad__arena_init(&r.s->arena, 4 * TOAD__SUPPRESSIONS_MAX);
    if (!yaml_parser_initialize(&r.yaml)) {
        toad__suppressions_free(r.s);
        return TOAD_E_NOMEM;
    }
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)(yaml.n ? yaml.p : ""), yaml.n);
    bool ok = read_file(&r);
    if (r.have) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.yaml);
    if (ok)
        *ret = r.s;
    else
        toad__suppressions_free(r.s);
    return ok ? TOAD_OK : r.status;
}

void toad__suppressions_free(toad__suppressions *s) {
    if (!s) return;
    for (size_t i = 0; i < s->n; i++) toad__ignore_free(s->rows[i].glob);
    free(s->rows);
    toad__arena_free(&s->arena);
    free(s);
}

size_t toad__suppressions_count(const toad__suppressions *s) { return s ? s->n : 0; }
const toad__suppression *toad__suppressions_at(const toad__suppressions *s, size_t i) {
    return s && i < s->n ? &s->rows[i] : NULL;
}

/* "x:2" is itself and an "x" of any number. */
static bool is_same(const char *given, const char *fingerprint) {
    return strchr(given, ':') ? !strcmp(given, fingerprint) : !strncmp(given, fingerprint, 32);
}

/* A pattern that names a directory takes what is in it, as an ignore file would. */
static bool matches_path(const toad__suppression *e, toad_str key) {
    for (size_t end; key.n; key.n = end) {
        if (toad__ignore_ask(e->glob, key, false) == TOAD__IGNORE_LEAVE_OUT) return true;
        end = key.n - 1;
        while (end && key.p[end] != '/') end--;
        if (end && toad__ignore_ask(e->glob, toad__str_part(key, 0, end), true) == TOAD__IGNORE_LEAVE_OUT) return true;
    }
    return false;
}

const toad__suppression *toad__suppressions_find(const toad__suppressions *s, const char *root, const char *key,
                                                 const char *rule, const char *fingerprint) {
    for (size_t i = 0; s && i < s->n; i++) {
        const toad__suppression *e = &s->rows[i];
        if (e->expired || strcmp(e->rule, rule) || (e->tree && strcmp(e->tree, root))) continue;
        if (e->fingerprint ? is_same(e->fingerprint, fingerprint) : matches_path(e, toad__str_z(key))) return e;
    }
    return NULL;
}
