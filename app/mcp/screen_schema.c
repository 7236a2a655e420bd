/* screen_schema.c - which strings of a structured result a JSON Schema binds to what they say.
 *
 * Only one question is answered: may this string be replaced by a sentence of ours, and the value still be valid? Where
 * a schema cannot be followed cheaply (references that are not local, conditions, two alternatives that differ) the
 * answer is no, which costs a redaction, never a leak. Nothing is fetched; references are followed a fixed number of
 * times. */
#include "app/mcp/screen_internal.h"

enum { HOPS = 8, SUBSCHEMAS = 32 };

/* A JSON pointer within the root: "#/$defs/name". */
static const toad__json *resolve(const toad__json *root, toad_str ref) {
    if (!ref.n || ref.p[0] != '#') return NULL;
    const toad__json *at = root;
    for (size_t from = 1; at && from < ref.n;) {
        if (ref.p[from] != '/') return NULL;
        size_t end = toad__str_find(ref, TOAD__S("/"), from + 1);
        toad_str name = toad__str_part(ref, from + 1, end);
        if (memchr(name.p, '~', name.n) || memchr(name.p, '%', name.n) || at->type != TOAD__JSON_OBJECT) return NULL;
        const toad__json *child = at->child;
        while (child && !toad__str_eq(child->key, name)) child = child->next;
        at = child;
        from = end;
    }
    return at;
}

/* The schema behind its references, or NULL. */
static const toad__json *follow(const toad__json *root, const toad__json *schema) {
    for (int hops = 0; schema; hops++) {
        toad_str ref = toad__json_get_text(schema, "$ref");
        if (!ref.p) return toad__json_get(schema, "$dynamicRef") ? NULL : schema;
        if (hops == HOPS) return NULL;
        schema = resolve(root, ref);
    }
    return NULL;
}

static const char *const binding[] = { "enum",         "const", "pattern", "format", "minLength",       "maxLength",
                                       "not",          "if",    "then",    "else",   "contentEncoding", "contentSchema",
                                       "$recursiveRef" };
static const char *const combining[] = { "allOf", "anyOf", "oneOf" };

static bool binds_itself(const toad__json *schema) {
    for (size_t i = 0; i < sizeof binding / sizeof *binding; i++)
        if (toad__json_get(schema, binding[i])) return true;
    return false;
}

bool toad__schema_binds(const toad__json *root, const toad__json *schema) {
    const toad__json *open[SUBSCHEMAS];
    size_t n = 0;
    open[n++] = schema;
    for (size_t i = 0; i < n; i++) { /* a string has to fit every one of these, as far as we care to know */
        const toad__json *at = open[i];
        if (at && at->type == TOAD__JSON_TRUE) continue;
        at = follow(root, at);
        if (!at || at->type != TOAD__JSON_OBJECT || binds_itself(at)) return true;
        for (size_t k = 0; k < sizeof combining / sizeof *combining; k++) {
            const toad__json *list = toad__json_get(at, combining[k]);
            for (const toad__json *item = list ? list->child : NULL; item; item = item->next) {
                if (n == SUBSCHEMAS) return true;
                open[n++] = item;
            }
        }
    }
    return false;
}

/* Is a value bound as a whole, or by alternatives that may say more of its parts? */
static bool is_closed(const toad__json *schema) {
    for (size_t k = 0; k < sizeof combining / sizeof *combining; k++)
        if (toad__json_get(schema, combining[k])) return true;
    return binds_itself(schema) || toad__json_get(schema, "dependentSchemas");
}

static const toad__json *member(const toad__json *schema, toad_str key) {
    const toad__json *list = toad__json_get(schema, "properties");
    for (const toad__json *m = list ? list->child : NULL; m; m = m->next)
        if (toad__str_eq(m->key, key)) return m;
    return toad__json_get(schema, "patternProperties") ? NULL : toad__json_get(schema, "additionalProperties");
}

static const toad__json *item(const toad__json *schema, size_t index) {
    const toad__json *list = toad__json_get(schema, "prefixItems");
    for (const toad__json *m = list ? list->child : NULL; m; m = m->next)
        if (!index--) return m;
    return toad__json_get(schema, "contains") ? NULL : toad__json_get(schema, "items");
}

const toad__json *toad__schema_below(const toad__json *root, const toad__json *schema, toad_str key, size_t index,
                                     bool *ret_free) {
    *ret_free = schema && schema->type == TOAD__JSON_TRUE;
    schema = *ret_free ? NULL : follow(root, schema);
    if (!schema || schema->type != TOAD__JSON_OBJECT || is_closed(schema)) return NULL;
    const toad__json *below = key.p ? member(schema, key) : item(schema, index);
    *ret_free = !below && !toad__json_get(schema, key.p ? "patternProperties" : "contains") &&
                !toad__json_get(schema, key.p ? "unevaluatedProperties" : "unevaluatedItems");
    return below;
}
