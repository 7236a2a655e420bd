/* rulefile.c - the YAML of a rule file, event by event.
 *
 * The shape of a rule file is fixed, so the reader asks for what must come next and refuses the rest with file, line
 * and field: that is the depth limit too. Anchors, aliases, tags and second documents are refused (a rule file needs
 * none, and aliases are how small files become large). Strings live in an arena with a ceiling. A file is added wholly
 * or not at all. */
#include "app/scan/rulefile.h"
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/rules/user.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#define ARENA_MAX   ((size_t)64 << 20)
#define PATTERN_MAX 65536u /* bytes of a pattern, its word lists written out */

typedef struct word {
    const char *name, *pattern; /* pattern: (?:a|b|c) */
    const char *file;           /* NULL: serves every file */
} word;

typedef struct row {
    toad__rule_def def;
    toad__rule_source source;
} row;

struct toad__rulefile {
    toad__arena arena;
    toad__rule_def *defs;
    toad__rule_source *sources;
    size_t n, cap;
    word *words;
    size_t n_words, cap_words;
};

typedef struct reader {
    toad__rulefile *f;
    yaml_parser_t yaml;
    yaml_event_t event;
    bool have; /* event holds one that must be deleted */
    const char *file, *family, *id, *field;
    char *message;
    size_t message_n;
    toad_status status; /* sticky */
} reader;

toad__rulefile *toad__rulefile_new(void) {
    toad__rulefile *f = calloc(1, sizeof *f);
    if (f) toad__arena_init(&f->arena, ARENA_MAX);
    return f;
}

void toad__rulefile_free(toad__rulefile *f) {
    if (!f) return;
    toad__arena_free(&f->arena);
    free(f->defs);
    free(f->sources);
    free(f->words);
    free(f);
}

size_t toad__rulefile_count(const toad__rulefile *f) { return f->n; }
const toad__rule_def *toad__rulefile_defs(const toad__rulefile *f) { return f->defs; }
const toad__rule_source *toad__rulefile_source(const toad__rulefile *f, size_t i) { return &f->sources[i]; }

/* --- errors --- */

