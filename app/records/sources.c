/* sources.c - see sources.h. A list costs three look-ups a row. */
#include "app/records/sources.h"

#include "app/host/authority.h"
#include "app/records/origin.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdlib.h>

typedef struct name {
    bzr_str kind, name;
} name;

/* ---- one entity ---- */

static bool add_id(void *ctx, const bzr__content *c) {
    bzr__buf *answer = ctx;
    bzr__answer_z(answer, NULL, c->id);
    return !answer->status;
}

static bool add_id_for_model(void *ctx, const bzr__content *c) {
    bool hide = bzr__str_eq(c->action, BZR__S("block")) && !c->released_at;
    return hide || add_id(ctx, c);
}

static bzr_status add_content_ids(bzr__host *host, const bzr__source *s, bzr__buf *answer) {
    bool url = bzr__str_eq(s->kind, BZR__S("url"));
    bzr__content_filter filter = { .url = url ? s->name : BZR__S(""), .domain = url ? BZR__S("") : s->name };
    bzr__content_fn fn = host->by == BZR__READER_MODEL ? add_id_for_model : add_id;
    bzr__json_add_key(answer, "content_ids");
    bzr__buf_add_c(answer, '[');
    bzr_status status = bzr__host_store_failed(host, bzr__store_contents(host->store, &filter, fn, answer));
    bzr__buf_add_c(answer, ']');
    return status;
}

/* What the user says wins over what was counted. */
static const char *reputation(const char *counted, bzr_str setting) {
    if (bzr__str_eq(setting, BZR__S("trusted"))) return "trusted";
    return bzr__str_eq(setting, BZR__S("blocked")) ? "suspicious" : counted;
}

/* The reputation of the domain, "unknown" where there is none. */
static bzr_status domain_reputation(bzr__host *host, bzr_str domain, const char **ret) {
    bzr__source s;
    *ret = "unknown";
    if (!domain.n) return BZR_OK;
    bzr_status status = bzr__store_source_get(host->store, BZR__S("domain"), domain, &host->arena, &s);
    if (!status) *ret = s.reputation;
    return status == BZR_E_NOT_FOUND ? BZR_OK : bzr__host_store_failed(host, status);
}

static void add_attributes(const bzr__source *s, const char *domain_is, bzr__buf *answer) {
    bzr__answer_real(answer, "trust_score", s->trust);
    bzr__answer_int(answer, "scan_count", s->scan_count);
    bzr__answer_int(answer, "blocked_count", s->blocked_count);
    bzr__answer_int(answer, "warned_count", s->warned_count);
    bzr__answer_time(answer, "first_seen", s->first_seen);
    bzr__answer_time(answer, "last_scanned", s->last_scanned);
    bzr__answer_time(answer, "last_accessed", s->last_accessed);
    bzr__answer_z(answer, "domain_reputation", domain_is);
}

static bzr_status add_source(bzr__host *host, const bzr__source *s, bool with_ids, bzr__buf *answer) {
    bzr_str setting;
    const char *domain_is;
    bool url = bzr__str_eq(s->kind, BZR__S("url"));
    bzr_status status =
        bzr__host_store_failed(host, bzr__store_setting_for(host->store, url ? s->name : BZR__S(""),
                                                            url ? s->domain : s->name, &host->arena, &setting));
    if (!status) status = domain_reputation(host, url ? s->domain : s->name, &domain_is);
    if (status) return status;
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_z(answer, "{\"id\":");
    bzr__buf_add_z(answer, "\"ext_source_");
    size_t from = answer->n;
    bzr__json_add_utf8(answer, s->name);
    if (answer->status) return BZR_OK;
    memmove(answer->p + from, answer->p + from + 1,
            answer->n - from - 1); /* the quotation mark stands before the prefix */
    answer->n--;
    bzr__answer_z(answer, "type", "external_source");
    bzr__answer_str(answer, "kind", s->kind);
    bzr__answer_str(answer, "name", s->name);
    bzr__answer_str(answer, "domain", url ? s->domain : s->name);
    bzr__answer_z(answer, "reputation", reputation(s->reputation, setting));
    bzr__answer_str(answer, "setting", setting.n ? setting : BZR__S("default"));
    bzr__json_add_key(answer, "attributes");
    bzr__buf_add_c(answer, '{');
    add_attributes(s, reputation(domain_is, setting), answer);
    if (with_ids) status = add_content_ids(host, s, answer);
    bzr__buf_add_z(answer, "}}");
    return status;
}

