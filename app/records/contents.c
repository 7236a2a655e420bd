/* contents.c - see contents.h. Cost of storing: one scan and one transaction. */
#include "app/records/contents.h"

#include "app/host/authority.h"
#include "app/host/origin.h"
#include "app/records/exceptions.h"
#include "app/records/learnings.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/verdict/verdict.h"
#include "sys/clock.h"
#include "toadstone/guard.h"

#include <stdio.h>
#include <time.h>

enum { PATTERNS_SHOWN = 16, TITLE_MAX = 200, PATTERNS_MAX = 4096, CHARACTERS = 500000 };

static bool is_action(const toad__content *c, const char *action) {
    return toad__str_eq(c->action, toad__str_z(action));
}

/* May a model know the id? */
static bool withheld(const toad__host *host, const toad__content *c) {
    return host->by == TOAD__READER_MODEL && is_action(c, "block") && !c->released_at;
}

/* Does a model get only a part of it? */
static bool is_redacted(const toad__content *c) { return is_action(c, "redact") && !c->released_at; }

/* ---- judge ---- */

/* At most `most` code points of `raw` on one line. */
static void add_line(toad_str raw, size_t most, toad__buf *out) {
    bool gap = false;
    for (size_t at = 0; at < raw.n && most;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(raw, at, &len);
        at += len;
        bool blank = c <= ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029;
        if (!blank && gap) toad__buf_add_c(out, ' ');
        if (!blank) toad__buf_add_cp(out, c == TOAD__BAD ? TOAD__REPLACEMENT : c);
        if (!blank) most--;
        gap = blank && out->n;
    }
}

/* The page's title, else the first heading of a Markdown page, as nanofolks takes it: one line of TITLE_MAX code points
 * without anything live in it. */
static toad_status title_of(toad__host *host, const toad__content_in *in, toad_str *ret) {
    toad_text *clean;
    toad__buf line;
    toad_str raw = in->title, body = in->body;
    if (!raw.n && toad__str_starts(body, TOAD__S("# ")))
        raw = toad__str_part(body, 2, toad__str_find(body, TOAD__S("\n"), 0));
    if (!raw.n) return TOAD_OK;
    toad__buf_init(&line, 8 * TITLE_MAX);
    add_line(raw, TITLE_MAX, &line);
    toad_str text = line.n ? toad__buf_str(&line) : TOAD__S("");
    toad_status status = line.status ? line.status : toad_neutralize(text, true, &clean);
    toad__buf_free(&line);
    if (status) return status;
    toad_str title = toad_text_str(clean);
    *ret = toad__arena_dup(&host->arena, title.p ? title : TOAD__S(""));
    toad_text_free(clean);
    return ret->p ? TOAD_OK : TOAD_E_NOMEM;
}

/* The findings as the store keeps them, in the host's arena. */
static toad_status findings_of(toad__host *host, const toad__excepted *e, const toad_verdict *v, toad_str *ret) {
    toad__buf json;
    toad__buf_init(&json, TOAD__HOST_ANSWER_MAX);
    toad__findings_left(e, v, &json);
    toad_status status = json.status;
    toad_str copy = status ? toad__str(NULL, 0) : toad__arena_dup(&host->arena, toad__buf_str(&json));
    toad__buf_free(&json);
    if (!status && !copy.p) status = TOAD_E_NOMEM;
    if (!status) *ret = copy;
    return status;
}

/* What a model may be given of a body that is redacted, in the host's arena; p NULL: nothing. What asked for it when it
 * was stored asks still. The scanner's last verdict is gone. */
