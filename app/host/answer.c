/* answer.c - see answer.h. The writer descends as deep as the builder let anybody open, so it may call itself. */
#include "app/host/answer.h"

#include "app/host/times.h"
#include "lib/base/str.h"

#include <assert.h>
#include <stdio.h>

void toad__answer_init(toad__answer *a, size_t max) {
    *a = (toad__answer){ .root = { .type = TOAD__JSON_OBJECT } };
    a->next[0] = &a->root.child;
    toad__arena_init(&a->arena, max);
}

void toad__answer_free(toad__answer *a) { toad__arena_free(&a->arena); }

void toad__answer_clear(toad__answer *a) {
    size_t max = a->arena.max;
    toad__arena_free(&a->arena);
    toad__answer_init(a, max);
}

/* ---- building ---- */

static void *take(toad__answer *a, size_t n) {
    if (a->status) return NULL;
    void *p = toad__arena_alloc(&a->arena, n);
    if (!p) a->status = n > a->arena.max - a->arena.used ? TOAD_E_LIMIT : TOAD_E_NOMEM;
    return p;
}

/* What the root says again, it no longer says where it was said first. */
static void unsay(toad__answer *a, toad_str key) {
    toad__json **at = &a->root.child;
    while (*at && !toad__str_eq((*at)->key, key)) at = &(*at)->next;
    if (!*at) return;
    if (a->next[0] == &(*at)->next) a->next[0] = at;
    *at = (*at)->next;
}

static void link_node(toad__answer *a, toad_str key, toad__json *node) {
    if (!a->depth) unsay(a, key);
    node->key = key;
    node->next = NULL;
    *a->next[a->depth] = node;
    a->next[a->depth] = &node->next;
}

/* `node` is a value whose texts outlive the answer or are in its arena. */
static void add(toad__answer *a, const char *key, toad__json node) {
    toad__json *copy = take(a, sizeof *copy);
    if (!copy) return;
    *copy = node;
    link_node(a, toad__str_z(key), copy);
}

/* NULL: it could not be kept, and the answer has failed. */
static char *keep(toad__answer *a, toad_str s) {
    char *copy = take(a, s.n + 1);
    if (copy && s.n) memcpy(copy, s.p, s.n);
    return copy;
}

void toad__answer_str(toad__answer *a, const char *key, toad_str value) {
    char *copy = value.p ? keep(a, value) : NULL;
    if (!value.p)
        add(a, key, (toad__json){ .type = TOAD__JSON_NULL });
    else if (copy)
        add(a, key, (toad__json){ .type = TOAD__JSON_STRING, .text = { copy, value.n } });
}

void toad__answer_z(toad__answer *a, const char *key, const char *value) {
    toad__answer_str(a, key, toad__str_z(value));
}

void toad__answer_some(toad__answer *a, const char *key, toad_str s) {
    toad__answer_str(a, key, s.n ? s : toad__str(NULL, 0));
}

static void add_number(toad__answer *a, const char *key, const char *digits) {
    toad_str raw = { keep(a, toad__str_z(digits)), strlen(digits) };
    if (raw.p) add(a, key, (toad__json){ .type = TOAD__JSON_NUMBER, .raw = raw });
}

void toad__answer_int(toad__answer *a, const char *key, int64_t value) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", (long long)value);
    add_number(a, key, digits);
}

void toad__answer_real(toad__answer *a, const char *key, double value) {
    char digits[64];
    snprintf(digits, sizeof digits, "%.2f", value);
    add_number(a, key, digits);
}

void toad__answer_bool(toad__answer *a, const char *key, bool value) {
    add(a, key, (toad__json){ .type = value ? TOAD__JSON_TRUE : TOAD__JSON_FALSE });
}

void toad__answer_time(toad__answer *a, const char *key, int64_t micros) {
    char text[28];
    if (micros) toad__time_text(micros, text);
    toad__answer_z(a, key, micros ? text : NULL);
}

