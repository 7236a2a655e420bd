/* addon.c - the C interface for Node, as N-API: texts, numbers and plain objects in, strings and arrays out. What is
 * pleasant to use is face.js, over this and over the same in WebAssembly (wasm.js); nobody else calls it.
 *
 * A text is copied first, since what JavaScript lends may be changed by another thread. Handles are externals; each
 * environment (a worker) has its own.
 */
#include "toadstone/toadstone.h"
#include <node_api.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* What a call has copied, released at its end. */
typedef struct block {
    struct block *next;
    char bytes[];
} block;

typedef struct call {
    napi_env env;
    napi_value self, argument[3];
    block *blocks;
} call;

/* An engine and the scanner of this thread; streams have scanners of their own, and may outlive what JavaScript holds
 * of the engine. */
typedef struct shared {
    toad_engine *engine;
    toad_scanner *scanner;
    unsigned users;
} shared;

typedef struct open_stream {
    shared *of;
    toad_scanner *scanner;
    toad_stream *stream; /* NULL: closed */
} open_stream;

/* ---- out ---- */

/* By `fail` of the object that the call is a method of, which throws. */
static napi_value fail(call *c, toad_status status, const char *message) {
    napi_value thrower, arguments[3];
    napi_create_int32(c->env, status, &arguments[0]);
    napi_create_string_utf8(c->env, message ? message : toad_status_message(status), NAPI_AUTO_LENGTH, &arguments[1]);
    napi_create_string_utf8(c->env, message ? "" : toad_status_help(status), NAPI_AUTO_LENGTH, &arguments[2]);
    if (!napi_get_named_property(c->env, c->self, "fail", &thrower))
        napi_call_function(c->env, c->self, thrower, COUNT(arguments), arguments, NULL);
    return NULL;
}

static napi_value string(call *c, toad_str s) {
    napi_value ret = NULL;
    if (napi_create_string_utf8(c->env, s.n ? s.p : "", s.n, &ret)) return fail(c, TOAD_E_LIMIT, NULL);
    return ret;
}

static napi_value string_z(call *c, const char *s) { return string(c, (toad_str){ s, strlen(s) }); }

static napi_value number(call *c, double v) {
    napi_value ret = NULL;
    napi_create_double(c->env, v, &ret);
    return ret;
}

static napi_value boolean(call *c, bool v) {
    napi_value ret = NULL;
    napi_get_boolean(c->env, v, &ret);
    return ret;
}

/* NULL among the values: an exception is pending. */
static napi_value array(call *c, size_t n, const napi_value *values) {
    napi_value ret = NULL;
    napi_create_array_with_length(c->env, n, &ret);
    for (size_t i = 0; i < n; i++) {
        if (!values[i]) return NULL;
        napi_set_element(c->env, ret, (uint32_t)i, values[i]);
    }
    return ret;
}
#define ARRAY(c, ...) array(c, COUNT(((napi_value[]){ __VA_ARGS__ })), (napi_value[]){ __VA_ARGS__ })

/* What `status` says was made of *text, which is released. */
static napi_value made(call *c, toad_status status, toad_text *const *text) {
    if (status) return fail(c, status, NULL);
    napi_value ret = string(c, toad_text_str(*text));
    toad_text_free(*text);
    return ret;
}

/* ---- in ---- */

static char *keep(call *c, size_t n) {
    block *b = malloc(sizeof *b + n + 1);
    if (!b) return NULL;
    b->next = c->blocks, c->blocks = b;
    b->bytes[n] = 0;
    return b->bytes;
}

static bool text(call *c, napi_value value, toad_str *ret) {
    napi_valuetype found;
    napi_typedarray_type sort;
    bool view = false;
    size_t n = 0;
    void *data;
    char *p = NULL;
    napi_typeof(c->env, value, &found);
    if (found == napi_string && !napi_get_value_string_utf8(c->env, value, NULL, 0, &n)) {
        if ((p = keep(c, n)) != NULL) napi_get_value_string_utf8(c->env, value, p, n + 1, &n);
    } else if (!napi_is_typedarray(c->env, value, &view) && view) {
        napi_get_typedarray_info(c->env, value, &sort, &n, &data, NULL, NULL);
        view = sort == napi_uint8_array || sort == napi_uint8_clamped_array;
        if (view && (p = keep(c, n)) != NULL && n) memcpy(p, data, n);
    }
    if (found != napi_string && !view)
        napi_throw_type_error(c->env, NULL, "text is a string or a Uint8Array");
    else if (!p)
        fail(c, TOAD_E_NOMEM, NULL);
    *ret = (toad_str){ p, n };
    return p != NULL;
}

