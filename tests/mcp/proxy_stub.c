/* proxy_stub.c - see proxy_stub.h. */
#include "tests/mcp/proxy_stub.h"

#include "lib/base/str.h"
#include "tests/support/exact.h"

#include <stdlib.h>

static void emit(void *ctx, const bzr__proxy_out *out) {
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

static bool has(bzr_str s, const char *word) { return bzr__str_find(s, bzr__str_z(word), 0) < s.n; }

static bool says_yes(const bzr__json *reply) {
    return bzr__str_eq(bzr__json_get_text(reply, "action"), BZR__S("accept"));
}

static bool screen(void *ctx, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question, bzr__proxy_verdict *ret) {
    (void)ctx;
    if (has(in->value->raw, "BROKEN")) return false;
    bool evil = has(in->value->raw, "EVIL"), ask = has(in->value->raw, "ASK");
    if (!evil && (!ask || (in->reply && says_yes(in->reply)))) return true;
    ret->fate = in->what == BZR__PROXY_REQUEST ? BZR__PROXY_BACK_ERROR : BZR__PROXY_REPLACE;
    ret->ask = !evil;
    bzr__buf_add_z(out, in->what == BZR__PROXY_ERROR || in->what == BZR__PROXY_REQUEST
                            ? "{\"code\":-32011,\"message\":\"blocked\"}"
                        : in->what == BZR__PROXY_NOTIFICATION
                            ? "{\"level\":\"info\",\"data\":\"blocked\"}"
                            : "{\"content\":[{\"type\":\"text\",\"text\":\"blocked\"}],\"isError\":true}");
    bzr__buf_add_z(question, "{\"message\":\"pass?\"}");
    return true;
}

static bool permit(void *ctx, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question, bzr__proxy_verdict *ret) {
    (void)ctx;
    bool doubtful = bzr__str_eq(in->name, BZR__S("doubtful"));
    if (!bzr__str_eq(in->name, BZR__S("forbidden")) && (!doubtful || (in->reply && says_yes(in->reply)))) return true;
    ret->fate = BZR__PROXY_REPLACE;
    ret->ask = doubtful;
    memcpy(ret->tag, "tag", 4);
    bzr__buf_add_z(out, "{\"content\":[],\"isError\":true}");
    bzr__buf_add_z(question, "{\"message\":\"call?\"}");
    return true;
}

static bzr__proxy_fate refuse(void *ctx, const bzr__proxy_value *in, const char *why, bzr__buf *out) {
    bool error = in->what != BZR__PROXY_TOOL_RESULT;
    (void)ctx;
    bzr__buf_add_z(out, error ? "{\"code\":-32011,\"message\":" : "{\"isError\":true,\"content\":[],\"why\":");
    bzr__json_add_str(out, bzr__str_z(why));
    bzr__buf_add_c(out, '}');
    return error ? BZR__PROXY_AS_ERROR : BZR__PROXY_REPLACE;
}

static int64_t now(void *ctx) { return ((stub *)ctx)->now; }

bzr_status stub_open(stub *s, const bzr__proxy_options *more) {
    bzr__proxy_options o = more ? *more : (bzr__proxy_options){ .timeout = 10000 };
    o.ctx = s;
    o.emit = emit;
    o.screen = screen;
    o.permit = permit;
    o.refuse = refuse;
    o.now = now;
    if (!o.name.p) o.name = BZR__S("stub");
    return bzr__proxy_new(&o, &s->proxy);
}

void stub_close(stub *s) {
    bzr__proxy_free(s->proxy);
    free(s->log);
    *s = (stub){ .proxy = NULL };
}

void stub_client(stub *s, const char *message) {
    char *copy = exact_dup(message, strlen(message));
    bzr__proxy_from_client(s->proxy, 1, bzr__str(NULL, 0), bzr__str(copy, strlen(message)));
    free(copy);
}

void stub_server(stub *s, const char *message) {
    char *copy = exact_dup(message, strlen(message));
    bzr__proxy_from_server(s->proxy, 0, 0, bzr__str(copy, strlen(message)));
    free(copy);
}

const char *stub_take(stub *s) {
    if (!s->log_n) return "";
    s->log_n = 0;
    return s->log;
}
