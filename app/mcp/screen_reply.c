/* screen_reply.c - what stands in place of what is not passed on.
 *
 * A tool's result becomes a result with isError, which a model reads and can go on from; where the protocol knows no
 * such thing, an empty list or a text of ours. Of theirs only numbers, words that we know and what the client itself
 * asked for are repeated. */
#include "app/mcp/screen_internal.h"

#include <stdio.h>

#define WITHHELD "[toadstone] withheld"

/* `"key":` and the member as it came, if it is a number, or one of `words`. */
static void add_plain(toad__buf *b, const toad__json *value, const char *key, const char *words) {
    const toad__json *m = toad__json_get(value, key);
    bool number = m && m->type == TOAD__JSON_NUMBER && m->raw.n < 32, word = false;
    for (const char *w = words; m && m->type == TOAD__JSON_STRING && *w;) {
        size_t n = strcspn(w, " ");
        word |= toad__str_eq(m->text, toad__str(w, n));
        w += n + (w[n] == ' ');
    }
    if (!number && !word) return;
    toad__json_add_key(b, key);
    toad__buf_add_str(b, m->raw);
}

/* An id that the client has seen or made: as it came, if it is a short token. */
static void add_token(toad__buf *b, const toad__json *value, const char *key) {
    const toad__json *m = toad__json_get(value, key);
    if (!m || (m->type != TOAD__JSON_STRING && m->type != TOAD__JSON_NUMBER) || m->raw.n > 130) return;
    for (size_t i = 0; m->type == TOAD__JSON_STRING && i < m->text.n; i++)
        if (!toad__is_alnum((unsigned char)m->text.p[i]) && !strchr("-_.:", m->text.p[i])) return;
    toad__json_add_key(b, key);
    toad__buf_add_str(b, m->raw);
}

static void add_verdict(toad__buf *b, toad_str verdict) {
    if (!verdict.n) return;
    toad__json_add_key(b, "_meta");
    toad__buf_add_z(b, "{\"dev.toadstone/verdict\":");
    toad__buf_add_str(b, verdict);
    toad__buf_add_c(b, '}');
}

static void add_text_block(toad__buf *b, const char *text) {
    toad__buf_add_z(b, "{\"type\":\"text\",\"text\":");
    toad__json_add_str(b, toad__str_z(text));
    toad__buf_add_c(b, '}');
}