static toad_status redact(toad__host *host, const toad__content *c, toad_str *ret) {
    toad_guard_options options = TOAD_GUARD_OPTIONS_INIT;
    toad_guarded *guarded;
    toad_str rest = { NULL, 0 }; /* `ret` may be the body itself */
    toad_policy policy = toad__host_policy(host, c->kind);
    toad_action *const cells[] = { &policy.none, &policy.low, &policy.medium, &policy.high };
    toad_severity from = TOAD_NONE;
    options.kind = TOAD_KIND_WEB;
    toad_kind_parse(c->kind, &options.kind);
    for (toad_severity s = TOAD_LOW; s <= TOAD_HIGH; s++)
        if (toad__str_eq(c->severity, toad__str_z(toad_severity_name(s)))) from = s;
    for (size_t s = (size_t)from; s <= TOAD_HIGH; s++)
        if (*cells[s] < TOAD_REDACT) *cells[s] = TOAD_REDACT;
    options.policy = &policy;
    options.flags = TOAD_GUARD_BARE;
    toad_status status = toad_guard(host->scanner, c->body.p ? c->body : TOAD__S(""), &options, &guarded);
    if (status) return toad__host_failed(host, status);
    if (toad_guarded_action(guarded) <= TOAD_REDACT) {
        toad_str text = toad_guarded_text(guarded);
        rest = toad__arena_dup(&host->arena, text.p ? text : TOAD__S(""));
        if (!rest.p) status = toad__host_failed(host, TOAD_E_NOMEM);
    }
    toad_guarded_free(guarded);
    if (!status) *ret = rest;
    return status;
}

/* The verdict as the store keeps it, less what the user excepted. */
static void take_verdict(const toad__host *host, const toad__excepted *e, const toad_verdict *v, toad__content *c) {
    const toad_finding *worst = toad__worst_left(e, v);
    toad_severity severity = toad__severity_left(e, v);
    c->action = toad__str_z(toad__action_left(host, TOAD__ON_PAGE, c->kind, e, v));
    c->severity = toad__str_z(toad_severity_name(severity));
    c->completeness = toad__str_z(toad_completeness_name(toad_verdict_completeness(v)));
    c->confidence = toad__str_z(toad_severity_name(severity == TOAD_NONE ? TOAD_LOW : severity));
    c->pattern_matched = worst ? toad__str_z(worst->rule) : TOAD__S("");
}

/* The verdict on all that came. */
static toad_status scan_came(toad__host *host, const toad__content_in *in, const toad_verdict **ret) {
    if (in->verdict) return *ret = in->verdict, TOAD_OK;
    return toad__host_scan(host, in->as_came.p ? in->as_came : in->body, in->kind, ret);
}

/* An attack can stand in the URL, which the model is shown, as well as in the body: the graver verdict counts. */
static toad_status judge(toad__host *host, const toad__content_in *in, const toad__excepted *e, toad__content *c,
                         const toad_verdict **ret) {
    static const toad__excepted none = { .n = 0 }; /* a URL is shown wherever it leads: a rule counts in it */
    const toad_verdict *v;
    toad__content by_url = { 0 };
    toad_status status = toad__host_scan(host, c->url, TOAD_KIND_ANY, &v);
    if (status) return status;
    toad_severity url_is = toad_verdict_severity(v);
    by_url.kind = c->kind;
    take_verdict(host, &none, v, &by_url);
    by_url.pattern_matched =
        toad__arena_dup(&host->arena, by_url.pattern_matched); /* the verdict is gone after the next */
    status = by_url.pattern_matched.p ? scan_came(host, in, &v) : TOAD_E_NOMEM;
    if (status) return status;
    take_verdict(host, e, v, c);
    if (url_is >= TOAD_MEDIUM && url_is > toad__severity_left(e, v)) {
        bool passes = is_action(&by_url, "allow") || is_action(&by_url, "warn");
        c->action = passes ? by_url.action : TOAD__S("block"); /* a URL has no part that could be left out */
        c->severity = by_url.severity;
        c->confidence = by_url.confidence;
        c->pattern_matched = by_url.pattern_matched;
    }
    status = findings_of(host, e, v, &c->findings);
    if (!status) status = title_of(host, in, &c->title);
    *ret = v;
    return toad__host_failed(host, status);
}

/* What cannot be redacted is blocked. */
static toad_status try_redaction(toad__host *host, const toad__content_in *in, toad__content *c,
                                 const toad_verdict **ret) {
    toad_str rest;
    if (!is_action(c, "redact")) return TOAD_OK;
    c->pattern_matched = toad__arena_dup(&host->arena, c->pattern_matched);
    toad_status status = c->pattern_matched.p ? redact(host, c, &rest) : TOAD_E_NOMEM;
    if (!status && !rest.p) c->action = TOAD__S("block");
    return status ? status : scan_came(host, in, ret);
}

