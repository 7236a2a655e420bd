/* remote.c - see remote.h. A post is one HTTP request: its exchange ends with the answer, whatever form that takes.
 *
 * What goes wrong on the way out is told later, from the loop, never from within a send. Notifications that must arrive
 * before what follows (initialized) hold the rest back until the server has them. */
#include "face/proxy/remote.h"

#include "lib/base/str.h"
#include "net/outbound.h"
#include "proto/mcp_http.h"
#include "proto/sse.h"
#include "sys/clock.h"
#include "toadstone/toadstone.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <time.h>

_Static_assert(PROXY_REMOTE_FDS == TOAD__OUTBOUND_FDS, "one is the other");

#define RESUMES  5    /* times that one answer is asked for again */
#define AGAIN_MS 1000 /* before a stream is opened again, unless the server says else */
#define FAREWELL 1000 /* milliseconds for ending the session */
#define HEADERS  (PROXY_REMOTE_HEADERS + 16)
#define BODY_MAX (TOAD__RPC_MESSAGE_MAX + 1024)

typedef enum post_kind { POST_MESSAGE, POST_GENERAL, POST_FAREWELL } post_kind;

typedef struct post {
    struct post *next;
    proxy_remote *remote;
    post_kind kind;
    uint64_t exchange;                                    /* 0: no request */
    bool first, is_list, legacy, events, started, failed; /* first: an initialized, which holds back the rest */
    bool challenged;                                      /* WWW-Authenticate came */
    int status, resumes;
    int64_t due; /* waits until then; 0: goes when it can */
    toad__outbound_call *call;
    toad__buf body; /* of the answer */
    toad__sse_reader sse;
    toad__arena own;
    const char *headers[HEADERS + TOAD__MCP_PARAMS_MAX];
    size_t headers_n;
    toad_str message;
    char last_event[TOAD__SSE_ID_MAX + 1];
} post;

typedef struct tool {
    struct tool *next;
    toad_str name, schema;
} tool;

struct proxy_remote {
    proxy_remote_settings o;
    toad__outbound *out;
    post *posts;
    bool open_general, no_general;
    int64_t retry;
    char session[257], version[16];
    toad__arena tools_arena;
    tool *tools; /* with arguments that are mirrored in headers */
    toad__arena arena;
};

/* ---- posts ---- */

static post *new_post(proxy_remote *r, post_kind kind) {
    post *p = calloc(1, sizeof *p), **at = &r->posts;
    if (!p) return NULL;
    p->remote = r;
    p->kind = kind;
    toad__arena_init(&p->own, 2 * BODY_MAX);
    toad__buf_init(&p->body, BODY_MAX);
    toad__sse_init(&p->sse, BODY_MAX);
    while (*at) at = &(*at)->next;
    return *at = p;
}

static void drop_post(proxy_remote *r, post *p) {
    post **at = &r->posts;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    if (p->call) toad__outbound_cancel(r->out, p->call);
    toad__sse_free(&p->sse);
    toad__buf_free(&p->body);
    toad__arena_free(&p->own);
    free(p);
}

/* Add a header to the post; a value that cannot stand there is left out. */
static void add_header(post *p, const char *name, toad_str value) {
    toad__buf line;
    if (p->headers_n == sizeof p->headers / sizeof *p->headers) return;
    toad__buf_init(&line, 65536);
    toad__buf_add_z(&line, name);
    toad__buf_add_z(&line, ": ");
    toad__buf_add_str(&line, value);
    toad_str kept = line.status ? toad__str(NULL, 0) : toad__arena_dup(&p->own, toad__buf_str(&line));
    toad__buf_free(&line);
    if (kept.p) p->headers[p->headers_n++] = kept.p;
}

static void add_encoded(post *p, const char *name, toad_str value) {
    toad__buf b;
    toad__buf_init(&b, 65536);
    toad__mcp_header_encode(&b, value);
    if (!b.status) add_header(p, name, toad__buf_str(&b));
    toad__buf_free(&b);
}

static bool add_param(void *ctx, toad_str name, const toad__json *value) {
    char full[160];
    if (!value || value->type == TOAD__JSON_NULL) return true;
    snprintf(full, sizeof full, "Mcp-Param-%.*s", (int)name.n, name.p);
    add_encoded(ctx, full, value->type == TOAD__JSON_STRING ? value->text : value->raw);
    return true;
}

