/* screen_reply.c - what stands in place of what is not passed on.
 *
 * A tool's result becomes a result with isError, which a model reads and can go on from; where the protocol knows no
 * such thing, an empty list or a text of ours. Of theirs only numbers, words that we know and what the client itself
 * asked for are repeated. */
#include "app/mcp/screen_internal.h"

#define WITHHELD "[bezoar] withheld"

/* `"key":` and the member as it came, if it is a number, or one of `words`. */
static void add_plain(bzr__buf *b, const bzr__json *value, const char *key, const char *words) {
    const bzr__json *m = bzr__json_get(value, key);
    bool number = m && m->type == BZR__JSON_NUMBER && m->raw.n < 32, word = false;
    for (const char *w = words; m && m->type == BZR__JSON_STRING && *w;) {
        size_t n = strcspn(w, " ");
        word |= bzr__str_eq(m->text, bzr__str(w, n));
        w += n + (w[n] == ' ');
    }
    if (!number && !word) return;
    bzr__json_add_key(b, key);
    bzr__buf_add_str(b, m->raw);
}

/* An id that the client has seen or made: as it came, if it is a short token. */
static void add_token(bzr__buf *b, const bzr__json *value, const char *key) {
    const bzr__json *m = bzr__json_get(value, key);
    if (!m || (m->type != BZR__JSON_STRING && m->type != BZR__JSON_NUMBER) || m->raw.n > 130) return;
    for (size_t i = 0; m->type == BZR__JSON_STRING && i < m->text.n; i++)
        if (!bzr__is_alnum((unsigned char)m->text.p[i]) && !strchr("-_.:", m->text.p[i])) return;
    bzr__json_add_key(b, key);
    bzr__buf_add_str(b, m->raw);
}

static void add_verdict(bzr__buf *b, bzr_str verdict) {
    if (!verdict.n) return;
    bzr__json_add_key(b, "_meta");
    bzr__buf_add_z(b, "{\"dev.bezoar/verdict\":");
    bzr__buf_add_str(b, verdict);
    bzr__buf_add_c(b, '}');
}

static void add_text_block(bzr__buf *b, const char *text) {
    bzr__buf_add_z(b, "{\"type\":\"text\",\"text\":");
    bzr__json_add_str(b, bzr__str_z(text));
    bzr__buf_add_c(b, '}');
}

