/* config.c - see config.h. One table of keys, the policy's cells behind it; a value is read, weighed against what
 * holds, and kept with where it came from. */
#include "app/config/config_internal.h"

#include "app/config/guess.h"
#include "app/config/policy.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define VARIABLES "TOADSTONE_"
#define OURS      (sizeof VARIABLES - 1)
#define ARENA_MAX ((size_t)64 << 20)

static const struct row {
    const char *name;
    toad__config_type type;
    const char *words, *value;
    toad__config_project project;
    const char *help;
} rows[] = {
#define X(id, name, type, words, value, project, help) \
    { name, TOAD__CONFIG_##type, words, value, TOAD__CONFIG_##project, help },
    TOAD__CONFIG_KEYS(X)
#undef X
};

/* ---- values ---- */

#define SECOND INT64_C(1000000)

static bool read_span(const char *text, int64_t *ret) {
    char *end;
    if (!strcmp(text, "never")) return (*ret = -1), true;
    if (!toad__is_digit((unsigned char)*text) || strlen(text) > 12) return false;
    long long n = strtoll(text, &end, 10);
    int64_t unit = *end == 's' ? 1 : *end == 'm' ? 60 : *end == 'h' ? 3600 : *end == 'd' ? 86400 : 0;
    if (!unit || end[1] || n > 1000000) return false;
    *ret = n * unit * SECOND;
    return true;
}

static bool read_count(const char *text, int64_t *ret) {
    char *end;
    if (!toad__is_digit((unsigned char)*text) || strlen(text) > 15) return false;
    *ret = strtoll(text, &end, 10);
    if (*end == 'K' || *end == 'k')
        *ret *= 1024, end++;
    else if (*end == 'M' || *end == 'm')
        *ret *= 1024 * 1024, end++;
    return !*end && *ret <= INT64_C(1) << 40;
}

/* Is `v` within the two ends that `words` names? -1 is for ever. */
static bool is_within(const toad__slot *s, int64_t v) {
    char least[16], *most;
    int64_t from = 0, to = 0;
    snprintf(least, sizeof least, "%s", s->words);
    most = strchr(least, ' ');
    *most++ = 0;
    bool ok = s->type == TOAD__CONFIG_SPAN ? read_span(least, &from) && read_span(most, &to)
                                           : read_count(least, &from) && read_count(most, &to);
    return ok && (v < 0 ? to < 0 : v >= from && (to < 0 || v <= to));
}

/* The number a text stands for; false: it stands for none. */
static bool read_value(const toad__slot *s, const char *text, int64_t *ret) {
    switch (s->type) {
    case TOAD__CONFIG_FLAG:
    case TOAD__CONFIG_WORD: return (*ret = toad__word_index(s->words, text, strlen(text))) >= 0;
    case TOAD__CONFIG_COUNT: return read_count(text, ret) && is_within(s, *ret);
    case TOAD__CONFIG_SPAN: return read_span(text, ret) && is_within(s, *ret);
    default: return (*ret = 0), true;
    }
}

bool toad__config_lists(const toad__slot *s, const char *text) {
    int64_t v;
    return !s->words || (read_count(text, &v) && is_within(s, v));
}

/* ---- making ---- */

static bool add_slot(toad__config *c, const toad__slot *slot) {
    c->slots[c->n] = *slot;
    return read_value(slot, slot->value, &c->slots[c->n++].number);
}

static bool add_policy_slot(toad__config *c, size_t cell) {
    size_t source_n, case_n;
    const char *source = toad__word_at(TOAD__POLICY_SOURCES, cell / TOAD__POLICY_CASE_N, &source_n);
    const char *which = toad__word_at(TOAD__POLICY_CASES, cell % TOAD__POLICY_CASE_N, &case_n);
    char name[64];
    snprintf(name, sizeof name, "policy.%.*s.%.*s", (int)source_n, source, (int)case_n, which);
    toad_str kept = toad__arena_dup(&c->arena, toad__str_z(name));
    toad__slot slot = { kept.p,
                        TOAD__CONFIG_WORD,
                        toad__policy_words(cell),
                        TOAD__CONFIG_TIGHTEN,
                        "what is done in this case",
                        toad__policy_builtin(cell),
                        0,
                        NULL,
                        TOAD__LAYER_BUILTIN,
                        NULL,
                        0 };
    return kept.p && add_slot(c, &slot);
}

toad_status toad__config_new(toad__config **ret) {
    toad__config *c = calloc(1, sizeof *c);
    if (!c) return TOAD_E_NOMEM;
    toad__arena_init(&c->arena, ARENA_MAX);
    bool ok = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        ok &= add_slot(c, &(toad__slot){ r->name, r->type, r->words, r->project, r->help, r->value, 0, NULL,
                                         TOAD__LAYER_BUILTIN, NULL, 0 });
    }
    for (size_t cell = 0; cell < TOAD__POLICY_N && ok; cell++) ok = add_policy_slot(c, cell);
    if (!ok) {
        toad__config_free(c);
        return TOAD_E_NOMEM;
    }
    *ret = c;
    return TOAD_OK;
}

