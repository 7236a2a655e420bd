/* mcp_http.c - headers and body compared. A header is only there so that what stands between can route by it; what it
 * says must be what the body says, or two readers would act on different requests. Cost: linear; a tool's schema is
 * read only where it wants arguments mirrored. */
#include "proto/mcp_http.h"

#include "lib/base/str.h"
#include "proto/mcp_internal.h"

#define OPEN  BZR__S("=?base64?")
#define CLOSE BZR__S("?=")

/* ---- values ---- */

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static bool is_plain(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] < ' ' || s.p[i] > '~') return false;
    bool looks_coded =
        s.n >= OPEN.n + CLOSE.n && bzr__str_starts(s, OPEN) && s.p[s.n - 1] == '=' && s.p[s.n - 2] == '?';
    return !looks_coded && (!s.n || (s.p[0] != ' ' && s.p[s.n - 1] != ' '));
}

void bzr__mcp_header_encode(bzr__buf *out, bzr_str value) {
    if (is_plain(value)) {
        bzr__buf_add_str(out, value);
        return;
    }
    bzr__buf_add_str(out, OPEN);
    for (size_t i = 0; i < value.n; i += 3) {
        uint32_t bits = 0;
        size_t left = value.n - i < 3 ? value.n - i : 3;
        for (size_t k = 0; k < 3; k++) bits = bits << 8 | (k < left ? (unsigned char)value.p[i + k] : 0);
        for (size_t k = 0; k < 4; k++) bzr__buf_add_c(out, k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=');
    }
    bzr__buf_add_str(out, CLOSE);
}

static int digit_of(char c) {
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Strict: whole groups, padding only at the end, no bits left over. */
static bool decode64(bzr__buf *out, bzr_str s) {
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
        for (size_t k = 0; k < 3 - pad; k++) bzr__buf_add_c(out, (char)(bits >> (16 - 8 * k)));
    }
    return true;
}

bool bzr__mcp_header_decode(bzr__buf *out, bzr_str value) {
    size_t least = OPEN.n + CLOSE.n;
    if (value.n < least || !bzr__str_starts(value, OPEN) ||
        !bzr__str_eq(bzr__str_part(value, value.n - CLOSE.n, value.n), CLOSE)) {
        bzr__buf_add_str(out, value);
        return true;
    }
    return decode64(out, bzr__str_part(value, OPEN.n, value.n - CLOSE.n));
}

/* Does the header say `expected`? */
static bool says(bzr_str header, bzr_str expected) {
    bzr__buf b;
    bzr__buf_init(&b, header.n + 16);
    bool same = header.p && bzr__mcp_header_decode(&b, header) && !b.status && bzr__str_eq(bzr__buf_str(&b), expected);
    bzr__buf_free(&b);
    return same;
}

/* ---- what is mirrored ---- */

bzr_str bzr__mcp_name_of(const bzr__rpc *rpc) {
    static const char *const named[][2] = { { "tools/call", "name" },     { "prompts/get", "name" },
                                            { "resources/read", "uri" },  { "tasks/get", "taskId" },
                                            { "tasks/update", "taskId" }, { "tasks/cancel", "taskId" } };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (bzr__str_eq(rpc->method, bzr__str_z(named[i][0]))) return bzr__json_get_text(rpc->params, named[i][1]);
    return bzr__str(NULL, 0);
}

static bool is_token(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_alnum((unsigned char)s.p[i]) && !(s.p[i] && strchr("!#$%&'*+-.^_`|~", s.p[i]))) return false;
    return s.n && s.n <= 128;
}

static bool is_primitive(bzr_str type) {
    return bzr__str_eq(type, BZR__S("string")) || bzr__str_eq(type, BZR__S("integer")) ||
           bzr__str_eq(type, BZR__S("boolean")) || bzr__str_eq(type, BZR__S("number"));
}

typedef struct walk {
    struct {
        const bzr__json *property, *arguments;
    } at[BZR__JSON_DEPTH];
    size_t depth;
    bzr_str names[BZR__MCP_PARAMS_MAX];
    size_t names_n;
} walk;

