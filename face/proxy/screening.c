/* screening.c - see screening.h. */
#include "face/proxy/screening.h"

#include "app/act/confirm.h"
#include "lib/base/str.h"

#include <assert.h>
#include <stdio.h>

/* ---- values of the server ---- */

#define FORM(properties) \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{" properties "},\"required\":[\"decision\"]}}"
#define HELD_SCHEMA                                                                                                    \
    FORM(                                                                                                              \
        "\"decision\":{\"type\":\"string\",\"title\":\"Decision\",\"enum\":[\"block\",\"redact\",\"allow_once\"],"     \
        "\"enumNames\":[\"Keep it out\",\"Pass it without the flagged parts\",\"Pass it once, marked as untrusted\"]," \
        "\"default\":\"block\"}")

static void ask_about_value(const proxy_screening *s, const toad__screen_result *found, toad__buf *question) {
    toad__buf text;
    toad__buf_init(&text, 4096);
    toad__buf_add_z(&text, "Toadstone held an answer of the server ");
    toad__buf_add_str(&text, s->server);
    toad__buf_add_z(&text, ". ");
    toad__buf_add_z(&text, found->why);
    if (*found->content_id) {
        toad__buf_add_z(&text, " To look at it: toadstone contents show ");
        toad__buf_add_z(&text, found->content_id);
    }
    toad__buf_add_z(question, "{\"mode\":\"form\",\"message\":");
    toad__json_add_str(question, toad__buf_str(&text));
    toad__buf_add_z(question, HELD_SCHEMA);
    toad__buf_free(&text);
}

static bool says(const toad__json *reply, const char *decision) {
    return toad__str_eq(toad__json_get_text(reply, "action"), TOAD__S("accept")) &&
           toad__str_eq(toad__json_get_text(toad__json_get(reply, "content"), "decision"), toad__str_z(decision));
}

static toad__screen_decision decision_of(const toad__json *reply) {
    if (!reply) return TOAD__SCREEN_BY_POLICY;
    if (says(reply, "redact")) return TOAD__SCREEN_REDACT;
    return says(reply, "allow_once") ? TOAD__SCREEN_ALLOW_ONCE : TOAD__SCREEN_KEEP_OUT;
}

/* A model that is told of a block may keep it to itself: its user is told, too. `name` is no word of ours. */
static void tell_user(const proxy_screening *s, toad_str name, const toad__screen_result *found) {
    char text[900], look[160] = "";
    if (!*found->why || (found->fate == TOAD__SCREEN_CHANGED && !found->dropped)) return;
    if (*found->content_id)
        snprintf(look, sizeof look, "; look: toadstone contents show %s; a false alarm: toadstone exceptions add %s",
                 found->content_id, found->content_id);
    else if (!strncmp(found->why, "a tool is held", 14))
        snprintf(look, sizeof look, "; look: toadstone proxy tools --held");
    snprintf(text, sizeof text, "withheld from the agent: %.*s: %s%s%s%s%s", (int)(name.n < 100 ? name.n : 100),
             name.n ? name.p : "", found->why, *found->rules ? " (" : "", found->rules, *found->rules ? ")" : "", look);
    s->note(s->server.p, text);
}

/* The same for the client, in words of ours: what the server chose is named only where it is a plain word. */
static void tell_client(const proxy_screening *s, toad_str name, const toad__screen_result *found,
                        char ret[sizeof((toad__proxy_verdict *)0)->tell]) {
    bool plain = name.n && name.n <= 48, held = !strncmp(found->why, "a tool is held", 14);
    if (!*found->why || (found->fate == TOAD__SCREEN_CHANGED && !found->dropped)) return;
    for (size_t i = 0; i < name.n && plain; i++)
        plain = toad__is_alnum((unsigned char)name.p[i]) || strchr("_-./", name.p[i]);
    snprintf(ret, sizeof((toad__proxy_verdict *)0)->tell,
             "Toadstone withheld from the agent what the server %.64s%s%.*s gave: %.160s.%s%s", s->server.p,
             plain ? "/" : "", plain ? (int)name.n : 0, plain ? name.p : "", found->why,
             *found->content_id ? " To look at it: toadstone contents show "
             : held             ? " To look at it: toadstone proxy tools --held"
                                : "",
             found->content_id);
}

/* The agent's session where its hooks have named one, else the proxy's own. The agent may begin another at any time. */
static toad_str session_of(proxy_screening *s) {
    toad__arena arena;
    toad_str found;
    if (!s->starter.n || !s->host->store) return s->session;
    toad__arena_init(&arena, 1u << 16);
    bool known = !toad__store_alias_get(s->host->store, s->starter, &arena, &found) && found.n < sizeof s->agents;
    if (known) toad__str_copy_to(s->agents, sizeof s->agents, found);
    toad__arena_free(&arena);
    return known ? toad__str_z(s->agents) : s->session;
}

bool proxy_screen_value(proxy_screening *s, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                        toad__proxy_verdict *ret) {
    const toad__screen_in what = {
        .what = in->what, .server = s->server, .name = in->name, .value = in->value, .decision = decision_of(in->reply)
    };
    toad__screen_result found = { .fate = TOAD__SCREEN_BLOCKED, .reply = TOAD__FATE_REPLACE };
    s->host->session = session_of(s);
    s->host->by = TOAD__READER_MODEL;
    if (toad__screen_message(s->screen, &what, out, &found)) return false;
    assert((found.fate == TOAD__SCREEN_PASS) == (found.reply == TOAD__FATE_PASS));
    if (found.fate != TOAD__SCREEN_PASS) tell_user(s, in->name, &found);
    ret->fate = found.reply;
    ret->ask = found.fate == TOAD__SCREEN_ASK;
    if (ret->ask)
        ask_about_value(s, &found, question);
    else if (found.fate != TOAD__SCREEN_PASS)
        tell_client(s, in->name, &found, ret->tell);
    return true;
}

toad__mcp_fate proxy_refuse_value(const toad__proxy_value *in, const char *why, toad__buf *out) {
    toad__mcp_fate reply = TOAD__FATE_REPLACE;
    toad__screen_refusal(in->what, in->name, in->modern, why, out, &reply);
    return reply;
}

/* ---- calls of the client ---- */

bool proxy_permit_call(proxy_screening *s, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                       toad__proxy_verdict *ret) {
    const toad__screen_call_in call = { .server = s->server,
                                        .tool = in->name,
                                        .modern = in->modern,
                                        .arguments = in->value ? in->value->raw : TOAD__S("{}") };
    toad__screen_call_result ruling = { .permit = TOAD__CALL_BLOCKED };
    s->host->session = session_of(s);
    s->host->by = TOAD__READER_MODEL;
    _Static_assert(TOAD__PROXY_TAG >= TOAD__CONFIRMATION_TAG, "a question's tag fits");
    bool with_contents = in->reply && toad__confirmation_hear(s->host, in->tag, in->reply);
    if (toad__screen_call(s->screen, &call, out, &ruling)) return false;
    ret->fate = ruling.permit == TOAD__CALL_ALLOWED ? TOAD__FATE_PASS : TOAD__FATE_REPLACE;
    ret->ask = ruling.permit == TOAD__CALL_ASK && (!in->reply || with_contents) &&
               toad__confirmation_form(s->host, toad__str_z(ruling.confirmation), with_contents, question, ret->tag);
    return true;
}