void toad__config_free(toad__config *c) {
    if (!c) return;
    toad__arena_free(&c->arena);
    free(c->mistakes);
    free(c);
}

/* ---- mistakes ---- */

toad_status toad__config_complain(toad__config *c, const toad__place_of *at, const char *key, const char *format, ...) {
    char text[512];
    toad__buf safe;
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (c->n_mistakes == c->cap_mistakes) {
        size_t cap = c->cap_mistakes ? 2 * c->cap_mistakes : 8;
        toad__mistake *longer = realloc(c->mistakes, cap * sizeof *longer);
        if (!longer) return TOAD_E_NOMEM;
        c->mistakes = longer;
        c->cap_mistakes = cap;
    }
    toad__buf_init(&safe, 8192);
    toad__json_add_str(&safe, toad__str_part(toad__str_z(key), 0, 200));
    toad_str shown = safe.status ? toad__str(NULL, 0) : toad__arena_dup(&c->arena, toad__str(safe.p + 1, safe.n - 2));
    toad__buf_free(&safe);
    toad_str message = toad__arena_dup(&c->arena, toad__str_z(text));
    if (!shown.p || !message.p) return TOAD_E_NOMEM;
    c->mistakes[c->n_mistakes++] = (toad__mistake){ at->layer, at->file, at->line, shown.p, message.p };
    return TOAD_OK;
}

/* The part of a key that stands at one level: from `from` to the next dot. */
static toad_str level_of(const char *name, size_t from) {
    size_t end = from + strcspn(name + from, ".");
    return toad__str(name, end);
}

toad_str toad__config_guess(const toad__config *c, toad_str prefix, toad_str typed) {
    toad__guess guess = toad__guess_of(typed);
    toad_str best = { NULL, 0 };
    for (size_t i = 0; i < c->n; i++) { /* the right name at the wrong level */
        const char *name = c->slots[i].name, *dot = strrchr(name, '.');
        if (dot && toad__str_eq(toad__str_z(dot + 1), typed) && i < TOAD__CONFIG_POLICY) return toad__str_z(name);
    }
    for (size_t i = 0; i < c->n; i++) {
        const char *name = c->slots[i].name;
        if (!toad__str_starts(toad__str_z(name), prefix)) continue;
        toad_str whole = level_of(name, prefix.n), was = guess.best;
        toad__guess_try(&guess, toad__str_part(whole, prefix.n, whole.n));
        if (guess.best.p != was.p) best = whole;
    }
    return best;
}

/* ---- setting ---- */

toad__slot *toad__config_find(toad__config *c, toad_str name) {
    for (size_t i = 0; i < c->n; i++)
        if (toad__str_eq(toad__str_z(c->slots[i].name), name)) return &c->slots[i];
    return NULL;
}

