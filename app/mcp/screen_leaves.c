/* screen_leaves.c - every string of a value in reading order: what it is, what it belongs to, and whether it may be
 * changed.
 *
 * Nothing is left out but constants of the protocol and what base64 says of pictures and sounds. Prose without
 * punctuation is base64, too: what reads as words is read as it stands, whatever it decodes to. A walk without
 * recursion; the reader of JSON bounds the depth. */
#include "app/mcp/screen_internal.h"
#include "app/scan/scan.h"
#include "toadstone/text.h"

#include <stdlib.h>

enum {
    HEAD = 1368,  /* digits of base64 that tell text from pictures */
    SHORT = 4096, /* a string that is always read as it stands */
    WORDS = 64    /* neighbors that are looked at together */
};

typedef enum section { PLAIN, STRUCTURED, META, SCHEMA } section;

/* Where in the value the walk stands. */
typedef struct place {
    const toad__json *parent, *at, *schema;
    toad_str key; /* of the nearest member above */
    section in;
    bool bound, data; /* under a schema that binds; under what a server may fill as it likes */
    toad__unit *unit;
    size_t index;
} place;

typedef struct walk {
    toad__screen *s;
    const toad__screen_in *in;
    const toad__json *schema;
    bool known;
    place stack[TOAD__JSON_DEPTH + 2];
    size_t depth;
} walk;

/* ---- words of the protocol ---- */

static const char protocol_names[] =
    "content structuredContent isError type text _meta data mimeType uri name title description annotations audience "
    "priority lastModified resource blob icons src sizes theme size tools inputSchema outputSchema execution "
    "taskSupport readOnlyHint destructiveHint idempotentHint openWorldHint properties required additionalProperties "
    "items enum default nextCursor resultType ttlMs cacheScope prompts arguments messages role resources "
    "resourceTemplates uriTemplate contents completion values total hasMore instructions capabilities listChanged "
    "subscribe logging completions serverInfo version protocolVersion supportedVersions websiteUrl extensions "
    "experimental code message level logger progressToken progress requestId reason taskId status statusMessage "
    "createdAt lastUpdatedAt ttl pollInterval pollIntervalMs result error inputRequests requestState method params "
    "mode requestedSchema elicitationId url modelPreferences hints systemPrompt includeContext temperature maxTokens "
    "stopSequences metadata costPriority speedPriority intelligencePriority minimum maximum minLength maxLength format "
    "$schema anyOf oneOf allOf const pattern minItems maxItems subscriptionId id input toolUseId";

/* Members whose strings are no prose: scanned each by itself and with their like, never between what is prose. */
static const char singles[] = "uri uriTemplate mimeType type role audience level logger theme sizes src lastModified "
                              "nextCursor resultType cacheScope taskSupport progressToken requestId taskId status "
                              "createdAt lastUpdatedAt requestState mode elicitationId url websiteUrl version "
                              "protocolVersion supportedVersions includeContext subscriptionId id method toolUseId "
                              "$schema $ref $id format";

static const char labels[] = "description title message instructions reason statusMessage systemPrompt";

static const char constants[] =
    "text image audio resource resource_link tool_use tool_result object string number integer boolean array null user "
    "assistant low light dark debug info notice warning error critical alert emergency complete input_required task "
    "working completed failed cancelled public private forbidden optional required form url none thisServer "
    "allServers text/plain text/markdown text/html application/json image/png image/jpeg image/svg+xml audio/wav "
    "application/octet-stream http://json-schema.org/draft-07/schema# https://json-schema.org/draft/2020-12/schema";

/* The same of what agents' own tools give. */
static const char shape_names[] =
    "stdout stderr interrupted isImage noOutputExpected file filePath numLines startLine totalLines llmContent "
    "returnDisplay output exitCode durationMs filenames numFiles mode query results codeText bytes structuredPatch "
    "oldString newString originalFile userModified replaceAll resultType textResultForLlm";
