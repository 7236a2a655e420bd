/* screen_keep.c - flagged content is kept for the user, as web_fetch keeps a page. */
#include "app/records/learnings.h"
#include "app/mcp/screen_internal.h"
#include "bezoar/wrap.h"
#include "lib/base/utf8.h"

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

static bzr_status source_of(bzr__screen *s, const bzr__screen_in *in, bzr_str *ret) {
    bzr__buf b;
    bzr_text *name;
    bzr_status status = bzr_neutralize(in->name.p ? in->name : BZR__S(""), true, &name);
    if (status) return status;
    bzr__buf_init(&b, BZR__SCREEN_OUT);
    bzr__buf_add_z(&b, "mcp:");
    bzr__buf_add_str(&b, in->server);
    bzr__buf_add_c(&b, '/');
    bzr__buf_add_str(&b, bzr__str_part(bzr_text_str(name), 0, 1024));
    while (b.n && bzr__utf8_valid_upto(bzr__buf_str(&b)) < b.n) b.n--;
    *ret = b.status ? bzr__str(NULL, 0) : bzr__arena_dup(&s->arena, bzr__buf_str(&b));
    bzr_text_free(name);
    bzr__buf_free(&b);
    return ret->p ? BZR_OK : BZR_E_NOMEM;
}

static const bzr__known_rule *worst_of(const bzr__reading *r) {
    const bzr__known_rule *worst = NULL;
    for (size_t i = 0; i < r->n_rules; i++)
        if (!worst || r->rules[i].severity > worst->severity) worst = &r->rules[i];
    return worst;
}

static void fill(bzr__screen *s, const char *action, bzr__content *c) {
    const bzr__reading *r = &s->reading;
    const bzr__known_rule *worst = worst_of(r);
    c->kind = BZR__S("mcp");
    c->session_id = s->host->session;
    c->action = bzr__str_z(is(action, "redact") ? "warn" : is(action, "ask") ? "block" : action);
    c->severity = bzr__str_z(bzr_severity_name(r->severity));
    c->completeness = bzr__str_z(bzr_completeness_name(r->completeness));
    c->confidence = bzr__str_z(bzr_severity_name(r->severity == BZR_NONE ? BZR_LOW : r->severity));
    c->pattern_matched = worst ? bzr__str_z(worst->rule) : BZR__S("");
    c->findings = r->findings;
}

/* What is learned from it is kept with it, or not at all. */
static bzr_status learn(bzr__screen *s, bzr__content *c, bzr__learning learnings[BZR__SCREEN_RULES]) {
    bzr_status status = BZR_OK;
    c->learnings = learnings;
    for (size_t i = 0; i < s->reading.n_rules && !status; i++) {
        const bzr__known_rule *k = &s->reading.rules[i];
        bzr_finding f = { .rule = k->rule, .family = k->family, .severity = k->severity };
        if (k->severity != BZR_HIGH) continue;
        status = bzr__learning_from_finding(&s->arena, &f, c->domain, c->url, &learnings[c->learnings_n]);
        c->learnings_n += !status;
    }
    return status;
}

static bzr_status put(bzr__screen *s, bzr__content *c, bzr__screen_result *ret, bool *ret_released) {
    char id[1][24];
    bzr__content kept;
    bzr__learning learnings[BZR__SCREEN_RULES];
    bzr__host *host = s->host;
    bzr__session session = { .id = host->session };
    if (!host->store) return BZR_E_IO; /* host->message says why */
    bzr_status status = bzr__str_eq(c->action, BZR__S("block")) ? learn(s, c, learnings) : BZR_OK;
    if (!status && host->session.n) status = bzr__store_session_touch(host->store, &session);
    if (!status) status = bzr__store_contents_put(host->store, c, 1, id);
    if (!status) status = bzr__store_content_get(host->store, bzr__str_z(id[0]), false, &s->arena, &kept);
    if (status) return bzr__host_store_failed(host, status);
    memcpy(ret->content_id, id[0], sizeof ret->content_id);
    *ret_released = kept.released_at != 0;
    return BZR_OK;
}

bzr_status bzr__screen_keep(bzr__screen *s, const bzr__screen_in *in, const char *action, bzr__screen_result *ret,
                            bool *ret_released, bool *ret_may_pass) {
    bzr__content c = { 0 };
    bzr__buf body;
    *ret_may_pass = true;
    *ret_released = false;
    bzr_status status = source_of(s, in, &c.url);
    if (status) return status;
    c.domain = bzr__str_part(c.url, 0, sizeof "mcp:" - 1 + in->server.n); /* a server answers for all its tools */
    bzr__buf_init(&body, BZR__SCREEN_OUT);
    bzr__screen_body(s, &body);
    fill(s, action, &c);
    c.body = body.n ? bzr__buf_str(&body) : BZR__S("");
    status = body.status ? body.status : put(s, &c, ret, ret_released);
    bzr__buf_free(&body);
    if (!status || status == BZR_E_NOMEM) return status;
    bool blocked = bzr__str_eq(c.action, BZR__S("block"));
    bzr__event event = { .type = BZR__S("content_not_kept"),
                         .direction = BZR__S("inbound"),
                         .channel = BZR__S("mcp"),
                         .content = s->reading.n_rules ? BZR__S("injection_detected") : BZR__S("clean"),
                         .url = c.url,
                         .pattern_matched = c.pattern_matched,
                         .confidence = c.confidence,
                         .action = c.action,
                         .session_id = s->host->session };
    status = bzr__host_on_store_error(s->host, status, blocked, &event);
    *ret_may_pass = !status && !blocked;
    s->tainted |= s->reading.severity >= BZR_MEDIUM;
    return status == BZR_E_NOMEM ? status : BZR_OK;
}
