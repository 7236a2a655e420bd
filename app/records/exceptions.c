/* exceptions.c - see exceptions.h. They are looked up only where something was found. */
#include "app/records/exceptions.h"

#include "app/host/authority.h"
#include "app/host/origin.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/verdict/verdict.h"
#include "sys/digest.h"

typedef struct toad__excepted_one one;

enum { RULES_MAX = 16 };

/* ---- what holds ---- */

typedef struct gathering {
    toad__arena *arena;
    one *list;
    size_t n, cap;
    bool full;
} gathering;

static bool gather(void *ctx, const toad__exception *e) {
    gathering *g = ctx;
    one *list = toad__arena_room(g->arena, g->list, g->n, &g->cap, sizeof *list);
    one it = { toad__arena_dup(g->arena, e->rule), toad__arena_dup(g->arena, e->digest) };
    g->full = !list || !it.rule.p || !it.digest.p;
    if (g->full) return false;
    g->list = list;
    list[g->n++] = it;
    return true;
}

toad_status toad__excepted_at(toad__host *host, toad_str url, toad_str domain, toad__arena *arena,
                              toad__excepted *ret) {
    gathering g = { .arena = arena };
    *ret = (toad__excepted){ .n = 0 };
    if (!host->store) return TOAD_OK;
    toad_status status = toad__store_exceptions_for(host->store, url, domain, gather, &g);
    if (status) return toad__host_store_failed(host, status);
    if (g.full) return toad__host_failed(host, TOAD_E_NOMEM);
    *ret = (toad__excepted){ g.list, g.n };
    return TOAD_OK;
}

bool toad__is_excepted(const toad__excepted *e, const char *rule) {
    for (size_t i = 0; i < e->n; i++)
        if (toad__str_eq(e->list[i].rule, toad__str_z(rule))) return true;
    return false;
}

bool toad__excepts_bytes(const toad__excepted *e, const char *digest) {
    for (size_t i = 0; i < e->n; i++)
        if (e->list[i].digest.n == 64 && toad__str_eq(e->list[i].digest, toad__str_z(digest))) return true;
    return false;
}

bool toad__excepts_text(const toad__excepted *e, toad_str body) {
    char digest[65];
    bool any = false;
    for (size_t i = 0; i < e->n; i++) any |= e->list[i].digest.n > 0;
    if (!any) return false;
    toad__sha256_of(body, digest);
    return toad__excepts_bytes(e, digest);
}

bool toad__is_listed_whole(const toad_verdict *v) { return toad_verdict_total(v) <= toad_verdict_count(v); }

const toad_finding *toad__worst_left(const toad__excepted *e, const toad_verdict *v) {
    const toad_finding *worst = NULL;
    if (!e->n || !toad__is_listed_whole(v)) return toad_verdict_worst(v);
    for (size_t i = 0; i < toad_verdict_count(v); i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        if (!toad__is_excepted(e, f->rule) && (!worst || f->severity > worst->severity)) worst = f;
    }
    return worst;
}

toad_severity toad__severity_left(const toad__excepted *e, const toad_verdict *v) {
    if (!e->n || !toad__is_listed_whole(v)) return toad_verdict_severity(v);
    const toad_finding *worst = toad__worst_left(e, v);
    return worst ? worst->severity : TOAD_NONE;
}

const char *toad__action_left(const toad__host *host, toad__surface surface, toad_str source, const toad__excepted *e,
                              const toad_verdict *v) {
    return toad__host_action_on(host, surface, source, toad__severity_left(e, v), toad_verdict_completeness(v));
}

typedef struct marking {
    const toad__excepted *e;
    const toad_verdict *v;
} marking;

static bool as_found(const void *ctx, size_t i, toad_severity *ret) {
    const marking *m = ctx;
    *ret = toad_verdict_finding(m->v, i)->severity;
    return true;
}

static void mark(const void *ctx, size_t i, toad__buf *b) {
    const marking *m = ctx;
    if (toad__is_excepted(m->e, toad_verdict_finding(m->v, i)->rule)) toad__buf_add_z(b, ",\"excepted\":true");
}

void toad__findings_left(const toad__excepted *e, const toad_verdict *v, toad__buf *out) {
    marking m = { e, v };
    toad__weighed weighed = { .ctx = &m, .finding = as_found, .members = mark };
    toad__verdict_findings(v, e->n && toad__is_listed_whole(v) ? &weighed : NULL, out);
}

/* ---- add ---- */

static bool is_rule_id(toad_str s) {
    bool ok = s.n > 0 && s.n <= 64;
    for (size_t i = 0; i < s.n && ok; i++)
        ok = toad__is_lower((unsigned char)s.p[i]) || toad__is_digit((unsigned char)s.p[i]) || s.p[i] == '_';
    return ok;
}

/* `until`: a date, or a span, which counts from now on. */
static bool read_until(const char *until, int64_t now, int64_t *ret) {
    *ret = INT64_MAX;
    if (!until) return true;
    if (!toad__time_read(until, now, ret)) return false;
    if (!strchr(until, '-')) *ret = now + (now - *ret);
    return *ret > now;
}

