/* sources.c - see sources.h. A list costs three look-ups a row. */
#include "app/records/sources.h"

#include "app/host/authority.h"
#include "app/host/origin.h"
#include "lib/base/str.h"

typedef struct name {
    toad_str kind, name;
} name;

/* ---- one entity ---- */

/* `mcp:NAME`, without a tool: the server answers for all of its tools, as a domain does for its pages. */
static bool is_server(const toad__origin *o) { return !o->host.n && o->domain.n && toad__str_eq(o->url, o->domain); }

static bool add_id(void *ctx, const toad__content *c) {
    toad__answer *answer = ctx;
    toad__answer_z(answer, NULL, c->id);
    return !answer->status;
}

static bool add_id_for_model(void *ctx, const toad__content *c) {
    bool hide = toad__str_eq(c->action, TOAD__S("block")) && !c->released_at;
    return hide || add_id(ctx, c);
}

static toad_status add_content_ids(toad__host *host, const toad__source *s, toad__answer *answer) {
    bool url = toad__str_eq(s->kind, TOAD__S("url"));
    toad__content_filter filter = { .url = url ? s->name : TOAD__S(""), .domain = url ? TOAD__S("") : s->name };
    toad__content_fn fn = host->by == TOAD__READER_MODEL ? add_id_for_model : add_id;
    toad__answer_array(answer, "content_ids");
    toad_status status = toad__host_store_failed(host, toad__store_contents(host->store, &filter, fn, answer));
    toad__answer_end(answer);
    return status;
}

/* What the user says wins over what was counted. */
static const char *reputation(const char *counted, toad_str setting) {
    if (toad__str_eq(setting, TOAD__S("trusted"))) return "trusted";
    return toad__str_eq(setting, TOAD__S("blocked")) ? "suspicious" : counted;
}

/* The reputation of the domain, "unknown" where there is none. */
static toad_status domain_reputation(toad__host *host, toad_str domain, const char **ret) {
    toad__source s;
    *ret = "unknown";
    if (!domain.n) return TOAD_OK;
    toad_status status = toad__store_source_get(host->store, TOAD__S("domain"), domain, &host->arena, &s);
    if (!status) *ret = s.reputation;
    return status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(host, status);
}

static void add_attributes(const toad__source *s, const char *domain_is, toad__answer *answer) {
    toad__answer_real(answer, "trust_score", s->trust);
    toad__answer_int(answer, "scan_count", s->scan_count);
    toad__answer_int(answer, "blocked_count", s->blocked_count);
    toad__answer_int(answer, "warned_count", s->warned_count);
    toad__answer_time(answer, "first_seen", s->first_seen);
    toad__answer_time(answer, "last_scanned", s->last_scanned);
    toad__answer_time(answer, "last_accessed", s->last_accessed);
    toad__answer_z(answer, "domain_reputation", domain_is);
}

static toad_status add_source(toad__host *host, const toad__source *s, bool with_ids, toad__answer *answer) {
    toad_str setting;
    const char *domain_is;
    bool url = toad__str_eq(s->kind, TOAD__S("url"));
    toad_status status =
        toad__host_store_failed(host, toad__store_setting_for(host->store, url ? s->name : TOAD__S(""),
                                                              url ? s->domain : s->name, &host->arena, &setting));
    if (!status) status = domain_reputation(host, url ? s->domain : s->name, &domain_is);
    if (status) return status;
    toad__buf id;
    toad__buf_init(&id, TOAD__HOST_ANSWER_MAX);
    toad__buf_add_z(&id, "ext_source_");
    toad__buf_add_str(&id, s->name);
    if (!id.status) toad__answer_str(answer, "id", toad__buf_str(&id));
    status = toad__host_failed(host, id.status);
    toad__buf_free(&id);
    if (status) return status;
    toad__answer_z(answer, "type", "external_source");
    toad__answer_str(answer, "kind", s->kind);
    toad__answer_str(answer, "name", s->name);
    toad__answer_str(answer, "domain", url ? s->domain : s->name);
    toad__answer_z(answer, "reputation", reputation(s->reputation, setting));
    toad__answer_str(answer, "setting", setting.n ? setting : TOAD__S("default"));
    toad__answer_object(answer, "attributes");
    add_attributes(s, reputation(domain_is, setting), answer);
    if (with_ids) status = add_content_ids(host, s, answer);
    toad__answer_end(answer);
    return status;
}

/* ---- list ---- */