/* The user's word on a source counts more than its content, to block, never to open. */
static toad_status apply_setting(toad__host *host, toad__content *c) {
    toad_str setting;
    toad_status status =
        toad__host_store_failed(host, toad__store_setting_for(host->store, c->url, c->domain, &host->arena, &setting));
    if (status || !toad__str_eq(setting, TOAD__S("blocked"))) return status;
    c->action = TOAD__S("block");
    if (!c->pattern_matched.n) c->pattern_matched = TOAD__S("source_blocked");
    return TOAD_OK;
}

/* One learning for each rule with a high finding. */
static toad_status learn(toad__arena *arena, const toad__excepted *e, const toad_verdict *v, toad__content *c) {
    toad__learning *list = toad__arena_alloc(arena, PATTERNS_SHOWN * sizeof *list);
    toad_status status = list ? TOAD_OK : TOAD_E_NOMEM;
    size_t n = 0;
    for (size_t i = 0; !status && i < toad_verdict_count(v) && n < PATTERNS_SHOWN; i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        bool again = f->severity != TOAD_HIGH || toad__is_excepted(e, f->rule);
        for (size_t k = 0; k < n; k++) again |= toad__str_eq(list[k].pattern_type, toad__str_z(f->rule));
        if (!again) status = toad__learning_from_finding(arena, f, c->domain, c->url, &list[n++]);
    }
    c->learnings = list;
    c->learnings_n = n;
    return status;
}

static toad__fetched fetched_of(const toad__content *c) {
    return (toad__fetched){
        .id = toad__str_z(c->id),
        .url = c->url,
        .title = is_redacted(c) ? TOAD__S("") : c->title, /* it may be what was flagged */
        .action = c->action,
        .confidence = c->confidence,
        .body = c->body,
    };
}

static bool is_rule_id(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_lower((unsigned char)s.p[i]) && !toad__is_digit((unsigned char)s.p[i]) && s.p[i] != '_')
            return false;
    return s.n > 0 && s.n <= 64;
}

/* The rules that the stored findings name, each once. The row may have been written by anybody: what is no rule id is
 * left out. */
static void add_patterns(toad__host *host, toad_str findings, toad__buf *out) {
    const toad__json *root, *seen[PATTERNS_SHOWN];
    size_t at, n = 0;
    const char *expected;
    toad_status status = toad__json_parse(findings, &host->arena, &root, &at, &expected);
    if (status == TOAD_E_NOMEM) out->status = status;
    if (status) return;
    for (const toad__json *f = root->child; f && n < PATTERNS_SHOWN; f = f->next) {
        const toad__json *rule = toad__json_get(f, "rule");
        bool skip = !rule || !is_rule_id(rule->text);
        for (size_t i = 0; !skip && i < n; i++) skip = toad__str_eq(seen[i]->text, rule->text);
        if (skip) continue;
        if (n) toad__buf_add_z(out, ", ");
        toad__buf_add_str(out, rule->text);
        seen[n++] = rule;
    }
}

/* "reference" and "text" */
static toad_status add_reference(const toad__content *c, toad__fetched_style style, toad__answer *answer) {
    toad__buf text;
    toad__fetched f = fetched_of(c);
    toad__buf_init(&text, 1u << 20);
    if (is_rule_id(c->pattern_matched)) f.patterns = c->pattern_matched;
    toad_status status = toad__fetched_reference(&f, style, &text);
    if (!status) {
        toad__answer_str(
            answer, "reference",
            toad__str_part(toad__buf_str(&text), 0, toad__str_find(toad__buf_str(&text), TOAD__S("\n"), 0)));
        toad__answer_str(answer, "text", toad__buf_str(&text));
    }
    toad__buf_free(&text);
    return status;
}

static void add_members(toad__host *host, const toad__content *c, toad__answer *answer) {
    toad__answer_z(answer, "id", withheld(host, c) || !*c->id ? NULL : c->id);
    toad__answer_str(answer, "url", c->url);
    toad__answer_str(answer, "domain", c->domain);
    toad__answer_str(answer, "kind", c->kind);
    bool hide = withheld(host, c) || (host->by == TOAD__READER_MODEL && is_redacted(c));
    toad__answer_some(answer, "title", hide ? TOAD__S("") : c->title);
    toad__answer_str(answer, "scan", c->action);
    toad__answer_str(answer, "severity", c->severity);
    toad__answer_str(answer, "confidence", c->confidence);
    toad__answer_str(answer, "completeness", c->completeness);
    toad__answer_some(answer, "pattern_matched", c->pattern_matched);
    toad__answer_int(answer, "bytes", (int64_t)c->size);
    toad__answer_bool(answer, "truncated", c->truncated);
    toad__answer_some(answer, "session_id", c->session_id);
    toad__answer_time(answer, "scanned_at", c->stored_at);
    toad__answer_time(answer, "expires_at", c->expires_at == INT64_MAX ? 0 : c->expires_at);
    toad__answer_bool(answer, "accessed", c->access_count > 0);
    toad__answer_int(answer, "access_count", (int64_t)c->access_count);
    toad__answer_time(answer, "accessed_at", c->accessed_at);
    toad__answer_time(answer, "released_at", c->released_at);
}