/* ---- list ---- */

typedef struct names {
    bzr__arena *arena;
    name *items;
    size_t n, cap;
    bool full;
} names;

static bool keep_name(void *ctx, const bzr__source *s) {
    names *list = ctx;
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 64;
        name *longer = realloc(list->items, cap * sizeof *longer);
        list->full = !longer;
        if (!longer) return false;
        list->items = longer;
        list->cap = cap;
    }
    name *item = &list->items[list->n++];
    *item = (name){ bzr__arena_dup(list->arena, s->kind), bzr__arena_dup(list->arena, s->name) };
    list->full = !item->kind.p || !item->name.p;
    return !list->full;
}

static bzr_status add_named(bzr__host *host, const name *of, bzr__buf *answer) {
    bzr__source s;
    bzr_status status = bzr__store_source_get(host->store, of->kind, of->name, &host->arena, &s);
    if (status == BZR_E_NOT_FOUND) return BZR_OK; /* removed meanwhile */
    return status ? bzr__host_store_failed(host, status) : add_source(host, &s, false, answer);
}

static bool add_setting(void *ctx, const bzr__setting *s) {
    bzr__buf *answer = ctx;
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "kind", s->kind);
    bzr__answer_str(answer, "pattern", s->pattern);
    bzr__answer_str(answer, "setting", s->setting);
    bzr__answer_time(answer, "set_at", s->set_at);
    bzr__buf_add_c(answer, '}');
    return !answer->status;
}

bzr_status bzr__sources_list(bzr__host *host, uint64_t limit, bzr__buf *answer) {
    names list = { .arena = &host->arena };
    bzr__source_filter filter = { .limit = limit };
    bzr__buf_add_z(answer, "{\"sources\":[");
    bzr_status status = bzr__host_store_failed(host, bzr__store_sources(host->store, &filter, keep_name, &list));
    if (!status && list.full) status = bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    for (size_t i = 0; !status && i < list.n; i++) status = add_named(host, &list.items[i], answer);
    free(list.items);
    bzr__buf_add_z(answer, "],\"settings\":[");
    if (!status) status = bzr__host_store_failed(host, bzr__store_settings(host->store, add_setting, answer));
    bzr__buf_add_z(answer, "]}");
    return status;
}

/* ---- show ---- */

/* Nothing was scanned from there, but the user may have said something of it. */
static bzr_status add_unseen(bzr__host *host, bzr_str kind, bzr_str at, bzr_str domain, bzr__buf *answer) {
    bzr_str setting;
    bool url = bzr__str_eq(kind, BZR__S("url"));
    bzr_status status = bzr__host_store_failed(
        host, bzr__store_setting_for(host->store, url ? at : BZR__S(""), domain, &host->arena, &setting));
    if (status) return status;
    if (!setting.n) return bzr__host_fail(host, BZR_E_NOT_FOUND, "nothing is known of this source");
    bzr__source s = {
        .kind = kind, .name = at, .domain = domain, .trust = bzr__source_trust(0, 0), .reputation = "unknown"
    };
    return add_source(host, &s, true, answer);
}

bzr_status bzr__sources_show(bzr__host *host, bzr_str asked, bzr__buf *answer) {
    bzr__source s;
    bzr__origin o, domain;
    bzr_status status = bzr__origin_of(asked, &host->arena, &o);
    if (!status) status = bzr__origin_of_host(asked, &host->arena, &domain);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    status = bzr__store_source_get(host->store, BZR__S("url"), o.url, &host->arena, &s);
    if (status == BZR_E_NOT_FOUND && !o.host.n && domain.domain.n)
        status = bzr__store_source_get(host->store, BZR__S("domain"), domain.domain, &host->arena, &s);
    if (!status) return add_source(host, &s, true, answer);
    if (status != BZR_E_NOT_FOUND) return bzr__host_store_failed(host, status);
    return o.host.n
               ? add_unseen(host, BZR__S("url"), o.url, o.domain, answer)
               : add_unseen(host, BZR__S("domain"), domain.domain.n ? domain.domain : asked, domain.domain, answer);
}

