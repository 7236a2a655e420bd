/* pins_text.c - definitions of tools as bytes to hash and as lines to read. */
#include "app/host/canonical.h"
#include "app/host/json_walk.h"
#include "app/mcp/pins_internal.h"
#include "sys/digest.h"

#include <stdio.h>

enum { CONTEXT = 3 };

/* ---- digests ---- */

static bool is_one_of(const char *const *names, size_t n, toad_str key) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(key, toad__str_z(names[i]))) return true;
    return false;
}

typedef bool (*keeps_fn)(const toad__json *member);

/* A copy of an object's head with the members that `keeps` wants. */
static toad__json *with(const toad__json *object, keeps_fn keeps, toad__arena *arena) {
    toad__json *copy = toad__arena_alloc(arena, sizeof *copy), **tail;
    if (!copy) return NULL;
    *copy = *object;
    tail = &copy->child;
    *tail = NULL;
    for (const toad__json *m = object->child; m; m = m->next) {
        if (!keeps(m)) continue;
        toad__json *member = toad__arena_alloc(arena, sizeof *member);
        if (!member) return NULL;
        *member = *m;
        member->next = NULL;
        *tail = member;
        tail = &member->next;
    }
    return copy;
}

static bool is_meta(const toad__json *m) { return toad__str_eq(m->key, TOAD__S("_meta")); }

/* Of _meta, what a client may render or load: templates, labels, hints. Numbers and flags come and go. */
static bool is_rendered(const toad__json *m) {
    return m->type == TOAD__JSON_STRING || m->type == TOAD__JSON_OBJECT || m->type == TOAD__JSON_ARRAY;
}

static bool is_pinned(const toad__json *m) {
    if (!is_meta(m) || m->type != TOAD__JSON_OBJECT) return true;
    for (const toad__json *v = m->child; v; v = v->next)
        if (is_rendered(v)) return true;
    return false;
}

static bool is_body(const toad__json *m) {
    static const char *const names[] = { "_meta", "name", "title" };
    return !is_one_of(names, sizeof names / sizeof *names, m->key);
}

static toad_status canonical(const toad__json *object, keeps_fn keeps, toad__arena *arena, toad_str *ret,
                             char digest[65]) {
    toad__buf b;
    toad__json *copy = with(object, keeps, arena);
    if (!copy) return TOAD_E_NOMEM;
    for (toad__json **m = &copy->child; *m; m = &(*m)->next) {
        if (!is_meta(*m) || (*m)->type != TOAD__JSON_OBJECT) continue;
        toad__json *meta = with(*m, is_rendered, arena);
        if (!meta) return TOAD_E_NOMEM;
        *m = meta;
    }
    toad__buf_init(&b, TOAD__PIN_BYTES);
    toad_status status = toad__canonical_rfc8785(copy, arena, &b);
    toad_str kept = status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&b));
    if (!status) toad__sha256_of(toad__buf_str(&b), digest);
    toad__buf_free(&b);
    if (!status && !kept.p) status = TOAD_E_NOMEM;
    if (!status) *ret = kept;
    return status;
}

toad_status toad__pin_digest(const toad__json *tool, toad__arena *arena, toad_str *ret_definition, char ret_digest[65],
                             char ret_body[65]) {
    toad_str body;
    toad_status status = canonical(tool, is_pinned, arena, ret_definition, ret_digest);
    return status ? status : canonical(tool, is_body, arena, &body, ret_body);
}

/* ---- what changed ---- */

static const toad__json *parse(toad_str json, toad__arena *arena) {
    const toad__json *root = NULL;
    size_t at;
    const char *expected;
    return json.n && !toad__json_parse(json, arena, &root, &at, &expected) ? root : NULL;
}

static void add_change(toad__buf *out, const char *name, size_t *n) {
    if ((*n)++) toad__buf_add_z(out, ", ");
    toad__buf_add_z(out, name);
}

void toad__pin_changes(toad_str before, toad_str after, toad__arena *arena, toad__buf *out) {
    static const char *const known[] = { "title",     "description", "inputSchema", "outputSchema", "annotations",
                                         "execution", "icons",       "name",        "_meta" };
    const toad__json *a = parse(before, arena), *b = parse(after, arena);
    size_t n = 0;
    bool other = !a || !b;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const toad__json *x = toad__json_get(a, known[i]), *y = toad__json_get(b, known[i]);
        if (x || y)
            if (!x || !y || !toad__str_eq(x->raw, y->raw)) add_change(out, known[i], &n);
    }
    for (const toad__json *m = b ? b->child : NULL; m && !other; m = m->next) {
        if (is_one_of(known, sizeof known / sizeof *known, m->key)) continue;
        const toad__json *x = a->child;
        while (x && !toad__str_eq(x->key, m->key)) x = x->next;
        other = !x || !toad__str_eq(x->raw, m->raw);
    }
    if (other || !n) add_change(out, "other", &n);
}