static bool is_looser(const toad__slot *s, int64_t number) {
    if (s->project == TOAD__CONFIG_SHORTER) return number < 0 ? s->number >= 0 : s->number >= 0 && number > s->number;
    return number < s->number;
}

static toad_status complain_of_value(toad__config *c, const toad__place_of *at, const toad__slot *s, const char *text) {
    toad__buf safe;
    toad__buf_init(&safe, 4096);
    toad__json_add_str(&safe, toad__str_part(toad__str_z(text), 0, 60));
    toad__buf_add_c(&safe, 0);
    const char *shown = safe.status ? "\"...\"" : safe.p;
    toad_status status;
    if (s->type == TOAD__CONFIG_FLAG)
        status = toad__config_complain(c, at, s->name, "%s is neither true nor false", shown);
    else if (s->type == TOAD__CONFIG_WORD)
        status = toad__config_complain(c, at, s->name, "%s is none of: %s", shown, s->words);
    else if (s->type == TOAD__CONFIG_SPAN)
        status = toad__config_complain(c, at, s->name, "%s is no span of time within %s (30s, 15m, 24h, 7d)", shown,
                                       s->words);
    else
        status = toad__config_complain(c, at, s->name, "%s is no number within %s", shown, s->words);
    toad__buf_free(&safe);
    return status;
}

toad_status toad__config_set(toad__config *c, const toad__place_of *at, toad__slot *s, const char *text) {
    int64_t number;
    char origin[16];
    if (at->layer == TOAD__LAYER_PROJECT && s->project == TOAD__CONFIG_NEVER)
        return toad__config_complain(c, at, s->name, "this is not for a project to set");
    if (!read_value(s, text, &number)) return complain_of_value(c, at, s, text);
    if (at->layer == TOAD__LAYER_PROJECT && is_looser(s, number))
        return toad__config_complain(c, at, s->name, "this is looser than what holds (%s); a project may only tighten",
                                     s->value);
    toad_str value = toad__arena_dup(&c->arena, toad__str_z(text));
    toad__buf where;
    toad__buf_init(&where, 1u << 16);
    toad__buf_add_z(&where, at->file);
    snprintf(origin, sizeof origin, ":%zu", at->line % 100000000);
    if (at->line) toad__buf_add_z(&where, origin);
    toad_str from = where.status ? toad__str(NULL, 0) : toad__arena_dup(&c->arena, toad__buf_str(&where));
    toad__buf_free(&where);
    if (!value.p || !from.p) return TOAD_E_NOMEM;
    s->value = value.p;
    s->number = number;
    s->layer = at->layer;
    s->origin = from.p;
    return TOAD_OK;
}

toad_status toad__config_add_flag(toad__config *c, const char *origin, const char *key, const char *value) {
    toad__slot *s = toad__config_find(c, toad__str_z(key));
    toad__place_of at = { TOAD__LAYER_FLAG, origin, 0 };
    return s && s->type != TOAD__CONFIG_LIST ? toad__config_set(c, &at, s, value)
                                             : toad__config_complain(c, &at, key, "there is no such key");
}

/* TOAD_SECURITY_X for security.x. */
static bool is_variable_of(const toad__slot *s, toad_str variable) {
    if (!strcmp(s->name, "store.where")) return toad__str_eq(variable, TOAD__S("STORE"));
    toad_str name = toad__str_z(s->name);
    if (name.n != variable.n) return false;
    for (size_t i = 0; i < name.n; i++)
        if ((name.p[i] == '.' ? '_' : toad__lower((unsigned char)name.p[i])) !=
            toad__lower((unsigned char)variable.p[i]))
            return false;
    return true;
}