/* What a member of an options object becomes in its struct; one that is not there keeps its default. */
typedef enum type { INT, BOOL, U64, STR, Z } type;
typedef struct member {
    const char *name;
    type type;
    size_t at;
} member;

static bool member_in(call *c, napi_value value, type of, char *to) {
    double number = 0;
    toad_str s;
    if (of == BOOL) return !napi_get_value_bool(c->env, value, (bool *)(void *)to);
    if (of == INT) return !napi_get_value_int32(c->env, value, (int32_t *)(void *)to);
    if (of == U64) {
        if (napi_get_value_double(c->env, value, &number)) return false;
        *(uint64_t *)(void *)to = (uint64_t)number;
        return true;
    }
    if (!text(c, value, &s)) return false;
    if (of == STR)
        *(toad_str *)(void *)to = s;
    else
        *(const char **)(void *)to = s.p;
    return true;
}

static bool options_in(call *c, napi_value object, const member *members, size_t n, void *to) {
    napi_valuetype found;
    napi_value value;
    if (napi_typeof(c->env, object, &found) || found != napi_object) return true;
    for (size_t i = 0; i < n; i++) {
        if (napi_get_named_property(c->env, object, members[i].name, &value)) return false;
        napi_typeof(c->env, value, &found);
        if (found != napi_undefined && !member_in(c, value, members[i].type, (char *)to + members[i].at)) return false;
    }
    return true;
}
#define OPTIONS(c, object, members, to) options_in(c, object, members, COUNT(members), to)

static const member scan_members[] = { { "scope", INT, offsetof(toad_scan_options, scope) },
                                       { "kind", INT, offsetof(toad_scan_options, kind) },
                                       { "maxBytes", U64, offsetof(toad_scan_options, max_bytes) } };
static const member guard_members[] = { { "scope", INT, offsetof(toad_guard_options, scope) },
                                        { "kind", INT, offsetof(toad_guard_options, kind) },
                                        { "maxBytes", U64, offsetof(toad_guard_options, max_bytes) },
                                        { "flags", U64, offsetof(toad_guard_options, flags) } };
static const member policy_members[] = { { "none", INT, offsetof(toad_policy, none) },
                                         { "low", INT, offsetof(toad_policy, low) },
                                         { "medium", INT, offsetof(toad_policy, medium) },
                                         { "high", INT, offsetof(toad_policy, high) },
                                         { "incomplete", INT, offsetof(toad_policy, incomplete) } };
static const member wrap_members[] = { { "envelope", INT, offsetof(toad_wrap_options, envelope) },
                                       { "source", STR, offsetof(toad_wrap_options, source) },
                                       { "sender", STR, offsetof(toad_wrap_options, sender) },
                                       { "subject", STR, offsetof(toad_wrap_options, subject) },
                                       { "task", STR, offsetof(toad_wrap_options, task) },
                                       { "notice", INT, offsetof(toad_wrap_options, notice) },
                                       { "noticeText", STR, offsetof(toad_wrap_options, notice_text) },
                                       { "idMode", INT, offsetof(toad_wrap_options, id_mode) },
                                       { "id", STR, offsetof(toad_wrap_options, id) },
                                       { "preamble", BOOL, offsetof(toad_wrap_options, preamble) },
                                       { "keepRaw", BOOL, offsetof(toad_wrap_options, keep_raw) },
                                       { "quoteLines", BOOL, offsetof(toad_wrap_options, quote_lines) },
                                       { "spotlight", INT, offsetof(toad_wrap_options, spotlight) },
                                       { "maxBytes", U64, offsetof(toad_wrap_options, max_bytes) } };
static const member extract_members[] = { { "format", INT, offsetof(toad_extract_options, format) },
                                          { "render", INT, offsetof(toad_extract_options, render) } };