static const char shape_words[] = "text image pdf notebook file success failure denied create update string utf8 utf-8 "
                                  "base64 image/png image/jpeg image/gif image/webp application/pdf";

bool toad__screen_is_shape(const toad__screen_in *in, const toad__json *node) {
    if (toad__str_is_one_of(node->text, shape_words)) return true;
    for (const toad__json *m = in->arguments ? in->arguments->child : NULL; m; m = m->next)
        if (m->type == TOAD__JSON_STRING && toad__str_eq(m->text, node->text)) return true;
    return false;
}

/* ---- base64 ---- */

/* Of both alphabets of RFC 4648. */
static int digit_of(int c) { return c == '-' ? 62 : c == '_' ? 63 : toad__base64_value(c); }

/* Decode into `out`, which has room for 3 bytes of every 4 of `in`. False: it is no base64. */
static bool decode(toad_str in, char *out, size_t *ret) {
    uint32_t bits = 0;
    unsigned have = 0;
    size_t n = 0, at = 0;
    for (; at < in.n && in.p[at] != '='; at++) {
        int v = digit_of((unsigned char)in.p[at]);
        if (v < 0 && toad__is_space((unsigned char)in.p[at])) continue;
        if (v < 0) return false;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out[n++] = (char)(bits >> have);
    }
    for (; at < in.n; at++)
        if (in.p[at] != '=' && !toad__is_space((unsigned char)in.p[at])) return false;
    *ret = n;
    return true;
}

/* Decode as readers do that skip what is no digit; with `over`, also what ends the digits. Returns the length. */
static size_t decode_loosely(toad_str in, bool over, char *out) {
    uint32_t bits = 0;
    unsigned have = 0;
    size_t n = 0;
    for (size_t at = 0; at < in.n; at++) {
        int v = digit_of((unsigned char)in.p[at]);
        if (in.p[at] == '=' && !over) have = 0;
        if (v < 0) continue;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        out[n++] = (char)(bits >> have);
    }
    return n;
}

static bool has(toad_str s, const char *part) {
    size_t n = strlen(part);
    for (size_t at = 0; at + n <= s.n; at++)
        if (toad__str_ieq(toad__str(s.p + at, n), toad__str(part, n))) return true;
    return false;
}

static bool is_text_type(toad_str type) {
    return toad__str_ieq(toad__str_part(type, 0, 5), TOAD__S("text/")) || has(type, "json") || has(type, "xml") ||
           has(type, "yaml") || has(type, "script") || has(type, "markdown");
}

typedef enum packed { NOT_PACKED, PACKED_TEXT, PACKED_OTHER } packed;

/* What base64 of `text` says, in the arena. */
static toad_status unpack(walk *w, const toad__json *parent, toad_str text, packed *ret, toad_str *ret_text) {
    char head[HEAD];
    size_t n;
    *ret = NOT_PACKED;
    if (!decode(toad__str_part(text, 0, HEAD), head, &n)) return TOAD_OK;
    *ret = PACKED_OTHER;
    if (!is_text_type(toad__json_get_text(parent, "mimeType")) && toad__looks_binary(toad__str(head, n)))
        return TOAD_OK;
    char *all = toad__arena_alloc(&w->s->arena, text.n / 4 * 3 + 4);
    if (!all) return TOAD_E_NOMEM;
    *ret = decode(text, all, &n) ? PACKED_TEXT : NOT_PACKED;
    *ret_text = toad__str(all, n);
    return TOAD_OK;
}

static bool may_be_packed(const place *p, const toad__json *node) {
    if (p->in != PLAIN || !p->parent || p->parent->type != TOAD__JSON_OBJECT) return false;
    if (toad__str_eq(node->key, TOAD__S("blob"))) return true;
    toad_str type = toad__json_get_text(p->parent, "type");
    return toad__str_eq(node->key, TOAD__S("data")) &&
           (toad__str_eq(type, TOAD__S("image")) || toad__str_eq(type, TOAD__S("audio")));
}