/* What the digest and the findings tell, a model has no use for: the excerpts are the attack. */
static void add_inspection(toad__host *host, const toad__content *c, toad__answer *answer) {
    if (host->by == TOAD__READER_MODEL) return;
    toad__answer_z(answer, "digest", *c->digest ? c->digest : NULL);
    if (!toad__answer_json(answer, "findings", c->findings)) toad__answer_z(answer, "findings", NULL);
}

toad_status toad__contents_answer(toad__host *host, toad_str id, toad__fetched_style style, toad__answer *answer) {
    toad__content c;
    toad_status status =
        toad__host_store_failed(host, toad__store_content_get(host->store, id, false, &host->arena, &c));
    if (status) return status;
    if (c.released_at && (is_action(&c, "block") || is_action(&c, "redact"))) c.action = TOAD__S("warn");
    add_members(host, &c, answer);
    add_inspection(host, &c, answer);
    status = add_reference(&c, style, answer);
    return toad__host_failed(host, status);
}

static toad_status touch_session(toad__host *host) {
    toad__session session = { .id = host->session };
    return host->session.n ? toad__host_store_failed(host, toad__store_session_touch(host->store, &session)) : TOAD_OK;
}

/* ---- look ---- */

typedef struct listing {
    toad__host *host;
    toad__answer *answer;
} listing;

static bool list_one(void *ctx, const toad__content *c) {
    listing *l = ctx;
    toad__answer_object(l->answer, NULL);
    add_members(l->host, c, l->answer);
    toad__answer_end(l->answer);
    return !l->answer->status;
}

toad_status toad__contents_list(toad__host *host, toad_str source, uint64_t limit, toad__answer *answer) {
    toad__origin origin, domain;
    listing l = { host, answer };
    toad__content_filter filter = { .limit = limit };
    toad_status status = toad__origin_of(source, &host->arena, &origin);
    if (!status) status = toad__origin_of_host(source, &host->arena, &domain);
    if (status) return toad__host_failed(host, status);
    if (!origin.host.n && origin.domain.n && toad__str_eq(origin.url, origin.domain))
        filter.domain = origin.domain; /* an MCP server */
    else if (origin.host.n || !domain.host.n)
        filter.url = origin.url;
    else
        filter.domain = domain.domain;
    toad__answer_array(answer, "contents");
    status = toad__host_store_failed(host, toad__store_contents(host->store, &filter, list_one, &l));
    toad__answer_end(answer);
    return status;
}

/* What a decision is about. */
static void describe(const toad__content *c, toad_str rules, toad__buf *about) {
    toad__about(about, "content", toad__str_z(c->id));
    toad__about(about, "from", c->url);
    toad__about(about, "found", rules.n ? rules : TOAD__S("nothing"));
    toad__about(about, "severity", c->severity);
    if (c->completeness.n && !toad__str_eq(c->completeness, TOAD__S("full")))
        toad__about(about, "looked at", c->completeness);
    toad__about(about, "sha256", toad__str_z(c->digest));
}

static bool refused_content(toad__host *host, const char *what, const toad__content *c, toad__answer *answer) {
    toad__buf about, rules;
    toad__buf_init(&about, 1u << 20);
    toad__buf_init(&rules, PATTERNS_MAX);
    add_patterns(host, c->findings, &rules);
    describe(c, rules.n ? toad__buf_str(&rules) : c->pattern_matched, &about);
    bool refused = toad__refused(host, what, toad__buf_str(&about), answer);
    toad__buf_free(&rules);
    toad__buf_free(&about);
    return refused;
}

