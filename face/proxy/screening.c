/* screening.c - see screening.h. */
#include "face/proxy/screening.h"

#include "app/act/confirm.h"
#include "lib/base/str.h"

#include <stdio.h>

_Static_assert((int)BZR__PROXY_SERVER == (int)BZR__SCREEN_SERVER &&
                   (int)BZR__PROXY_TOOL_RESULT == (int)BZR__SCREEN_TOOL_RESULT &&
                   (int)BZR__PROXY_OTHER == (int)BZR__SCREEN_OTHER && (int)BZR__PROXY_TASK == (int)BZR__SCREEN_TASK,
               "what a value is has the same order here and there");


static const bzr__proxy_fate fates[] = {
    [BZR__SCREEN_AS_VALUE] = BZR__PROXY_REPLACE,
    [BZR__SCREEN_AS_ERROR] = BZR__PROXY_AS_ERROR,
    [BZR__SCREEN_TO_PEER_RESULT] = BZR__PROXY_BACK_RESULT,
    [BZR__SCREEN_TO_PEER_ERROR] = BZR__PROXY_BACK_ERROR,
};

/* ---- values of the server ---- */

#define FORM(properties) \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties "},\"required\":[\"decision\"]}}"
#define HELD_SCHEMA                                                                                                    \
    FORM(                                                                                                              \
        "\"decision\":{\"type\":\"string\",\"title\":\"Decision\",\"enum\":[\"block\",\"redact\",\"allow_once\"],"     \
        "\"enumNames\":[\"Keep it out\",\"Pass it without the flagged parts\",\"Pass it once, marked as untrusted\"]," \
        "\"default\":\"block\"}")
#define CALL_SCHEMA                                                                                \
    FORM("\"decision\":{\"type\":\"string\",\"title\":\"Decision\",\"enum\":[\"skip\",\"apply\"]," \
         "\"enumNames\":[\"Skip it\",\"Do it, once\"],\"default\":\"skip\"}")

static void ask_about_value(const proxy_screening *s, const bzr__screen_result *found, bzr__buf *question) {
    bzr__buf text;
    bzr__buf_init(&text, 4096);
    bzr__buf_add_z(&text, "Bezoar held an answer of the server ");
    bzr__buf_add_str(&text, s->server);
    bzr__buf_add_z(&text, ". ");
    bzr__buf_add_z(&text, found->why);
    if (*found->content_id) {
        bzr__buf_add_z(&text, " To look at it: bezoar contents show ");
        bzr__buf_add_z(&text, found->content_id);
    }
    bzr__buf_add_z(question, "{\"mode\":\"form\",\"message\":");
    bzr__json_add_str(question, bzr__buf_str(&text));
    bzr__buf_add_z(question, HELD_SCHEMA);
    bzr__buf_free(&text);
}

static bool says(const bzr__json *reply, const char *decision) {
    return bzr__str_eq(bzr__json_get_text(reply, "action"), BZR__S("accept")) &&
           bzr__str_eq(bzr__json_get_text(bzr__json_get(reply, "content"), "decision"), bzr__str_z(decision));
}

static bzr__screen_decision decision_of(const bzr__json *reply) {
    if (!reply) return BZR__SCREEN_BY_POLICY;
    if (says(reply, "redact")) return BZR__SCREEN_REDACT;
    return says(reply, "allow_once") ? BZR__SCREEN_ALLOW_ONCE : BZR__SCREEN_KEEP_OUT;
}

bool proxy_screen_value(proxy_screening *s, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question,
                        bzr__proxy_verdict *ret) {
    const bzr__screen_in what = { .what = (bzr__screen_what)in->what,
                                  .server = s->server,
                                  .name = in->name,
                                  .value = in->value,
                                  .decision = decision_of(in->reply) };
    bzr__screen_result found = { .fate = BZR__SCREEN_BLOCKED };
    s->host->session = s->session;
    s->host->by = BZR__READER_MODEL;
    if (bzr__screen_message(s->screen, &what, out, &found)) return false;
    ret->fate = found.fate == BZR__SCREEN_PASS ? BZR__PROXY_PASS : fates[found.reply];
    ret->ask = found.fate == BZR__SCREEN_ASK;
    if (found.fate == BZR__SCREEN_CHANGED) ret->fate = BZR__PROXY_REPLACE;
    if (ret->ask) ask_about_value(s, &found, question);
    return true;
}