/* A variable that begins like a section is meant for one; others may be anybody's. */
static toad_status complain_of_variable(toad__config *c, const toad__place_of *at, toad_str variable) {
    char typed[64], prefix[64];
    size_t n = 0;
    const char *end = memchr(variable.p, '_', variable.n);
    if (!end || variable.n >= sizeof typed) return TOAD_OK;
    size_t section = (size_t)(end - variable.p) + 1;
    for (; n < variable.n; n++) typed[n] = (char)toad__lower((unsigned char)variable.p[n]);
    typed[n] = 0;
    snprintf(prefix, sizeof prefix, "%.*s.", (int)section - 1, typed);
    bool known = false;
    for (size_t i = 0; i < c->n; i++) known |= !strncmp(c->slots[i].name, prefix, section);
    if (!known) return TOAD_OK;
    toad_str guess = toad__config_guess(c, toad__str_z(prefix), toad__str(typed + section, n - section));
    if (!guess.p)
        return toad__config_complain(c, at, typed, "there is no such key; 'toadstone config show' lists them");
    return toad__config_complain(c, at, typed, "there is no such key; did you mean %.*s?", (int)guess.n, guess.p);
}

static toad_status add_variable(toad__config *c, const char *variable) {
    const char *equals = strchr(variable, '=');
    toad_str name = toad__str(variable + OURS, (size_t)(equals - variable) - OURS),
             whole = toad__arena_dup(&c->arena, toad__str(variable, (size_t)(equals - variable)));
    toad__place_of at = { TOAD__LAYER_ENVIRONMENT, whole.p, 0 };
    if (!whole.p) return TOAD_E_NOMEM;
    for (size_t i = 0; i < c->n; i++) {
        toad__slot *s = &c->slots[i];
        if (!is_variable_of(s, name)) continue;
        if (s->type == TOAD__CONFIG_LIST)
            return toad__config_complain(c, &at, s->name, "a list can only be set in a file");
        return equals[1] || s->type == TOAD__CONFIG_TEXT ? toad__config_set(c, &at, s, equals + 1) : TOAD_OK;
    }
    return complain_of_variable(c, &at, name);
}

toad_status toad__config_add_environment(toad__config *c, char *const *environment) {
    toad_status status = TOAD_OK;
    for (; environment && *environment && !status; environment++)
        if (!strncmp(*environment, VARIABLES, OURS) && strchr(*environment, '='))
            status = add_variable(c, *environment);
    return status;
}

/* ---- asking ---- */

size_t toad__config_mistakes(const toad__config *c) { return c->n_mistakes; }
const toad__mistake *toad__config_mistake(const toad__config *c, size_t i) {
    return i < c->n_mistakes ? &c->mistakes[i] : NULL;
}
bool toad__config_flag(const toad__config *c, toad__config_key key) { return c->slots[key].number != 0; }
int64_t toad__config_number(const toad__config *c, toad__config_key key) { return c->slots[key].number; }
const char *toad__config_text(const toad__config *c, toad__config_key key) { return c->slots[key].value; }
const char *toad__config_origin(const toad__config *c, size_t key) { return c->slots[key].origin; }

size_t toad__config_list(const toad__config *c, toad__config_key key, const char *const **ret) {
    *ret = c->slots[key].list;
    return c->slots[key].n_list;
}

/* ---- printing ---- */

/* A quoted string, ASCII. JSON and YAML differ where two \u escapes are one character beyond U+FFFF: YAML writes one \U
 * of eight digits. */