/* The content whose id begins so. */
static toad_status find_content(toad__host *host, toad_str prefix, bool with_body, toad__content *ret) {
    char id[24];
    toad_status status = toad__store_content_find(host->store, prefix, id);
    if (!status) status = toad__store_content_get(host->store, toad__str_z(id), with_body, &host->arena, ret);
    return toad__host_store_failed(host, status);
}

static toad_status is_withheld(toad__host *host, toad_str id, bool *ret);

toad_status toad__contents_show(toad__host *host, toad_str id, toad__answer *answer) {
    toad__content c;
    if (toad__refused_to_model(host, "look at stored content outside its envelope", answer)) return TOAD_OK;
    toad_status status = find_content(host, id, true, &c);
    if (status) return status;
    bool withholds = false;
    status = is_withheld(host, toad__str_z(c.id), &withholds);
    if (status || (withholds && refused_content(host, "look at withheld content", &c, answer))) return status;
    add_members(host, &c, answer);
    add_inspection(host, &c, answer);
    toad__answer_bool(answer, "intact", c.intact);
    toad__answer_str(answer, "body", c.body.p ? c.body : TOAD__S(""));
    return TOAD_OK;
}

/* ---- read ---- */

/* How a body is judged now, for a model: what is stored may be older than the rules or the settings, or a forgery. The
 * tighter of then and now holds, unless the user released it. */
typedef struct judged {
    char digest[65];
    bool blocked;
    toad_str redacted; /* what is read in its place, or p NULL */
    toad__buf why;     /* of a block: the rules */
} judged;

static toad_status judge_now(toad__host *host, toad_str id, judged *ret) {
    toad__content c;
    toad_str setting;
    const toad_verdict *v;
    toad__excepted e;
    toad_kind kind = TOAD_KIND_WEB;
    toad_status status = toad__store_content_get(host->store, id, true, &host->arena, &c);
    if (!status) status = toad__store_setting_for(host->store, c.url, c.domain, &host->arena, &setting);
    if (status) return toad__host_store_failed(host, status);
    memcpy(ret->digest, c.digest, sizeof ret->digest);
    if (c.released_at) return TOAD_OK;
    toad_kind_parse(c.kind, &kind);
    status = toad__excepted_at(host, c.url, c.domain, &host->arena, &e);
    if (!status && c.intact && toad__excepts_bytes(&e, c.digest) && !toad__str_eq(setting, TOAD__S("blocked")))
        return TOAD_OK;
    if (!status) status = toad__host_scan(host, c.body, kind, &v);
    if (status) return status;
    const char *now = toad__action_left(host, TOAD__ON_PAGE, c.kind, &e, v);
    const toad_finding *worst = toad__worst_left(&e, v);
    toad_str rule = worst ? toad__arena_dup(&host->arena, toad__str_z(worst->rule)) : TOAD__S("");
    bool redacts = !strcmp(now, "redact") || is_action(&c, "redact");
    ret->blocked = !strcmp(now, "block") || is_action(&c, "block") || toad__str_eq(setting, TOAD__S("blocked"));
    if (!ret->blocked && redacts) {
        if (!strcmp(now, "redact")) c.severity = toad__str_z(toad_severity_name(toad__severity_left(&e, v)));
        status = rule.p ? redact(host, &c, &ret->redacted) : TOAD_E_NOMEM;
        ret->blocked = !ret->redacted.p;
    }
    if (status || !ret->blocked) return status;
    add_patterns(host, c.findings, &ret->why);
    if (!ret->why.n) toad__buf_add_str(&ret->why, rule);
    return ret->why.status;
}

/* Does no model get it, or not all of it? */
static toad_status is_withheld(toad__host *host, toad_str id, bool *ret) {
    judged now = { .digest = "" };
    toad__buf_init(&now.why, PATTERNS_MAX);
    toad_status status = judge_now(host, id, &now);
    toad__buf_free(&now.why);
    *ret = now.blocked || now.redacted.p;
    return status;
}