/* Do two neighbors stand so in words? In the digits of anything packed, half of them do. */
static bool is_of_words(toad_str s, size_t at) {
    unsigned char a = (unsigned char)s.p[at], b = (unsigned char)s.p[at + 1];
    return !toad__is_digit(a) && !toad__is_digit(b) && !(toad__is_lower(a) && toad__is_upper(b));
}

/* The next stretch of a long string, from *at on, that reads as words, with as much again around it: WORDS neighbors of
 * which four in five stand so. False: there is none. */
static bool find_words(toad_str s, size_t *at, toad_str *ret) {
    size_t good = 0, from = *at, i = from;
    for (; i + 1 < s.n; i++) {
        good += is_of_words(s, i);
        if (i >= from + WORDS) good -= is_of_words(s, i - WORDS);
        if (i + 1 >= from + WORDS && good * 5 >= WORDS * 4) break;
    }
    if (i + 1 >= s.n) return false;
    size_t start = i + 1 - WORDS;
    for (i++; i + 1 < s.n && good * 5 >= WORDS * 4; i++) {
        good += is_of_words(s, i);
        good -= is_of_words(s, i - WORDS);
    }
    *at = i;
    *ret = toad__str_part(s, start > from + WORDS ? start - WORDS : from, i + WORDS);
    return true;
}

static bool has_blank(toad_str s) { return memchr(s.p, ' ', s.n) || memchr(s.p, '\t', s.n); }

/* ---- leaves ---- */

static toad_status add_leaf(toad__screen *s, const toad__leaf *leaf) {
    toad__reading *r = &s->reading;
    if (r->n == r->cap) {
        size_t cap = r->cap ? 2 * r->cap : 64;
        toad__leaf *more = realloc(r->leaves, cap * sizeof *more);
        if (!more) return TOAD_E_NOMEM;
        r->leaves = more;
        r->cap = cap;
    }
    r->leaves[r->n] = *leaf;
    r->leaves[r->n++].clean = toad_is_clean(leaf->text);
    return TOAD_OK;
}

static toad__leaf_role role_of(const walk *w, const place *p) {
    if (p->in == STRUCTURED) return p->bound ? TOAD__LEAF_FIXED : TOAD__LEAF_TEXT;
    if (p->in == META) return TOAD__LEAF_FIXED;
    if (toad__str_is_one_of(p->key, labels))
        return w->in->what == TOAD__MCP_VALUE_ERROR ? TOAD__LEAF_TEXT : TOAD__LEAF_LABEL;
    if (p->in == SCHEMA) return TOAD__LEAF_FIXED;
    return p->data || toad__str_eq(p->key, TOAD__S("text")) ? TOAD__LEAF_TEXT : TOAD__LEAF_FIXED;
}

/* What should be base64 and is not is a text, and whatever a careless reader would make of it. */
static toad_status add_loosely_packed(walk *w, const place *p, const toad__json *node) {
    bool text = is_text_type(toad__json_get_text(p->parent, "mimeType"));
    toad_status status = TOAD_OK;
    for (int over = 0; over < 2 && !status; over++) {
        char *all = toad__arena_alloc(&w->s->arena, node->text.n / 4 * 3 + 4);
        if (!all) return TOAD_E_NOMEM;
        toad_str said = toad__str(all, decode_loosely(node->text, over, all));
        if (!text && toad__looks_binary(said)) continue;
        toad__leaf leaf = {
            .node = node, .text = said, .unit = p->unit, .role = TOAD__LEAF_FIXED, .blob = true, .joined = true
        };
        status = add_leaf(w->s, &leaf);
    }
    return status;
}

/* What is base64 and reads as words, too, as it stands: whoever prints it shows the words. */
static toad_status add_as_it_stands(walk *w, const place *p, const toad__json *node) {
    toad__leaf leaf = { .node = node, .text = node->text, .unit = p->unit, .role = TOAD__LEAF_FIXED, .aside = true };
    toad_status status = TOAD_OK;
    if (node->text.n <= SHORT || has_blank(node->text)) return node->text.n ? add_leaf(w->s, &leaf) : TOAD_OK;
    for (size_t at = 0; !status && find_words(node->text, &at, &leaf.text);) status = add_leaf(w->s, &leaf);
    return status;
}