static const member rule_members[] = { { "id", Z, offsetof(toad_rule_def, id) },
                                       { "title", Z, offsetof(toad_rule_def, title) },
                                       { "family", Z, offsetof(toad_rule_def, family) },
                                       { "why", Z, offsetof(toad_rule_def, why) },
                                       { "severity", INT, offsetof(toad_rule_def, severity) },
                                       { "hiddenSeverity", INT, offsetof(toad_rule_def, hidden_severity) },
                                       { "scope", INT, offsetof(toad_rule_def, scope) },
                                       { "skeleton", BOOL, offsetof(toad_rule_def, skeleton) },
                                       { "gate", Z, offsetof(toad_rule_def, gate) },
                                       { "verify", Z, offsetof(toad_rule_def, verify) },
                                       { "lang", Z, offsetof(toad_rule_def, lang) },
                                       { "mapping", Z, offsetof(toad_rule_def, mapping) } };

static void *handle(call *c, unsigned i) {
    void *ret = NULL;
    napi_get_value_external(c->env, c->argument[i], &ret);
    if (!ret) fail(c, TOAD_E_ARG, NULL);
    return ret;
}

static int32_t integer(call *c, unsigned i) {
    int32_t ret = -1;
    napi_get_value_int32(c->env, c->argument[i], &ret);
    return ret;
}

/* ---- engines and streams ---- */

static void shared_drop(shared *s) {
    if (--s->users) return;
    toad_scanner_free(s->scanner);
    toad_engine_free(s->engine);
    free(s);
}

static void engine_gone(napi_env env, void *data, void *hint) {
    (void)env, (void)hint;
    shared_drop(data);
}

static void stream_end(open_stream *s) {
    if (!s->scanner) return;
    toad_scanner_free(s->scanner);
    shared_drop(s->of);
    s->scanner = NULL, s->stream = NULL;
}

static void stream_gone(napi_env env, void *data, void *hint) {
    (void)env, (void)hint;
    stream_end(data);
    free(data);
}

static uint32_t length(call *c, napi_value list) {
    uint32_t n = 0;
    napi_get_array_length(c->env, list, &n);
    return n;
}

static bool rule_in(call *c, napi_value object, toad_rule_def *def) {
    napi_value patterns, value;
    toad_str s;
    *def = (toad_rule_def)TOAD_RULE_DEF_INIT;
    if (!OPTIONS(c, object, rule_members, def) || napi_get_named_property(c->env, object, "patterns", &patterns))
        return false;
    uint32_t n = length(c, patterns);
    const char **list = (const char **)(void *)keep(c, n * sizeof *list);
    for (uint32_t i = 0; list && i < n; i++) {
        if (napi_get_element(c->env, patterns, i, &value) || !text(c, value, &s)) return false;
        list[i] = s.p;
    }
    def->patterns = list, def->patterns_n = n;
    return list != NULL;
}

static bool rules_in(call *c, toad_rules **ret) {
    char message[400];
    napi_value value;
    uint32_t n = length(c, c->argument[0]);
    toad_rule_def *defs = n ? (toad_rule_def *)(void *)keep(c, n * sizeof *defs) : NULL;
    if (!n) return true;
    for (uint32_t i = 0; defs && i < n; i++)
        if (napi_get_element(c->env, c->argument[0], i, &value) || !rule_in(c, value, &defs[i])) return false;
    toad_status status = defs ? toad_rules_new(defs, n, ret, message, sizeof message) : TOAD_E_NOMEM;
    if (status) fail(c, status, status == TOAD_E_RULE ? message : NULL);
    return !status;
}

/* engine(rules, model) */
static napi_value engine(call *c) {
    toad_engine_options options = TOAD_ENGINE_OPTIONS_INIT;
    toad_rules *rules = NULL;
    napi_value ret = NULL;
    bool model = true;
    if (!rules_in(c, &rules)) return NULL;
    napi_get_value_bool(c->env, c->argument[1], &model);
    options.rules = rules;
    if (!model) options.weights.p = "";
    shared *s = calloc(1, sizeof *s);
    toad_status status = s ? toad_engine_new(&options, &s->engine) : TOAD_E_NOMEM;
    if (!status) status = toad_scanner_new(s->engine, &s->scanner);
    toad_rules_free(rules);
    if (s) s->users = 1;
    if (!status && !napi_create_external(c->env, s, engine_gone, NULL, &ret)) return ret;
    if (s) shared_drop(s);
    return fail(c, status ? status : TOAD_E_NOMEM, NULL);
}