static toad_status refuse_reading(toad__host *host, toad_str id, const char *why, toad__answer *answer) {
    toad__event event = { .type = TOAD__S("content_refused"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("model"),
                          .content = TOAD__S("blocked"),
                          .action = TOAD__S("block"),
                          .content_id = id,
                          .session_id = host->session };
    toad__refuse(answer, why);
    return toad__host_store_failed(host, toad__store_events_append(host->store, &event, 1));
}

/* For its reasons, but without a word of it. */
static toad_status refuse_blocked(toad__host *host, toad_str id, const toad__buf *rules, toad__answer *answer) {
    char why[PATTERNS_MAX + 128];
    if (rules->n)
        snprintf(why, sizeof why, "this content is blocked (%.*s); only the user can look at it and release it",
                 (int)rules->n, rules->p);
    return refuse_reading(
        host, id, rules->n ? why : "this content is blocked; only the user can look at it and release it", answer);
}

static void answer_missing(toad_str id, toad__answer *answer) {
    toad__buf text;
    toad__buf_init(&text, 4096);
    toad__fetched_missing(id, &text);
    toad_str s = toad__buf_str(&text);
    toad__answer_bool(answer, "success", false);
    toad__answer_str(answer, "error", toad__str_part(s, sizeof "Error: " - 1, s.n));
    toad__answer_str(answer, "text", s);
    if (!answer->status) answer->status = text.status;
    toad__buf_free(&text);
}

/* How a content is read: toad__contents_read_part's parameters, and what became of them. */
typedef struct reading {
    toad__fetched_style style;
    toad_envelope envelope;
    size_t start, max;
    toad__fetched_part part;
} reading;

static toad_status add_reading(toad__host *host, const toad__content *c, reading *r, toad__buf *text) {
    char accessed[28];
    toad__buf patterns;
    toad__fetched f = fetched_of(c);
    toad__buf_init(&patterns, 4096);
    add_patterns(host, c->findings, &patterns);
    toad__time_text(c->accessed_at, accessed);
    f.accessed = toad__str_z(accessed);
    f.patterns = patterns.n ? toad__buf_str(&patterns) : TOAD__S("none");
    f.start = r->start;
    f.max = r->max;
    toad_status status =
        patterns.status ? patterns.status : toad__fetched_reading(&f, r->style, r->envelope, text, &r->part);
    toad__buf_free(&patterns);
    return status ? toad__host_fail(host, status, "the content could not be wrapped: %s", toad_status_message(status))
                  : TOAD_OK;
}

static void add_part(const toad__fetched_part *p, toad__answer *answer) {
    toad__answer_int(answer, "start", (int64_t)p->start);
    toad__answer_int(answer, "end", (int64_t)p->end);
    toad__answer_int(answer, "total", (int64_t)p->total);
    if (p->end < p->total)
        toad__answer_int(answer, "next_start", (int64_t)p->end);
    else
        toad__answer_z(answer, "next_start", NULL);
}

static toad_status answer_reading(toad__host *host, const toad__content *c, reading *r, toad__answer *answer) {
    toad__buf text;
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX);
    toad_status status = add_reading(host, c, r, &text);
    if (!status) {
        toad__answer_z(answer, "id", c->id);
        toad__answer_str(answer, "url", c->url);
        toad__answer_str(answer, "scan", c->action);
        toad__answer_time(answer, "accessed_at", c->accessed_at);
        add_part(&r->part, answer);
        toad__answer_str(answer, "text", toad__buf_str(&text));
    }
    toad__buf_free(&text);
    return status;
}

toad_status toad__contents_read_part(toad__host *host, toad_str id, toad__fetched_style style, toad_envelope envelope,
                                     size_t start, size_t max, toad__answer *answer) {
    toad__content c;
    reading how = { style, envelope, start, max, { 0, 0, 0 } };
    judged now = { .digest = "" };
    bool model = host->by == TOAD__READER_MODEL;
    toad__buf_init(&now.why, PATTERNS_MAX);
    toad_status status = judge_now(host, id, &now);
    bool refused = !status && model && now.blocked;
    if (refused) status = refuse_blocked(host, id, &now.why, answer);
    if (!status && !model && (now.blocked || now.redacted.p)) {
        status = toad__host_store_failed(host, toad__store_content_get(host->store, id, false, &host->arena, &c));
        refused = !status && refused_content(host, "read withheld content", &c, answer);
        now.redacted.p = NULL;
    }
    toad__buf_free(&now.why);
    if (refused) return status;
    if (!status) status = touch_session(host);
    if (!status)
        status = toad__host_store_failed(
            host, toad__store_content_read(host->store, id, host->by, host->session, &host->arena, &c));
    if (status == TOAD_E_NOT_FOUND) {
        answer_missing(id, answer);
        return TOAD_OK;
    }
    if (status == TOAD_E_STATE || (!status && model && strcmp(now.digest, c.digest) != 0))
        return refuse_reading(host, id, "this content was changed since it was stored; only the user can look at it",
                              answer);
    if (!status && now.redacted.p) {
        c.body = now.redacted;
        c.action = TOAD__S("redact");
    }
    return status ? status : answer_reading(host, &c, &how, answer);
}