static bool fail(reader *r, size_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(reader *r, size_t line, const char *format, ...) {
    if (r->status) return false;
    r->status = TOAD_E_RULE;
    if (!r->message_n) return false;
    char what[256];
    va_list ap;
    va_start(ap, format);
    vsnprintf(what, sizeof what, format, ap);
    va_end(ap);
    snprintf(r->message, r->message_n, "%s:%zu: %s%s%s%s%s%s", r->file, line, r->id ? "rule " : "", r->id ? r->id : "",
             r->id ? ": " : "", r->field ? r->field : "", r->field ? ": " : "", what);
    return false;
}

static bool no_memory(reader *r) {
    if (!r->status) r->status = TOAD_E_NOMEM;
    return false;
}

static size_t line_of(const reader *r) { return r->event.start_mark.line + 1; }

/* --- events --- */

static bool has_properties(const yaml_event_t *e) {
    switch (e->type) {
    case YAML_ALIAS_EVENT: return true;
    case YAML_SCALAR_EVENT: return e->data.scalar.anchor || e->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT: return e->data.sequence_start.anchor || e->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT: return e->data.mapping_start.anchor || e->data.mapping_start.tag;
    default: return false;
    }
}

/* Move to the next event. */
static bool next(reader *r) {
    if (r->status) return false;
    if (r->have) yaml_event_delete(&r->event);
    r->have = yaml_parser_parse(&r->yaml, &r->event) != 0;
    if (!r->have) {
        if (r->yaml.error == YAML_MEMORY_ERROR) return no_memory(r);
        return fail(r, r->yaml.problem_mark.line + 1, "not valid YAML: %s",
                    r->yaml.problem ? r->yaml.problem : "cannot be read");
    }
    if (has_properties(&r->event))
        return fail(r, line_of(r), "anchors, aliases and tags are not allowed; write the value out");
    return true;
}

static bool is(const reader *r, yaml_event_type_t type) { return !r->status && r->event.type == type; }

/* The scalar that stands here as a string without NUL, or NULL with the error set. Does not move on. */
static const char *text(reader *r) {
    if (!is(r, YAML_SCALAR_EVENT)) return fail(r, line_of(r), "a single text is expected here"), NULL;
    const char *p = (const char *)r->event.data.scalar.value;
    size_t n = r->event.data.scalar.length;
    if (n && memchr(p, 0, n)) return fail(r, line_of(r), "a text must not hold \\0"), NULL;
    toad_str copy = toad__arena_dup(&r->f->arena, toad__str(p, n));
    if (!copy.p) no_memory(r);
    return copy.p;
}

typedef struct list {
    const char **at;
    size_t n, cap;
} list;

static bool append(reader *r, list *to, const char *s) {
    if (!s) return false;
    if (to->n == to->cap) {
        size_t cap = to->cap ? to->cap * 2 : 8;
        const char **at = toad__arena_alloc(&r->f->arena, cap * sizeof *at);
        if (!at) return no_memory(r);
        if (to->n) memcpy(at, to->at, to->n * sizeof *at);
        *to = (list){ at, to->n, cap };
    }
    to->at[to->n++] = s;
    return true;
}

/* A text, or a list of texts. Ends on its last event. */
static bool texts(reader *r, list *to) {
    if (is(r, YAML_SCALAR_EVENT)) return append(r, to, text(r));
    if (!is(r, YAML_SEQUENCE_START_EVENT)) return fail(r, line_of(r), "a text or a list of texts is expected here");
    while (next(r) && !is(r, YAML_SEQUENCE_END_EVENT))
        if (!append(r, to, text(r))) return false;
    return !r->status;
}

static const char *joined(reader *r, const list *from) {
    toad__buf b;
    toad__buf_init(&b, PATTERN_MAX);
    for (size_t i = 0; i < from->n; i++) {
        if (i) toad__buf_add_c(&b, ' ');
        toad__buf_add_z(&b, from->at[i]);
    }
    toad_str copy = b.status ? (toad_str){ NULL, 0 } : toad__arena_dup(&r->f->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    if (!copy.p) no_memory(r);
    return copy.p;
}

/* --- word lists --- */

static const char *find_word(const reader *r, toad_str name) {
    for (size_t i = r->f->n_words; i-- > 0;) {
        const word *w = &r->f->words[i];
        if ((!w->file || w->file == r->file) && toad__str_eq(toad__str_z(w->name), name)) return w->pattern;
    }
    return NULL;
}

/* Length of the class that begins at p.p[at], its brackets included. */
static size_t class_length(toad_str p, size_t at) {
    size_t i = at + 1;
    while (i < p.n && p.p[i] != ']') i += p.p[i] == '\\' ? 2 : 1;
    return (i < p.n ? i + 1 : p.n) - at;
}

static bool add_word(reader *r, toad__buf *to, toad_str p, size_t *at) {
    size_t end = *at + 1;
    while (end < p.n && (toad__is_alnum(p.p[end]) || p.p[end] == '_')) end++;
    toad_str name = toad__str_part(p, *at + 1, end);
    if (end >= p.n || p.p[end] != '}') return fail(r, line_of(r), "a word list is written {name}, a literal brace \\{");
    const char *pattern = find_word(r, name);
    if (!pattern)
        return fail(r, line_of(r), "no word list {%.*s} is defined before this line or in words.yaml",
                    (int)(name.n < 64 ? name.n : 64), name.p);
    toad__buf_add_z(to, pattern);
    *at = end + 1;
    return true;
}

/* Write out the word lists of a pattern: {name} becomes (?:a|b|c). */
static const char *expanded(reader *r, const char *pattern) {
    toad_str p = toad__str_z(pattern);
    toad__buf b;
    toad__buf_init(&b, PATTERN_MAX);
    for (size_t at = 0; at < p.n && !r->status;) {
        if (p.p[at] == '{' && at + 1 < p.n && toad__is_alpha(p.p[at + 1])) {
            if (!add_word(r, &b, p, &at)) break;
            continue;
        }
        size_t n = p.p[at] == '\\' && at + 1 < p.n ? 2 : p.p[at] == '[' ? class_length(p, at) : 1;
        toad__buf_add(&b, p.p + at, n);
        at += n;
    }
    if (b.status == TOAD_E_LIMIT)
        fail(r, line_of(r), "the pattern is longer than %u bytes with its word lists written out", PATTERN_MAX);
    toad_str copy = b.status || r->status ? (toad_str){ NULL, 0 }
                                          : toad__arena_dup(&r->f->arena, b.n ? toad__buf_str(&b) : TOAD__S(""));
    if (!copy.p) no_memory(r);
    toad__buf_free(&b);
    return copy.p;
}

static bool keep_word(reader *r, const char *name, const char *pattern) {
    toad__rulefile *f = r->f;
    if (f->n_words == f->cap_words) {
        size_t cap = f->cap_words ? f->cap_words * 2 : 32;
        word *words = realloc(f->words, cap * sizeof *words);
        if (!words) return no_memory(r);
        f->words = words;
        f->cap_words = cap;
    }
    f->words[f->n_words++] = (word){ name, pattern, strcmp(r->family, "words") ? r->file : NULL };
    return true;
}

static bool is_name(const char *s) {
    if (!toad__is_lower(*s)) return false;
    for (; *s; s++)
        if (!(toad__is_lower(*s) || toad__is_digit(*s) || *s == '_')) return false;
    return true;
}

/* name: [alternatives] */
static bool word_list(reader *r) {
    const char *name = text(r);
    list alternatives = { 0 };
    if (!name) return false;
    r->field = name;
    if (!is_name(name)) return fail(r, line_of(r), "a word list is named with a to z, 0 to 9 and _");
    for (size_t i = 0; i < r->f->n_words; i++)
        if (r->f->words[i].file == r->file && !strcmp(r->f->words[i].name, name))
            return fail(r, line_of(r), "defined twice in this file");
    if (!next(r) || !texts(r, &alternatives)) return false;
    if (!alternatives.n) return fail(r, line_of(r), "a word list needs at least one word");
    toad__buf b;
    toad__buf_init(&b, PATTERN_MAX);
    for (size_t i = 0; i < alternatives.n; i++) {
        toad__buf_add_z(&b, i ? "|" : "(?:");
        toad__buf_add_z(&b, alternatives.at[i]);
    }
    toad__buf_add(&b, ")", 2);
    const char *pattern = b.status ? NULL : expanded(r, b.p);
    if (b.status == TOAD_E_LIMIT)
        fail(r, line_of(r), "the word list is longer than %u bytes", PATTERN_MAX);
    else if (b.status)
        no_memory(r);
    toad__buf_free(&b);
    return pattern && keep_word(r, name, pattern);
}

static bool words(reader *r) {
    if (!is(r, YAML_MAPPING_START_EVENT))
        return fail(r, line_of(r), "words: holds lines of the form  name: [word, word]");
    while (next(r) && !is(r, YAML_MAPPING_END_EVENT))
        if (!word_list(r)) return false;
    r->field = NULL;
    return !r->status;
}

/* --- rules --- */

static bool severity(reader *r, toad_severity *to) {
    const char *s = text(r);
    return s && (toad_severity_parse(toad__str_z(s), to) ||
                 fail(r, line_of(r), "must be high, medium, low or none, not \"%.40s\"", s));
}

static bool scope(reader *r, toad_scope *to) {
    const char *s = text(r);
    return s &&
           (toad_scope_parse(toad__str_z(s), to) || fail(r, line_of(r), "must be relaxed or strict, not \"%.40s\"", s));
}

/* A field that has one value. */
static bool only(reader *r, const char *value, bool *is_set) {
    const char *s = text(r);
    *is_set = s && !strcmp(s, value);
    return s && (*is_set || fail(r, line_of(r), "must be %s, not \"%.40s\"", value, s));
}

static bool views(reader *r, bool *skeleton) {
    list names = { 0 };
    bool has_text = false;
    if (!texts(r, &names)) return false;
    for (size_t i = 0; i < names.n; i++) {
        if (!strcmp(names.at[i], "skeleton"))
            *skeleton = true;
        else if (!strcmp(names.at[i], "text"))
            has_text = true;
        else
            return fail(r, line_of(r), "a view is text or skeleton, not \"%.40s\"", names.at[i]);
    }
    return has_text || fail(r, line_of(r), "must hold text; skeleton is read in addition: [text, skeleton]");
}

/* A list of short codes, as one text with blanks between. */
static bool codes(reader *r, const char **to) {
    list names = { 0 };
    if (!texts(r, &names)) return false;
    for (size_t i = 0; i < names.n; i++) {
        const char *s = names.at[i];
        for (; *s; s++)
            if (!(toad__is_alnum(*s) || *s == '.' || *s == '-' || *s == '_')) break;
        if (*s || !*names.at[i])
            return fail(r, line_of(r), "each entry is a code of letters, digits, . and -, not \"%.40s\"", names.at[i]);
    }
    return (*to = joined(r, &names)) != NULL;
}

static bool required_text(reader *r, const char **to) {
    return (*to = text(r)) && (**to || fail(r, line_of(r), "must not be empty"));
}

static bool patterns(reader *r, toad__rule_def *def) {
    list all = { 0 };
    if (!texts(r, &all)) return false;
    if (!all.n) return fail(r, line_of(r), "at least one pattern is needed");
    for (size_t i = 0; i < all.n; i++)
        if (!(all.at[i] = expanded(r, all.at[i]))) return false;
    def->patterns = all.at;
    def->n_patterns = all.n;
    return true;
}

static bool examples(reader *r, const char *const **to, size_t *n) {
    list all = { 0 };
    if (!texts(r, &all)) return false;
    *to = all.at;
    *n = all.n;
    return true;
}

static bool rule_id(reader *r, toad__rule_def *def) {
    if (!required_text(r, &def->id)) return false;
    if (!is_name(def->id) || strlen(def->id) > 64)
        return fail(r, line_of(r), "must be a to z, 0 to 9 and _, begin with a letter, 64 bytes at most");
    r->id = def->id;
    for (size_t i = 0; i < r->f->n; i++)
        if (!strcmp(r->f->defs[i].id, def->id))
            return fail(r, line_of(r), "the rule at %s:%d has this id; ids must be unique", r->f->sources[i].file,
                        r->f->sources[i].line);
    return true;
}

/* The value of field `name` stands here. */
static bool field(reader *r, const char *name, row *to) {
    toad__rule_def *d = &to->def;
    if (!strcmp(name, "id")) return rule_id(r, d);
    if (!strcmp(name, "title")) return required_text(r, &d->title);
    if (!strcmp(name, "why")) return required_text(r, &d->why);
    if (!strcmp(name, "severity")) return severity(r, &d->severity);
    if (!strcmp(name, "hidden")) return severity(r, &d->hidden_severity);
    if (!strcmp(name, "memory")) return only(r, "none", &d->not_in_memory);
    if (!strcmp(name, "tools")) return severity(r, &d->tools_severity);
    if (!strcmp(name, "instructions")) return only(r, "low", &d->low_in_instructions);
    if (!strcmp(name, "scope")) return scope(r, &d->scope);
    if (!strcmp(name, "views")) return views(r, &d->skeleton);
    if (!strcmp(name, "gate")) return required_text(r, &d->gate);
    if (!strcmp(name, "verify")) return required_text(r, &d->verify);
    if (!strcmp(name, "lang")) return codes(r, &d->lang);
    if (!strcmp(name, "map")) return codes(r, &d->mapping);
    if (!strcmp(name, "pattern")) return patterns(r, d);
    if (!strcmp(name, "match")) return examples(r, &to->source.match, &to->source.n_match);
    if (!strcmp(name, "pass")) return examples(r, &to->source.pass, &to->source.n_pass);
    return fail(r, line_of(r),
                "there is no such field; fields are id, title, severity, hidden, memory, instructions, tools, scope, "
                "views, gate, "
                "verify, lang, map, pattern, why, match, pass");
}

static bool complete(reader *r, const row *it, const list *seen) {
    static const char *const always[] = { "id", "title", "severity", "pattern", "why" };
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        size_t k = 0;
        while (k < seen->n && strcmp(seen->at[k], always[i])) k++;
        if (k < seen->n || (it->def.gate && !strcmp(always[i], "severity"))) continue;
        r->field = always[i];
        return fail(r, (size_t)it->def.line, "this field is missing");
    }
    return true;
}

static bool keep_rule(reader *r, const row *it) {
    toad__rulefile *f = r->f;
    if (f->n == TOAD__LIMIT_RULES)
        return fail(r, (size_t)it->def.line, "more than %u rules", (unsigned)TOAD__LIMIT_RULES);
    if (f->n == f->cap) {
        size_t cap = f->cap ? f->cap * 2 : 64;
        toad__rule_def *defs = realloc(f->defs, cap * sizeof *defs);
        if (defs) f->defs = defs;
        toad__rule_source *sources = defs ? realloc(f->sources, cap * sizeof *sources) : NULL;
        if (!sources) return no_memory(r);
        f->sources = sources;
        f->cap = cap;
    }
    f->defs[f->n] = it->def;
    f->sources[f->n++] = it->source;
    return true;
}

static bool rule(reader *r) {
    if (!is(r, YAML_MAPPING_START_EVENT)) return fail(r, line_of(r), "a rule is a list entry of the form  - id: ...");
    row it = { .def = { .family = r->family, .lang = "en", .line = (int)line_of(r) },
               .source = { .file = r->file, .line = (int)line_of(r) } };
    list seen = { 0 };
    while (next(r) && !is(r, YAML_MAPPING_END_EVENT)) {
        const char *name = text(r);
        if (!name) return false;
        r->field = name;
        for (size_t i = 0; i < seen.n; i++)
            if (!strcmp(seen.at[i], name)) return fail(r, line_of(r), "this field stands twice in the rule");
        if (!append(r, &seen, name) || !next(r) || !field(r, name, &it)) return false;
        r->field = NULL;
    }
    if (r->status || !complete(r, &it, &seen) || !keep_rule(r, &it)) return false;
    r->id = NULL;
    return true;
}

static bool rules(reader *r) {
    if (!is(r, YAML_SEQUENCE_START_EVENT)) return fail(r, line_of(r), "rules: holds a list of rules, each  - id: ...");
    while (next(r) && !is(r, YAML_SEQUENCE_END_EVENT))
        if (!rule(r)) return false;
    return !r->status;
}

static bool top(reader *r) {
    bool seen[2] = { false, false };
    if (!next(r)) return false;
    if (!is(r, YAML_MAPPING_START_EVENT)) return fail(r, line_of(r), "a rule file holds words: and rules:");
    while (next(r) && !is(r, YAML_MAPPING_END_EVENT)) {
        const char *name = text(r);
        if (!name) return false;
        bool is_rules = !strcmp(name, "rules");
        r->field = name;
        if (!is_rules && strcmp(name, "words"))
            return fail(r, line_of(r), "there is no such section; sections are words and rules");
        if (seen[is_rules]) return fail(r, line_of(r), "this section stands twice in the file");
        seen[is_rules] = true;
        if (!next(r)) return false;
        r->field = NULL;
        if (!(is_rules ? rules(r) : words(r))) return false;
    }
    return !r->status;
}

static bool stream(reader *r) {
    if (!next(r) || !next(r)) return false;            /* stream start, document start */
    if (is(r, YAML_STREAM_END_EVENT)) return true;     /* nothing but comments */
    if (!top(r) || !next(r) || !next(r)) return false; /* document end, then the end of the stream */
    return is(r, YAML_STREAM_END_EVENT) || fail(r, line_of(r), "one document a file");
}

static const char *family_of(toad__arena *arena, const char *name) {
    const char *slash = strrchr(name, '/');
    toad_str base = toad__str_z(slash ? slash + 1 : name);
    if (base.n > 5 && !strcmp(base.p + base.n - 5, ".yaml"))
        base.n -= 5;
    else if (base.n > 4 && !strcmp(base.p + base.n - 4, ".yml"))
        base.n -= 4;
    return toad__arena_dup(arena, base).p;
}

toad_status toad__rulefile_add(toad__rulefile *f, const char *name, toad_str yaml, char *message, size_t message_n) {
    reader r = { .f = f, .message = message, .message_n = message ? message_n : 0 };
    size_t n = f->n, n_words = f->n_words;
    if (message_n && message) *message = 0;
    r.file = toad__arena_dup(&f->arena, toad__str_z(name)).p;
    r.family = r.file ? family_of(&f->arena, name) : NULL;
    if (!r.family) return TOAD_E_NOMEM;
    if (yaml.n > TOAD__RULEFILE_SIZE) {
        fail(&r, 1, "the file is larger than %u bytes", (unsigned)TOAD__RULEFILE_SIZE);
        return TOAD_E_LIMIT;
    }
    if (!yaml_parser_initialize(&r.yaml)) return TOAD_E_NOMEM;
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)(yaml.n ? yaml.p : ""), yaml.n);
    stream(&r);
    if (r.have) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.yaml);
    if (r.status) {
        f->n = n;
        f->n_words = n_words;
    }
    return r.status;
}