static void add_quoted(toad__buf *b, toad_str text, bool json) {
    size_t at = b->n;
    toad__json_add_str(b, text);
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
static void add_public(toad__buf *b, const char *text, bool json) {
    toad_str s = toad__str_z(text);
    size_t scheme = toad__str_find(s, TOAD__S("://"), 0), end = scheme;
    while (end < s.n && (end < scheme + 3 || !strchr("/?", s.p[end]))) end++;
    size_t at = end;
    while (at > scheme && s.p[at - 1] != '@') at--;
    const char *colon = at > scheme + 3 ? memchr(s.p + scheme + 3, ':', at - scheme - 3) : NULL;
    toad__buf shown;
    toad__buf_init(&shown, 1u << 20);
    toad__buf_add(&shown, s.p, colon ? (size_t)(colon - s.p) + 1 : s.n);
    if (colon) {
        toad__buf_add_z(&shown, "***");
        toad__buf_add(&shown, s.p + at - 1, s.n - at + 1);
    }
    size_t password = toad__str_find(toad__buf_str(&shown), TOAD__S("password="), 0);
    if (password < shown.n) {
        shown.n = password;
        toad__buf_add_z(&shown, "password=***");
    }
    add_quoted(b, toad__buf_str(&shown), json);
    if (shown.status) b->status = shown.status;
    toad__buf_free(&shown);
}

static void add_value(toad__buf *b, const toad__slot *s, bool json) {
    if (s->type == TOAD__CONFIG_LIST) {
        toad__buf_add_c(b, '[');
        for (size_t i = 0; i < s->n_list; i++) {
            if (i) toad__buf_add_z(b, ", ");
            add_quoted(b, toad__str_z(s->list[i]), json);
        }
        toad__buf_add_c(b, ']');
    } else if (s->type == TOAD__CONFIG_TEXT) {
        add_public(b, s->value, json);
    } else if (json && s->type != TOAD__CONFIG_FLAG) {
        toad__json_add_str(b, toad__str_z(s->value));
    } else {
        toad__buf_add_z(b, s->value);
    }
}

/* Open the sections of `name` that `before` was not in; returns the depth. */
static size_t open_sections(toad__buf *b, const char *before, const char *name) {
    size_t depth = 0, from = 0;
    for (const char *dot; (dot = strchr(name + from, '.')); depth++) {
        size_t end = (size_t)(dot - name) + 1;
        if (strncmp(before, name, end) != 0) {
            for (size_t i = 0; i < depth; i++) toad__buf_add_z(b, "  ");
            toad__buf_add(b, name + from, end - from - 1);
            toad__buf_add_z(b, ":\n");
        }
        from = end;
    }
    for (size_t i = 0; i < depth; i++) toad__buf_add_z(b, "  ");
    toad__buf_add_z(b, name + from);
    return depth;
}

void toad__config_yaml(const toad__config *c, bool origin, toad__buf *out) {
    const char *before = "";
    for (size_t i = 0; i < c->n; i++) {
        const toad__slot *s = &c->slots[i];
        open_sections(out, before, s->name);
        before = s->name;
        toad__buf_add_z(out, ": ");
        add_value(out, s, false);
        if (origin) {
            toad__buf from;
            toad__buf_init(&from, 1u << 16);
            toad__json_add_str(&from, toad__str_z(s->origin ? s->origin : "built-in"));
            toad__buf_add_z(out, "  # ");
            if (from.n > 2) toad__buf_add(out, from.p + 1, from.n - 2);
            if (from.status) out->status = from.status;
            toad__buf_free(&from);
        }
        toad__buf_add_c(out, '\n');
    }
}

void toad__config_json(const toad__config *c, toad__buf *out) {
    toad__buf_add_z(out, "{\"keys\":[");
    for (size_t i = 0; i < c->n; i++) {
        const toad__slot *s = &c->slots[i];
        toad__buf_add_z(out, i ? ",\n{\"key\":" : "\n{\"key\":");
        toad__json_add_str(out, toad__str_z(s->name));
        toad__buf_add_z(out, ",\"value\":");
        add_value(out, s, true);
        toad__buf_add_z(out, ",\"origin\":");
        if (s->origin)
            toad__json_add_str(out, toad__str_z(s->origin));
        else
            toad__buf_add_z(out, "null");
        toad__buf_add_z(out, ",\"help\":");
        toad__json_add_str(out, toad__str_z(s->help));
        toad__buf_add_c(out, '}');
    }
    toad__buf_add_z(out, "\n]}");
}