toad_status toad__contents_read(toad__host *host, toad_str id, toad__fetched_style style, toad_envelope envelope,
                                toad__answer *answer) {
    return toad__contents_read_part(host, id, style, envelope, 0, 0, answer);
}

/* ---- store, or give at once what cannot be kept ---- */

#define NOT_KEPT "This content was not kept, because the store failed: it has no ID and cannot be read again."

/* A reader gets no more of it than the store would have kept. */
static void cut(const toad__host *host, toad__content *c) {
    int64_t most = host->config ? toad__config_number(host->config, TOAD__CONFIG_CONTENT_SIZE) : CHARACTERS;
    size_t at = 0;
    c->size = c->body.n;
    for (unsigned len; at < c->body.n && most > 0; at += len, most--) toad__utf8_decode(c->body, at, &len);
    c->truncated = at < c->body.n;
    c->body.n = at;
}

static toad_status add_inline(toad__host *host, toad__content *c, toad__buf *text) {
    toad_envelope envelope = TOAD_ENVELOPE_OPENCLAW;
    if (host->config)
        toad_envelope_parse(toad__str_z(toad__config_text(host->config, TOAD__CONFIG_ENVELOPE)), &envelope);
    c->accessed_at = toad__wall_us();
    cut(host, c);
    reading all = { TOAD__FETCHED_TOADSTONE, envelope, 0, 0, { 0, 0, 0 } };
    toad__buf_add_z(text, "[" NOT_KEPT);
    toad__buf_add_z(text, c->truncated ? " It is longer than what stands here.]\n\n" : "]\n\n");
    return add_reading(host, c, &all, text);
}

/* Blocked content is given to nobody here, whatever is chosen: who may look at it is asked when it can be kept. */
static toad_status add_refused(const toad__content *c, toad__fetched_style style, toad__buf *text) {
    toad__fetched f = fetched_of(c);
    toad__buf_add_z(text, "[" NOT_KEPT "]\n\n");
    size_t from = text->n;
    toad_status status = toad__fetched_reference(&f, style, text);
    text->n = toad__str_find(toad__buf_str(text), TOAD__S("\n"), from); /* the rest speaks of what is kept */
    toad__buf_add_z(text, "\n\nThis content was blocked: it tries to steer its reader. Use another source.");
    return status ? status : text->status;
}

static toad_status answer_unkept(toad__host *host, toad__content *c, toad__fetched_style style, toad__answer *answer) {
    toad__buf text;
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX);
    toad_status status = TOAD_OK;
    if (is_action(c, "redact")) status = redact(host, c, &c->body);
    if (!status)
        status = is_action(c, "block") || !c->body.p ? add_refused(c, style, &text) : add_inline(host, c, &text);
    if (!status) {
        add_members(host, c, answer);
        add_inspection(host, c, answer);
        toad__answer_bool(answer, "stored", false);
        toad__answer_z(answer, "note", NOT_KEPT);
        toad__answer_z(answer, "reference", NULL);
        toad__answer_str(answer, "text", toad__buf_str(&text));
    }
    toad__buf_free(&text);
    return status;
}