static toad_status add_string(walk *w, const place *p, const toad__json *node) {
    if (w->in->what == TOAD__MCP_VALUE_OUTPUT && toad__screen_is_shape(w->in, node)) return TOAD_OK;
    toad__leaf leaf = { .node = node, .text = node->text, .unit = p->unit, .joined = p->in != META };
    packed how = NOT_PACKED;
    bool packable = may_be_packed(p, node);
    toad_status status = packable ? unpack(w, p->parent, node->text, &how, &leaf.text) : TOAD_OK;
    if (!status && how != NOT_PACKED) status = add_as_it_stands(w, p, node);
    if (status || how == PACKED_OTHER) return status;
    if (packable && how == NOT_PACKED) status = add_loosely_packed(w, p, node);
    if (status) return status;
    leaf.blob = how == PACKED_TEXT;
    leaf.role = leaf.blob ? TOAD__LEAF_FIXED : role_of(w, p);
    if (p->in != STRUCTURED && !p->data && toad__str_is_one_of(p->key, singles)) {
        if (toad__str_is_one_of(node->text, constants)) return TOAD_OK;
        leaf.joined = false;
    }
    leaf.aside = !leaf.joined;
    return add_leaf(w->s, &leaf);
}

/* A verdict as if of ours is left out unread, wherever one of ours could stand. */
static bool is_verdict(const walk *w, const place *p, const toad__json *node) {
    bool stands = p->in == META || (w->in->what == TOAD__MCP_VALUE_ERROR && p->data);
    return stands && toad__str_eq(node->key, TOAD__S("dev.toadstone/verdict"));
}

static toad_status note_forged(walk *w, const place *p, const toad__json *node) {
    toad__forged *f = toad__arena_alloc(&w->s->arena, sizeof *f);
    if (!f) return TOAD_E_NOMEM;
    *f = (toad__forged){ node, p->parent, w->s->reading.forged };
    w->s->reading.forged = f;
    return TOAD_OK;
}

static toad_status add_name(walk *w, const place *p, const toad__json *node) {
    bool ours = p->in != STRUCTURED && p->in != META && !p->data && toad__str_is_one_of(node->key, protocol_names);
    ours |= w->in->what == TOAD__MCP_VALUE_OUTPUT &&
            (toad__str_is_one_of(node->key, shape_names) || toad__str_is_one_of(node->key, protocol_names));
    if (ours || !node->key.n) return TOAD_OK;
    toad__leaf leaf = {
        .node = node, .text = node->key, .unit = p->unit, .role = TOAD__LEAF_FIXED, .key = true, .joined = p->in != META
    };
    w->s->reading.keys |= leaf.joined;
    return add_leaf(w->s, &leaf);
}

/* ---- what can be left out ---- */

static bool is_unit(const walk *w, const place *p, const toad__json *node) {
    bool member = p->parent && p->parent->type == TOAD__JSON_OBJECT;
    bool item = p->parent && p->parent->type == TOAD__JSON_ARRAY;
    switch (w->in->what) {
    case TOAD__MCP_VALUE_SERVER:
        return member && toad__str_is_one_of(node->key, "instructions title description icons websiteUrl");
    case TOAD__MCP_VALUE_TOOLS:
    case TOAD__MCP_VALUE_PROMPTS:
    case TOAD__MCP_VALUE_RESOURCES:
    case TOAD__MCP_VALUE_TEMPLATES:
        return item && w->depth == 3 && toad__str_is_one_of(p->key, "tools prompts resources resourceTemplates");
    case TOAD__MCP_VALUE_COMPLETION: return item && w->depth == 4 && toad__str_eq(p->key, TOAD__S("values"));
    case TOAD__MCP_VALUE_ERROR: return member && w->depth == 2 && toad__str_is_one_of(node->key, "message data");
    case TOAD__MCP_VALUE_NOTIFICATION:
        return member && w->depth == 2 && toad__str_is_one_of(node->key, "message reason statusMessage data");
    case TOAD__MCP_VALUE_TASK:
        return member && w->depth == 2 && toad__str_is_one_of(node->key, "result error inputRequests statusMessage");
    default: return false;
    }
}

