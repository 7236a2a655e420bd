/* pins_text.c - definitions of tools as bytes to hash and as lines to read. */
#include "app/host/canonical.h"
#include "app/host/json_walk.h"
#include "app/mcp/pins_internal.h"

#include <openssl/evp.h>
#include <stdio.h>

enum { CONTEXT = 3 };

/* ---- digests ---- */

static bool is_one_of(const char *const *names, size_t n, bzr_str key) {
    for (size_t i = 0; i < n; i++)
        if (bzr__str_eq(key, bzr__str_z(names[i]))) return true;
    return false;
}

/* A copy of an object's head without some of its members. */
static const bzr__json *without(const bzr__json *object, const char *const *names, size_t n, bzr__arena *arena) {
    bzr__json *copy = bzr__arena_alloc(arena, sizeof *copy), **tail;
    if (!copy) return NULL;
    *copy = *object;
    tail = &copy->child;
    *tail = NULL;
    for (const bzr__json *m = object->child; m; m = m->next) {
        if (is_one_of(names, n, m->key)) continue;
        bzr__json *member = bzr__arena_alloc(arena, sizeof *member);
        if (!member) return NULL;
        *member = *m;
        member->next = NULL;
        *tail = member;
        tail = &member->next;
    }
    return copy;
}

static bzr_status canonical(const bzr__json *object, const char *const *names, size_t n, bzr__arena *arena,
                            bzr_str *ret, char digest[65]) {
    bzr__buf b;
    unsigned char bytes[32];
    const bzr__json *copy = without(object, names, n, arena);
    if (!copy) return BZR_E_NOMEM;
    bzr__buf_init(&b, BZR__PIN_BYTES);
    bzr_status status = bzr__canonical_rfc8785(copy, arena, &b);
    if (!status && !EVP_Digest(b.p, b.n, bytes, NULL, EVP_sha256(), NULL)) status = BZR_E_NOMEM;
    for (size_t i = 0; !status && i < sizeof bytes; i++) snprintf(digest + 2 * i, 3, "%02x", bytes[i]);
    bzr_str kept = status ? bzr__str(NULL, 0) : bzr__arena_dup(arena, bzr__buf_str(&b));
    bzr__buf_free(&b);
    if (!status && !kept.p) status = BZR_E_NOMEM;
    if (!status) *ret = kept;
    return status;
}

bzr_status bzr__pin_digest(const bzr__json *tool, bzr__arena *arena, bzr_str *ret_definition, char ret_digest[65],
                           char ret_body[65]) {
    static const char *const names[] = { "_meta", "name", "title" };
    bzr_str body;
    bzr_status status = canonical(tool, names, 1, arena, ret_definition, ret_digest);
    return status ? status : canonical(tool, names, 3, arena, &body, ret_body);
}

/* ---- what changed ---- */

static const bzr__json *parse(bzr_str json, bzr__arena *arena) {
    const bzr__json *root = NULL;
    size_t at;
    const char *expected;
    return json.n && !bzr__json_parse(json, arena, &root, &at, &expected) ? root : NULL;
}

static void add_change(bzr__buf *out, const char *name, size_t *n) {
    if ((*n)++) bzr__buf_add_z(out, ", ");
    bzr__buf_add_z(out, name);
}

void bzr__pin_changes(bzr_str before, bzr_str after, bzr__arena *arena, bzr__buf *out) {
    static const char *const known[] = { "title",       "description", "inputSchema", "outputSchema",
                                         "annotations", "execution",   "icons",       "name" };
    const bzr__json *a = parse(before, arena), *b = parse(after, arena);
    size_t n = 0;
    bool other = !a || !b;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const bzr__json *x = bzr__json_get(a, known[i]), *y = bzr__json_get(b, known[i]);
        if (x || y)
            if (!x || !y || !bzr__str_eq(x->raw, y->raw)) add_change(out, known[i], &n);
    }
    for (const bzr__json *m = b ? b->child : NULL; m && !other; m = m->next) {
        if (is_one_of(known, sizeof known / sizeof *known, m->key)) continue;
        const bzr__json *x = a->child;
        while (x && !bzr__str_eq(x->key, m->key)) x = x->next;
        other = !x || !bzr__str_eq(x->raw, m->raw);
    }
    if (other || !n) add_change(out, "other", &n);
}