/* scan(engine, text, options): the verdict as JSON */
static napi_value scan(call *c) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    shared *s = handle(c, 0);
    toad_text *json = NULL;
    toad_str in;
    if (!s || !text(c, c->argument[1], &in) || !OPTIONS(c, c->argument[2], scan_members, &options)) return NULL;
    return made(c, toad_scan_json(s->scanner, in, &options, &json), &json);
}

/* guard(engine, text, { ..., policy, wrap }): [text, action, verdict] */
static napi_value guard(call *c) {
    toad_guard_options options = TOAD_GUARD_OPTIONS_INIT;
    toad_wrap_options wrap = TOAD_WRAP_OPTIONS_INIT;
    shared *s = handle(c, 0);
    napi_value object = c->argument[2], policy_in, wrap_in;
    toad_guarded *guarded;
    toad_str in;
    if (!s || !text(c, c->argument[1], &in) || !OPTIONS(c, object, guard_members, &options)) return NULL;
    toad_policy policy = toad_policy_for(options.kind);
    if (napi_get_named_property(c->env, object, "policy", &policy_in) ||
        !OPTIONS(c, policy_in, policy_members, &policy))
        return NULL;
    if (napi_get_named_property(c->env, object, "wrap", &wrap_in) || !OPTIONS(c, wrap_in, wrap_members, &wrap))
        return NULL;
    options.policy = &policy, options.wrap = &wrap;
    toad_status status = toad_guard(s->scanner, in, &options, &guarded);
    if (status) return fail(c, status, NULL);
    napi_value ret = ARRAY(c, string(c, toad_guarded_text(guarded)), number(c, toad_guarded_action(guarded)),
                           string(c, toad_guarded_json(guarded)));
    toad_guarded_free(guarded);
    return ret;
}

/* streamOpen(engine, options) */
static napi_value stream_open(call *c) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    shared *of = handle(c, 0);
    napi_value ret = NULL;
    if (!of || !OPTIONS(c, c->argument[1], scan_members, &options)) return NULL;
    open_stream *s = calloc(1, sizeof *s);
    toad_status status = s ? toad_scanner_new(of->engine, &s->scanner) : TOAD_E_NOMEM;
    if (!status) s->of = of, of->users++, status = toad_stream_open(s->scanner, &options, &s->stream);
    if (!status && !napi_create_external(c->env, s, stream_gone, NULL, &ret)) return ret;
    if (s) stream_end(s);
    free(s);
    return fail(c, status ? status : TOAD_E_NOMEM, NULL);
}

/* streamWrite(stream, chunk) */
static napi_value stream_write(call *c) {
    open_stream *s = handle(c, 0);
    toad_str in;
    if (!s || !text(c, c->argument[1], &in)) return NULL;
    toad_status status = s->stream ? toad_stream_write(s->stream, in) : TOAD_E_STATE;
    return status ? fail(c, status, NULL) : boolean(c, true);
}

/* streamClose(stream): the verdict as JSON */
static napi_value stream_close(call *c) {
    open_stream *s = handle(c, 0);
    const toad_verdict *verdict;
    toad_text *json = NULL;
    if (!s) return NULL;
    toad_status status = s->stream ? toad_stream_close(s->stream, &verdict) : TOAD_E_STATE;
    if (!status) status = toad_verdict_json(verdict, &json);
    stream_end(s);
    return made(c, status, &json);
}

/* ---- texts ---- */

