/* proxy_stub.c - see proxy_stub.h. */
#include "tests/mcp/proxy_stub.h"

#include "lib/base/str.h"
#include "tests/support/exact.h"

#include <stdlib.h>

static void emit(void *ctx, const toad__proxy_out *out) {
    stub *s = ctx;
    if (s->look) s->look(s, out);
    if (s->quiet) return;
    char *longer = realloc(s->log, s->log_n + out->message.n + 4);
    if (!longer) return;
    s->log = longer;
    longer[s->log_n++] = out->to_server ? 's' : 'c';
    longer[s->log_n++] = ' ';
    memcpy(longer + s->log_n, out->message.p, out->message.n);
    s->log_n += out->message.n;
    longer[s->log_n++] = '\n';
    longer[s->log_n] = 0;
}

static bool has(toad_str s, const char *word) { return toad__str_find(s, toad__str_z(word), 0) < s.n; }

static bool says_yes(const toad__json *reply) {
    return toad__str_eq(toad__json_get_text(reply, "action"), TOAD__S("accept"));
}

static bool screen(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                   toad__proxy_verdict *ret) {
    (void)ctx;
    if (has(in->value->raw, "BROKEN")) return false;
    bool evil = has(in->value->raw, "EVIL"), ask = has(in->value->raw, "ASK");
    if (!evil && (!ask || (in->reply && says_yes(in->reply)))) return true;
    ret->fate = in->what == TOAD__MCP_VALUE_REQUEST ? TOAD__FATE_BACK_ERROR : TOAD__FATE_REPLACE;
    ret->ask = !evil && !in->reply;
    toad__buf_add_z(out, in->what == TOAD__MCP_VALUE_ERROR || in->what == TOAD__MCP_VALUE_REQUEST
                             ? "{\"code\":-32011,\"message\":\"blocked\"}"
                         : in->what == TOAD__MCP_VALUE_NOTIFICATION
                             ? "{\"level\":\"info\",\"data\":\"blocked\"}"
                             : "{\"content\":[{\"type\":\"text\",\"text\":\"blocked\"}],\"isError\":true}");
    toad__buf_add_z(question, "{\"message\":\"pass?\"}");
    return true;
}

static bool permit(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                   toad__proxy_verdict *ret) {
    (void)ctx;
    bool doubtful = toad__str_eq(in->name, TOAD__S("doubtful"));
    if (!toad__str_eq(in->name, TOAD__S("forbidden")) && (!doubtful || (in->reply && says_yes(in->reply)))) return true;
    ret->fate = TOAD__FATE_REPLACE;
    ret->ask = doubtful && !in->reply; /* what asks again shows something else */
    memcpy(ret->tag, "tag", 4);
    toad__buf_add_z(out, "{\"content\":[],\"isError\":true}");
    toad__buf_add_z(question, "{\"message\":\"call?\"}");
    return true;
}

static toad__mcp_fate refuse(void *ctx, const toad__proxy_value *in, const char *why, toad__buf *out) {
    bool error = in->what != TOAD__MCP_VALUE_TOOL_RESULT;
    (void)ctx;
    toad__buf_add_z(out, error ? "{\"code\":-32011,\"message\":" : "{\"isError\":true,\"content\":[],\"why\":");
    toad__json_add_str(out, toad__str_z(why));
    toad__buf_add_c(out, '}');
    return error ? TOAD__FATE_AS_ERROR : TOAD__FATE_REPLACE;
}

static int64_t now(void *ctx) { return ((stub *)ctx)->now; }

toad_status stub_open(stub *s, const toad__proxy_options *more) {
    toad__proxy_options o = more ? *more : (toad__proxy_options){ .timeout = 10000 };
    o.ctx = s;
    o.emit = emit;
    o.screen = screen;
    o.permit = permit;
    o.refuse = refuse;
    o.now = now;
    if (!o.name.p) o.name = TOAD__S("stub");
    return toad__proxy_new(&o, &s->proxy);
}

void stub_close(stub *s) {
    toad__proxy_free(s->proxy);
    free(s->log);
    *s = (stub){ .proxy = NULL };
}

void stub_client(stub *s, const char *message) {
    char *copy = exact_dup(message, strlen(message));
    toad__proxy_from_client(s->proxy, 1, toad__str(NULL, 0), toad__str(copy, strlen(message)));
    free(copy);
}

void stub_server(stub *s, const char *message) {
    char *copy = exact_dup(message, strlen(message));
    toad__proxy_from_server(s->proxy, 0, 0, toad__str(copy, strlen(message)));
    free(copy);
}

const char *stub_take(stub *s) {
    if (!s->log_n) return "";
    s->log_n = 0;
    return s->log;
}