/* ---- set ---- */

static bool gives_trust(bzr_str setting) {
    return bzr__str_eq(setting, BZR__S("trusted")) || bzr__str_eq(setting, BZR__S("auto_confirm"));
}

/* Bytes of a pattern before the path where its host is written out, else 0. `*` also matches "/" and "?", so a star
 * before the end of the host would trust https://evil.example/?.good.example/. */
static size_t written_out(bzr_str pattern) {
    size_t slashes = bzr__str_find(pattern, BZR__S("://"), 0);
    size_t path = bzr__str_find(pattern, BZR__S("/"), slashes + 3);
    return slashes + 3 < path && path < bzr__str_find(pattern, BZR__S("*"), 0) ? path : 0;
}

/* URLs are matched in their one spelling, so the host of a pattern is written in it, too. */
static bzr_status read_pattern(bzr__host *host, bzr__setting *s) {
    bzr__origin o;
    bzr__buf whole;
    size_t path = written_out(s->pattern);
    if (!path && gives_trust(s->setting))
        return bzr__host_fail(host, BZR_E_ARG,
                              "trust needs the host written out before the first *, as in https://docs.example.com/*");
    if (!path) return BZR_OK;
    bzr_status status = bzr__origin_of(bzr__str_part(s->pattern, 0, path), &host->arena, &o);
    bzr__buf_init(&whole, 1u << 16);
    if (!status && o.host.n) {
        bzr__buf_add_str(&whole, o.url);
        bzr__buf_add_str(&whole, bzr__str_part(s->pattern, path + 1, s->pattern.n));
        s->pattern = bzr__arena_dup(&host->arena, bzr__buf_str(&whole));
        status = whole.status ? whole.status : s->pattern.p ? BZR_OK : BZR_E_NOMEM;
    }
    bzr__buf_free(&whole);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

static bzr_status read_domain(bzr__host *host, bzr__setting *s) {
    bzr__origin o;
    bzr_status status = bzr__origin_of_host(s->pattern, &host->arena, &o);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    if (!o.host.n) return bzr__host_fail(host, BZR_E_ARG, "a setting is for a URL, a domain, or a pattern with *");
    if (o.suffix && gives_trust(s->setting))
        return bzr__host_fail(host, BZR_E_ARG, "%s is a public suffix: everybody can have a name below it", o.host.p);
    if (!bzr__str_eq(o.host, o.domain))
        return bzr__host_fail(host, BZR_E_ARG, "%s belongs to %.*s: set that, or a pattern such as https://%s/*",
                              o.host.p, (int)o.domain.n, o.domain.p, o.host.p);
    s->kind = BZR__S("domain");
    s->pattern = o.domain;
    return BZR_OK;
}

static bzr_status read_subject(bzr__host *host, bzr__setting *s) {
    bzr__origin o;
    if (bzr__str_find(s->pattern, BZR__S("*"), 0) < s->pattern.n) {
        s->kind = BZR__S("pattern");
        return read_pattern(host, s);
    }
    bzr_status status = bzr__origin_of(s->pattern, &host->arena, &o);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bool plain_name = bzr__str_find(s->pattern, BZR__S("."), 0) == s->pattern.n;
    if (!o.host.n && !plain_name) return read_domain(host, s);
    s->kind = BZR__S("url");
    s->pattern = o.url;
    return BZR_OK;
}

bzr_status bzr__sources_set(bzr__host *host, bzr_str pattern, bzr_str setting, bzr__buf *answer) {
    bzr__setting s = { .pattern = pattern, .setting = setting };
    if (bzr__refused_to_model(host, "change a setting", answer)) return BZR_OK;
    bzr_status status = read_subject(host, &s);
    if (!status) status = bzr__host_store_failed(host, bzr__store_setting_put(host->store, &s));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_str(answer, "kind", s.kind);
    bzr__answer_str(answer, "pattern", s.pattern);
    bzr__answer_str(answer, "setting", s.setting);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}