static void end_result(const bzr__reply *r, bzr__buf *b, bool cached) {
    if (r->modern) {
        bzr__json_add_key(b, "resultType");
        bzr__buf_add_z(b, "\"complete\"");
        if (cached) bzr__buf_add_z(b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    }
    add_verdict(b, r->verdict);
    bzr__buf_add_c(b, '}');
}

static void add_tool_result(const bzr__reply *r, bzr__buf *b) {
    bzr__buf_add_z(b, "{\"content\":[");
    add_text_block(b, r->text);
    bzr__buf_add_z(b, "],\"isError\":true");
    end_result(r, b, false);
}

static void add_prompt(const bzr__reply *r, bzr__buf *b) {
    bzr__buf_add_z(b, "{\"messages\":[{\"role\":\"user\",\"content\":");
    add_text_block(b, r->text);
    bzr__buf_add_z(b, "}]");
    end_result(r, b, false);
}

static void add_resource(const bzr__reply *r, bzr__buf *b) {
    bzr__buf_add_z(b, "{\"contents\":[{\"uri\":");
    bzr__json_add_str(b, r->name.p ? r->name : BZR__S(""));
    bzr__buf_add_z(b, ",\"mimeType\":\"text/plain\",\"text\":");
    bzr__json_add_str(b, bzr__str_z(r->text));
    bzr__buf_add_z(b, "}]");
    end_result(r, b, true);
}

static void add_list(const bzr__reply *r, const char *name, bzr__buf *b) {
    bzr__buf_add_z(b, "{\"");
    bzr__buf_add_z(b, name);
    bzr__buf_add_z(b, "\":[]");
    end_result(r, b, true);
}

static void add_error(const bzr__reply *r, bzr__buf *b) {
    const bzr__json *code = bzr__json_get(r->value, "code");
    bzr__buf_add_z(b, "{\"code\":");
    if (r->what == BZR__SCREEN_ERROR && code && code->type == BZR__JSON_NUMBER && code->raw.n < 12)
        bzr__buf_add_str(b, code->raw);
    else
        bzr__buf_add_z(b, "-32603");
    bzr__buf_add_z(b, ",\"message\":");
    bzr__json_add_str(b, bzr__str_z(r->text));
    if (r->verdict.n) {
        bzr__buf_add_z(b, ",\"data\":{\"dev.bezoar/verdict\":");
        bzr__buf_add_str(b, r->verdict);
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_c(b, '}');
}

static const char levels[] = "debug info notice warning error critical alert emergency";
static const char statuses[] = "working input_required completed failed cancelled";

static void add_notification(const bzr__reply *r, bzr__buf *b) {
    static const char *const tokens[] = { "progressToken", "requestId", "taskId", "elicitationId" };
    bzr__buf_add_c(b, '{');
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) add_token(b, r->value, tokens[i]);
    add_plain(b, r->value, "progress", "");
    add_plain(b, r->value, "total", "");
    add_plain(b, r->value, "level", levels);
    add_plain(b, r->value, "status", statuses);
    if (bzr__json_get(r->value, "level")) {
        bzr__json_add_key(b, "data");
        bzr__json_add_str(b, bzr__str_z(r->text));
    }
    const bzr__json *meta = bzr__json_get(r->value, "_meta");
    if (bzr__json_get(meta, "io.modelcontextprotocol/subscriptionId")) {
        bzr__json_add_key(b, "_meta");
        bzr__buf_add_c(b, '{');
        add_token(b, meta, "io.modelcontextprotocol/subscriptionId");
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_c(b, '}');
}

static void add_task(const bzr__reply *r, bzr__buf *b) {
    static const char *const numbers[] = { "ttl", "ttlMs", "pollInterval", "pollIntervalMs" };
    bzr__buf_add_c(b, '{');
    add_token(b, r->value, "taskId");
    bzr__json_add_key(b, "status");
    bzr__buf_add_z(b, "\"failed\"");
    add_token(b, r->value, "createdAt");
    add_token(b, r->value, "lastUpdatedAt");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_plain(b, r->value, numbers[i], "");
    bzr__json_add_key(b, "error");
    add_error(r, b);
    if (r->modern) bzr__buf_add_z(b, ",\"resultType\":\"complete\"");
    add_verdict(b, r->verdict);
    bzr__buf_add_c(b, '}');
}

static void add_refused_request(const bzr__reply *r, bzr__buf *b, bzr__screen_reply *ret) {
    *ret = BZR__SCREEN_TO_PEER_RESULT;
    if (bzr__str_eq(r->name, BZR__S("elicitation/create"))) {
        bzr__buf_add_z(b, "{\"action\":\"decline\"}");
        return;
    }
    *ret = BZR__SCREEN_TO_PEER_ERROR;
    bzr__buf_add_z(b, "{\"code\":-1,\"message\":\"the client does not accept this request\"}");
}

void bzr__screen_reply_for(const bzr__reply *r, bzr__buf *out, bzr__screen_reply *ret) {
    *ret = BZR__SCREEN_AS_VALUE;
    switch (r->what) {
    case BZR__SCREEN_TOOL_RESULT: add_tool_result(r, out); break;
    case BZR__SCREEN_PROMPT: add_prompt(r, out); break;
    case BZR__SCREEN_RESOURCE: add_resource(r, out); break;
    case BZR__SCREEN_TOOLS: add_list(r, "tools", out); break;
    case BZR__SCREEN_PROMPTS: add_list(r, "prompts", out); break;
    case BZR__SCREEN_RESOURCES: add_list(r, "resources", out); break;
    case BZR__SCREEN_TEMPLATES: add_list(r, "resourceTemplates", out); break;
    case BZR__SCREEN_COMPLETION:
        bzr__buf_add_z(out, "{\"completion\":{\"values\":[]}");
        end_result(r, out, false);
        break;
    case BZR__SCREEN_ERROR: add_error(r, out); break;
    case BZR__SCREEN_NOTIFICATION: add_notification(r, out); break;
    case BZR__SCREEN_TASK: add_task(r, out); break;
    case BZR__SCREEN_REQUEST: add_refused_request(r, out, ret); break;
    case BZR__SCREEN_SERVER:
    case BZR__SCREEN_OTHER:
        *ret = BZR__SCREEN_AS_ERROR;
        add_error(r, out);
        break;
    }
}

/* ---- parts ---- */

void bzr__screen_stand_in(bzr__screen_what what, const bzr__unit *unit, bzr__buf *out) {
    static const char ours[] = WITHHELD ": it reads like an attack on its reader";
    bzr_str key = unit->node->key;
    bzr__reply r = { .what = what, .text = ours };
    if (what == BZR__SCREEN_ERROR && bzr__str_eq(key, BZR__S("message"))) bzr__json_add_str(out, bzr__str_z(ours));
    if (what == BZR__SCREEN_NOTIFICATION && bzr__str_eq(key, BZR__S("data"))) bzr__json_add_str(out, bzr__str_z(ours));
    if (what != BZR__SCREEN_TASK) return;
    if (bzr__str_eq(key, BZR__S("result"))) {
        r.modern = bzr__json_get(unit->node, "resultType") != NULL;
        add_tool_result(&r, out);
    } else if (bzr__str_eq(key, BZR__S("error"))) {
        add_error(&r, out);
    } else if (bzr__str_eq(key, BZR__S("inputRequests"))) {
        bzr__buf_add_z(out, "{}");
    }
}
