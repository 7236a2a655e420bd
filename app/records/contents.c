/* contents.c - see contents.h. Cost of storing: one scan and one transaction. */
#include "app/records/contents.h"

#include "app/host/authority.h"
#include "app/records/learnings.h"
#include "app/records/origin.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdio.h>
#include <time.h>

enum { PATTERNS_SHOWN = 16, TITLE_MAX = 200, PATTERNS_MAX = 4096, CHARACTERS = 500000 };

static bool is_action(const bzr__content *c, const char *action) { return bzr__str_eq(c->action, bzr__str_z(action)); }

/* May a model know the id? */
static bool withheld(const bzr__host *host, const bzr__content *c) {
    return host->by == BZR__READER_MODEL && is_action(c, "block") && !c->released_at;
}

/* ---- judge ---- */

static const bzr_finding *worst_of(const bzr_verdict *v) {
    const bzr_finding *worst = NULL;
    for (size_t i = 0; i < bzr_verdict_count(v); i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        if (!worst || f->severity > worst->severity) worst = f;
    }
    return worst;
}

/* At most `most` code points of `raw` on one line. */
static void add_line(bzr_str raw, size_t most, bzr__buf *out) {
    bool gap = false;
    for (size_t at = 0; at < raw.n && most;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(raw, at, &len);
        at += len;
        bool blank = c <= ' ' || (c >= 0x7f && c <= 0xa0) || c == 0x2028 || c == 0x2029;
        if (!blank && gap) bzr__buf_add_c(out, ' ');
        if (!blank) bzr__buf_add_cp(out, c == BZR__BAD ? BZR__REPLACEMENT : c);
        if (!blank) most--;
        gap = blank && out->n;
    }
}

/* The page's title, else the first heading of a Markdown page, as nanofolks takes it: one line of TITLE_MAX code points
 * without anything live in it. */
static bzr_status title_of(bzr__host *host, const bzr__content_in *in, bzr_str *ret) {
    bzr_text *clean;
    bzr__buf line;
    bzr_str raw = in->title, body = in->body;
    if (!raw.n && bzr__str_starts(body, BZR__S("# ")))
        raw = bzr__str_part(body, 2, bzr__str_find(body, BZR__S("\n"), 0));
    if (!raw.n) return BZR_OK;
    bzr__buf_init(&line, 8 * TITLE_MAX);
    add_line(raw, TITLE_MAX, &line);
    bzr_str text = line.n ? bzr__buf_str(&line) : BZR__S("");
    bzr_status status = line.status ? line.status : bzr_neutralize(text, true, &clean);
    bzr__buf_free(&line);
    if (status) return status;
    bzr_str title = bzr_text_str(clean);
    *ret = bzr__arena_dup(&host->arena, title.p ? title : BZR__S(""));
    bzr_text_free(clean);
    return ret->p ? BZR_OK : BZR_E_NOMEM;
}

/* The findings of a verdict as they stand in its JSON, in the host's arena. */
static bzr_status findings_of(bzr__host *host, const bzr_verdict *v, bzr_str *ret) {
    bzr_text *text;
    const bzr__json *root;
    size_t at;
    const char *expected;
    bzr_status status = bzr_verdict_json(v, &text);
    if (status) return status;
    bzr_str json = bzr__arena_dup(&host->arena, bzr_text_str(text));
    bzr_text_free(text);
    if (!json.p) return BZR_E_NOMEM;
    status = bzr__json_parse(json, &host->arena, &root, &at, &expected);
    if (!status) *ret = bzr__json_get(root, "findings")->raw;
    return status;
}

/* The verdict as the store keeps it. */
static void take_verdict(const bzr__host *host, const bzr_verdict *v, bzr__content *c) {
    const bzr_finding *worst = worst_of(v);
    bzr_severity severity = bzr_verdict_severity(v);
    c->action = bzr__str_z(bzr__host_action(host, c->kind, v));
    c->severity = bzr__str_z(bzr_severity_name(severity));
    c->completeness = bzr__str_z(bzr_completeness_name(bzr_verdict_completeness(v)));
    c->confidence = bzr__str_z(bzr_severity_name(severity == BZR_NONE ? BZR_LOW : severity));
    c->pattern_matched = worst ? bzr__str_z(worst->rule) : BZR__S("");
}