bzr__proxy_fate proxy_refuse_value(const bzr__proxy_value *in, const char *why, bzr__buf *out) {
    bzr__screen_reply reply = BZR__SCREEN_AS_VALUE;
    bzr__screen_refusal((bzr__screen_what)in->what, in->name, in->modern, why, out, &reply);
    return fates[reply];
}

/* ---- calls of the client ---- */

/* The tag names the question and what of it was shown. */
static bool ask_about_call(const proxy_screening *s, const char *id, bzr__buf *question, char tag[BZR__PROXY_TAG]) {
    bzr__arena arena;
    bzr_str text, binding;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bool shown = *id && bzr__confirmation_dialog(s->host, bzr__str_z(id), &arena, &text, &binding);
    if (shown) {
        size_t n = (size_t)snprintf(tag, BZR__PROXY_TAG - BZR__CONFIRMATION_SEEN, "%s ", id);
        memcpy(tag + n, binding.p, BZR__CONFIRMATION_SEEN); /* an id of ours is short */
        tag[n + BZR__CONFIRMATION_SEEN] = 0;
        bzr__buf_add_z(question, "{\"mode\":\"form\",\"message\":");
        bzr__json_add_str(question, text);
        bzr__buf_add_z(question, CALL_SCHEMA);
    }
    bzr__arena_free(&arena);
    return shown;
}

/* Hand the user's reply on, if the question is still the one that was shown. An accepted form that says apply approves;
 * one that says skip, and a refused one, denies; anything else leaves the question open. */
static void take_reply(const proxy_screening *s, const bzr__json *reply, const char *tag) {
    bzr__arena arena;
    bzr__buf said;
    bzr_str text, binding;
    char id[BZR__PROXY_TAG];
    bool apply = says(reply, "apply");
    if (!apply && !says(reply, "skip") && !bzr__str_eq(bzr__json_get_text(reply, "action"), BZR__S("decline"))) return;
    size_t id_n = tag ? strcspn(tag, " ") : 0;
    if (!id_n || id_n >= sizeof id) return;
    memcpy(id, tag, id_n);
    id[id_n] = 0;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&said, BZR__HOST_ANSWER_MAX);
    bool same = bzr__confirmation_dialog(s->host, bzr__str_z(id), &arena, &text, &binding) && tag[id_n] &&
                bzr__str_eq(bzr__str_z(tag + id_n + 1), bzr__str_part(binding, 0, BZR__CONFIRMATION_SEEN));
    s->host->by = BZR__READER_USER;
    if (same)
        (void)bzr__confirmation_reply(s->host, bzr__str_z(id), binding, apply ? BZR__REPLY_APPLY : BZR__REPLY_SKIP,
                                      &said);
    s->host->by = BZR__READER_MODEL;
    bzr__buf_free(&said);
    bzr__arena_free(&arena);
}

bool proxy_permit_call(proxy_screening *s, const bzr__proxy_value *in, bzr__buf *out, bzr__buf *question,
                       bzr__proxy_verdict *ret) {
    const bzr__screen_call_in call = { .server = s->server,
                                       .tool = in->name,
                                       .modern = in->modern,
                                       .arguments = in->value ? in->value->raw : BZR__S("{}") };
    bzr__screen_call_result ruling = { .permit = BZR__CALL_BLOCKED };
    s->host->session = s->session;
    s->host->by = BZR__READER_MODEL;
    if (in->reply) take_reply(s, in->reply, in->tag);
    if (bzr__screen_call(s->screen, &call, out, &ruling)) return false;
    ret->fate = ruling.permit == BZR__CALL_ALLOWED ? BZR__PROXY_PASS : BZR__PROXY_REPLACE;
    ret->ask =
        ruling.permit == BZR__CALL_ASK && !in->reply && ask_about_call(s, ruling.confirmation, question, ret->tag);
    return true;
}