static bool note_name(walk *w, bzr_str name) {
    for (size_t i = 0; i < w->names_n; i++)
        if (bzr__str_ieq(w->names[i], name)) return false;
    if (w->names_n == BZR__MCP_PARAMS_MAX) return false;
    w->names[w->names_n++] = name;
    return true;
}

static const bzr__json *member(const bzr__json *object, bzr_str key) {
    const bzr__json *m = object && object->type == BZR__JSON_OBJECT ? object->child : NULL;
    while (m && !bzr__str_eq(m->key, key)) m = m->next;
    return m;
}

bool bzr__mcp_each_param(const bzr__json *schema, const bzr__json *arguments,
                         bool (*each)(void *ctx, bzr_str name, const bzr__json *value), void *ctx) {
    walk w;
    const bzr__json *properties = bzr__json_get(schema, "properties");
    w.depth = w.names_n = 0;
    if (!properties || properties->type != BZR__JSON_OBJECT) return true;
    w.at[w.depth].property = properties->child;
    w.at[w.depth++].arguments = arguments;
    while (w.depth) {
        const bzr__json *property = w.at[w.depth - 1].property, *inner;
        const bzr__json *value = property ? member(w.at[w.depth - 1].arguments, property->key) : NULL, *wish;
        if (!property) {
            w.depth--;
            continue;
        }
        w.at[w.depth - 1].property = property->next;
        if ((wish = bzr__json_get(property, "x-mcp-header"))) {
            if (wish->type != BZR__JSON_STRING || !is_token(wish->text) ||
                !is_primitive(bzr__json_get_text(property, "type")) || !note_name(&w, wish->text) ||
                !each(ctx, wish->text, value && value->type != BZR__JSON_NULL ? value : NULL))
                return false;
        }
        inner = bzr__json_get(property, "properties");
        if (inner && inner->type == BZR__JSON_OBJECT && w.depth < BZR__JSON_DEPTH) {
            w.at[w.depth].property = inner->child;
            w.at[w.depth++].arguments = value;
        }
    }
    return true;
}

/* ---- requests ---- */

static bool refuse(bzr__mcp_refusal *ret, int http, int code, const char *why) {
    *ret = (bzr__mcp_refusal){ http, code, why };
    return false;
}

/* Is the media type among those that an Accept header lists? A quality of 0 is not looked for: nobody sends it. */
static bool accepts(bzr_str accept, bzr_str type) {
    size_t slash = bzr__str_find(type, BZR__S("/"), 0);
    if (!accept.p) return true;
    for (size_t at = 0, end; at < accept.n; at = end + 1) {
        end = bzr__str_find(accept, BZR__S(","), at);
        bzr_str item = bzr__str_part(accept, at, end);
        item.n = bzr__str_find(item, BZR__S(";"), 0);
        while (item.n && bzr__is_space((unsigned char)item.p[0])) item = bzr__str_part(item, 1, item.n);
        while (item.n && bzr__is_space((unsigned char)item.p[item.n - 1])) item.n--;
        if (bzr__str_ieq(item, type) || bzr__str_eq(item, BZR__S("*/*"))) return true;
        if (item.n == slash + 2 && item.p[item.n - 1] == '*' &&
            bzr__str_ieq(bzr__str_part(item, 0, slash + 1), bzr__str_part(type, 0, slash + 1)))
            return true;
    }
    return false;
}

bool bzr__mcp_media_fit(const bzr__mcp_headers *h, bool events, bzr__mcp_refusal *ret) {
    bzr_str sent = bzr__str_part(h->content_type, 0, bzr__str_find(h->content_type, BZR__S(";"), 0));
    while (sent.n && bzr__is_space((unsigned char)sent.p[sent.n - 1])) sent.n--;
    if (!accepts(h->accept, BZR__S("text/event-stream")) ||
        (!events && !accepts(h->accept, BZR__S("application/json"))))
        return refuse(ret, 406, 0,
                      events ? "Accept must hold text/event-stream"
                             : "Accept must hold application/json and text/event-stream");
    if (!events && !bzr__str_ieq(sent, BZR__S("application/json")))
        return refuse(ret, 415, 0, "Content-Type must be application/json");
    return true;
}

