/* config_yaml.c - one configuration file, event by event, all its mistakes.
 *
 * The shape is fixed, so a section is a prefix of names and the stack is as deep as a name has dots. What is wrong is
 * skipped whole and reading goes on; only what is no YAML ends it. Anchors, aliases and tags are refused, as in rule
 * files. */
#include "app/config/config_internal.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <yaml.h>

enum { DEPTH = 3, NAME = 96, SECTIONS = 64, LIST_MAX = 256 };

typedef struct reader {
    toad__config *c;
    toad__place_of at;
    yaml_parser_t yaml;
    yaml_event_t event;
    bool have, over;              /* event must be deleted; nothing more can be read */
    size_t mistakes;              /* in c before this file */
    char prefix[DEPTH + 1][NAME]; /* "", "security.", "policy.web." */
    size_t depth;
    const char *seen[TOAD__CONFIG_POLICY + TOAD__POLICY_N + SECTIONS]; /* names that stood already */
    size_t n_seen;
    toad_status status;
} reader;

/* The name with what a stranger may have put in it made harmless. */
typedef struct shown {
    char text[64];
} shown;

static shown show(toad_str s) {
    shown out;
    size_t n = 0;
    for (size_t i = 0; i < s.n && n < sizeof out.text - 1; i++)
        out.text[n++] = s.p[i] >= 0x20 && s.p[i] < 0x7F ? s.p[i] : '?';
    out.text[n] = 0;
    return out;
}

#define COMPLAIN(r, ...) complain_status((r), toad__config_complain((r)->c, &(r)->at, __VA_ARGS__))

static void complain_status(reader *r, toad_status status) {
    if (status && !r->status) r->status = status;
    if (r->status || r->c->n_mistakes - r->mistakes >= TOAD__CONFIG_MISTAKES) r->over = true;
}

static bool next(reader *r) {
    if (r->over) return false;
    if (r->have) yaml_event_delete(&r->event);
    r->have = yaml_parser_parse(&r->yaml, &r->event) != 0;
    if (r->have) {
        r->at.line = r->event.start_mark.line + 1;
        return true;
    }
    r->at.line = r->yaml.problem_mark.line + 1;
    if (r->yaml.error == YAML_MEMORY_ERROR)
        r->status = TOAD_E_NOMEM;
    else
        COMPLAIN(r, "", "not valid YAML: %s",
                 show(toad__str_z(r->yaml.problem ? r->yaml.problem : "it cannot be read")).text);
    r->over = true;
    return false;
}

static bool has_properties(const yaml_event_t *e) {
    if (e->type == YAML_ALIAS_EVENT) return true;
    if (e->type == YAML_SCALAR_EVENT) return e->data.scalar.anchor || e->data.scalar.tag;
    if (e->type == YAML_SEQUENCE_START_EVENT) return e->data.sequence_start.anchor || e->data.sequence_start.tag;
    return e->type == YAML_MAPPING_START_EVENT && (e->data.mapping_start.anchor || e->data.mapping_start.tag);
}

static bool opens(const yaml_event_t *e) {
    return e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
}
static bool closes(const yaml_event_t *e) {
    return e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;
}

/* Pass over the value that begins here; ends on its last event. */
static void skip(reader *r) {
    size_t open = opens(&r->event);
    while (open && next(r)) open = open + opens(&r->event) - closes(&r->event);
}

static toad_str scalar(const reader *r) { return toad__str(r->event.data.scalar.value, r->event.data.scalar.length); }

/* The value here, NUL at its end; NULL after a complaint. */
static const char *value_text(reader *r, const char *key) {
    toad_str s = scalar(r);
    bool plain = r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (plain && (!s.n || toad__str_eq(s, TOAD__S("~")) || toad__str_eq(s, TOAD__S("null"))))
        return COMPLAIN(r, key, "it has no value"), NULL;
    if (s.n && memchr(s.p, 0, s.n)) return COMPLAIN(r, key, "a value must not hold \\0"), NULL;
    toad_str copy = toad__arena_dup(&r->c->arena, s);
    if (!copy.p) r->status = TOAD_E_NOMEM, r->over = true;
    return copy.p;
}

static void set_list(reader *r, toad__slot *s) {
    const char **items = toad__arena_alloc(&r->c->arena, LIST_MAX * sizeof *items);
    size_t n = 0, line = r->at.line, before = r->c->n_mistakes;
    if (!items) r->status = TOAD_E_NOMEM, r->over = true;
    while (next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
        if (has_properties(&r->event) || r->event.type != YAML_SCALAR_EVENT) {
            COMPLAIN(r, s->name, "a list holds single texts");
            skip(r);
            continue;
        }
        const char *text = value_text(r, s->name);
        if (text && !toad__config_lists(s, text))
            COMPLAIN(r, s->name, "a list holds numbers between these: %s", s->words);
        else if (text && n < LIST_MAX)
            items[n++] = text;
        else if (text)
            COMPLAIN(r, s->name, "more than %d texts", LIST_MAX);
    }
    if (r->over || r->c->n_mistakes != before) return;
    r->at.line = line;
    complain_status(r, toad__config_set(r->c, &r->at, s, ""));
    if (r->c->n_mistakes != before) return;
    s->list = items;
    s->n_list = n;
}