static toad_status degrade(toad__host *host, toad_status failure, toad__content *c, toad__fetched_style style,
                           toad__answer *answer) {
    bool blocked = is_action(c, "block");
    toad__event event = { .type = TOAD__S("content_not_kept"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("internal"),
                          .content = is_action(c, "allow") ? TOAD__S("clean") : TOAD__S("injection_detected"),
                          .url = c->url,
                          .pattern_matched = c->pattern_matched,
                          .confidence = c->confidence,
                          .action = c->action,
                          .session_id = host->session };
    toad_status status = toad__host_on_store_error(host, failure, blocked, &event);
    return status ? status : answer_unkept(host, c, style, answer);
}

static toad_status keep(toad__host *host, const toad__excepted *e, const toad_verdict *v, toad__content *c,
                        toad__fetched_style style, toad__answer *answer) {
    char id[1][24];
    if (!host->store) return TOAD_E_IO; /* host->message says why */
    toad_status status = apply_setting(host, c);
    if (!status) status = touch_session(host);
    if (!status && is_action(c, "block")) status = learn(&host->arena, e, v, c);
    if (!status) status = toad__host_store_failed(host, toad__store_contents_put(host->store, c, 1, id));
    return status ? status : toad__contents_answer(host, toad__str_z(id[0]), style, answer);
}

toad_status toad__contents_store(toad__host *host, const toad__content_in *in, toad__answer *answer) {
    toad__origin origin;
    const toad_verdict *v = NULL;
    toad_status status = toad__origin_of(in->source, &host->arena, &origin);
    if (status) return toad__host_failed(host, status);
    toad__content c = {
        .url = origin.url, .domain = origin.domain, .session_id = host->session, .body = in->body, .page = in->page
    };
    c.kind = toad__str_z(toad_kind_name(in->kind));
    toad__excepted e = { .n = 0 };
    if (toad__excepted_at(host, c.url, c.domain, &host->arena, &e)) e.n = 0; /* a store that fails excepts nothing */
    status = judge(host, in, &e, &c, &v);
    if (!status) status = try_redaction(host, in, &c, &v);
    if (status) return status;
    if (!toad__action_passes(c.action.p) && toad__excepts_text(&e, c.body)) c.action = TOAD__S("warn");
    status = keep(host, &e, v, &c, in->style, answer);
    return status ? degrade(host, status, &c, in->style, answer) : TOAD_OK;
}

/* ---- release and removal ---- */

static void answer_done(toad__answer *answer, const char *key, toad_str value) {
    toad__answer_bool(answer, "success", true);
    toad__answer_str(answer, key, value);
}

/* What was done, and what it does not do. */
static toad_status answer_release(toad__host *host, toad_str id, toad__answer *answer) {
    toad__content c;
    toad__buf rules;
    toad_status status =
        toad__host_store_failed(host, toad__store_content_get(host->store, id, false, &host->arena, &c));
    if (status) return status;
    answer_done(answer, "released", id);
    toad__buf_init(&rules, PATTERNS_MAX);
    add_patterns(host, c.findings, &rules);
    toad__answer_str(answer, "url", c.url);
    toad__answer_str(answer, "rules", rules.n ? toad__buf_str(&rules) : c.pattern_matched);
    toad__answer_z(answer, "digest", c.digest);
    toad__answer_time(answer, "expires_at", c.expires_at == INT64_MAX ? 0 : c.expires_at);
    toad__answer_z(answer, "readers", "every agent that uses this store");
    toad__buf_free(&rules);
    return TOAD_OK;
}

toad_status toad__contents_release(toad__host *host, toad_str id, toad_str digest, toad__answer *answer) {
    toad__content c;
    if (toad__refused_to_model(host, "release content", answer)) return TOAD_OK;
    if (digest.n != 64 && !(toad__person_sees(host) && !digest.n))
        return toad__host_fail(host, TOAD_E_ARG,
                               "a release is bound to what you saw: give the digest that 'contents show' prints");
    toad_status status = find_content(host, id, false, &c);
    if (status || refused_content(host, "release content", &c, answer)) return status;
    toad_str seen = digest.n ? digest : toad__str_z(c.digest); /* what the word was typed for */
    status = toad__host_store_failed(host, toad__store_content_release(host->store, toad__str_z(c.id), seen));
    if (!status) status = answer_release(host, toad__str_z(c.id), answer);
    return status;
}

toad_status toad__contents_delete(toad__host *host, toad_str id, toad__answer *answer) {
    toad__content c;
    if (toad__refused_to_model(host, "delete content", answer)) return TOAD_OK;
    toad_status status = find_content(host, id, false, &c);
    if (status || refused_content(host, "delete content", &c, answer)) return status;
    status = toad__host_store_failed(host, toad__store_content_delete(host->store, toad__str_z(c.id)));
    if (!status) answer_done(answer, "deleted", toad__str_z(c.id));
    return status;
}

toad_status toad__contents_purge(toad__host *host, toad__answer *answer) {
    uint64_t removed;
    if (toad__refused_to_model(host, "purge contents", answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_contents_purge(host->store, &removed));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_int(answer, "removed", (int64_t)removed);
    return TOAD_OK;
}