static toad_status find_unit(walk *w, place *p, const toad__json *node) {
    if (p->unit || !is_unit(w, p, node)) return TOAD_OK;
    toad__unit *unit = toad__arena_alloc(&w->s->arena, sizeof *unit);
    if (!unit) return TOAD_E_NOMEM;
    *unit = (toad__unit){ .node = node, .parent = p->parent };
    p->unit = unit;
    return TOAD_OK;
}

/* ---- the walk ---- */

static void enter_section(const walk *w, place *p) {
    if (p->in != PLAIN || w->in->what == TOAD__MCP_VALUE_OUTPUT) return;
    if (toad__str_eq(p->key, TOAD__S("_meta"))) p->in = META;
    if (toad__str_is_one_of(p->key, "inputSchema outputSchema requestedSchema")) p->in = SCHEMA;
    if (toad__str_eq(p->key, TOAD__S("structuredContent"))) {
        p->in = STRUCTURED;
        p->schema = w->schema;
        p->bound = w->schema ? toad__schema_binds(w->schema, w->schema) : !w->known;
    }
    bool open = w->in->what == TOAD__MCP_VALUE_ERROR || w->in->what == TOAD__MCP_VALUE_NOTIFICATION;
    if (open && toad__str_eq(p->key, TOAD__S("data"))) p->data = true;
}

static void follow_schema(const walk *w, place *p, const toad__json *node, bool member) {
    bool is_free = false;
    if (!p->schema) return; /* it stays bound or free, as it was */
    toad_str key = member ? toad__str(node->key.p ? node->key.p : "", node->key.n) : toad__str(NULL, 0);
    p->schema = toad__schema_below(w->schema, p->schema, key, p->index, &is_free);
    p->bound = p->schema ? toad__schema_binds(w->schema, p->schema) : !is_free;
}

static toad_status visit(walk *w, const toad__json *node) {
    place p = w->stack[w->depth - 1];
    bool member = p.parent && p.parent->type == TOAD__JSON_OBJECT;
    if (member && is_verdict(w, &p, node)) return note_forged(w, &p, node);
    if (member) p.key = node->key;
    if (p.in == STRUCTURED) follow_schema(w, &p, node, member);
    if (member) enter_section(w, &p);
    toad_status status = find_unit(w, &p, node);
    place named = w->stack[w->depth - 1]; /* a name belongs to where the member stands */
    named.unit = p.unit;
    if (!status && member) status = add_name(w, &named, node);
    if (!status && node->type == TOAD__JSON_STRING) status = add_string(w, &p, node);
    if (status || !node->child) return status;
    if (w->depth == sizeof w->stack / sizeof *w->stack) return TOAD_E_LIMIT;
    p.parent = node;
    p.at = node->child;
    p.index = 0;
    w->stack[w->depth++] = p;
    return TOAD_OK;
}

toad_status toad__screen_collect(toad__screen *s, const toad__screen_in *in, const toad__json *schema, bool known) {
    walk w = { .s = s, .in = in, .schema = schema, .known = known };
    toad_status status = TOAD_OK;
    s->reading.n = 0;
    s->reading.keys = false;
    s->reading.forged = NULL;
    w.stack[w.depth++] = (place){ .at = in->value, .data = in->what == TOAD__MCP_VALUE_OUTPUT };
    while (w.depth && !status) {
        place *p = &w.stack[w.depth - 1];
        const toad__json *node = p->at;
        if (!node) {
            w.depth--;
            continue;
        }
        p->at = p->parent ? node->next : NULL;
        status = visit(&w, node);
        p->index++;
    }
    return status;
}