/* An attack can stand in the URL, which the model is shown, as well as in the body: the graver verdict counts. */
static bzr_status judge(bzr__host *host, const bzr__content_in *in, bzr__content *c, const bzr_verdict **ret) {
    const bzr_verdict *v;
    bzr__content by_url = { 0 };
    bzr_status status = bzr__host_scan(host, c->url, BZR_KIND_ANY, &v);
    if (status) return status;
    bzr_severity url_is = bzr_verdict_severity(v);
    by_url.kind = c->kind;
    take_verdict(host, v, &by_url);
    by_url.pattern_matched =
        bzr__arena_dup(&host->arena, by_url.pattern_matched); /* the verdict is gone after the next */
    status = by_url.pattern_matched.p ? bzr__host_scan(host, in->as_came.p ? in->as_came : in->body, in->kind, &v)
                                      : BZR_E_NOMEM;
    if (status) return status;
    take_verdict(host, v, c);
    if (url_is >= BZR_MEDIUM && url_is > bzr_verdict_severity(v)) {
        c->action = by_url.action;
        c->severity = by_url.severity;
        c->confidence = by_url.confidence;
        c->pattern_matched = by_url.pattern_matched;
    }
    status = findings_of(host, v, &c->findings);
    if (!status) status = title_of(host, in, &c->title);
    *ret = v;
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

/* The user's word on a source counts more than its content, to block, never to open. */
static bzr_status apply_setting(bzr__host *host, bzr__content *c) {
    bzr_str setting;
    bzr_status status =
        bzr__host_store_failed(host, bzr__store_setting_for(host->store, c->url, c->domain, &host->arena, &setting));
    if (status || !bzr__str_eq(setting, BZR__S("blocked"))) return status;
    c->action = BZR__S("block");
    if (!c->pattern_matched.n) c->pattern_matched = BZR__S("source_blocked");
    return BZR_OK;
}

/* One learning for each rule with a high finding. */
static bzr_status learn(bzr__arena *arena, const bzr_verdict *v, bzr__content *c) {
    bzr__learning *list = bzr__arena_alloc(arena, PATTERNS_SHOWN * sizeof *list);
    bzr_status status = list ? BZR_OK : BZR_E_NOMEM;
    size_t n = 0;
    for (size_t i = 0; !status && i < bzr_verdict_count(v) && n < PATTERNS_SHOWN; i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        bool again = f->severity != BZR_HIGH;
        for (size_t k = 0; k < n; k++) again |= bzr__str_eq(list[k].pattern_type, bzr__str_z(f->rule));
        if (!again) status = bzr__learning_from_finding(arena, f, c->domain, c->url, &list[n++]);
    }
    c->learnings = list;
    c->learnings_n = n;
    return status;
}

static bzr__fetched fetched_of(const bzr__content *c) {
    return (bzr__fetched){
        .id = bzr__str_z(c->id),
        .url = c->url,
        .title = c->title,
        .action = c->action,
        .confidence = c->confidence,
        .body = c->body,
    };
}

static bool is_rule_id(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_lower((unsigned char)s.p[i]) && !bzr__is_digit((unsigned char)s.p[i]) && s.p[i] != '_')
            return false;
    return s.n > 0 && s.n <= 64;
}

/* The rules that the stored findings name, each once. The row may have been written by anybody: what is no rule id is
 * left out. */
static void add_patterns(bzr__host *host, bzr_str findings, bzr__buf *out) {
    const bzr__json *root, *seen[PATTERNS_SHOWN];
    size_t at, n = 0;
    const char *expected;
    bzr_status status = bzr__json_parse(findings, &host->arena, &root, &at, &expected);
    if (status == BZR_E_NOMEM) out->status = status;
    if (status) return;
    for (const bzr__json *f = root->child; f && n < PATTERNS_SHOWN; f = f->next) {
        const bzr__json *rule = bzr__json_get(f, "rule");
        bool skip = !rule || !is_rule_id(rule->text);
        for (size_t i = 0; !skip && i < n; i++) skip = bzr__str_eq(seen[i]->text, rule->text);
        if (skip) continue;
        if (n) bzr__buf_add_z(out, ", ");
        bzr__buf_add_str(out, rule->text);
        seen[n++] = rule;
    }
}