/* NULL: it is no JSON, or the answer has failed. The nodes are ours: they are in the arena. */
static toad__json *parse(toad__answer *a, toad_str s) {
    const toad__json *root;
    const char *expected;
    size_t at;
    toad_status status = s.p ? toad__json_parse(s, &a->arena, &root, &at, &expected) : a->status;
    if (status == TOAD_E_NOMEM) a->status = status;
    return status ? NULL : (toad__json *)(uintptr_t)root;
}

bool toad__answer_json(toad__answer *a, const char *key, toad_str value) {
    toad__json *root = parse(a, toad__str(keep(a, value), value.n));
    if (root) link_node(a, toad__str_z(key), root);
    return root != NULL;
}

bool toad__answer_members(toad__answer *a, toad_str object) {
    toad__json *root = parse(a, toad__str(keep(a, object), object.n));
    if (!root || root->type != TOAD__JSON_OBJECT) return false;
    for (toad__json *m = root->child, *next; m; m = next) {
        next = m->next;
        link_node(a, m->key, m);
    }
    return true;
}

void toad__answer_escaped(toad__answer *a, const char *key, toad_str body) {
    char *quoted = take(a, body.n + 2);
    if (!quoted) return;
    quoted[0] = quoted[body.n + 1] = '"';
    if (body.n) memcpy(quoted + 1, body.p, body.n);
    toad__json *root = parse(a, toad__str(quoted, body.n + 2));
    assert(root || a->status);
    if (root) link_node(a, toad__str_z(key), root);
}

static void open(toad__answer *a, const char *key, toad__json_type type) {
    assert(a->depth + 1 < TOAD__ANSWER_DEPTH);
    toad__json *node = take(a, sizeof *node);
    if (node) {
        node->type = type;
        link_node(a, toad__str_z(key), node);
    }
    a->depth++;
    a->next[a->depth] = node ? &node->child : a->next[a->depth - 1]; /* which is not used: it has failed */
}

void toad__answer_object(toad__answer *a, const char *key) { open(a, key, TOAD__JSON_OBJECT); }
void toad__answer_array(toad__answer *a, const char *key) { open(a, key, TOAD__JSON_ARRAY); }

void toad__answer_end(toad__answer *a) {
    assert(a->depth > 0);
    a->depth--;
}

/* ---- reading and writing ---- */

bool toad__answer_any(const toad__answer *a) { return a->root.child != NULL; }

bool toad__answer_refused(const toad__answer *a) {
    const toad__json *success = toad__json_get(&a->root, "success");
    return success && success->type == TOAD__JSON_FALSE;
}

static void write_all(const toad__json *of, char first, char last, toad__buf *out) {
    toad__buf_add_c(out, first);
    for (const toad__json *v = of->child; v; v = v->next) {
        if (v != of->child) toad__buf_add_c(out, ',');
        if (of->type == TOAD__JSON_OBJECT) {
            toad__json_add_utf8(out, v->key);
            toad__buf_add_c(out, ':');
        }
        toad__answer_write_value(v, out);
    }
    toad__buf_add_c(out, last);
}

void toad__answer_write_value(const toad__json *v, toad__buf *out) {
    if (v->raw.p) { /* it was JSON when it came, or it is a number */
        toad__buf_add_str(out, v->raw);
        return;
    }
    switch (v->type) {
    case TOAD__JSON_NULL: toad__buf_add_z(out, "null"); return;
    case TOAD__JSON_FALSE: toad__buf_add_z(out, "false"); return;
    case TOAD__JSON_TRUE: toad__buf_add_z(out, "true"); return;
    case TOAD__JSON_NUMBER: break;
    case TOAD__JSON_STRING: toad__json_add_utf8(out, v->text); return;
    case TOAD__JSON_ARRAY: write_all(v, '[', ']', out); return;
    case TOAD__JSON_OBJECT: write_all(v, '{', '}', out); return;
    }
    assert(!"a number has its digits in raw");
}

void toad__answer_write(const toad__answer *a, toad__buf *out) {
    assert(a->status || !a->depth);
    if (!a->status)
        toad__answer_write_value(&a->root, out);
    else if (!out->status)
        out->status = a->status;
}