/* sanitize(text): [text, [[name, count, start, end, reported], ...]] */
static napi_value sanitize(call *c) {
    toad_removed removed;
    toad_text *clean = NULL;
    toad_str in;
    napi_value list[TOAD_REMOVED_MAX];
    if (!text(c, c->argument[0], &in)) return NULL;
    napi_value ret = made(c, toad_sanitize(in, NULL, &clean, &removed), &clean);
    for (size_t i = 0; ret && i < removed.n; i++) {
        const toad_removed_class *r = &removed.list[i];
        list[i] = ARRAY(c, string_z(c, r->name), number(c, r->count), number(c, (double)r->first.start),
                        number(c, (double)r->first.end), boolean(c, r->reported));
    }
    return ret ? ARRAY(c, ret, array(c, removed.n, list)) : NULL;
}

static napi_value is_clean(call *c) {
    toad_str in;
    return text(c, c->argument[0], &in) ? boolean(c, toad_is_clean(in)) : NULL;
}

/* wrap(text, options) */
static napi_value wrap(call *c) {
    toad_wrap_options options = TOAD_WRAP_OPTIONS_INIT;
    toad_text *out = NULL;
    toad_str in;
    if (!text(c, c->argument[0], &in) || !OPTIONS(c, c->argument[1], wrap_members, &options)) return NULL;
    return made(c, toad_wrap(in, &options, &out), &out);
}

/* neutralize(text, sanitize) */
static napi_value neutralize(call *c) {
    toad_text *out = NULL;
    toad_str in;
    bool clean = false;
    if (!text(c, c->argument[0], &in)) return NULL;
    napi_get_value_bool(c->env, c->argument[1], &clean);
    return made(c, toad_neutralize(in, clean, &out), &out);
}

/* unwrap(text, id): [content, source, id, envelope, genuine] */
static napi_value unwrap(call *c) {
    toad_unwrapped *u;
    toad_str in, id;
    if (!text(c, c->argument[0], &in) || !text(c, c->argument[1], &id)) return NULL;
    toad_status status = toad_unwrap(in, id, &u);
    if (status) return fail(c, status, NULL);
    napi_value ret = ARRAY(c, string(c, toad_unwrapped_content(u)), string(c, toad_unwrapped_source(u)),
                           string(c, toad_unwrapped_id(u)), number(c, toad_unwrapped_envelope(u)),
                           boolean(c, toad_unwrapped_genuine(u)));
    toad_unwrapped_free(u);
    return ret;
}

static napi_value hidden_out(call *c, const toad_extracted *e) {
    napi_value list = NULL;
    napi_create_array(c->env, &list);
    for (size_t i = 0; i < toad_extracted_hidden_count(e); i++) {
        toad_hidden h = toad_extracted_hidden(e, i);
        napi_set_element(c->env, list, (uint32_t)i,
                         ARRAY(c, string(c, h.text), string_z(c, h.reason), number(c, (double)h.span.start),
                               number(c, (double)h.span.end)));
    }
    return list;
}

static napi_value links_out(call *c, const toad_extracted *e) {
    napi_value list = NULL;
    napi_create_array(c->env, &list);
    for (size_t i = 0; i < toad_extracted_link_count(e); i++) {
        toad_link k = toad_extracted_link(e, i);
        napi_set_element(c->env, list, (uint32_t)i,
                         ARRAY(c, string(c, k.url), number(c, (double)k.span.start), number(c, (double)k.span.end),
                               boolean(c, k.auto_fetch)));
    }
    return list;
}

/* extract(text, options): [visible, rendered, title, hidden, links, complete] */
static napi_value extract(call *c) {
    toad_extract_options options = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e;
    toad_str in;
    if (!text(c, c->argument[0], &in) || !OPTIONS(c, c->argument[1], extract_members, &options)) return NULL;
    toad_status status = toad_extract(in, &options, &e);
    if (status) return fail(c, status, NULL);
    napi_value ret = ARRAY(c, string(c, toad_extracted_visible(e)), string(c, toad_extracted_rendered(e)),
                           string(c, toad_extracted_title(e)), hidden_out(c, e), links_out(c, e),
                           boolean(c, toad_extracted_complete(e)));
    toad_extracted_free(e);
    return ret;
}

/* ---- memory ---- */

/* memoryLine(text, provenance, date) */
static napi_value memory_line(call *c) {
    toad_text *out = NULL;
    toad_str in, date;
    if (!text(c, c->argument[0], &in) || !text(c, c->argument[2], &date)) return NULL;
    return made(c, toad_memory_line(in, (toad_provenance)integer(c, 1), date, &out), &out);
}