/* ,"reference":...,"text":... */
static bzr_status add_reference(const bzr__content *c, bzr__fetched_style style, bzr__buf *answer) {
    bzr__buf text;
    bzr__fetched f = fetched_of(c);
    bzr__buf_init(&text, 1u << 20);
    if (is_rule_id(c->pattern_matched)) f.patterns = c->pattern_matched;
    bzr_status status = bzr__fetched_reference(&f, style, &text);
    if (!status) {
        bzr__answer_str(answer, "reference",
                        bzr__str_part(bzr__buf_str(&text), 0, bzr__str_find(bzr__buf_str(&text), BZR__S("\n"), 0)));
        bzr__answer_str(answer, "text", bzr__buf_str(&text));
    }
    bzr__buf_free(&text);
    return status;
}

static void add_members(bzr__host *host, const bzr__content *c, bzr__buf *answer) {
    bzr__answer_z(answer, "id", withheld(host, c) || !*c->id ? NULL : c->id);
    bzr__answer_str(answer, "url", c->url);
    bzr__answer_str(answer, "domain", c->domain);
    bzr__answer_str(answer, "kind", c->kind);
    bzr__answer_str(answer, "title", c->title.n && !withheld(host, c) ? c->title : bzr__str(NULL, 0));
    bzr__answer_str(answer, "scan", c->action);
    bzr__answer_str(answer, "severity", c->severity);
    bzr__answer_str(answer, "confidence", c->confidence);
    bzr__answer_str(answer, "completeness", c->completeness);
    bzr__answer_str(answer, "pattern_matched", c->pattern_matched.n ? c->pattern_matched : bzr__str(NULL, 0));
    bzr__answer_int(answer, "bytes", (int64_t)c->size);
    bzr__answer_bool(answer, "truncated", c->truncated);
    bzr__answer_str(answer, "session_id", c->session_id.n ? c->session_id : bzr__str(NULL, 0));
    bzr__answer_time(answer, "scanned_at", c->stored_at);
    bzr__answer_time(answer, "expires_at", c->expires_at == INT64_MAX ? 0 : c->expires_at);
    bzr__answer_bool(answer, "accessed", c->access_count > 0);
    bzr__answer_int(answer, "access_count", (int64_t)c->access_count);
    bzr__answer_time(answer, "accessed_at", c->accessed_at);
    bzr__answer_time(answer, "released_at", c->released_at);
}

/* What the digest and the findings tell, a model has no use for: the excerpts are the attack. */
static void add_inspection(bzr__host *host, const bzr__content *c, bzr__buf *answer) {
    if (host->by == BZR__READER_MODEL) return;
    bzr__answer_z(answer, "digest", *c->digest ? c->digest : NULL);
    bzr__answer_json(answer, "findings", c->findings);
}

