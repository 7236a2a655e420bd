/* Any bytes to the JSON reader: spans stay inside the input, in order, and what was read can be written and read again. */
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define MUST(x) do { if (!(x)) abort(); } while (0)

static void add_value(bzr__buf *b, const bzr__json *node, bool ascii);

static void add_children(bzr__buf *b, const bzr__json *node, bool ascii) {
    bool object = node->type == BZR__JSON_OBJECT;
    bzr__buf_add_c(b, object ? '{' : '[');
    for (const bzr__json *m = node->child; m; m = m->next) {
        MUST(m->raw.p >= node->raw.p && m->raw.p + m->raw.n <= node->raw.p + node->raw.n);
        MUST(!m->next || m->raw.p + m->raw.n < m->next->raw.p);
        if (object) {
            (ascii ? bzr__json_add_str : bzr__json_add_utf8)(b, m->key);
            bzr__buf_add_c(b, ':');
        }
        add_value(b, m, ascii);
        if (m->next) bzr__buf_add_c(b, ',');
    }
    bzr__buf_add_c(b, object ? '}' : ']');
}

static void add_value(bzr__buf *b, const bzr__json *node, bool ascii) {
    if (node->type == BZR__JSON_OBJECT || node->type == BZR__JSON_ARRAY) add_children(b, node, ascii);
    else if (node->type == BZR__JSON_STRING) (ascii ? bzr__json_add_str : bzr__json_add_utf8)(b, node->text);
    else bzr__buf_add_str(b, node->raw);
}

static void same(const bzr__json *a, const bzr__json *b) {
    for (; a && b; a = a->next, b = b->next) {
        MUST(a->type == b->type && bzr__str_eq(a->key, b->key) && bzr__str_eq(a->text, b->text));
        same(a->child, b->child);
    }
    MUST(!a && !b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__arena first, second;
    const bzr__json *root = NULL, *again = NULL;
    size_t at = SIZE_MAX;
    const char *err = NULL;
    bzr__arena_init(&first, 16u << 20);
    bzr_status status = bzr__json_parse(bzr__str(data, size), &first, &root, &at, &err);
    MUST(status ? !root && at <= size && err : root != NULL);
    for (int ascii = 0; root && ascii < 2; ascii++) {
        bzr__buf b;
        bzr__buf_init(&b, 64u << 20);
        add_value(&b, root, ascii);
        bzr__arena_init(&second, 64u << 20);
        MUST(!b.status && !bzr__json_parse(bzr__buf_str(&b), &second, &again, &at, &err));
        same(root, again);
        bzr__arena_free(&second);
        bzr__buf_free(&b);
    }
    bzr__arena_free(&first);
    return 0;
}