/* ---- lines ---- */

static void indent(toad__buf *out, size_t depth) {
    for (size_t i = 0; i < depth; i++) toad__buf_add_z(out, "  ");
}

/* A string, escaped; where it breaks its line, ours breaks, too. */
static void add_string(toad__buf *out, toad_str s, size_t depth) {
    toad__buf quoted;
    toad__buf_init(&quoted, 8 * TOAD__PIN_BYTES);
    toad__json_add_str(&quoted, s);
    for (size_t i = 0; i < quoted.n; i++) {
        toad__buf_add_c(out, quoted.p[i]);
        if (quoted.p[i] != '\\' || i + 1 == quoted.n) continue;
        bool breaks = quoted.p[i + 1] == 'n' && i + 3 < quoted.n;
        toad__buf_add_c(out, quoted.p[++i]);
        if (!breaks) continue;
        toad__buf_add_c(out, '\n');
        indent(out, depth + 2);
    }
    if (quoted.status) out->status = quoted.status;
    toad__buf_free(&quoted);
}

/* A value over several lines, members as they stand. */
static void add_pretty(const toad__json *root, toad__buf *out) {
    const toad__json *stack[TOAD__JSON_DEPTH + 2], *v = root;
    size_t depth = 0;
    while (v && !out->status) {
        bool object = depth && stack[depth - 1]->type == TOAD__JSON_OBJECT, open = v->child != NULL;
        indent(out, depth);
        if (object) add_string(out, v->key, depth);
        if (object) toad__buf_add_z(out, ": ");
        if (v->type == TOAD__JSON_STRING)
            add_string(out, v->text, depth);
        else if (open)
            toad__buf_add_z(out, v->type == TOAD__JSON_OBJECT ? "{" : "[");
        else
            toad__buf_add_str(out, v->raw);
        toad__buf_add_c(out, '\n');
        if (open) {
            stack[depth++] = v;
            v = v->child;
            continue;
        }
        while (depth && !v->next) {
            v = stack[--depth];
            indent(out, depth);
            toad__buf_add_z(out, v->type == TOAD__JSON_OBJECT ? "}\n" : "]\n");
        }
        v = depth ? v->next : NULL;
    }
}

static size_t line_end(toad_str s, size_t at) {
    size_t end = toad__str_find(s, TOAD__S("\n"), at);
    return end < s.n ? end + 1 : end;
}

static size_t line_before(toad_str s, size_t at) {
    if (at) at--;
    while (at && s.p[at - 1] != '\n') at--;
    return at;
}

static void add_lines(toad__buf *out, const char *mark, toad_str s, size_t from, size_t to) {
    for (size_t at = from, end; at < to; at = end) {
        end = line_end(s, at);
        toad__buf_add_z(out, mark);
        toad__buf_add(out, s.p + at, end - at);
    }
}

/* What differs, between the lines that both begin and both end with. */
static void add_diff(toad_str a, toad_str b, toad__buf *out) {
    size_t from = 0, tail_a = a.n, tail_b = b.n;
    while (from < a.n && from < b.n) {
        size_t end = line_end(a, from);
        if (end != line_end(b, from) || memcmp(a.p + from, b.p + from, end - from) != 0) break;
        from = end;
    }
    while (tail_a > from && tail_b > from) {
        size_t x = line_before(a, tail_a), y = line_before(b, tail_b);
        if (!toad__str_eq(toad__str_part(a, x, tail_a), toad__str_part(b, y, tail_b))) break;
        tail_a = x;
        tail_b = y;
    }
    size_t head = from, foot = tail_b;
    for (int i = 0; i < CONTEXT && head; i++) head = line_before(b, head);
    for (int i = 0; i < CONTEXT && foot < b.n; i++) foot = line_end(b, foot);
    add_lines(out, "  ", b, head, from);
    add_lines(out, "- ", a, from, tail_a);
    add_lines(out, "+ ", b, from, tail_b);
    add_lines(out, "  ", b, tail_b, foot);
}

toad_status toad__pin_diff(toad_str before, toad_str after, toad__arena *arena, toad__buf *out) {
    toad__buf a, b;
    toad__buf_init(&a, 32 * TOAD__PIN_BYTES);
    toad__buf_init(&b, 32 * TOAD__PIN_BYTES);
    add_pretty(parse(before, arena), &a);
    add_pretty(parse(after, arena), &b);
    toad_status status = a.status ? a.status : b.status;
    if (!status) add_diff(a.n ? toad__buf_str(&a) : TOAD__S(""), b.n ? toad__buf_str(&b) : TOAD__S(""), out);
    toad__buf_free(&a);
    toad__buf_free(&b);
    return status ? status : out->status;
}
