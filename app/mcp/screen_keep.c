/* screen_keep.c - flagged content is kept for the user, as web_fetch keeps a page. */
#include "app/host/origin.h"
#include "app/mcp/screen_internal.h"
#include "app/records/learnings.h"
#include "lib/base/utf8.h"
#include "toadstone/wrap.h"

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

toad_status toad__screen_source(toad__screen *s, const toad__screen_in *in, toad_str *ret) {
    toad__buf b;
    toad_text *name;
    toad_str said = in->source.n ? in->source : in->name;
    toad_status status = toad_neutralize(said.p ? said : TOAD__S(""), true, &name);
    if (status) return status;
    toad__buf_init(&b, TOAD__SCREEN_OUT);
    if (!in->source.n) {
        toad__buf_add_z(&b, "mcp:");
        toad__buf_add_str(&b, in->server);
        toad__buf_add_c(&b, '/');
    }
    toad__buf_add_str(&b, toad__str_part(toad_text_str(name), 0, 1024));
    while (b.n && toad__utf8_valid_upto(toad__buf_str(&b)) < b.n) b.n--;
    *ret = b.status ? toad__str(NULL, 0) : toad__arena_dup(&s->arena, toad__buf_str(&b));
    toad_text_free(name);
    toad__buf_free(&b);
    return ret->p ? TOAD_OK : TOAD_E_NOMEM;
}

toad_status toad__screen_is_blocked(toad__screen *s, const toad__screen_in *in, bool *ret) {
    toad_str source, setting = { NULL, 0 };
    toad__origin origin;
    *ret = false;
    if (!s->host->store) return TOAD_OK;
    toad_status status = toad__screen_source(s, in, &source);
    if (!status) status = toad__origin_of(source, &s->arena, &origin);
    if (status) return status;
    status = toad__store_setting_for(s->host->store, origin.url, origin.domain, &s->arena, &setting);
    *ret = toad__str_eq(setting, TOAD__S("blocked"));
    return toad__host_store_failed(s->host, status);
}

static const toad__known_rule *worst_of(const toad__reading *r) {
    const toad__known_rule *worst = NULL;
    for (size_t i = 0; i < r->n_rules; i++)
        if (!worst || r->rules[i].severity > worst->severity) worst = &r->rules[i];
    return worst;
}

static void fill(toad__screen *s, const char *action, toad__content *c) {
    const toad__reading *r = &s->reading;
    const toad__known_rule *worst = worst_of(r);
    c->kind = toad__str_z(s->kind);
    c->session_id = s->host->session;
    c->action = toad__str_z(is(action, "ask") ? toad_action_name(toad__policy_on(TOAD__ON_PAGE, TOAD_ASK)) : action);
    c->severity = toad__str_z(toad_severity_name(r->severity));
    c->completeness = toad__str_z(toad_completeness_name(r->completeness));
    c->confidence = toad__str_z(toad_severity_name(r->severity == TOAD_NONE ? TOAD_LOW : r->severity));
    c->pattern_matched = worst ? toad__str_z(worst->rule) : TOAD__S("");
    c->findings = r->findings;
}

/* What is learned from it is kept with it, or not at all. */
static toad_status learn(toad__screen *s, toad__content *c, toad__learning learnings[TOAD__SCREEN_RULES]) {
    toad_status status = TOAD_OK;
    c->learnings = learnings;
    for (size_t i = 0; i < s->reading.n_rules && !status; i++) {
        const toad__known_rule *k = &s->reading.rules[i];
        toad_finding f = { .rule = k->rule, .family = k->family, .severity = k->severity };
        if (k->severity != TOAD_HIGH) continue;
        status = toad__learning_from_finding(&s->arena, &f, c->domain, c->url, &learnings[c->learnings_n]);
        c->learnings_n += !status;
    }
    return status;
}

static toad_status put(toad__screen *s, toad__content *c, toad__screen_result *ret, bool *ret_released) {
    char id[1][24];
    toad__content kept;
    toad__learning learnings[TOAD__SCREEN_RULES];
    toad__host *host = s->host;
    toad__session session = { .id = host->session };
    if (!host->store) return TOAD_E_IO; /* host->message says why */
    toad_status status = toad__str_eq(c->action, TOAD__S("block")) ? learn(s, c, learnings) : TOAD_OK;
    if (!status && host->session.n) status = toad__store_session_touch(host->store, &session);
    if (!status) status = toad__store_contents_put(host->store, c, 1, id);
    if (!status) status = toad__store_content_get(host->store, toad__str_z(id[0]), false, &s->arena, &kept);
    if (status) return toad__host_store_failed(host, status);
    memcpy(ret->content_id, id[0], sizeof ret->content_id);
    *ret_released = kept.released_at != 0 || toad__excepts_bytes(&s->reading.excepted, kept.digest);
    return TOAD_OK;
}

toad_status toad__screen_keep(toad__screen *s, const toad__screen_in *in, const char *action, toad__screen_result *ret,
                              bool *ret_released, bool *ret_may_pass) {
    toad__content c = { 0 };
    toad__buf body;
    *ret_may_pass = true;
    *ret_released = false;
    toad__origin origin;
    toad_status status = toad__screen_source(s, in, &c.url);
    if (!status) status = toad__origin_of(c.url, &s->arena, &origin);
    if (status) return status;
    c.url = origin.url;
    c.domain = origin.domain;
    toad__buf_init(&body, TOAD__SCREEN_OUT);
    toad__screen_body(s, &body);
    fill(s, action, &c);
    c.body = body.n ? toad__buf_str(&body) : TOAD__S("");
    status = body.status ? body.status : put(s, &c, ret, ret_released);
    toad__buf_free(&body);
    if (!status || status == TOAD_E_NOMEM) return status;
    bool blocked = toad__str_eq(c.action, TOAD__S("block"));
    toad__event event = { .type = TOAD__S("content_not_kept"),
                          .direction = TOAD__S("inbound"),
                          .channel = toad__str_z(s->kind),
                          .content = s->reading.n_rules ? TOAD__S("injection_detected") : TOAD__S("clean"),
                          .url = c.url,
                          .pattern_matched = c.pattern_matched,
                          .confidence = c.confidence,
                          .action = c.action,
                          .session_id = s->host->session };
    status = toad__host_on_store_error(s->host, status, blocked, &event);
    *ret_may_pass = !status && !blocked;
    s->tainted |= s->reading.severity >= TOAD_MEDIUM;
    return status == TOAD_E_NOMEM ? status : TOAD_OK;
}
