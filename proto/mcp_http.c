/* mcp_http.c - headers and body compared. A header is only there so that what stands between can route by it; what it
 * says must be what the body says, or two readers would act on different requests. Cost: linear; a tool's schema is
 * read only where it wants arguments mirrored. */
#include "proto/mcp_http.h"

#include "lib/base/str.h"
#include "proto/mcp_internal.h"

#define OPEN  TOAD__S("=?base64?")
#define CLOSE TOAD__S("?=")

/* ---- values ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_plain(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~') return false;
    bool looks_coded =
        s.n >= OPEN.n + CLOSE.n && toad__str_starts(s, OPEN) && s.p[s.n - 1] == '=' && s.p[s.n - 2] == '?';
    return !looks_coded && (!s.n || (s.p[0] != ' ' && s.p[s.n - 1] != ' '));
}

void toad__mcp_header_encode(toad__buf *out, toad_str value) {
    if (is_plain(value)) {
        toad__buf_add_str(out, value);
        return;
    }
    toad__buf_add_str(out, OPEN);
    for (size_t i = 0; i < value.n; i += 3) {
        uint32_t bits = 0;
        size_t left = value.n - i < 3 ? value.n - i : 3;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < left ? (unsigned char)value.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++) toad__buf_add_c(out, k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    toad__buf_add_str(out, CLOSE);
}

static int digit_of(char c) {
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Strict: whole groups, padding only at the end, no bits left over. */
static bool decode64(toad__buf *out, toad_str s) {
    if (s.n % 4) return false;
    for (size_t i = 0; i < s.n; i += 4) {
        size_t pad = i + 4 < s.n ? 0 : (size_t)(s.p[i + 3] == '=') + (s.p[i + 3] == '=' && s.p[i + 2] == '=');
        uint32_t bits = 0;
        for (size_t k = 0; k < 4; k++) {
            int digit = k < 4 - pad ? digit_of(s.p[i + k]) : 0;
            if (digit < 0) return false;
            bits = bits << 6 | (uint32_t)digit;
        }
        if (bits & ((1u << 8 * pad) - 1)) return false;
        for (size_t k = 0; k < 3 - pad; k++) toad__buf_add_c(out, (char)(bits >> (16 - 8 * k)));
    }
    return true;
}

bool toad__mcp_header_decode(toad__buf *out, toad_str value) {
    size_t least = OPEN.n + CLOSE.n;
    if (value.n < least || !toad__str_starts(value, OPEN) ||
        !toad__str_eq(toad__str_part(value, value.n - CLOSE.n, value.n), CLOSE)) {
        toad__buf_add_str(out, value);
        return true;
    }
    return decode64(out, toad__str_part(value, OPEN.n, value.n - CLOSE.n));
}

/* Does the header say `expected`? */
static bool says(toad_str header, toad_str expected) {
    toad__buf b;
    toad__buf_init(&b, header.n + 16);
    bool same =
        header.p && toad__mcp_header_decode(&b, header) && !b.status && toad__str_eq(toad__buf_str(&b), expected);
    toad__buf_free(&b);
    return same;
}

/* ---- what is mirrored ---- */