bzr__mcp_era bzr__mcp_era_of(const bzr__rpc *rpc, const bzr__mcp_headers *h) {
    const bzr__json *meta = bzr__json_get(rpc->params, "_meta");
    if (bzr__json_get(meta, MCP_META_VERSION) || bzr__json_get(meta, MCP_META_CAPABILITIES) ||
        mcp_is_modern(bzr__mcp_version_of(h->version)))
        return BZR__MCP_MODERN;
    if (rpc->kind == BZR__RPC_REQUEST && bzr__str_eq(rpc->method, BZR__S("initialize")) && !h->session.p)
        return BZR__MCP_HELLO;
    return h->session.p ? BZR__MCP_SESSION : BZR__MCP_MODERN;
}

typedef struct mirror {
    const bzr__mcp_headers *headers;
    bzr__mcp_refusal *refusal;
} mirror;

static bool mirrors_param(void *ctx, bzr_str name, const bzr__json *value) {
    mirror *m = ctx;
    char full[160] = "Mcp-Param-";
    if (!value) return true;
    memcpy(full + 10, name.p, name.n);
    full[10 + name.n] = 0;
    if (!says(m->headers->param(m->headers->ctx, full), value->type == BZR__JSON_STRING ? value->text : value->raw))
        return refuse(m->refusal, 400, BZR__MCP_HEADER_MISMATCH,
                      "a Mcp-Param header is missing or is not the argument");
    return true;
}

/* The schema is ours: it is valid, or the tool mirrors nothing. */
static bool mirrors_params(const bzr__mcp_server *server, const bzr__rpc *rpc, const bzr__mcp_headers *h,
                           bzr__mcp_refusal *ret) {
    bzr_str name = bzr__json_get_text(rpc->params, "name");
    mirror m = { h, ret };
    bzr__arena arena;
    const bzr__json *schema;
    const char *expected;
    size_t i = 0, at;
    while (i < server->tools_n && !bzr__str_eq(name, bzr__str_z(server->tools[i].name))) i++;
    if (i == server->tools_n || !strstr(server->tools[i].input_schema, "x-mcp-header")) return true;
    bzr__arena_init(&arena, BZR__RPC_ARENA_MAX);
    if (!bzr__json_parse(bzr__str_z(server->tools[i].input_schema), &arena, &schema, &at, &expected))
        (void)bzr__mcp_each_param(schema, bzr__json_get(rpc->params, "arguments"), mirrors_param, &m);
    else
        refuse(ret, 500, BZR__RPC_INTERNAL, "internal error");
    bzr__arena_free(&arena);
    return !ret->http;
}

bool bzr__mcp_mirrors(const bzr__mcp_server *server, const bzr__rpc *rpc, const bzr__mcp_headers *h,
                      bzr__mcp_refusal *ret) {
    bzr_str name = bzr__mcp_name_of(rpc);
    if (rpc->kind != BZR__RPC_REQUEST && rpc->kind != BZR__RPC_NOTIFICATION) return true;
    if (!bzr__json_get(bzr__json_get(rpc->params, "_meta"), MCP_META_VERSION) || !h->version.p)
        return true; /* what the engine refuses anyway, in its own words */
    if (!says(h->method, rpc->method))
        return refuse(ret, 400, BZR__MCP_HEADER_MISMATCH, "the Mcp-Method header must be the method");
    if (name.p && !says(h->name, name))
        return refuse(ret, 400, BZR__MCP_HEADER_MISMATCH, "the Mcp-Name header must be the name, URI or task");
    return !bzr__str_eq(rpc->method, BZR__S("tools/call")) || mirrors_params(server, rpc, h, ret);
}
