/* config.c - see config.h. One table of keys, the policy's cells behind it; a value is read, weighed against what
 * holds, and kept with where it came from. */
#include "app/config/config_internal.h"

#include "app/config/policy.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define ARENA_MAX ((size_t)64 << 20)

static const struct row {
    const char *name;
    bzr__config_type type;
    const char *words, *value;
    bzr__config_project project;
    const char *help;
} rows[] = {
#define X(id, name, type, words, value, project, help) \
    { name, BZR__CONFIG_##type, words, value, BZR__CONFIG_##project, help },
    BZR__CONFIG_KEYS(X)
#undef X
};

/* ---- values ---- */

#define SECOND INT64_C(1000000)

static bool read_span(const char *text, int64_t *ret) {
    char *end;
    if (!strcmp(text, "never")) return (*ret = -1), true;
    if (!bzr__is_digit((unsigned char)*text) || strlen(text) > 12) return false;
    long long n = strtoll(text, &end, 10);
    int64_t unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 0;
    if (!unit || end[1] || n > 1000000) return false;
    *ret = n * unit * SECOND;
    return true;
}

static bool read_count(const char *text, int64_t *ret) {
    char *end;
    if (!bzr__is_digit((unsigned char)*text) || strlen(text) > 15) return false;
    *ret = strtoll(text, &end, 10);
    if (*end == 'K' || *end == 'k')
        *ret *= 1024, end++;
    else if (*end == 'M' || *end == 'm')
        *ret *= 1024 * 1024, end++;
    return !*end && *ret <= INT64_C(1) << 40;
}

/* Is `v` within the two ends that `words` names? -1 is for ever. */
static bool is_within(const bzr__slot *s, int64_t v) {
    char least[16], *most;
    int64_t from = 0, to = 0;
    snprintf(least, sizeof least, "%s", s->words);
    most = strchr(least, ' ');
    *most++ = 0;
    bool ok = s->type == BZR__CONFIG_SPAN ? read_span(least, &from) && read_span(most, &to)
                                          : read_count(least, &from) && read_count(most, &to);
    return ok && (v < 0 ? to < 0 : v >= from && (to < 0 || v <= to));
}

/* The number a text stands for; false: it stands for none. */
static bool read_value(const bzr__slot *s, const char *text, int64_t *ret) {
    switch (s->type) {
    case BZR__CONFIG_FLAG:
    case BZR__CONFIG_WORD: return (*ret = bzr__word_index(s->words, text, strlen(text))) >= 0;
    case BZR__CONFIG_COUNT: return read_count(text, ret) && is_within(s, *ret);
    case BZR__CONFIG_SPAN: return read_span(text, ret) && is_within(s, *ret);
    default: return (*ret = 0), true;
    }
}

bool bzr__config_lists(const bzr__slot *s, const char *text) {
    int64_t v;
    return !s->words || (read_count(text, &v) && is_within(s, v));
}

/* ---- making ---- */

static bool add_slot(bzr__config *c, const bzr__slot *slot) {
    c->slots[c->n] = *slot;
    return read_value(slot, slot->value, &c->slots[c->n++].number);
}

static bool add_policy_slot(bzr__config *c, size_t cell) {
    size_t source_n, case_n;
    const char *source = bzr__word_at(BZR__POLICY_SOURCES, cell / BZR__POLICY_CASE_N, &source_n);
    const char *which = bzr__word_at(BZR__POLICY_CASES, cell % BZR__POLICY_CASE_N, &case_n);
    char name[64];
    snprintf(name, sizeof name, "policy.%.*s.%.*s", (int)source_n, source, (int)case_n, which);
    bzr_str kept = bzr__arena_dup(&c->arena, bzr__str_z(name));
    bzr__slot slot = { kept.p,
                       BZR__CONFIG_WORD,
                       BZR__POLICY_ACTIONS,
                       BZR__CONFIG_TIGHTEN,
                       "what is done in this case",
                       bzr__policy_builtin(cell),
                       0,
                       NULL,
                       BZR__LAYER_BUILTIN,
                       NULL,
                       0 };
    return kept.p && add_slot(c, &slot);
}

bzr_status bzr__config_new(bzr__config **ret) {
    bzr__config *c = calloc(1, sizeof *c);
    if (!c) return BZR_E_NOMEM;
    bzr__arena_init(&c->arena, ARENA_MAX);
    bool ok = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        ok &= add_slot(c, &(bzr__slot){ r->name, r->type, r->words, r->project, r->help, r->value, 0, NULL,
                                        BZR__LAYER_BUILTIN, NULL, 0 });
    }
    for (size_t cell = 0; cell < BZR__POLICY_N && ok; cell++) ok = add_policy_slot(c, cell);
    if (!ok) {
        bzr__config_free(c);
        return BZR_E_NOMEM;
    }
    *ret = c;
    return BZR_OK;
}