typedef struct names {
    toad__arena *arena;
    name *items;
    size_t n, cap;
    bool full;
} names;

static bool keep_name(void *ctx, const toad__source *s) {
    names *list = ctx;
    name one = { toad__arena_dup(list->arena, s->kind), toad__arena_dup(list->arena, s->name) };
    name *items = toad__arena_room(list->arena, list->items, list->n, &list->cap, sizeof *items);
    list->full = !items || !one.kind.p || !one.name.p;
    if (list->full) return false;
    list->items = items;
    items[list->n++] = one;
    return true;
}

static toad_status add_named(toad__host *host, const name *of, toad__answer *answer) {
    toad__source s;
    toad_status status = toad__store_source_get(host->store, of->kind, of->name, &host->arena, &s);
    if (status == TOAD_E_NOT_FOUND) return TOAD_OK; /* removed meanwhile */
    if (status) return toad__host_store_failed(host, status);
    toad__answer_object(answer, NULL);
    status = add_source(host, &s, false, answer);
    toad__answer_end(answer);
    return status;
}

static bool add_setting(void *ctx, const toad__setting *s) {
    toad__answer *answer = ctx;
    toad__answer_object(answer, NULL);
    toad__answer_str(answer, "kind", s->kind);
    toad__answer_str(answer, "pattern", s->pattern);
    toad__answer_str(answer, "setting", s->setting);
    toad__answer_time(answer, "set_at", s->set_at);
    toad__answer_end(answer);
    return !answer->status;
}

toad_status toad__sources_list(toad__host *host, uint64_t limit, toad__answer *answer) {
    names list = { .arena = &host->arena };
    toad__source_filter filter = { .limit = limit };
    toad__answer_array(answer, "sources");
    toad_status status = toad__host_store_failed(host, toad__store_sources(host->store, &filter, keep_name, &list));
    if (!status && list.full) status = toad__host_failed(host, TOAD_E_NOMEM);
    for (size_t i = 0; !status && i < list.n; i++) status = add_named(host, &list.items[i], answer);
    toad__answer_end(answer);
    toad__answer_array(answer, "settings");
    if (!status) status = toad__host_store_failed(host, toad__store_settings(host->store, add_setting, answer));
    toad__answer_end(answer);
    return status;
}

/* ---- show ---- */

/* Nothing was scanned from there, but the user may have said something of it. */
static toad_status add_unseen(toad__host *host, toad_str kind, toad_str at, toad_str domain, toad__answer *answer) {
    toad_str setting;
    bool url = toad__str_eq(kind, TOAD__S("url"));
    toad_status status = toad__host_store_failed(
        host, toad__store_setting_for(host->store, url ? at : TOAD__S(""), domain, &host->arena, &setting));
    if (status) return status;
    if (!setting.n) return toad__host_fail(host, TOAD_E_NOT_FOUND, "nothing is known of this source");
    toad__source s = {
        .kind = kind, .name = at, .domain = domain, .trust = toad__source_trust(0, 0), .reputation = "unknown"
    };
    return add_source(host, &s, true, answer);
}

toad_status toad__sources_show(toad__host *host, toad_str asked, toad__answer *answer) {
    toad__source s;
    toad__origin o, domain;
    toad_status status = toad__origin_of(asked, &host->arena, &o);
    if (!status) status = toad__origin_of_host(asked, &host->arena, &domain);
    if (status) return toad__host_failed(host, status);
    if (!o.host.n && o.domain.n) domain = o; /* an MCP server */
    bool url = o.host.n || (o.domain.n && !is_server(&o));
    status = toad__store_source_get(host->store, TOAD__S("url"), o.url, &host->arena, &s);
    if (status == TOAD_E_NOT_FOUND && !url && domain.domain.n)
        status = toad__store_source_get(host->store, TOAD__S("domain"), domain.domain, &host->arena, &s);
    if (!status) return add_source(host, &s, true, answer);
    if (status != TOAD_E_NOT_FOUND) return toad__host_store_failed(host, status);
    return url ? add_unseen(host, TOAD__S("url"), o.url, o.domain, answer)
               : add_unseen(host, TOAD__S("domain"), domain.domain.n ? domain.domain : asked, domain.domain, answer);
}

/* ---- set ---- */

static bool gives_trust(toad_str setting) {
    return toad__str_eq(setting, TOAD__S("trusted")) || toad__str_eq(setting, TOAD__S("auto_confirm"));
}