void toad__rulefile_explain(const toad__rulefile *f, const toad__rule_error *err, char *message, size_t message_n) {
    if (!message || !message_n || err->rule >= f->n) return;
    const toad__rule_def *d = &f->defs[err->rule];
    const toad__rule_source *s = &f->sources[err->rule];
    toad_str pattern = toad__str_z(err->pattern < d->n_patterns ? d->patterns[err->pattern] : "");
    toad_str near = toad__str_part(pattern, err->at, err->at + 24);
    char where[80] = "";
    for (size_t i = 0; i < near.n; i++) /* ASCII only: the message goes to terminals */
        if (near.p[i] < 0x20 || near.p[i] > 0x7e) near.n = i;
    if (near.n)
        snprintf(where, sizeof where, " (at byte %zu of the written-out pattern, before \"%.*s\")", err->at,
                 (int)near.n, near.p);
    snprintf(message, message_n, "%s:%d: rule %s: pattern %zu: %s%s", s->file, s->line, d->id, err->pattern + 1,
             err->message, where);
}

toad_status toad__rulefile_compile(const toad__rulefile *f, toad_rules **ret, char *message, size_t message_n) {
    toad__rule_error err;
    toad__ruleset *set;
    toad_status status = toad__ruleset_compile(f->defs, f->n, &set, &err);
    if (status == TOAD_E_RULE) toad__rulefile_explain(f, &err, message, message_n);
    return status ? status : toad__rules_adopt(set, ret);
}