void bzr__config_free(bzr__config *c) {
    if (!c) return;
    bzr__arena_free(&c->arena);
    free(c->mistakes);
    free(c);
}

/* ---- mistakes ---- */

bzr_status bzr__config_complain(bzr__config *c, const bzr__place_of *at, const char *key, const char *format, ...) {
    char text[512];
    bzr__buf safe;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (c->n_mistakes == c->cap_mistakes) {
        size_t cap = c->cap_mistakes ? 2 * c->cap_mistakes : 8;
        bzr__mistake *longer = realloc(c->mistakes, cap * sizeof *longer);
        if (!longer) return BZR_E_NOMEM;
        c->mistakes = longer;
        c->cap_mistakes = cap;
    }
    bzr__buf_init(&safe, 8192);
    bzr__json_add_str(&safe, bzr__str_part(bzr__str_z(key), 0, 200));
    bzr_str shown = safe.status ? bzr__str(NULL, 0) : bzr__arena_dup(&c->arena, bzr__str(safe.p + 1, safe.n - 2));
    bzr__buf_free(&safe);
    bzr_str message = bzr__arena_dup(&c->arena, bzr__str_z(text));
    if (!shown.p || !message.p) return BZR_E_NOMEM;
    c->mistakes[c->n_mistakes++] = (bzr__mistake){ at->layer, at->file, at->line, shown.p, message.p };
    return BZR_OK;
}

