/* Any bytes to the JSON reader: spans stay inside the input, in order, and what was read can be written and read again.
 */
#include "fuzz/fuzz.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

static void add_value(toad__buf *b, const toad__json *node, bool ascii);

static void add_children(toad__buf *b, const toad__json *node, bool ascii) {
    bool object = node->type == TOAD__JSON_OBJECT;
    toad__buf_add_c(b, object ? '{' : '[');
    for (const toad__json *m = node->child; m; m = m->next) {
        MUST(m->raw.p >= node->raw.p && m->raw.p + m->raw.n <= node->raw.p + node->raw.n);
        MUST(!m->next || m->raw.p + m->raw.n < m->next->raw.p);
        if (object) {
            (ascii ? toad__json_add_str : toad__json_add_utf8)(b, m->key);
            toad__buf_add_c(b, ':');
        }
        add_value(b, m, ascii);
        if (m->next) toad__buf_add_c(b, ',');
    }
    toad__buf_add_c(b, object ? '}' : ']');
}

static void add_value(toad__buf *b, const toad__json *node, bool ascii) {
    if (node->type == TOAD__JSON_OBJECT || node->type == TOAD__JSON_ARRAY)
        add_children(b, node, ascii);
    else if (node->type == TOAD__JSON_STRING)
        (ascii ? toad__json_add_str : toad__json_add_utf8)(b, node->text);
    else
        toad__buf_add_str(b, node->raw);
}

static void same(const toad__json *a, const toad__json *b) {
    for (; a && b; a = a->next, b = b->next) {
        MUST(a->type == b->type && toad__str_eq(a->key, b->key) && toad__str_eq(a->text, b->text));
        same(a->child, b->child);
    }
    MUST(!a && !b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena first, second;
    const toad__json *root = NULL, *again = NULL;
    size_t at = SIZE_MAX;
    const char *err = NULL;
    toad__arena_init(&first, 16u << 20);
    toad_status status = toad__json_parse(toad__str(data, size), &first, &root, &at, &err);
    MUST(status ? !root && at <= size && err : root != NULL);
    for (int ascii = 0; root && ascii < 2; ascii++) {
        toad__buf b;
        toad__buf_init(&b, 64u << 20);
        add_value(&b, root, ascii);
        toad__arena_init(&second, 64u << 20);
        MUST(!b.status && !toad__json_parse(toad__buf_str(&b), &second, &again, &at, &err));
        same(root, again);
        toad__arena_free(&second);
        toad__buf_free(&b);
    }
    toad__arena_free(&first);
    return 0;
}