static void add_params(proxy_remote *r, post *p, toad_str name) {
    const tool *t = r->tools;
    const toad__json *schema, *message;
    const char *expected;
    size_t at;
    while (t && !toad__str_eq(t->name, name)) t = t->next;
    if (!t || toad__json_parse(t->schema, &r->arena, &schema, &at, &expected) ||
        toad__json_parse(p->message, &r->arena, &message, &at, &expected))
        return;
    toad__mcp_each_param(schema, toad__json_get(toad__json_get(message, "params"), "arguments"), add_param, p);
    toad__arena_free(&r->arena);
}

static void add_common(proxy_remote *r, post *p) {
    for (size_t i = 0; i < r->o.headers_n; i++) p->headers[p->headers_n++] = r->o.headers[i];
    if (r->session[0] && p->legacy) add_header(p, "Mcp-Session-Id", toad__str_z(r->session));
    if (r->version[0] && p->legacy) add_header(p, "MCP-Protocol-Version", toad__str_z(r->version));
    p->headers[p->headers_n++] = "Expect:";
}

/* ---- what comes back ---- */

static void learn_tools(proxy_remote *r, toad_str bytes) {
    const toad__json *root;
    const char *expected;
    size_t at;
    if (toad__str_find(bytes, TOAD__S("x-mcp-header"), 0) == bytes.n ||
        toad__json_parse(bytes, &r->arena, &root, &at, &expected))
        return;
    const toad__json *list = toad__json_get(toad__json_get(root, "result"), "tools");
    for (const toad__json *t = list && list->type == TOAD__JSON_ARRAY ? list->child : NULL; t; t = t->next) {
        const toad__json *schema = toad__json_get(t, "inputSchema");
        tool *kept = schema ? toad__arena_alloc(&r->tools_arena, sizeof *kept) : NULL;
        if (!kept) continue;
        *kept = (tool){ r->tools, toad__arena_dup(&r->tools_arena, toad__json_get_text(t, "name")),
                        toad__arena_dup(&r->tools_arena, schema->raw) };
        if (kept->name.p && kept->schema.p) r->tools = kept; /* the latest comes first */
    }
    toad__arena_free(&r->arena);
}

static void hand_on(post *p, int http, toad_str bytes) {
    proxy_remote *r = p->remote;
    if (p->is_list) learn_tools(r, bytes);
    r->o.message(r->o.ctx, p->exchange, http, bytes);
}

static bool take_event(void *ctx, const toad__sse_event *event) {
    post *p = ctx;
    snprintf(p->last_event, sizeof p->last_event, "%.*s", (int)event->id.n, event->id.p ? event->id.p : "");
    if (event->data.n && toad__str_eq(event->type, TOAD__S("message"))) hand_on(p, 0, event->data);
    return true;
}

static void on_header(void *ctx, toad_str name, toad_str value) {
    post *p = ctx;
    proxy_remote *r = p->remote;
    if (toad__str_ieq(name, TOAD__S("content-type")))
        p->events = value.n >= 17 && toad__str_ieq(toad__str_part(value, 0, 17), TOAD__S("text/event-stream"));
    if (toad__str_ieq(name, TOAD__S("www-authenticate"))) p->challenged = true;
    if (p->legacy && toad__str_ieq(name, TOAD__S("mcp-session-id")) && value.n && value.n < sizeof r->session)
        snprintf(r->session, sizeof r->session, "%.*s", (int)value.n, value.p);
}

static void on_head(void *ctx, int status) {
    post *p = ctx;
    p->status = status;
    p->started = true;
    if (p->first && status < 300 && !p->remote->no_general) p->remote->open_general = true;
    p->first = false;
}

static bool on_data(void *ctx, toad_str bytes) {
    post *p = ctx;
    if (p->events && p->status < 300) {
        if (!toad__sse_feed(&p->sse, bytes, take_event, p)) return true;
        p->failed = true;
    } else {
        toad__buf_add_str(&p->body, bytes);
        p->failed = p->body.status;
    }
    if (p->failed && p->exchange) p->remote->o.too_long(p->remote->o.ctx, p->exchange);
    return !p->failed;
}

static bool is_json(toad_str body) {
    for (size_t i = 0; i < body.n; i++)
        if (!toad__is_space((unsigned char)body.p[i])) return body.p[i] == '{' || body.p[i] == '[';
    return false;
}

/* Does the server want that somebody logs in (OAuth), which only the client itself can do? */
static bool wants_login(const post *p) {
    const proxy_remote *r = p->remote;
    if (p->status != 401 || !p->challenged) return false;
    for (size_t i = 0; i < r->o.headers_n; i++)
        if (!strncasecmp(r->o.headers[i], "Authorization:", 14)) return false;
    return true;
}