/* Bytes of a pattern before the path where its host is written out, else 0. `*` also matches "/" and "?", so a star
 * before the end of the host would trust https://evil.example/?.good.example/. */
static size_t written_out(toad_str pattern) {
    size_t slashes = toad__str_find(pattern, TOAD__S("://"), 0);
    size_t path = toad__str_find(pattern, TOAD__S("/"), slashes + 3);
    return slashes + 3 < path && path < toad__str_find(pattern, TOAD__S("*"), 0) ? path : 0;
}

/* URLs are matched in their one spelling, so the host of a pattern is written in it, too. */
static toad_status read_pattern(toad__host *host, toad__setting *s) {
    toad__origin o;
    toad__buf whole;
    size_t path = written_out(s->pattern);
    if (!path && gives_trust(s->setting))
        return toad__host_fail(host, TOAD_E_ARG,
                               "trust needs the host written out before the first *, as in https://docs.example.com/*");
    if (!path) return TOAD_OK;
    toad_status status = toad__origin_of(toad__str_part(s->pattern, 0, path), &host->arena, &o);
    toad__buf_init(&whole, 1u << 16);
    if (!status && o.host.n) {
        toad__buf_add_str(&whole, o.url);
        toad__buf_add_str(&whole, toad__str_part(s->pattern, path + 1, s->pattern.n));
        s->pattern = toad__arena_dup(&host->arena, toad__buf_str(&whole));
        status = whole.status ? whole.status : s->pattern.p ? TOAD_OK : TOAD_E_NOMEM;
    }
    toad__buf_free(&whole);
    return toad__host_failed(host, status);
}

static toad_status read_domain(toad__host *host, toad__setting *s) {
    toad__origin o;
    toad_status status = toad__origin_of_host(s->pattern, &host->arena, &o);
    if (status) return toad__host_failed(host, status);
    if (!o.host.n) return toad__host_fail(host, TOAD_E_ARG, "a setting is for a URL, a domain, or a pattern with *");
    if (o.suffix && gives_trust(s->setting))
        return toad__host_fail(host, TOAD_E_ARG, "%s is a public suffix: everybody can have a name below it", o.host.p);
    if (!toad__str_eq(o.host, o.domain))
        return toad__host_fail(host, TOAD_E_ARG, "%s belongs to %.*s: set that, or a pattern such as https://%s/*",
                               o.host.p, (int)o.domain.n, o.domain.p, o.host.p);
    s->kind = TOAD__S("domain");
    s->pattern = o.domain;
    return TOAD_OK;
}

static toad_status read_subject(toad__host *host, toad__setting *s) {
    toad__origin o;
    if (toad__str_find(s->pattern, TOAD__S("*"), 0) < s->pattern.n) {
        s->kind = TOAD__S("pattern");
        return read_pattern(host, s);
    }
    toad_status status = toad__origin_of(s->pattern, &host->arena, &o);
    if (status) return toad__host_failed(host, status);
    if (is_server(&o)) {
        s->kind = TOAD__S("domain");
        s->pattern = o.domain;
        return TOAD_OK;
    }
    bool plain_name = toad__str_find(s->pattern, TOAD__S("."), 0) == s->pattern.n;
    if (!o.host.n && !plain_name) return read_domain(host, s);
    s->kind = TOAD__S("url");
    s->pattern = o.url;
    return TOAD_OK;
}

static bool refused_setting(toad__host *host, const toad__setting *s, toad__answer *answer) {
    toad__buf about;
    toad__buf_init(&about, 1u << 20);
    toad__about(&about, "source", s->pattern);
    toad__about(&about, "setting", s->setting);
    bool refused = toad__refused(host, "change a setting", toad__buf_str(&about), answer);
    toad__buf_free(&about);
    return refused;
}

toad_status toad__sources_set(toad__host *host, toad_str pattern, toad_str setting, toad__answer *answer) {
    toad__setting s = { .pattern = pattern, .setting = setting };
    if (toad__refused_to_model(host, "change a setting", answer)) return TOAD_OK;
    toad_status status = read_subject(host, &s);
    if (status || refused_setting(host, &s, answer)) return status;
    status = toad__host_store_failed(host, toad__store_setting_put(host->store, &s));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_str(answer, "kind", s.kind);
    toad__answer_str(answer, "pattern", s.pattern);
    toad__answer_str(answer, "setting", s.setting);
    return TOAD_OK;
}