/* The source in its one spelling: that of the content, or what was named, where a name without a path means all of it.
 */
static toad_status read_source(toad__host *host, const toad__exception_in *in, const toad__content *c, toad_str *ret) {
    toad__origin o;
    if (!in->at.n && !c)
        return toad__host_fail(host, TOAD_E_ARG,
                               "at which source? name a content, or give --at URL, DOMAIN or mcp:SERVER/TOOL");
    *ret = c ? c->url : in->at;
    if (!in->at.n) return TOAD_OK;
    bool named =
        toad__str_find(in->at, TOAD__S("/"), 0) == in->at.n && toad__str_find(in->at, TOAD__S(":"), 0) == in->at.n;
    toad_status status =
        named ? toad__origin_of_host(in->at, &host->arena, &o) : toad__origin_of(in->at, &host->arena, &o);
    if (status) return toad__host_failed(host, status);
    if (named && o.suffix)
        return toad__host_fail(host, TOAD_E_ARG, "that is a public suffix: everybody can have a name below it");
    if (named && o.host.n && !toad__str_eq(o.host, o.domain))
        return toad__host_fail(host, TOAD_E_ARG, "%s belongs to %.*s: name that, or a URL", o.host.p, (int)o.domain.n,
                               o.domain.p);
    *ret = named && o.domain.n ? o.domain : named ? in->at : o.url;
    return TOAD_OK;
}

/* Does this rule stand among the findings of the content? */
static toad_status has_rule(toad__host *host, const toad__content *c, toad_str rule, bool *ret) {
    const toad__json *root;
    size_t at;
    const char *expected;
    *ret = toad__str_eq(c->pattern_matched, rule);
    toad_status status = toad__json_parse(c->findings, &host->arena, &root, &at, &expected);
    for (const toad__json *f = status ? NULL : root->child; f && !*ret; f = f->next)
        *ret = toad__str_eq(toad__json_get_text(f, "rule"), rule);
    return status == TOAD_E_NOMEM ? toad__host_failed(host, status) : TOAD_OK;
}

/* Is nothing left in this content that would not pass? The row's own rule counts, too: it may be the URL's. */
static bool is_lifted(toad__host *host, const toad__content *c, const toad__exception_in *in) {
    const toad__json *root;
    size_t at;
    const char *expected;
    if (!in->rules_n) return true;
    if (!toad__str_eq(c->completeness, TOAD__S("full")) ||
        toad__json_parse(c->findings, &host->arena, &root, &at, &expected))
        return false;
    toad_str rule = c->pattern_matched;
    for (const toad__json *f = root->child;; f = f->next) {
        bool excepted = false;
        for (size_t i = 0; i < in->rules_n; i++) excepted |= toad__str_eq(rule, toad__str_z(in->rules[i]));
        if (!excepted) return false;
        while (f && toad__str_eq(toad__json_get_text(f, "severity"), TOAD__S("low"))) f = f->next;
        if (!f) return true;
        rule = toad__json_get_text(f, "rule");
    }
}

static toad_status check_rules(toad__host *host, const toad__exception_in *in, const toad__content *c) {
    if (in->rules_n > RULES_MAX) return toad__host_fail(host, TOAD_E_ARG, "at most %d rules at a time", RULES_MAX);
    if (!in->rules_n && !c) return toad__host_fail(host, TOAD_E_ARG, "for what? name a content, or a rule with --rule");
    if (!in->rules_n && in->at.n)
        return toad__host_fail(host, TOAD_E_ARG, "--at says where a rule does not count: give --rule, too");
    for (size_t i = 0; i < in->rules_n; i++) {
        toad_str rule = toad__str_z(in->rules[i]);
        bool there = true;
        if (!is_rule_id(rule)) return toad__host_fail(host, TOAD_E_ARG, "--rule: that is no id of a rule");
        toad_status status = c ? has_rule(host, c, rule, &there) : TOAD_OK;
        if (status) return status;
        if (!there)
            return toad__host_fail(host, TOAD_E_ARG,
                                   "%s found nothing in this content; 'contents show' names the rules", in->rules[i]);
    }
    return TOAD_OK;
}

static void describe(const toad__exception_in *in, const toad__content *c, toad_str at, int64_t until,
                     toad__buf *about) {
    char time[28];
    toad__about(about, "at", at);
    for (size_t i = 0; i < in->rules_n; i++) toad__about(about, "not counted", toad__str_z(in->rules[i]));
    if (!in->rules_n) toad__about(about, "not counted", TOAD__S("anything in just these bytes"));
    if (c) toad__about(about, "content", toad__str_z(c->id));
    if (c) toad__about(about, "sha256", toad__str_z(c->digest));
    if (until < INT64_MAX) toad__time_text(until, time);
    toad__about(about, "until", until < INT64_MAX ? toad__str_z(time) : TOAD__S("you take it back"));
}