/* Edit distance of two short names; two letters in turn are one mistake. */
static unsigned distance(bzr_str a, bzr_str b) {
    unsigned rows_of[3][64];
    if (a.n > 60 || b.n > 60) return 99;
    for (unsigned i = 0; i <= a.n; i++) {
        unsigned *row = rows_of[i % 3], *above = rows_of[(i + 2) % 3], *over = rows_of[(i + 1) % 3];
        for (unsigned j = 0; j <= b.n; j++) {
            if (!i || !j) {
                row[j] = i + j;
                continue;
            }
            unsigned best = above[j - 1] + (a.p[i - 1] != b.p[j - 1]);
            if (above[j] + 1 < best) best = above[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            bool turned = i > 1 && j > 1 && a.p[i - 1] == b.p[j - 2] && a.p[i - 2] == b.p[j - 1];
            row[j] = turned && over[j - 2] + 1 < best ? over[j - 2] + 1 : best;
        }
    }
    return rows_of[a.n % 3][b.n];
}

/* The part of a key that stands at one level: from `from` to the next dot. */
static bzr_str level_of(const char *name, size_t from) {
    size_t end = from + strcspn(name + from, ".");
    return bzr__str(name, end);
}

bzr_str bzr__config_guess(const bzr__config *c, bzr_str prefix, bzr_str typed) {
    bzr_str best = { NULL, 0 };
    unsigned least = 2 + (unsigned)(typed.n / 4);
    for (size_t i = 0; i < c->n; i++) { /* the right name at the wrong level */
        const char *name = c->slots[i].name, *dot = strrchr(name, '.');
        if (dot && bzr__str_eq(bzr__str_z(dot + 1), typed) && i < BZR__CONFIG_POLICY) return bzr__str_z(name);
    }
    for (size_t i = 0; i < c->n; i++) {
        const char *name = c->slots[i].name;
        if (!bzr__str_starts(bzr__str_z(name), prefix)) continue;
        bzr_str whole = level_of(name, prefix.n);
        unsigned d = distance(typed, bzr__str_part(whole, prefix.n, whole.n));
        if (d >= least) continue;
        least = d;
        best = whole;
    }
    return best;
}

/* ---- setting ---- */

bzr__slot *bzr__config_find(bzr__config *c, bzr_str name) {
    for (size_t i = 0; i < c->n; i++)
        if (bzr__str_eq(bzr__str_z(c->slots[i].name), name)) return &c->slots[i];
    return NULL;
}

static bool is_looser(const bzr__slot *s, int64_t number) {
    if (s->project == BZR__CONFIG_SHORTER) return number < 0 ? s->number >= 0 : s->number >= 0 && number > s->number;
    return number < s->number;
}

static bzr_status complain_of_value(bzr__config *c, const bzr__place_of *at, const bzr__slot *s, const char *text) {
    bzr__buf safe;
    bzr__buf_init(&safe, 4096);
    bzr__json_add_str(&safe, bzr__str_part(bzr__str_z(text), 0, 60));
    bzr__buf_add_c(&safe, 0);
    const char *shown = safe.status ? "\"...\"" : safe.p;
    bzr_status status;
    if (s->type == BZR__CONFIG_FLAG)
        status = bzr__config_complain(c, at, s->name, "%s is neither true nor false", shown);
    else if (s->type == BZR__CONFIG_WORD)
        status = bzr__config_complain(c, at, s->name, "%s is none of: %s", shown, s->words);
    else if (s->type == BZR__CONFIG_SPAN)
        status = bzr__config_complain(c, at, s->name, "%s is no span of time within %s (30s, 15m, 24h, 7d)", shown,
                                      s->words);
    else
        status = bzr__config_complain(c, at, s->name, "%s is no number within %s", shown, s->words);
    bzr__buf_free(&safe);
    return status;
}

bzr_status bzr__config_set(bzr__config *c, const bzr__place_of *at, bzr__slot *s, const char *text) {
    int64_t number;
    char origin[16];
    if (at->layer == BZR__LAYER_PROJECT && s->project == BZR__CONFIG_NEVER)
        return bzr__config_complain(c, at, s->name, "this is not for a project to set");
    if (!read_value(s, text, &number)) return complain_of_value(c, at, s, text);
    if (at->layer == BZR__LAYER_PROJECT && is_looser(s, number))
        return bzr__config_complain(c, at, s->name, "this is looser than what holds (%s); a project may only tighten",
                                    s->value);
    bzr_str value = bzr__arena_dup(&c->arena, bzr__str_z(text));
    bzr__buf where;
    bzr__buf_init(&where, 1u << 16);
    bzr__buf_add_z(&where, at->file);
    snprintf(origin, sizeof origin, ":%zu", at->line % 100000000);
    if (at->line) bzr__buf_add_z(&where, origin);
    bzr_str from = where.status ? bzr__str(NULL, 0) : bzr__arena_dup(&c->arena, bzr__buf_str(&where));
    bzr__buf_free(&where);
    if (!value.p || !from.p) return BZR_E_NOMEM;
    s->value = value.p;
    s->number = number;
    s->layer = at->layer;
    s->origin = from.p;
    return BZR_OK;
}

bzr_status bzr__config_add_flag(bzr__config *c, const char *origin, const char *key, const char *value) {
    bzr__slot *s = bzr__config_find(c, bzr__str_z(key));
    bzr__place_of at = { BZR__LAYER_FLAG, origin, 0 };
    return s && s->type != BZR__CONFIG_LIST ? bzr__config_set(c, &at, s, value)
                                            : bzr__config_complain(c, &at, key, "there is no such key");
}

/* BZR_SECURITY_X for security.x. */
static bool is_variable_of(const bzr__slot *s, bzr_str variable) {
    if (!strcmp(s->name, "store.where")) return bzr__str_eq(variable, BZR__S("STORE"));
    bzr_str name = bzr__str_z(s->name);
    if (name.n != variable.n) return false;
    for (size_t i = 0; i < name.n; i++)
        if ((name.p[i] == '.' ? '_' : bzr__lower((unsigned char)name.p[i])) != bzr__lower((unsigned char)variable.p[i]))
            return false;
    return true;
}

/* A variable that begins like a section is meant for one; others may be anybody's. */
static bzr_status complain_of_variable(bzr__config *c, const bzr__place_of *at, bzr_str variable) {
    char typed[64], prefix[64];
    size_t n = 0;
    const char *end = memchr(variable.p, '_', variable.n);
    if (!end || variable.n >= sizeof typed) return BZR_OK;
    size_t section = (size_t)(end - variable.p) + 1;
    for (; n < variable.n; n++) typed[n] = (char)bzr__lower((unsigned char)variable.p[n]);
    typed[n] = 0;
    snprintf(prefix, sizeof prefix, "%.*s.", (int)section - 1, typed);
    bool known = false;
    for (size_t i = 0; i < c->n; i++) known |= !strncmp(c->slots[i].name, prefix, section);
    if (!known) return BZR_OK;
    bzr_str guess = bzr__config_guess(c, bzr__str_z(prefix), bzr__str(typed + section, n - section));
    if (!guess.p) return bzr__config_complain(c, at, typed, "there is no such key; 'bezoar config show' lists them");
    return bzr__config_complain(c, at, typed, "there is no such key; did you mean %.*s?", (int)guess.n, guess.p);
}

static bzr_status add_variable(bzr__config *c, const char *variable) {
    const char *equals = strchr(variable, '=');
    bzr_str name = bzr__str(variable + 7, (size_t)(equals - variable) - 7),
            whole = bzr__arena_dup(&c->arena, bzr__str(variable, (size_t)(equals - variable)));
    bzr__place_of at = { BZR__LAYER_ENVIRONMENT, whole.p, 0 };
    if (!whole.p) return BZR_E_NOMEM;
    for (size_t i = 0; i < c->n; i++) {
        bzr__slot *s = &c->slots[i];
        if (!is_variable_of(s, name)) continue;
        if (s->type == BZR__CONFIG_LIST)
            return bzr__config_complain(c, &at, s->name, "a list can only be set in a file");
        return equals[1] || s->type == BZR__CONFIG_TEXT ? bzr__config_set(c, &at, s, equals + 1) : BZR_OK;
    }
    return complain_of_variable(c, &at, name);
}

bzr_status bzr__config_add_environment(bzr__config *c, char *const *environment) {
    bzr_status status = BZR_OK;
    for (; environment && *environment && !status; environment++)
        if (!strncmp(*environment, "BEZOAR_", 7) && strchr(*environment, '=')) status = add_variable(c, *environment);
    return status;
}

/* ---- asking ---- */

size_t bzr__config_mistakes(const bzr__config *c) { return c->n_mistakes; }
const bzr__mistake *bzr__config_mistake(const bzr__config *c, size_t i) {
    return i < c->n_mistakes ? &c->mistakes[i] : NULL;
}
bool bzr__config_flag(const bzr__config *c, bzr__config_key key) { return c->slots[key].number != 0; }
int64_t bzr__config_number(const bzr__config *c, bzr__config_key key) { return c->slots[key].number; }
const char *bzr__config_text(const bzr__config *c, bzr__config_key key) { return c->slots[key].value; }
const char *bzr__config_origin(const bzr__config *c, size_t key) { return c->slots[key].origin; }

size_t bzr__config_list(const bzr__config *c, bzr__config_key key, const char *const **ret) {
    *ret = c->slots[key].list;
    return c->slots[key].n_list;
}

/* ---- printing ---- */

/* A quoted string, ASCII. JSON and YAML differ where two \u escapes are one character beyond U+FFFF: YAML writes one \U of eight digits. */
static void add_quoted(bzr__buf *b, bzr_str text, bool json) {
    size_t at = b->n;
    bzr__json_add_str(b, text);
    for (; !json && !b->status && at + 12 <= b->n; at++) {
        unsigned high, low;
        char wide[13] = { 0 };
        if (b->p[at] != '\\') continue;
        memcpy(wide, b->p + at, 12);
        if (sscanf(wide, "\\u%4x\\u%4x", &high, &low) == 2 && high >= 0xD800 && high < 0xDC00) {
            snprintf(wide, sizeof wide, "\\U%08x", 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
            memcpy(b->p + at, wide, 10);
            memmove(b->p + at + 10, b->p + at + 12, b->n - at - 12);
            b->n -= 2;
        }
        at++; /* what an escape escapes begins none */
    }
}

/* A text that may hold a password as it may be shown: postgresql://user:***@host. */
static void add_public(bzr__buf *b, const char *text, bool json) {
    bzr_str s = bzr__str_z(text);
    size_t scheme = bzr__str_find(s, BZR__S("://"), 0), end = scheme;
    while (end < s.n && (end < scheme + 3 || !strchr("/?", s.p[end]))) end++;
    size_t at = end;
    while (at > scheme && s.p[at - 1] != '@') at--;
    const char *colon = at > scheme + 3 ? memchr(s.p + scheme + 3, ':', at - scheme - 3) : NULL;
    bzr__buf shown;
    bzr__buf_init(&shown, 1u << 20);
    bzr__buf_add(&shown, s.p, colon ? (size_t)(colon - s.p) + 1 : s.n);
    if (colon) {
        bzr__buf_add_z(&shown, "***");
        bzr__buf_add(&shown, s.p + at - 1, s.n - at + 1);
    }
    size_t password = bzr__str_find(bzr__buf_str(&shown), BZR__S("password="), 0);
    if (password < shown.n) {
        shown.n = password;
        bzr__buf_add_z(&shown, "password=***");
    }
    add_quoted(b, bzr__buf_str(&shown), json);
    if (shown.status) b->status = shown.status;
    bzr__buf_free(&shown);
}

static void add_value(bzr__buf *b, const bzr__slot *s, bool json) {
    if (s->type == BZR__CONFIG_LIST) {
        bzr__buf_add_c(b, '[');
        for (size_t i = 0; i < s->n_list; i++) {
            if (i) bzr__buf_add_z(b, ", ");
            add_quoted(b, bzr__str_z(s->list[i]), json);
        }
        bzr__buf_add_c(b, ']');
    } else if (s->type == BZR__CONFIG_TEXT) {
        add_public(b, s->value, json);
    } else if (json && s->type != BZR__CONFIG_FLAG) {
        bzr__json_add_str(b, bzr__str_z(s->value));
    } else {
        bzr__buf_add_z(b, s->value);
    }
}

/* Open the sections of `name` that `before` was not in; returns the depth. */
static size_t open_sections(bzr__buf *b, const char *before, const char *name) {
    size_t depth = 0, from = 0;
    for (const char *dot; (dot = strchr(name + from, '.')); depth++) {
        size_t end = (size_t)(dot - name) + 1;
        if (strncmp(before, name, end) != 0) {
            for (size_t i = 0; i < depth; i++) bzr__buf_add_z(b, "  ");
            bzr__buf_add(b, name + from, end - from - 1);
            bzr__buf_add_z(b, ":\n");
        }
        from = end;
    }
    for (size_t i = 0; i < depth; i++) bzr__buf_add_z(b, "  ");
    bzr__buf_add_z(b, name + from);
    return depth;
}

void bzr__config_yaml(const bzr__config *c, bool origin, bzr__buf *out) {
    const char *before = "";
    for (size_t i = 0; i < c->n; i++) {
        const bzr__slot *s = &c->slots[i];
        open_sections(out, before, s->name);
        before = s->name;
        bzr__buf_add_z(out, ": ");
        add_value(out, s, false);
        if (origin) {
            bzr__buf from;
            bzr__buf_init(&from, 1u << 16);
            bzr__json_add_str(&from, bzr__str_z(s->origin ? s->origin : "built-in"));
            bzr__buf_add_z(out, "  # ");
            if (from.n > 2) bzr__buf_add(out, from.p + 1, from.n - 2);
            if (from.status) out->status = from.status;
            bzr__buf_free(&from);
        }
        bzr__buf_add_c(out, '\n');
    }
}

void bzr__config_json(const bzr__config *c, bzr__buf *out) {
    bzr__buf_add_z(out, "{\"keys\":[");
    for (size_t i = 0; i < c->n; i++) {
        const bzr__slot *s = &c->slots[i];
        bzr__buf_add_z(out, i ? ",\n{\"key\":" : "\n{\"key\":");
        bzr__json_add_str(out, bzr__str_z(s->name));
        bzr__buf_add_z(out, ",\"value\":");
        add_value(out, s, true);
        bzr__buf_add_z(out, ",\"origin\":");
        if (s->origin)
            bzr__json_add_str(out, bzr__str_z(s->origin));
        else
            bzr__buf_add_z(out, "null");
        bzr__buf_add_z(out, ",\"help\":");
        bzr__json_add_str(out, bzr__str_z(s->help));
        bzr__buf_add_c(out, '}');
    }
    bzr__buf_add_z(out, "\n]}");
}