#define UNWRAP "unwrap it with 'toadstone wrap-client --client CLIENT --server SERVER --undo'"

static void say_status(const post *p, char out[300]) {
    const char *hint = wants_login(p) ? "; it wants a login, which the client can do only without the proxy: " UNWRAP
                                        ", or give --header-env with a token"
                       : p->status == 401 || p->status == 403      ? "; it wants a token: give --header-env"
                       : p->status == 404 && p->remote->session[0] ? "; its session has ended"
                                                                   : "";
    snprintf(out, 300, "the server answered with HTTP status %d%s", p->status, hint);
}

/* An answer that broke off is asked for again, where the server numbers its events. True: it is. */
static bool resume(post *p) {
    proxy_remote *r = p->remote;
    bool general = p->kind == POST_GENERAL;
    bool wanted =
        general ? p->events && p->status < 300 : p->exchange && r->o.waits(r->o.ctx, p->exchange) && *p->last_event;
    if (!wanted || !p->legacy || (!general && ++p->resumes > RESUMES)) return false;
    if (p->sse.retry >= 0) r->retry = p->sse.retry;
    toad__sse_free(&p->sse);
    toad__sse_init(&p->sse, BODY_MAX);
    p->due = toad__now_ms() + (r->retry > 0 && r->retry < 60000 ? r->retry : AGAIN_MS);
    p->message = toad__str(NULL, 0);
    p->started = p->failed = false;
    p->headers_n = 0;
    add_common(r, p);
    add_header(p, "Accept", TOAD__S("text/event-stream"));
    if (*p->last_event) add_header(p, "Last-Event-ID", toad__str_z(p->last_event));
    return true;
}

static void on_over(void *ctx, const char *why) {
    post *p = ctx;
    proxy_remote *r = p->remote;
    toad_str body = toad__buf_str(&p->body);
    char said[300];
    p->call = NULL;
    if (p->failed || resume(p)) {
        if (p->failed) drop_post(r, p);
        return;
    }
    if (p->kind == POST_GENERAL && p->status == 405) r->no_general = true;
    bool good = !why && !wants_login(p) && (p->status < 300 || is_json(body));
    if (good && !p->events && body.n && p->exchange) hand_on(p, p->status, body);
    if (why)
        snprintf(said, sizeof said, "the server cannot be spoken to: %s", why);
    else if (p->status >= 300)
        say_status(p, said);
    else
        snprintf(said, sizeof said, "the server's answer ended before it was complete");
    if (p->exchange && r->o.waits(r->o.ctx, p->exchange))
        r->o.failed(r->o.ctx, p->exchange, said);
    else if (p->kind == POST_MESSAGE && !p->exchange && (why || p->status >= 300))
        r->o.failed(r->o.ctx, 0, said);
    drop_post(r, p);
}

/* ---- sending ---- */

static bool begin(proxy_remote *r, post *p) {
    const toad__outbound_request request = { .method = p->kind == POST_FAREWELL ? "DELETE"
                                                       : p->message.p           ? "POST"
                                                                                : "GET",
                                             .headers = p->headers,
                                             .headers_n = p->headers_n,
                                             .body = p->message,
                                             .ctx = p,
                                             .header = on_header,
                                             .head = on_head,
                                             .data = on_data,
                                             .over = on_over };
    p->due = 0;
    p->call = toad__outbound_start(r->out, &request);
    return p->call != NULL;
}

/* Begin what may go now; what could not is told. */
static void begin_all(proxy_remote *r) {
    int64_t at = toad__now_ms();
    bool held = false;
    for (post *p = r->posts, *next; p; p = next) {
        next = p->next;
        bool waits = !p->call && !p->started;
        if (waits && !held && p->due <= at && !begin(r, p)) {
            uint64_t exchange = p->exchange;
            drop_post(r, p);
            r->o.failed(r->o.ctx, exchange, "out of memory");
            return; /* the list may be another now */
        }
        held = held || p->first;
    }
}

static void cancel(proxy_remote *r, uint64_t exchange) {
    for (post *p = r->posts; p; p = p->next)
        if (p->exchange == exchange) {
            p->exchange = 0;
            p->failed = true;
            if (p->call) toad__outbound_cancel(r->out, p->call);
            p->call = NULL;
            p->started = true;
            return;
        }
}