/* memoryParse(line): [text, provenance, source, date] */
static napi_value memory_parse(call *c) {
    toad_memory_entry *e;
    toad_str in;
    if (!text(c, c->argument[0], &in)) return NULL;
    toad_status status = toad_memory_parse_line(in, &e);
    if (status) return fail(c, status, NULL);
    napi_value ret = ARRAY(c, string(c, toad_memory_entry_text(e)), number(c, toad_memory_entry_provenance(e)),
                           string(c, toad_memory_entry_source(e)), string(c, toad_memory_entry_date(e)));
    toad_memory_entry_free(e);
    return ret;
}

/* memoryPromptLine(text, provenance) */
static napi_value memory_prompt_line(call *c) {
    toad_text *out = NULL;
    toad_str in;
    if (!text(c, c->argument[0], &in)) return NULL;
    return made(c, toad_memory_prompt_line(in, (toad_provenance)integer(c, 1), &out), &out);
}

static napi_value memory_refusal(call *c) {
    toad_text *out = NULL;
    toad_str in;
    return text(c, c->argument[0], &in) ? made(c, toad_memory_refusal(in, &out), &out) : NULL;
}

/* memoryPlaceholder(rules, entry) */
static napi_value memory_placeholder(call *c) {
    toad_text *out = NULL;
    toad_str entry;
    napi_value value;
    uint32_t n = length(c, c->argument[0]);
    toad_str *ids = (toad_str *)(void *)keep(c, n * sizeof *ids);
    if (!ids || !text(c, c->argument[1], &entry)) return NULL;
    for (uint32_t i = 0; i < n; i++)
        if (napi_get_element(c->env, c->argument[0], i, &value) || !text(c, value, &ids[i])) return NULL;
    return made(c, toad_memory_placeholder(ids, n, entry, &out), &out);
}

static napi_value prompt(call *c) {
    toad_str name;
    if (!text(c, c->argument[0], &name)) return NULL;
    toad_str section = toad_prompt_section(name);
    return section.p ? string(c, section) : fail(c, TOAD_E_NOT_FOUND, NULL);
}

/* ---- the module ---- */

typedef napi_value operation(call *c);
static const struct {
    const char *name;
    operation *call;
} operations[] = {
    { "engine", engine },
    { "scan", scan },
    { "guard", guard },
    { "streamOpen", stream_open },
    { "streamWrite", stream_write },
    { "streamClose", stream_close },
    { "sanitize", sanitize },
    { "isClean", is_clean },
    { "wrap", wrap },
    { "neutralize", neutralize },
    { "unwrap", unwrap },
    { "extract", extract },
    { "memoryLine", memory_line },
    { "memoryParse", memory_parse },
    { "memoryPromptLine", memory_prompt_line },
    { "memoryRefusal", memory_refusal },
    { "memoryPlaceholder", memory_placeholder },
    { "prompt", prompt },
};

static napi_value dispatch(napi_env env, napi_callback_info info) {
    call c = { .env = env };
    void *which;
    size_t n = COUNT(c.argument);
    if (napi_get_cb_info(env, info, &n, c.argument, &c.self, &which)) return NULL;
    napi_value ret = operations[(size_t)which].call(&c);
    bool pending = true;
    napi_is_exception_pending(env, &pending);
    if (!ret && !pending) napi_throw_type_error(env, NULL, "an option has not the type that it must have");
    for (block *b; (b = c.blocks) != NULL; free(b)) c.blocks = b->next;
    return ret;
}

/* The macro of node_api.h declares none of what it defines. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
NAPI_MODULE_INIT() {
    call c = { .env = env };
    napi_value f;
    for (size_t i = 0; i < COUNT(operations); i++) {
        napi_create_function(env, operations[i].name, NAPI_AUTO_LENGTH, dispatch, (void *)i, &f);
        napi_set_named_property(env, exports, operations[i].name, f);
    }
    napi_set_named_property(env, exports, "version", string_z(&c, toad_version()));
    napi_set_named_property(env, exports, "catalogueVersion", string_z(&c, toad_catalogue_version()));
    return exports;
}