static void set_value(reader *r, toad__slot *s) {
    if (s->type == TOAD__CONFIG_LIST && r->event.type == YAML_SEQUENCE_START_EVENT) {
        set_list(r, s);
    } else if (r->event.type != YAML_SCALAR_EVENT || s->type == TOAD__CONFIG_LIST) {
        COMPLAIN(r, s->name,
                 s->type == TOAD__CONFIG_LIST ? "a list is expected here: [a, b]" : "a single value is expected here");
        skip(r);
    } else {
        const char *text = value_text(r, s->name);
        if (text) complain_status(r, toad__config_set(r->c, &r->at, s, text));
    }
}

static bool is_section(const reader *r, const char *name) {
    size_t n = strlen(name);
    for (size_t i = 0; i < r->c->n; i++)
        if (!strncmp(r->c->slots[i].name, name, n) && r->c->slots[i].name[n] == '.') return true;
    return false;
}

static bool stood_already(reader *r, const char *name) {
    for (size_t i = 0; i < r->n_seen; i++)
        if (!strcmp(r->seen[i], name)) return true;
    toad_str copy = toad__arena_dup(&r->c->arena, toad__str_z(name));
    if (!copy.p)
        r->status = TOAD_E_NOMEM, r->over = true;
    else if (r->n_seen < sizeof r->seen / sizeof *r->seen)
        r->seen[r->n_seen++] = copy.p;
    return false;
}

static void complain_of_name(reader *r, toad_str typed, const char *whole) {
    const char *prefix = r->prefix[r->depth];
    toad_str guess = toad__config_guess(r->c, toad__str_z(prefix), typed);
    if (guess.p)
        COMPLAIN(r, whole, "there is no such key; did you mean %.*s?", (int)guess.n, guess.p);
    else
        COMPLAIN(r, whole, "there is no such key; 'toadstone config show' lists them");
}

/* A name stands here: read what belongs to it. Ends on the value's last event, or inside the section it opened. */
static void member(reader *r) {
    char whole[2 * NAME];
    bool bad = r->event.type != YAML_SCALAR_EVENT || has_properties(&r->event);
    if (bad) {
        COMPLAIN(r, r->prefix[r->depth], "a name is expected here");
        skip(r);
        if (next(r)) skip(r);
        return;
    }
    toad_str typed = toad__str_part(scalar(r), 0, NAME - 1);
    size_t line = r->at.line;
    snprintf(whole, sizeof whole, "%s%.*s", r->prefix[r->depth], (int)typed.n, typed.p);
    bool cut = strlen(whole) != strlen(r->prefix[r->depth]) + scalar(r).n;
    toad__slot *s = cut ? NULL : toad__config_find(r->c, toad__str_z(whole));
    bool section = !cut && !s && is_section(r, whole) && r->depth < DEPTH;
    if (!s && !section)
        complain_of_name(r, typed, whole);
    else if (stood_already(r, whole))
        COMPLAIN(r, whole, "it stands twice in the file"), s = NULL, section = false;
    if (!next(r)) return;
    if (has_properties(&r->event))
        COMPLAIN(r, whole, "anchors, aliases and tags are not allowed; write the value out"), s = NULL, section = false;
    if (section && r->event.type != YAML_MAPPING_START_EVENT) {
        r->at.line = line;
        COMPLAIN(r, whole, "this is a section; its keys stand indented below it");
        section = false;
    }
    if (section)
        snprintf(r->prefix[++r->depth], NAME, "%.*s.", NAME - 2, whole);
    else if (s)
        set_value(r, s);
    else
        skip(r);
}

static void document(reader *r) {
    if (r->event.type != YAML_MAPPING_START_EVENT || has_properties(&r->event)) {
        COMPLAIN(r, "", "a configuration holds lines of the form  key: value");
        skip(r);
        return;
    }
    while (next(r)) {
        if (r->event.type != YAML_MAPPING_END_EVENT)
            member(r);
        else if (!r->depth--)
            break;
    }
}

static void stream(reader *r) {
    if (!next(r) || !next(r) || r->event.type == YAML_STREAM_END_EVENT) return;
    if (!next(r)) return;
    bool empty = r->event.type == YAML_SCALAR_EVENT && !scalar(r).n && !has_properties(&r->event);
    if (!empty) document(r);
    if (next(r) && next(r) && r->event.type != YAML_STREAM_END_EVENT)
        COMPLAIN(r, "", "one document a file; what follows is not read");
}

toad_status toad__config_add_yaml(toad__config *c, toad__layer layer, const char *file, toad_str yaml) {
    reader r = { .c = c,
                 .at = { layer, toad__arena_dup(&c->arena, toad__str_z(file)).p, 0 },
                 .mistakes = c->n_mistakes };
    if (!r.at.file) return TOAD_E_NOMEM;
    if (yaml.n > TOAD__CONFIG_FILE)
        return toad__config_complain(c, &r.at, "", "the file is larger than %zu bytes", TOAD__CONFIG_FILE);
    if (!yaml_parser_initialize(&r.yaml)) return TOAD_E_NOMEM;
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.yaml, (const unsigned char *)(yaml.n ? yaml.p : ""), yaml.n);
    stream(&r);
    if (r.have) yaml_event_delete(&r.event);
    yaml_parser_delete(&r.yaml);
    return r.status;
}