void proxy_remote_send(proxy_remote *r, const toad__proxy_out *out, toad__mcp_version version) {
    bool request = out->kind == TOAD__MCP_REQUEST;
    if (version && version < TOAD__MCP_2026_07_28)
        snprintf(r->version, sizeof r->version, "%s", toad__mcp_version_name(version));
    if (out->modern && toad__str_eq(out->method, TOAD__S("notifications/cancelled")) && out->stream) {
        cancel(r, out->stream); /* that the stream is closed says it */
        return;
    }
    post *p = new_post(r, POST_MESSAGE);
    if (!p) return; /* the exchange times out */
    p->exchange = request ? out->stream : 0;
    p->legacy = !out->modern;
    p->is_list = request && toad__str_eq(out->method, TOAD__S("tools/list"));
    p->first = toad__str_eq(out->method, TOAD__S("notifications/initialized"));
    p->message = toad__arena_dup(&p->own, out->message);
    if (toad__str_eq(out->method, TOAD__S("initialize"))) r->session[0] = 0;
    add_common(r, p);
    add_header(p, "Content-Type", TOAD__S("application/json"));
    add_header(p, "Accept", TOAD__S("application/json, text/event-stream"));
    if (out->modern) {
        add_header(p, "MCP-Protocol-Version", TOAD__S("2026-07-28"));
        if (out->method.n) add_encoded(p, "Mcp-Method", out->method);
        if (out->name.n) add_encoded(p, "Mcp-Name", out->name);
        if (toad__str_eq(out->method, TOAD__S("tools/call"))) add_params(r, p, out->name);
    }
}

static void open_general(proxy_remote *r) {
    post *p = new_post(r, POST_GENERAL);
    r->open_general = false;
    if (!p) return;
    p->legacy = true;
    add_common(r, p);
    add_header(p, "Accept", TOAD__S("text/event-stream"));
}

/* ---- the loop ---- */

size_t proxy_remote_wait(proxy_remote *r, struct pollfd *fds, int *timeout_ms) {
    if (r->open_general) open_general(r);
    begin_all(r);
    for (const post *p = r->posts; p; p = p->next)
        if (p->due && (*timeout_ms < 0 || *timeout_ms > 50)) *timeout_ms = 50;
    return toad__outbound_wait(r->out, fds, timeout_ms);
}

void proxy_remote_ready(proxy_remote *r, const struct pollfd *fds, size_t n) {
    toad__outbound_ready(r->out, fds, n);
    for (post *p = r->posts, *next; p; p = next) {
        next = p->next;
        if (p->started && !p->call && p->failed) drop_post(r, p);
    }
}

/* ---- life ---- */

bool proxy_remote_new(const proxy_remote_settings *settings, proxy_remote **ret, char why[256]) {
    char agent[64];
    snprintf(why, 256, "at most %d headers can be sent", PROXY_REMOTE_HEADERS);
    if (settings->headers_n > PROXY_REMOTE_HEADERS) return false;
    proxy_remote *r = calloc(1, sizeof *r);
    snprintf(why, 256, "out of memory");
    if (!r) return false;
    r->o = *settings;
    toad__arena_init(&r->arena, TOAD__RPC_ARENA_MAX);
    toad__arena_init(&r->tools_arena, TOAD__RPC_ARENA_MAX);
    snprintf(agent, sizeof agent, "toadstone/%s", toad_version());
    if (toad__outbound_new(settings->url, agent, &r->out, why)) {
        free(r);
        return false;
    }
    *why = 0;
    *ret = r;
    return true;
}

/* A session is ended where it was begun; a server that does not answer is not waited for. */
static void say_farewell(proxy_remote *r) {
    struct pollfd fds[PROXY_REMOTE_FDS];
    int64_t end = toad__now_ms() + FAREWELL;
    while (r->posts) drop_post(r, r->posts);
    post *p = r->session[0] ? new_post(r, POST_FAREWELL) : NULL;
    if (!p) return;
    p->legacy = true;
    add_common(r, p);
    if (!begin(r, p)) return;
    while (r->posts && r->posts->call && toad__now_ms() < end) {
        int timeout = 100;
        size_t n = toad__outbound_wait(r->out, fds, &timeout);
        if (poll(fds, (nfds_t)n, timeout) < 0) continue;
        toad__outbound_ready(r->out, fds, n);
    }
}

void proxy_remote_free(proxy_remote *r) {
    if (!r) return;
    r->o.failed = NULL;
    say_farewell(r);
    while (r->posts) drop_post(r, r->posts);
    toad__outbound_free(r->out);
    toad__arena_free(&r->arena);
    toad__arena_free(&r->tools_arena);
    free(r);
}