bzr_status bzr__contents_answer(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr__buf *answer) {
    bzr__content c;
    bzr_status status =
        bzr__host_store_failed(host, bzr__store_content_get(host->store, id, false, &host->arena, &c));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    add_members(host, &c, answer);
    add_inspection(host, &c, answer);
    status = add_reference(&c, style, answer);
    bzr__buf_add_c(answer, '}');
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

static bzr_status touch_session(bzr__host *host) {
    bzr__session session = { .id = host->session };
    return host->session.n ? bzr__host_store_failed(host, bzr__store_session_touch(host->store, &session)) : BZR_OK;
}

/* ---- look ---- */

typedef struct listing {
    bzr__host *host;
    bzr__buf *answer;
} listing;

static bool list_one(void *ctx, const bzr__content *c) {
    listing *l = ctx;
    bzr__json_add_key(l->answer, NULL);
    bzr__buf_add_c(l->answer, '{');
    add_members(l->host, c, l->answer);
    bzr__buf_add_c(l->answer, '}');
    return !l->answer->status;
}

bzr_status bzr__contents_list(bzr__host *host, bzr_str source, uint64_t limit, bzr__buf *answer) {
    bzr__origin origin, domain;
    listing l = { host, answer };
    bzr__content_filter filter = { .limit = limit };
    bzr_status status = bzr__origin_of(source, &host->arena, &origin);
    if (!status) status = bzr__origin_of_host(source, &host->arena, &domain);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    if (origin.host.n || !domain.host.n)
        filter.url = origin.url;
    else
        filter.domain = domain.domain;
    bzr__buf_add_z(answer, "{\"contents\":[");
    status = bzr__host_store_failed(host, bzr__store_contents(host->store, &filter, list_one, &l));
    bzr__buf_add_z(answer, "]}");
    return status;
}

bzr_status bzr__contents_show(bzr__host *host, bzr_str id, bzr__buf *answer) {
    bzr__content c;
    if (bzr__refused_to_model(host, "look at stored content outside its envelope", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_content_get(host->store, id, true, &host->arena, &c));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    add_members(host, &c, answer);
    add_inspection(host, &c, answer);
    bzr__answer_bool(answer, "intact", c.intact);
    bzr__answer_str(answer, "body", c.body.p ? c.body : BZR__S(""));
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}

/* ---- read ---- */

/* Which way the body is judged now: what is stored may be older than the rules, or a forgery. `why`: the rules. */
static bzr_status blocked_now(bzr__host *host, bzr_str id, char digest[65], bool *ret, bzr__buf *why) {
    bzr__content c;
    const bzr_verdict *v;
    bzr_kind kind = BZR_KIND_WEB;
    bzr_status status = bzr__store_content_get(host->store, id, true, &host->arena, &c);
    if (status) return bzr__host_store_failed(host, status);
    bzr_kind_parse(c.kind, &kind);
    status = bzr__host_scan(host, c.body, kind, &v);
    if (status) return status;
    memcpy(digest, c.digest, 65);
    *ret = !c.released_at && (!strcmp(bzr__host_action(host, c.kind, v), "block") || is_action(&c, "block"));
    if (!*ret) return BZR_OK;
    add_patterns(host, c.findings, why);
    const bzr_finding *worst = worst_of(v);
    if (!why->n && worst) bzr__buf_add_z(why, worst->rule);
    return why->status;
}

static bzr_status refuse_reading(bzr__host *host, bzr_str id, const char *why, bzr__buf *answer) {
    bzr__event event = { .type = BZR__S("content_refused"),
                         .direction = BZR__S("inbound"),
                         .channel = BZR__S("model"),
                         .content = BZR__S("blocked"),
                         .action = BZR__S("block"),
                         .content_id = id,
                         .session_id = host->session };
    bzr__refuse(answer, why);
    return bzr__host_store_failed(host, bzr__store_events_append(host->store, &event, 1));
}

/* For its reasons, but without a word of it. */
static bzr_status refuse_blocked(bzr__host *host, bzr_str id, const bzr__buf *rules, bzr__buf *answer) {
    char why[PATTERNS_MAX + 128];
    if (rules->n)
        snprintf(why, sizeof why, "this content is blocked (%.*s); only the user can look at it and release it",
                 (int)rules->n, rules->p);
    return refuse_reading(host, id, rules->n ? why : "this content is blocked; only the user can look at it and release it",
                          answer);
}

static void answer_missing(bzr_str id, bzr__buf *answer) {
    bzr__buf text;
    bzr__buf_init(&text, 4096);
    bzr__fetched_missing(id, &text);
    bzr_str s = bzr__buf_str(&text);
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_str(answer, "error", bzr__str_part(s, sizeof "Error: " - 1, s.n));
    bzr__answer_str(answer, "text", s);
    bzr__buf_add_c(answer, '}');
    if (!answer->status) answer->status = text.status;
    bzr__buf_free(&text);
}

/* How a content is read: bzr__contents_read_part's parameters, and what became of them. */
typedef struct reading {
    bzr__fetched_style style;
    bzr_envelope envelope;
    size_t start, max;
    bzr__fetched_part part;
} reading;

static bzr_status add_reading(bzr__host *host, const bzr__content *c, reading *r, bzr__buf *text) {
    char accessed[28];
    bzr__buf patterns;
    bzr__fetched f = fetched_of(c);
    bzr__buf_init(&patterns, 4096);
    add_patterns(host, c->findings, &patterns);
    bzr__time_text(c->accessed_at, accessed);
    f.accessed = bzr__str_z(accessed);
    f.patterns = patterns.n ? bzr__buf_str(&patterns) : BZR__S("none");
    f.start = r->start;
    f.max = r->max;
    bzr_status status =
        patterns.status ? patterns.status : bzr__fetched_reading(&f, r->style, r->envelope, text, &r->part);
    bzr__buf_free(&patterns);
    return status ? bzr__host_fail(host, status, "the content could not be wrapped: %s", bzr_status_message(status))
                  : BZR_OK;
}

static void add_part(const bzr__fetched_part *p, bzr__buf *answer) {
    bzr__answer_int(answer, "start", (int64_t)p->start);
    bzr__answer_int(answer, "end", (int64_t)p->end);
    bzr__answer_int(answer, "total", (int64_t)p->total);
    if (p->end < p->total)
        bzr__answer_int(answer, "next_start", (int64_t)p->end);
    else
        bzr__answer_z(answer, "next_start", NULL);
}

static bzr_status answer_reading(bzr__host *host, const bzr__content *c, reading *r, bzr__buf *answer) {
    bzr__buf text;
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX);
    bzr_status status = add_reading(host, c, r, &text);
    if (!status) {
        bzr__buf_add_c(answer, '{');
        bzr__answer_z(answer, "id", c->id);
        bzr__answer_str(answer, "url", c->url);
        bzr__answer_str(answer, "scan", c->action);
        bzr__answer_time(answer, "accessed_at", c->accessed_at);
        add_part(&r->part, answer);
        bzr__answer_str(answer, "text", bzr__buf_str(&text));
        bzr__buf_add_c(answer, '}');
    }
    bzr__buf_free(&text);
    return status;
}

bzr_status bzr__contents_read_part(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr_envelope envelope,
                                   size_t start, size_t max, bzr__buf *answer) {
    bzr__content c;
    reading how = { style, envelope, start, max, { 0, 0, 0 } };
    char digest[65] = "";
    bool blocked = false, model = host->by == BZR__READER_MODEL;
    bzr__buf rules;
    bzr__buf_init(&rules, PATTERNS_MAX);
    bzr_status status = model ? blocked_now(host, id, digest, &blocked, &rules) : BZR_OK;
    bool refused = !status && blocked;
    if (refused) status = refuse_blocked(host, id, &rules, answer);
    bzr__buf_free(&rules);
    if (refused) return status;
    if (!status) status = touch_session(host);
    if (!status)
        status = bzr__host_store_failed(
            host, bzr__store_content_read(host->store, id, host->by, host->session, &host->arena, &c));
    if (status == BZR_E_NOT_FOUND) {
        answer_missing(id, answer);
        return BZR_OK;
    }
    if (status == BZR_E_STATE || (!status && model && strcmp(digest, c.digest) != 0))
        return refuse_reading(host, id, "this content was changed since it was stored; only the user can look at it",
                              answer);
    return status ? status : answer_reading(host, &c, &how, answer);
}

bzr_status bzr__contents_read(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr_envelope envelope,
                              bzr__buf *answer) {
    return bzr__contents_read_part(host, id, style, envelope, 0, 0, answer);
}

/* ---- store, or give at once what cannot be kept ---- */

#define NOT_KEPT "This content was not kept, because the store failed: it has no ID and cannot be read again."

/* A reader gets no more of it than the store would have kept. */
static void cut(const bzr__host *host, bzr__content *c) {
    int64_t most = host->config ? bzr__config_number(host->config, BZR__CONFIG_CONTENT_SIZE) : CHARACTERS;
    size_t at = 0;
    c->size = c->body.n;
    for (unsigned len; at < c->body.n && most > 0; at += len, most--) bzr__utf8_decode(c->body, at, &len);
    c->truncated = at < c->body.n;
    c->body.n = at;
}

static bzr_status add_inline(bzr__host *host, bzr__content *c, bzr__buf *text) {
    struct timespec now = { 0 };
    bzr_envelope envelope = BZR_ENVELOPE_OPENCLAW;
    if (host->config) bzr_envelope_parse(bzr__str_z(bzr__config_text(host->config, BZR__CONFIG_ENVELOPE)), &envelope);
    clock_gettime(CLOCK_REALTIME, &now);
    c->accessed_at = now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
    cut(host, c);
    reading all = { BZR__FETCHED_BEZOAR, envelope, 0, 0, { 0, 0, 0 } };
    bzr__buf_add_z(text, "[" NOT_KEPT);
    bzr__buf_add_z(text, c->truncated ? " It is longer than what stands here.]\n\n" : "]\n\n");
    return add_reading(host, c, &all, text);
}

/* Blocked content is given to nobody here, whatever is chosen: who may look at it is asked when it can be kept. */
static bzr_status add_refused(const bzr__content *c, bzr__fetched_style style, bzr__buf *text) {
    bzr__fetched f = fetched_of(c);
    bzr__buf_add_z(text, "[" NOT_KEPT "]\n\n");
    size_t from = text->n;
    bzr_status status = bzr__fetched_reference(&f, style, text);
    text->n = bzr__str_find(bzr__buf_str(text), BZR__S("\n"), from); /* the rest speaks of what is kept */
    bzr__buf_add_z(text, "\n\nThis content was blocked: it tries to steer its reader. Use another source.");
    return status ? status : text->status;
}

static bzr_status answer_unkept(bzr__host *host, bzr__content *c, bzr__fetched_style style, bzr__buf *answer) {
    bzr__buf text;
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX);
    bzr_status status = is_action(c, "block") ? add_refused(c, style, &text) : add_inline(host, c, &text);
    if (!status) {
        bzr__buf_add_c(answer, '{');
        add_members(host, c, answer);
        add_inspection(host, c, answer);
        bzr__answer_bool(answer, "stored", false);
        bzr__answer_z(answer, "note", NOT_KEPT);
        bzr__answer_z(answer, "reference", NULL);
        bzr__answer_str(answer, "text", bzr__buf_str(&text));
        bzr__buf_add_c(answer, '}');
    }
    bzr__buf_free(&text);
    return status;
}