toad_str toad__mcp_name_of(const toad__rpc *rpc) {
    static const char *const named[][2] = { { "tools/call", "name" },     { "prompts/get", "name" },
                                            { "resources/read", "uri" },  { "tasks/get", "taskId" },
                                            { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" } };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (toad__str_eq(rpc->method, toad__str_z(named[i][0]))) return toad__json_get_text(rpc->params, named[i][1]);
    return toad__str(NULL, 0);
}

static bool is_token(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_alnum((unsigned char)s.p[i]) && !(s.p[i] && strchr("!#$%&'*+-.^_`|~", s.p[i]))) return false;
    return s.n && s.n <= 128;
}

static bool is_primitive(toad_str type) {
    return toad__str_eq(type, TOAD__S("string")) || toad__str_eq(type, TOAD__S("integer")) ||
           toad__str_eq(type, TOAD__S("boolean")) || toad__str_eq(type, TOAD__S("number"));
}

typedef struct walk {
    struct {
        const toad__json *property, *arguments;
    } at[TOAD__JSON_DEPTH];
    size_t depth;
    toad_str names[TOAD__MCP_PARAMS_MAX];
    size_t names_n;
} walk;

static bool note_name(walk *w, toad_str name) {
    for (size_t i = 0; i < w->names_n; i++)
        if (toad__str_ieq(w->names[i], name)) return false;
    if (w->names_n == TOAD__MCP_PARAMS_MAX) return false;
    w->names[w->names_n++] = name;
    return true;
}

static const toad__json *member(const toad__json *object, toad_str key) {
    const toad__json *m = object && object->type == TOAD__JSON_OBJECT ? object->child : NULL;
    while (m && !toad__str_eq(m->key, key)) m = m->next;
    return m;
}

bool toad__mcp_each_param(const toad__json *schema, const toad__json *arguments,
                          bool (*each)(void *ctx, toad_str name, const toad__json *value), void *ctx) {
    walk w;
    const toad__json *properties = toad__json_get(schema, "properties");
    w.depth = w.names_n = 0;
    if (!properties || properties->type != TOAD__JSON_OBJECT) return true;
    w.at[w.depth].property = properties->child;
    w.at[w.depth++].arguments = arguments;
    while (w.depth) {
        const toad__json *property = w.at[w.depth - 1].property, *inner;
        const toad__json *value = property ? member(w.at[w.depth - 1].arguments, property->key) : NULL, *wish;
        if (!property) {
            w.depth--;
            continue;
        }
        w.at[w.depth - 1].property = property->next;
        if ((wish = toad__json_get(property, "x-mcp-header"))) {
            if (wish->type != TOAD__JSON_STRING || !is_token(wish->text) ||
                !is_primitive(toad__json_get_text(property, "type")) || !note_name(&w, wish->text) ||
                !each(ctx, wish->text, value && value->type != TOAD__JSON_NULL ? value : NULL))
                return false;
        }
        inner = toad__json_get(property, "properties");
        if (inner && inner->type == TOAD__JSON_OBJECT && w.depth < TOAD__JSON_DEPTH) {
            w.at[w.depth].property = inner->child;
            w.at[w.depth++].arguments = value;
        }
    }
    return true;
}

/* ---- requests ---- */

static bool refuse(toad__mcp_refusal *ret, int http, int code, const char *why) {
    *ret = (toad__mcp_refusal){ http, code, why };
    return false;
}

/* Is the media type among those that an Accept header lists? A quality of 0 is not looked for: nobody sends it. */
static bool accepts(toad_str accept, toad_str type) {
    size_t slash = toad__str_find(type, TOAD__S("/"), 0);
    if (!accept.p) return true;
    for (size_t at = 0, end; at < accept.n; at = end + 1) {
        end = toad__str_find(accept, TOAD__S(","), at);
        toad_str item = toad__str_part(accept, at, end);
        item.n = toad__str_find(item, TOAD__S(";"), 0);
        while (item.n && toad__is_space((unsigned char)item.p[0])) item = toad__str_part(item, 1, item.n);
        while (item.n && toad__is_space((unsigned char)item.p[item.n - 1])) item.n--;
        if (toad__str_ieq(item, type) || toad__str_eq(item, TOAD__S("*/*"))) return true;
        if (item.n == slash + 2 && item.p[item.n - 1] == '*' &&
            toad__str_ieq(toad__str_part(item, 0, slash + 1), toad__str_part(type, 0, slash + 1)))
            return true;
    }
    return false;
}

bool toad__mcp_media_fit(const toad__mcp_headers *h, bool events, toad__mcp_refusal *ret) {
    toad_str sent = toad__str_part(h->content_type, 0, toad__str_find(h->content_type, TOAD__S(";"), 0));
    while (sent.n && toad__is_space((unsigned char)sent.p[sent.n - 1])) sent.n--;
    if (!accepts(h->accept, TOAD__S("text/event-stream")) ||
        (!events && !accepts(h->accept, TOAD__S("application/json"))))
        return refuse(ret, 406, 0,
                      events ? "Accept must hold text/event-stream"
                             : "Accept must hold application/json and text/event-stream");
    if (!events && !toad__str_ieq(sent, TOAD__S("application/json")))
        return refuse(ret, 415, 0, "Content-Type must be application/json");
    return true;
}

toad__mcp_era toad__mcp_era_of(const toad__rpc *rpc, const toad__mcp_headers *h) {
    const toad__json *meta = toad__json_get(rpc->params, "_meta");
    if (toad__json_get(meta, MCP_META_VERSION) || toad__json_get(meta, MCP_META_CAPABILITIES) ||
        mcp_is_modern(toad__mcp_version_of(h->version)))
        return TOAD__MCP_MODERN;
    if (rpc->kind == TOAD__RPC_REQUEST && toad__str_eq(rpc->method, TOAD__S("initialize")) && !h->session.p)
        return TOAD__MCP_HELLO;
    return h->session.p ? TOAD__MCP_SESSION : TOAD__MCP_MODERN;
}

typedef struct mirror {
    const toad__mcp_headers *headers;
    toad__mcp_refusal *refusal;
} mirror;

static bool mirrors_param(void *ctx, toad_str name, const toad__json *value) {
    mirror *m = ctx;
    char full[160] = "Mcp-Param-";
    if (!value) return true;
    memcpy(full + 10, name.p, name.n);
    full[10 + name.n] = 0;
    if (!says(m->headers->param(m->headers->ctx, full), value->type == TOAD__JSON_STRING ? value->text : value->raw))
        return refuse(m->refusal, 400, TOAD__MCP_HEADER_MISMATCH,
                      "a Mcp-Param header is missing or is not the argument");
    return true;
}

/* The schema is ours: it is valid, or the tool mirrors nothing. */
static bool mirrors_params(const toad__mcp_server *server, const toad__rpc *rpc, const toad__mcp_headers *h,
                           toad__mcp_refusal *ret) {
    toad_str name = toad__json_get_text(rpc->params, "name");
    mirror m = { h, ret };
    toad__arena arena;
    const toad__json *schema;
    const char *expected;
    size_t i = 0, at;
    while (i < server->tools_n && !toad__str_eq(name, toad__str_z(server->tools[i].name))) i++;
    if (i == server->tools_n || !strstr(server->tools[i].input_schema, "x-mcp-header")) return true;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (!toad__json_parse(toad__str_z(server->tools[i].input_schema), &arena, &schema, &at, &expected))
        (void)toad__mcp_each_param(schema, toad__json_get(rpc->params, "arguments"), mirrors_param, &m);
    else
        refuse(ret, 500, TOAD__RPC_INTERNAL, "internal error");
    toad__arena_free(&arena);
    return !ret->http;
}

bool toad__mcp_mirrors(const toad__mcp_server *server, const toad__rpc *rpc, const toad__mcp_headers *h,
                       toad__mcp_refusal *ret) {
    toad_str name = toad__mcp_name_of(rpc);
    if (rpc->kind != TOAD__RPC_REQUEST && rpc->kind != TOAD__RPC_NOTIFICATION) return true;
    if (!toad__json_get(toad__json_get(rpc->params, "_meta"), MCP_META_VERSION) || !h->version.p)
        return true; /* what the engine refuses anyway, in its own words */
    if (!says(h->method, rpc->method))
        return refuse(ret, 400, TOAD__MCP_HEADER_MISMATCH, "the Mcp-Method header must be the method");
    if (name.p && !says(h->name, name))
        return refuse(ret, 400, TOAD__MCP_HEADER_MISMATCH, "the Mcp-Name header must be the name, URI or task");
    return !toad__str_eq(rpc->method, TOAD__S("tools/call")) || mirrors_params(server, rpc, h, ret);
}