static void end_result(const toad__reply *r, toad__buf *b, bool cached) {
    if (r->modern) {
        toad__json_add_key(b, "resultType");
        toad__buf_add_z(b, "\"complete\"");
        if (cached) toad__buf_add_z(b, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    }
    add_verdict(b, r->verdict);
    toad__buf_add_c(b, '}');
}

static void add_tool_result(const toad__reply *r, toad__buf *b) {
    toad__buf_add_z(b, "{\"content\":[");
    add_text_block(b, r->text);
    toad__buf_add_z(b, "],\"isError\":true");
    end_result(r, b, false);
}

static void add_prompt(const toad__reply *r, toad__buf *b) {
    toad__buf_add_z(b, "{\"messages\":[{\"role\":\"user\",\"content\":");
    add_text_block(b, r->text);
    toad__buf_add_z(b, "}]");
    end_result(r, b, false);
}

static void add_resource(const toad__reply *r, toad__buf *b) {
    toad__buf_add_z(b, "{\"contents\":[{\"uri\":");
    toad__json_add_str(b, r->name.p ? r->name : TOAD__S(""));
    toad__buf_add_z(b, ",\"mimeType\":\"text/plain\",\"text\":");
    toad__json_add_str(b, toad__str_z(r->text));
    toad__buf_add_z(b, "}]");
    end_result(r, b, true);
}

static void add_list(const toad__reply *r, const char *name, toad__buf *b) {
    toad__buf_add_z(b, "{\"");
    toad__buf_add_z(b, name);
    toad__buf_add_z(b, "\":[]");
    end_result(r, b, true);
}

static void add_error(const toad__reply *r, toad__buf *b) {
    const toad__json *code = toad__json_get(r->value, "code");
    toad__buf_add_z(b, "{\"code\":");
    if (r->what == TOAD__MCP_VALUE_ERROR && code && code->type == TOAD__JSON_NUMBER && code->raw.n < 12)
        toad__buf_add_str(b, code->raw);
    else
        toad__buf_add_z(b, "-32603");
    toad__buf_add_z(b, ",\"message\":");
    toad__json_add_str(b, toad__str_z(r->text));
    if (r->verdict.n) {
        toad__buf_add_z(b, ",\"data\":{\"dev.toadstone/verdict\":");
        toad__buf_add_str(b, r->verdict);
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_c(b, '}');
}

static const char levels[] = "debug info notice warning error critical alert emergency";
static const char statuses[] = "working input_required completed failed cancelled";

static void add_notification(const toad__reply *r, toad__buf *b) {
    static const char *const tokens[] = { "progressToken", "requestId", "taskId", "elicitationId" };
    toad__buf_add_c(b, '{');
    for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++) add_token(b, r->value, tokens[i]);
    add_plain(b, r->value, "progress", "");
    add_plain(b, r->value, "total", "");
    add_plain(b, r->value, "level", levels);
    add_plain(b, r->value, "status", statuses);
    if (toad__json_get(r->value, "level")) {
        toad__json_add_key(b, "data");
        toad__json_add_str(b, toad__str_z(r->text));
    }
    const toad__json *meta = toad__json_get(r->value, "_meta");
    if (toad__json_get(meta, "io.modelcontextprotocol/subscriptionId")) {
        toad__json_add_key(b, "_meta");
        toad__buf_add_c(b, '{');
        add_token(b, meta, "io.modelcontextprotocol/subscriptionId");
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_c(b, '}');
}

static void add_task(const toad__reply *r, toad__buf *b) {
    static const char *const numbers[] = { "ttl", "ttlMs", "pollInterval", "pollIntervalMs" };
    toad__buf_add_c(b, '{');
    add_token(b, r->value, "taskId");
    toad__json_add_key(b, "status");
    toad__buf_add_z(b, "\"failed\"");
    add_token(b, r->value, "createdAt");
    add_token(b, r->value, "lastUpdatedAt");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) add_plain(b, r->value, numbers[i], "");
    toad__json_add_key(b, "error");
    add_error(r, b);
    if (r->modern) toad__buf_add_z(b, ",\"resultType\":\"complete\"");
    add_verdict(b, r->verdict);
    toad__buf_add_c(b, '}');
}

static void add_refused_request(const toad__reply *r, toad__buf *b, toad__mcp_fate *ret) {
    *ret = TOAD__FATE_BACK_RESULT;
    if (toad__str_eq(r->name, TOAD__S("elicitation/create"))) {
        toad__buf_add_z(b, "{\"action\":\"decline\"}");
        return;
    }
    *ret = TOAD__FATE_BACK_ERROR;
    toad__buf_add_z(b, "{\"code\":-1,\"message\":\"the client does not accept this request\"}");
}

void toad__screen_reply_for(const toad__reply *r, toad__buf *out, toad__mcp_fate *ret) {
    *ret = TOAD__FATE_REPLACE;
    switch (r->what) {
    case TOAD__MCP_VALUE_TOOL_RESULT: add_tool_result(r, out); break;
    case TOAD__MCP_VALUE_PROMPT: add_prompt(r, out); break;
    case TOAD__MCP_VALUE_RESOURCE: add_resource(r, out); break;
    case TOAD__MCP_VALUE_TOOLS: add_list(r, "tools", out); break;
    case TOAD__MCP_VALUE_PROMPTS: add_list(r, "prompts", out); break;
    case TOAD__MCP_VALUE_RESOURCES: add_list(r, "resources", out); break;
    case TOAD__MCP_VALUE_TEMPLATES: add_list(r, "resourceTemplates", out); break;
    case TOAD__MCP_VALUE_COMPLETION:
        toad__buf_add_z(out, "{\"completion\":{\"values\":[]}");
        end_result(r, out, false);
        break;
    case TOAD__MCP_VALUE_ERROR: add_error(r, out); break;
    case TOAD__MCP_VALUE_NOTIFICATION: add_notification(r, out); break;
    case TOAD__MCP_VALUE_TASK: add_task(r, out); break;
    case TOAD__MCP_VALUE_REQUEST: add_refused_request(r, out, ret); break;
    case TOAD__MCP_VALUE_OUTPUT: toad__json_add_str(out, toad__str_z(r->text)); break;
    case TOAD__MCP_VALUE_SERVER:
    case TOAD__MCP_VALUE_OTHER:
        *ret = TOAD__FATE_AS_ERROR;
        add_error(r, out);
        break;
    }
}

/* ---- parts ---- */

void toad__screen_stand_in(toad__mcp_what what, const toad__unit *unit, const char *content_id, toad__buf *out) {
    char ours[160];
    snprintf(ours, sizeof ours, WITHHELD ": it reads like an attack on its reader%s%.24s",
             *content_id ? ". The user can look at it: toadstone contents show " : "", content_id);
    toad_str key = unit->node->key;
    toad__reply r = { .what = what, .text = ours };
    if (what == TOAD__MCP_VALUE_ERROR && toad__str_eq(key, TOAD__S("message")))
        toad__json_add_str(out, toad__str_z(ours));
    if (what == TOAD__MCP_VALUE_NOTIFICATION && toad__str_eq(key, TOAD__S("data")))
        toad__json_add_str(out, toad__str_z(ours));
    if (what != TOAD__MCP_VALUE_TASK) return;
    if (toad__str_eq(key, TOAD__S("result"))) {
        r.modern = toad__json_get(unit->node, "resultType") != NULL;
        add_tool_result(&r, out);
    } else if (toad__str_eq(key, TOAD__S("error"))) {
        add_error(&r, out);
    } else if (toad__str_eq(key, TOAD__S("inputRequests"))) {
        toad__buf_add_z(out, "{}");
    }
}

/* ---- the shape of a tool ---- */

void toad__screen_in_shape(const toad__screen_in *in, toad_str text, toad__buf *out) {
    const toad__json *above[TOAD__JSON_DEPTH + 1], *node = in->value;
    const char *at = node->raw.p, *end = at + node->raw.n;
    size_t depth = 0;
    while (node) {
        if (node->type == TOAD__JSON_STRING && !toad__screen_is_shape(in, node)) {
            toad__buf_add(out, at, (size_t)(node->raw.p - at));
            toad__json_add_utf8(out, text);
            text = TOAD__S("");
            at = node->raw.p + node->raw.n;
        }
        if (node->child) {
            above[depth++] = node;
            node = node->child;
            continue;
        }
        while (depth && !node->next) node = above[--depth];
        node = depth ? node->next : NULL;
    }
    toad__buf_add(out, at, (size_t)(end - at));
}