static bzr_status degrade(bzr__host *host, bzr_status failure, bzr__content *c, bzr__fetched_style style,
                          bzr__buf *answer) {
    bool blocked = is_action(c, "block");
    bzr__event event = { .type = BZR__S("content_not_kept"),
                         .direction = BZR__S("inbound"),
                         .channel = BZR__S("internal"),
                         .content = blocked || is_action(c, "warn") ? BZR__S("injection_detected") : BZR__S("clean"),
                         .url = c->url,
                         .pattern_matched = c->pattern_matched,
                         .confidence = c->confidence,
                         .action = c->action,
                         .session_id = host->session };
    bzr_status status = bzr__host_on_store_error(host, failure, blocked, &event);
    return status ? status : answer_unkept(host, c, style, answer);
}

static bzr_status keep(bzr__host *host, const bzr_verdict *v, bzr__content *c, bzr__fetched_style style,
                       bzr__buf *answer) {
    char id[1][24];
    if (!host->store) return BZR_E_IO; /* host->message says why */
    bzr_status status = apply_setting(host, c);
    if (!status) status = touch_session(host);
    if (!status && is_action(c, "block")) status = learn(&host->arena, v, c);
    if (!status) status = bzr__host_store_failed(host, bzr__store_contents_put(host->store, c, 1, id));
    return status ? status : bzr__contents_answer(host, bzr__str_z(id[0]), style, answer);
}