static void add_members(const toad__exception *e, toad__answer *answer) {
    toad__answer_z(answer, "id", e->id);
    toad__answer_str(answer, "at", e->at);
    toad__answer_some(answer, "rule", e->rule);
    toad__answer_some(answer, "digest", e->digest);
    toad__answer_some(answer, "note", e->note);
    toad__answer_time(answer, "made_at", e->made_at);
    toad__answer_time(answer, "until", e->until == INT64_MAX ? 0 : e->until);
}

static toad_status put(toad__host *host, const toad__exception_in *in, const toad__content *c, toad_str at,
                       int64_t until, toad__answer *answer) {
    toad__exception list[RULES_MAX];
    size_t n = in->rules_n ? in->rules_n : 1;
    bool may = c && is_lifted(host, c, in), lasts = may && !c->released_at && until >= c->expires_at;
    for (size_t i = 0; i < n; i++)
        list[i] = (toad__exception){ .at = at,
                                     .rule = in->rules_n ? toad__str_z(in->rules[i]) : TOAD__S(""),
                                     .digest = in->rules_n ? TOAD__S("") : toad__str_z(c->digest),
                                     .note = in->note.p ? in->note : TOAD__S(""),
                                     .until = until };
    toad_status status =
        toad__store_exceptions_put(host->store, list, n, lasts ? c : NULL); /* else it would stay released */
    toad__content now = { .released_at = 1 };
    if (!status && may) status = toad__store_content_get(host->store, toad__str_z(c->id), false, &host->arena, &now);
    if (status) return toad__host_store_failed(host, status);
    toad__answer_bool(answer, "success", true);
    toad__answer_array(answer, "exceptions");
    for (size_t i = 0; i < n; i++) {
        toad__answer_object(answer, NULL);
        add_members(&list[i], answer);
        toad__answer_end(answer);
    }
    toad__answer_end(answer);
    toad__answer_z(answer, "released", lasts ? c->id : NULL);
    toad__answer_z(answer, "held", !now.released_at ? c->id : NULL);
    return TOAD_OK;
}

static toad_status find(toad__host *host, toad_str prefix, toad__content *ret) {
    char id[24];
    toad_status status = toad__store_content_find(host->store, prefix, id);
    if (!status) status = toad__store_content_get(host->store, toad__str_z(id), false, &host->arena, ret);
    return toad__host_store_failed(host, status);
}

toad_status toad__exceptions_add(toad__host *host, const toad__exception_in *in, toad__answer *answer) {
    toad__content content, *c = in->content.n ? &content : NULL;
    toad_str at;
    int64_t until;
    if (toad__refused_to_model(host, "make an exception", answer)) return TOAD_OK;
    toad_status status = c ? find(host, in->content, c) : TOAD_OK;
    if (!status) status = check_rules(host, in, c);
    if (!status) status = read_source(host, in, c, &at);
    if (!status && !read_until(in->until, toad__store_now(host->store), &until))
        status = toad__host_fail(host, TOAD_E_ARG, "--until: that is no time to come: write 2030-01-31 or 30d");
    if (status) return status;
    toad__buf about;
    toad__buf_init(&about, 1u << 20);
    describe(in, c, at, until, &about);
    bool refused = toad__refused(host, "make an exception", toad__buf_str(&about), answer);
    toad__buf_free(&about);
    return refused ? TOAD_OK : put(host, in, c, at, until, answer);
}

/* ---- list and remove ---- */

static bool list_one(void *ctx, const toad__exception *e) {
    toad__answer *answer = ctx;
    toad__answer_object(answer, NULL);
    add_members(e, answer);
    toad__answer_end(answer);
    return !answer->status;
}

toad_status toad__exceptions_list(toad__host *host, toad__answer *answer) {
    if (toad__refused_to_model(host, "see the exceptions", answer)) return TOAD_OK;
    toad__answer_array(answer, "exceptions");
    toad_status status = toad__host_store_failed(host, toad__store_exceptions(host->store, list_one, answer));
    toad__answer_end(answer);
    return status;
}

toad_status toad__exceptions_remove(toad__host *host, toad_str id, toad__answer *answer) {
    toad__exception e;
    toad__buf about;
    if (toad__refused_to_model(host, "take an exception back", answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_exception_get(host->store, id, &host->arena, &e));
    if (status) return status;
    toad__buf_init(&about, 1u << 20);
    toad__about(&about, "exception", toad__str_z(e.id));
    toad__about(&about, "at", e.at);
    toad__about(&about, "not counted", e.rule.n ? e.rule : e.digest);
    bool refused = toad__refused(host, "take an exception back", toad__buf_str(&about), answer);
    toad__buf_free(&about);
    if (refused) return TOAD_OK;
    status = toad__host_store_failed(host, toad__store_exception_drop(host->store, &e));
    if (!status) toad__answer_bool(answer, "success", true);
    if (!status) toad__answer_z(answer, "removed", e.id);
    return status;
}
