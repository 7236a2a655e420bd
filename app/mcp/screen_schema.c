/* screen_schema.c - which strings of a structured result a JSON Schema binds to what they say.
 *
 * Only one question is answered: may this string be replaced by a sentence of ours, and the value still be valid? Where
 * a schema cannot be followed cheaply (references that are not local, conditions, two alternatives that differ) the
 * answer is no, which costs a redaction, never a leak. Nothing is fetched; references are followed a fixed number of
 * times. */
#include "app/mcp/screen_internal.h"

enum { HOPS = 8, SUBSCHEMAS = 32 };

/* A JSON pointer within the root: "#/$defs/name". */
static const bzr__json *resolve(const bzr__json *root, bzr_str ref) {
    if (!ref.n || ref.p[0] != '#') return NULL;
    const bzr__json *at = root;
    for (size_t from = 1; at && from < ref.n;) {
        if (ref.p[from] != '/') return NULL;
        size_t end = bzr__str_find(ref, BZR__S("/"), from + 1);
        bzr_str name = bzr__str_part(ref, from + 1, end);
        if (memchr(name.p, '~', name.n) || memchr(name.p, '%', name.n) || at->type != BZR__JSON_OBJECT) return NULL;
        const bzr__json *child = at->child;
        while (child && !bzr__str_eq(child->key, name)) child = child->next;
        at = child;
        from = end;
    }
    return at;
}

/* The schema behind its references, or NULL. */
static const bzr__json *follow(const bzr__json *root, const bzr__json *schema) {
    for (int hops = 0; schema; hops++) {
        bzr_str ref = bzr__json_get_text(schema, "$ref");
        if (!ref.p) return bzr__json_get(schema, "$dynamicRef") ? NULL : schema;
        if (hops == HOPS) return NULL;
        schema = resolve(root, ref);
    }
    return NULL;
}

static const char *const binding[] = { "enum",         "const", "pattern", "format", "minLength",       "maxLength",
                                       "not",          "if",    "then",    "else",   "contentEncoding", "contentSchema",
                                       "$recursiveRef" };
static const char *const combining[] = { "allOf", "anyOf", "oneOf" };

static bool binds_itself(const bzr__json *schema) {
    for (size_t i = 0; i < sizeof binding / sizeof *binding; i++)
        if (bzr__json_get(schema, binding[i])) return true;
    return false;
}

bool bzr__schema_binds(const bzr__json *root, const bzr__json *schema) {
    const bzr__json *open[SUBSCHEMAS];
    size_t n = 0;
    open[n++] = schema;
    for (size_t i = 0; i < n; i++) { /* a string has to fit every one of these, as far as we care to know */
        const bzr__json *at = open[i];
        if (at && at->type == BZR__JSON_TRUE) continue;
        at = follow(root, at);
        if (!at || at->type != BZR__JSON_OBJECT || binds_itself(at)) return true;
        for (size_t k = 0; k < sizeof combining / sizeof *combining; k++) {
            const bzr__json *list = bzr__json_get(at, combining[k]);
            for (const bzr__json *item = list ? list->child : NULL; item; item = item->next) {
                if (n == SUBSCHEMAS) return true;
                open[n++] = item;
            }
        }
    }
    return false;
}

/* Is a value bound as a whole, or by alternatives that may say more of its parts? */
static bool is_closed(const bzr__json *schema) {
    for (size_t k = 0; k < sizeof combining / sizeof *combining; k++)
        if (bzr__json_get(schema, combining[k])) return true;
    return binds_itself(schema) || bzr__json_get(schema, "dependentSchemas");
}

static const bzr__json *member(const bzr__json *schema, bzr_str key) {
    const bzr__json *list = bzr__json_get(schema, "properties");
    for (const bzr__json *m = list ? list->child : NULL; m; m = m->next)
        if (bzr__str_eq(m->key, key)) return m;
    return bzr__json_get(schema, "patternProperties") ? NULL : bzr__json_get(schema, "additionalProperties");
}

static const bzr__json *item(const bzr__json *schema, size_t index) {
    const bzr__json *list = bzr__json_get(schema, "prefixItems");
    for (const bzr__json *m = list ? list->child : NULL; m; m = m->next)
        if (!index--) return m;
    return bzr__json_get(schema, "contains") ? NULL : bzr__json_get(schema, "items");
}

const bzr__json *bzr__schema_below(const bzr__json *root, const bzr__json *schema, bzr_str key, size_t index,
                                   bool *ret_free) {
    *ret_free = schema && schema->type == BZR__JSON_TRUE;
    schema = *ret_free ? NULL : follow(root, schema);
    if (!schema || schema->type != BZR__JSON_OBJECT || is_closed(schema)) return NULL;
    const bzr__json *below = key.p ? member(schema, key) : item(schema, index);
    *ret_free = !below && !bzr__json_get(schema, key.p ? "patternProperties" : "contains") &&
                !bzr__json_get(schema, key.p ? "unevaluatedProperties" : "unevaluatedItems");
    return below;
}