bzr_status bzr__contents_store(bzr__host *host, const bzr__content_in *in, bzr__buf *answer) {
    bzr__origin origin;
    const bzr_verdict *v = NULL;
    bzr_status status = bzr__origin_of(in->source, &host->arena, &origin);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bzr__content c = { .url = origin.url, .domain = origin.domain, .session_id = host->session, .body = in->body, .page = in->page };
    c.kind = bzr__str_z(bzr_kind_name(in->kind));
    status = judge(host, in, &c, &v);
    if (status) return status;
    status = keep(host, v, &c, in->style, answer);
    return status ? degrade(host, status, &c, in->style, answer) : BZR_OK;
}

/* ---- release and removal ---- */

static void answer_done(bzr__buf *answer, const char *key, bzr_str value) {
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_str(answer, key, value);
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__contents_release(bzr__host *host, bzr_str id, bzr_str digest, bzr__buf *answer) {
    if (bzr__refused_to_model(host, "release content", answer)) return BZR_OK;
    if (digest.n != 64)
        return bzr__host_fail(host, BZR_E_ARG,
                              "a release is bound to what you saw: give the digest that 'contents show' prints");
    bzr_status status = bzr__host_store_failed(host, bzr__store_content_release(host->store, id, digest));
    if (!status) answer_done(answer, "released", id);
    return status;
}

bzr_status bzr__contents_delete(bzr__host *host, bzr_str id, bzr__buf *answer) {
    if (bzr__refused_to_model(host, "delete content", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_content_delete(host->store, id));
    if (!status) answer_done(answer, "deleted", id);
    return status;
}

bzr_status bzr__contents_purge(bzr__host *host, bzr__buf *answer) {
    uint64_t removed;
    if (bzr__refused_to_model(host, "purge contents", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_contents_purge(host->store, &removed));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_int(answer, "removed", (int64_t)removed);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}