/* ---- lines ---- */

static void indent(bzr__buf *out, size_t depth) {
    for (size_t i = 0; i < depth; i++) bzr__buf_add_z(out, "  ");
}

/* A string, escaped; where it breaks its line, ours breaks, too. */
static void add_string(bzr__buf *out, bzr_str s, size_t depth) {
    bzr__buf quoted;
    bzr__buf_init(&quoted, 8 * BZR__PIN_BYTES);
    bzr__json_add_str(&quoted, s);
    for (size_t i = 0; i < quoted.n; i++) {
        bzr__buf_add_c(out, quoted.p[i]);
        if (quoted.p[i] != '\\' || i + 1 == quoted.n) continue;
        bool breaks = quoted.p[i + 1] == 'n' && i + 3 < quoted.n;
        bzr__buf_add_c(out, quoted.p[++i]);
        if (!breaks) continue;
        bzr__buf_add_c(out, '\n');
        indent(out, depth + 2);
    }
    if (quoted.status) out->status = quoted.status;
    bzr__buf_free(&quoted);
}

/* A value over several lines, members as they stand. */
static void add_pretty(const bzr__json *root, bzr__buf *out) {
    const bzr__json *stack[BZR__JSON_DEPTH + 2], *v = root;
    size_t depth = 0;
    while (v && !out->status) {
        bool object = depth && stack[depth - 1]->type == BZR__JSON_OBJECT, open = v->child != NULL;
        indent(out, depth);
        if (object) add_string(out, v->key, depth);
        if (object) bzr__buf_add_z(out, ": ");
        if (v->type == BZR__JSON_STRING)
            add_string(out, v->text, depth);
        else if (open)
            bzr__buf_add_z(out, v->type == BZR__JSON_OBJECT ? "{" : "[");
        else
            bzr__buf_add_str(out, v->raw);
        bzr__buf_add_c(out, '\n');
        if (open) {
            stack[depth++] = v;
            v = v->child;
            continue;
        }
        while (depth && !v->next) {
            v = stack[--depth];
            indent(out, depth);
            bzr__buf_add_z(out, v->type == BZR__JSON_OBJECT ? "}\n" : "]\n");
        }
        v = depth ? v->next : NULL;
    }
}

static size_t line_end(bzr_str s, size_t at) {
    size_t end = bzr__str_find(s, BZR__S("\n"), at);
    return end < s.n ? end + 1 : end;
}

static size_t line_before(bzr_str s, size_t at) {
    if (at) at--;
    while (at && s.p[at - 1] != '\n') at--;
    return at;
}

static void add_lines(bzr__buf *out, const char *mark, bzr_str s, size_t from, size_t to) {
    for (size_t at = from, end; at < to; at = end) {
        end = line_end(s, at);
        bzr__buf_add_z(out, mark);
        bzr__buf_add(out, s.p + at, end - at);
    }
}

/* What differs, between the lines that both begin and both end with. */
static void add_diff(bzr_str a, bzr_str b, bzr__buf *out) {
    size_t from = 0, tail_a = a.n, tail_b = b.n;
    while (from < a.n && from < b.n) {
        size_t end = line_end(a, from);
        if (end != line_end(b, from) || memcmp(a.p + from, b.p + from, end - from) != 0) break;
        from = end;
    }
    while (tail_a > from && tail_b > from) {
        size_t x = line_before(a, tail_a), y = line_before(b, tail_b);
        if (!bzr__str_eq(bzr__str_part(a, x, tail_a), bzr__str_part(b, y, tail_b))) break;
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

bzr_status bzr__pin_diff(bzr_str before, bzr_str after, bzr__arena *arena, bzr__buf *out) {
    bzr__buf a, b;
    bzr__buf_init(&a, 32 * BZR__PIN_BYTES);
    bzr__buf_init(&b, 32 * BZR__PIN_BYTES);
    add_pretty(parse(before, arena), &a);
    add_pretty(parse(after, arena), &b);
    bzr_status status = a.status ? a.status : b.status;
    if (!status) add_diff(a.n ? bzr__buf_str(&a) : BZR__S(""), b.n ? bzr__buf_str(&b) : BZR__S(""), out);
    bzr__buf_free(&a);
    bzr__buf_free(&b);
    return status ? status : out->status;
}
