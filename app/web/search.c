/* search.c - see search.h. Every hit goes through toad__contents_store, so that what is judged, counted and kept of a
 * page is judged, counted and kept of a hit. Cost: one request, one transaction for each hit. */
#include "app/web/search.h"

#include "app/host/input.h"
#include "app/records/contents.h"
#include "app/records/pieces.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "toadstone/compat.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SECOND      INT64_C(1000000)
#define WAIT        (10 * SECOND) /* microseconds that a search waits for its turn */
#define ANSWER_JSON ((size_t)4 << 20)

enum {
    COUNT = 10,
    TITLE_MOST = 300,
    URL_MOST = 2000,
    SNIPPET_MOST = 2000,
    KEY_MOST = 512,
    HOST_ROOM = 300,
    HOLD_MOST = 3600
};

typedef struct hit {
    toad__search_hit came;
    toad_str title, url, snippet; /* as they are shown */
    toad_str id;                  /* empty where a model may not know it, or it is not kept */
    const char *action;           /* allow, warn, block */
    toad_str reason;              /* of what is left out */
    bool refused;                 /* no fetch would follow its URL */
} hit;

typedef struct search {
    toad__host *host;
    const toad__web_search_options *options;
    const toad__search_provider *provider;
    toad_str asked, query; /* as it is sent, and as it is shown */
    char turn[32];         /* the name that turns are taken under */
    hit hits[TOAD__SEARCH_COUNT_MAX];
    size_t n;
} search;

static const toad_str nothing = { NULL, 0 };

static bool is_kept(const hit *h) { return !h->refused && strcmp(h->action, "block") != 0; }

/* ---- what the user has set ---- */

typedef struct keys {
    const char *provider;
    toad__config_key url, key_file;
    bool has_key;
} keys;

static const keys settings[] = { { "duckduckgo", TOAD__CONFIG_SEARCH_DUCKDUCKGO, 0, false },
                                 { "searxng", TOAD__CONFIG_SEARCH_SEARXNG, 0, false },
                                 { "brave", TOAD__CONFIG_SEARCH_BRAVE, TOAD__CONFIG_SEARCH_BRAVE_KEY, true },
                                 { "tavily", TOAD__CONFIG_SEARCH_TAVILY, TOAD__CONFIG_SEARCH_TAVILY_KEY, true } };

static const keys *settings_of(const toad__search_provider *p) {
    size_t i = 0;
    while (strcmp(settings[i].provider, p->name) != 0) i++; /* each row of the providers has one */
    return &settings[i];
}

static toad_status choose(search *s) {
    const toad__config *config = s->host->config;
    const char *name = s->options->provider;
    if (!name) name = config ? toad__config_text(config, TOAD__CONFIG_SEARCH_PROVIDER) : "duckduckgo";
    s->provider = toad__search_provider_find(toad__str_z(name));
    if (!s->provider) return toad__host_fail(s->host, TOAD_E_ARG, "there is no such search service");
    snprintf(s->turn, sizeof s->turn, "search:%s", s->provider->name);
    return TOAD_OK;
}

static toad_str endpoint_of(const search *s) {
    const toad__config *config = s->host->config;
    return config ? toad__str_z(toad__config_text(config, settings_of(s->provider)->url)) : TOAD__S("");
}

static bool is_key(toad_str key) {
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] <= ' ' || key.p[i] > '~') return false;
    return key.n > 0 && key.n <= KEY_MOST;
}

static toad_status read_key_file(search *s, const char *path, toad_str *ret) {
    toad__buf file;
    toad__buf_init(&file, 4096);
    int err = toad__input_slurp(path, &file);
    if (!err) *ret = toad__arena_dup(&s->host->arena, toad__str_trim(toad__buf_str(&file)));
    if (file.n) memset(file.p, 0, file.n);
    toad__buf_free(&file);
    if (err)
        return toad__host_fail(s->host, TOAD_E_IO, "search.%s_key_file cannot be read: %s", s->provider->name,
                               strerror(err));
    return ret->p ? TOAD_OK : toad__host_fail(s->host, TOAD_E_NOMEM, "out of memory");
}

/* The environment first, then the file that the configuration names. No message quotes any of it. */
static toad_status find_key(search *s, toad_str *ret) {
    const keys *k = settings_of(s->provider);
    toad_status status = TOAD_OK;
    if (!k->has_key) return TOAD_OK;
    const char *value = getenv(s->provider->key);
    const char *path = s->host->config ? toad__config_text(s->host->config, k->key_file) : "";
    if (value && *value)
        *ret = toad__str_trim(toad__str_z(value));
    else if (*path)
        status = read_key_file(s, path, ret);
    if (status || is_key(*ret)) return status;
    return toad__host_fail(s->host, TOAD_E_ARG,
                           ret->n ? "what stands as the key of %s is none: set %s or search.%s_key_file"
                                  : "%s needs a key: set %s or search.%s_key_file",
                           s->provider->title, s->provider->key, s->provider->name);
}

static toad_status check_words(search *s, toad_str query) {
    size_t characters = 0;
    for (size_t at = 0; at < query.n; at++) characters += ((unsigned char)query.p[at] & 0xC0) != 0x80;
    if (!toad__str_trim(query).n) return toad__host_fail(s->host, TOAD_E_ARG, "what is to be looked for?");
    if (characters > TOAD__SEARCH_WORDS_MAX)
        return toad__host_fail(s->host, TOAD_E_ARG, "a query has at most %d characters", TOAD__SEARCH_WORDS_MAX);
    s->asked = toad__str_trim(query);
    return toad__piece_line(s->host, query, TOAD__SEARCH_WORDS_MAX, &s->query);
}

/* What was asked for must be what is done: a service that knows no regions is not asked as if it did. */
static toad_status check_options(search *s) {
    const toad__web_search_options *o = s->options;
    if (o->count > TOAD__SEARCH_COUNT_MAX)
        return toad__host_fail(s->host, TOAD_E_ARG, "at most %d results", TOAD__SEARCH_COUNT_MAX);
    if (o->region.n && !toad__search_is_region(o->region))
        return toad__host_fail(s->host, TOAD_E_ARG, "a region is a country and a language, as us-en");
    if ((o->region.n && !s->provider->region) || (o->safe && !s->provider->safe))
        return toad__host_fail(s->host, TOAD_E_ARG, "%s cannot be asked for a %s", s->provider->title,
                               o->region.n ? "region" : "safe search");
    return TOAD_OK;
}

/* ---- the request ---- */

/* A refusal is an answer and an event. `why` is ours. */
static toad_status refuse(search *s, const char *why, const char *reason, toad__answer *answer) {
    toad__event event = { .type = TOAD__S("search_refused"),
                          .direction = TOAD__S("outbound"),
                          .channel = TOAD__S("web"),
                          .content = toad__str_z(reason),
                          .action = TOAD__S("block"),
                          .url = toad__str_z(s->turn),
                          .session_id = s->host->session };
    toad__answer_bool(answer, "success", false);
    toad__answer_z(answer, "error", why);
    toad__answer_z(answer, "reason", reason);
    toad__answer_z(answer, "provider", s->provider->name);
    toad_status status = TOAD_E_IO; /* host->message says why there is no store */
    if (s->host->store) status = toad__host_store_failed(s->host, toad__store_events_append(s->host->store, &event, 1));
    return toad__host_on_store_error(s->host, status, false, &event);
}

static toad_status refuse_limited(search *s, toad__answer *answer) {
    char why[160];
    snprintf(why, sizeof why, "%s does not answer now: too many questions, or it wants to see a person",
             s->provider->title);
    return refuse(s, why, "rate_limited", answer);
}

/* Wait for the next turn at the service; false: it is too far away. Without a store nobody knows of the others. */
static bool take_turn(const search *s) {
    int64_t at, left = SECOND;
    if (s->host->store) {
        int64_t now = toad__store_now(s->host->store);
        if (toad__store_visit(s->host->store, toad__str_z(s->turn), SECOND, now + WAIT, &at)) at = now + SECOND;
        if (at > now + WAIT) return false;
        left = at - now;
    }
    struct timespec nap = { (time_t)(left / SECOND), (long)(left % SECOND) * 1000 };
    while (left > 0 && nanosleep(&nap, &nap) && errno == EINTR) {}
    return true;
}

/* The service asks to be left alone for so many seconds. */
static void hold(const search *s, int64_t seconds) {
    if (!s->host->store || seconds <= 0) return;
    if (seconds > HOLD_MOST) seconds = HOLD_MOST;
    (void)toad__store_visit_hold(s->host->store, toad__str_z(s->turn),
                                 toad__store_now(s->host->store) + seconds * SECOND);
}

/* The service's URL is the user's own word: it may lead inside. */
static toad_status name_host(search *s, toad_str endpoint, char room[HOST_ROOM], const char **ret) {
    toad__url url;
    toad__refusal why = TOAD__ALLOWED;
    if (!endpoint.n) return TOAD_OK;
    toad_status status = toad__url_parse(endpoint, NULL, &s->host->arena, &url, &why);
    if (status) return toad__host_failed(s->host, status);
    if (why)
        return toad__host_fail(s->host, TOAD_E_ARG, "search.%s_url: %s", s->provider->name, toad__refusal_text(why));
    bool v6 = url.is_address && url.address.v6;
    snprintf(room, HOST_ROOM, v6 ? "[%s]:%u" : "%s:%u", url.host.p, (unsigned)url.port);
    *ret = room;
    return TOAD_OK;
}

static toad_status prepare(search *s, toad__fetch_options *net, char room[HOST_ROOM], const char **named, toad_str *url,
                           toad__http_request *request) {
    toad__search_query q = { .text = s->asked,
                             .count = s->options->count ? s->options->count : COUNT,
                             .region = s->options->region,
                             .safe = s->options->safe,
                             .age = s->options->age,
                             .endpoint = endpoint_of(s) };
    if (!q.endpoint.n && !s->provider->endpoint)
        return toad__host_fail(s->host, TOAD_E_ARG, "where is your %s? set search.%s_url", s->provider->title,
                               s->provider->name);
    toad_status status = find_key(s, &q.key);
    if (!status) status = name_host(s, q.endpoint, room, named);
    if (status) return status;
    status = toad__search_ask(s->provider, &q, &s->host->arena, url, request);
    if (status) return toad__host_failed(s->host, status);
    *net = toad__fetch_defaults();
    net->redirects = 0; /* a key goes where the user said, and nowhere else */
    net->timeout_ms = s->options->timeout_ms;
    net->request = request;
    net->guard = (toad__guard){ .private_hosts = named, .private_n = *named ? 1 : 0 };
    return TOAD_OK;
}

/* What the service answered. `*ret_done`: it was refused, and the answer says so. */
static toad_status ask(search *s, toad__page *page, bool *ret_done, toad__answer *answer) {
    toad__fetch_options net;
    toad__http_request request;
    toad_str url;
    toad__refusal why = TOAD__ALLOWED;
    const char *named = NULL;
    char detail[TOAD__FETCH_DETAIL] = "", error[512], room[HOST_ROOM];
    toad_status status = prepare(s, &net, room, &named, &url, &request);
    if (status) return status;
    *ret_done = !take_turn(s);
    if (*ret_done) return refuse(s, "too many searches are waiting for their turn", "rate_limited", answer);
    status = toad__fetch_isolated(&net, url, &s->host->arena, page, &why, detail);
    if (status) return toad__host_fail(s->host, status, "%s", *detail ? detail : toad_status_message(status));
    *ret_done = why != TOAD__ALLOWED;
    if (!why) return TOAD_OK;
    if (why == TOAD__REFUSED_BUSY) return hold(s, page->retry_after), refuse_limited(s, answer);
    snprintf(error, sizeof error,
             why == TOAD__REFUSED_STATUS ? "%s could not be asked: %s (%s)" : "%s could not be asked: %s",
             s->provider->title, toad__refusal_text(why), detail);
    return refuse(s, error, toad__refusal_code(why), answer);
}

/* ---- the hits ---- */

/* Each hit as it is shown. Its URL in one spelling, if a fetch would follow it. */
static toad_status clean(search *s, hit *h) {
    toad__fetch_options plain = toad__fetch_defaults();
    toad__url url;
    toad__addresses addresses;
    toad__refusal why = TOAD__ALLOWED;
    toad_status status = toad__fetch_judge(&plain, h->came.url, NULL, false, &s->host->arena, &url, &addresses, &why);
    if (status) return toad__host_failed(s->host, status);
    h->action = "allow";
    h->refused = why != TOAD__ALLOWED;
    h->reason = toad__str_z(why ? toad__refusal_code(why) : "");
    if (!why) h->came.url = url.text;
    status = toad__piece_line(s->host, h->came.title, TITLE_MOST, &h->title);
    if (!status) status = toad__piece_line(s->host, h->came.url, URL_MOST, &h->url);
    return status ? status : toad__piece_line(s->host, h->came.snippet, SNIPPET_MOST, &h->snippet);
}

static toad_status joined(toad__host *host, const char *between, const toad_str *parts, size_t n, toad_str *ret) {
    toad__buf b;
    toad__buf_init(&b, TOAD__HOST_ANSWER_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_z(&b, between);
        toad__buf_add_str(&b, parts[i]);
    }
    *ret = b.status ? nothing : toad__arena_dup(&host->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return ret->p ? TOAD_OK : toad__host_fail(host, TOAD_E_NOMEM, "out of memory");
}

/* Judge and keep one. `as_came`: what it is judged by. */
static toad_status keep(search *s, hit *h, toad_str as_came) {
    toad__answer kept;
    toad__content_in in = {
        .source = h->came.url, .kind = TOAD_KIND_SEARCH, .style = TOAD__FETCHED_TOADSTONE, .as_came = as_came
    };
    const toad_str parts[] = { h->came.title, h->came.snippet };
    toad_status status = joined(s->host, "\n", parts, 2, &in.body);
    if (status) return status;
    toad__answer_init(&kept, TOAD__HOST_ANSWER_MAX);
    status = toad__contents_store(s->host, &in, &kept);
    if (!status) status = toad__host_failed(s->host, kept.status);
    if (status) goto out;
    toad_str action = toad__json_get_text(&kept.root, "scan"), id = toad__json_get_text(&kept.root, "id"),
             reason = toad__json_get_text(&kept.root, "pattern_matched");
    h->action = toad__str_eq(action, TOAD__S("allow"))  ? "allow"
                : toad__str_eq(action, TOAD__S("warn")) ? "warn"
                                                        : "block";
    h->id = id.n ? toad__arena_dup(&s->host->arena, id) : nothing;
    h->reason = reason.n ? toad__arena_dup(&s->host->arena, reason) : nothing;
    if ((id.n && !h->id.p) || (reason.n && !h->reason.p)) status = toad__host_failed(s->host, TOAD_E_NOMEM);
out:
    toad__answer_free(&kept);
    return status;
}

/* A marker may be laid over the lines of a hit. */
static toad_status check_markers(search *s, hit *h) {
    toad_str whole;
    size_t at;
    const toad_str parts[] = { h->title, h->url, h->snippet };
    toad_status status = joined(s->host, "\n   ", parts, 3, &whole);
    if (status) return status;
    status = toad_find_marker(whole, &at);
    if (status) return toad__host_failed(s->host, status);
    if (at == whole.n) return TOAD_OK;
    h->action = "block";
    h->reason = TOAD__S("marker");
    return TOAD_OK;
}

/* An attack may be laid over several hits: then all of them are judged by what they say together. What is excepted at
 * one of the sites says nothing about a text that others wrote a part of. */
static toad_status find_runs(search *s) {
    toad_str texts[TOAD__SEARCH_COUNT_MAX];
    bool keeps[TOAD__SEARCH_COUNT_MAX];
    toad__pieces_span run = { .text = { "", 0 } };
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < s->n && !status; i++) {
        const toad_str parts[] = { s->hits[i].title, s->hits[i].snippet };
        status = joined(s->host, "\n", parts, 2, &texts[i]);
    }
    while (!status && run.text.p) {
        for (size_t i = 0; i < s->n; i++) keeps[i] = is_kept(&s->hits[i]);
        status = toad__pieces_run(s->host, texts, keeps, s->n, TOAD_KIND_SEARCH, TOAD__S("search"), NULL, &run);
        for (size_t i = run.first; run.text.p && i <= run.last && !status; i++) {
            if (!keeps[i]) continue;
            status = keep(s, &s->hits[i], run.text);
            s->hits[i].action = "block";
        }
    }
    return status;
}

static toad_status take_hits(search *s, const toad__search_hit *came, size_t n) {
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < n && !status; i++) {
        hit *h = &s->hits[s->n++];
        *h = (hit){ .came = came[i] };
        status = clean(s, h);
        if (!status && !h->refused) status = keep(s, h, h->came.raw);
        if (!status && is_kept(h)) status = check_markers(s, h);
    }
    return status ? status : find_runs(s);
}

/* Who is shown a hit has read it. */
static toad_status mark_read(search *s) {
    toad__content c;
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < s->n && !status && s->host->store; i++)
        if (is_kept(&s->hits[i]) && s->hits[i].id.n)
            status =
                toad__host_store_failed(s->host, toad__store_content_read(s->host->store, s->hits[i].id, s->host->by,
                                                                          s->host->session, &s->host->arena, &c));
    return status;
}

/* ---- the answer ---- */

typedef struct tally {
    size_t given, blocked, refused;
    bool warned;
} tally;

static tally count_up(const search *s) {
    tally t = { 0 };
    for (size_t i = 0; i < s->n; i++) {
        const hit *h = &s->hits[i];
        bool kept = is_kept(h);
        t.given += kept;
        t.refused += h->refused;
        t.blocked += !kept && !h->refused;
        t.warned |= kept && !strcmp(h->action, "warn");
    }
    return t;
}

/* Nothing between the first and the last line of the envelope may read like one of them. */
static toad_status check_body(search *s, toad_str text) {
    toad_str head = TOAD__S("\n---\n"), tail = TOAD__S("\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>");
    size_t from = toad__str_find(text, head, 0) + head.n, at;
    if (from > text.n || text.n < tail.n)
        return toad__host_fail(s->host, TOAD_E_STATE, "the result could not be wrapped");
    toad_str body = toad__str_part(text, from, text.n - tail.n);
    toad_status status = toad_find_marker(body, &at);
    if (status) return toad__host_failed(s->host, status);
    return at == body.n ? TOAD_OK : toad__host_fail(s->host, TOAD_E_STATE, "the result could not be wrapped");
}

static void add_notes(const tally *t, toad__buf *text) {
    size_t out = t->blocked + t->refused;
    if (out) {
        toad__buf_add_c(text, '[');
        toad__buf_add_u64(text, out);
        toad__buf_add_z(text, out == 1 ? " result was left out" : " results were left out");
        toad__buf_add_z(text,
                        ": what tries to steer its reader, or leads where nothing may be fetched, is not shown.]\n\n");
    }
    if (t->warned)
        toad__buf_add_z(text,
                        "[Some of these results were flagged when they were scanned: use them with caution.]\n\n");
}

/* "text", in ddg-search's form. */
static toad_status add_text(search *s, const tally *t, toad__answer *answer) {
    toad_search_result results[TOAD__SEARCH_COUNT_MAX];
    toad__buf text;
    toad_text *wrapped;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (is_kept(&s->hits[i]))
            results[n++] = (toad_search_result){ s->hits[i].title, s->hits[i].url, s->hits[i].snippet };
    toad_status status =
        (s->options->json ? toad_ddg_format_json : toad_ddg_format_text)(s->query, results, n, &wrapped);
    if (status) return toad__host_failed(s->host, status);
    toad__buf_init(&text, ANSWER_JSON);
    status = check_body(s, toad_text_str(wrapped));
    add_notes(t, &text);
    toad__buf_add_str(&text, toad_text_str(wrapped));
    toad_text_free(wrapped);
    if (!status) status = toad__host_failed(s->host, text.status);
    if (!status) toad__answer_str(answer, "text", toad__buf_str(&text));
    toad__buf_free(&text);
    return status;
}

/* Under which ids the results are kept, in their order: what was seen can be read and cited again. */
static void add_ids(const search *s, toad__answer *answer) {
    toad__answer_array(answer, "content_ids");
    for (size_t i = 0; i < s->n; i++)
        if (is_kept(&s->hits[i])) toad__answer_some(answer, NULL, s->hits[i].id);
    toad__answer_end(answer);
}

/* What was left out and why is the user's to know: a URL may be the attack. */
static void add_left_out(const search *s, toad__answer *answer) {
    if (s->host->by == TOAD__READER_MODEL) {
        toad__answer_z(answer, "left_out", NULL);
        return;
    }
    toad__answer_array(answer, "left_out");
    for (size_t i = 0; i < s->n; i++) {
        const hit *h = &s->hits[i];
        if (is_kept(h)) continue;
        toad__answer_object(answer, NULL);
        toad__answer_str(answer, "id", h->id);
        toad__answer_str(answer, "url", h->came.url);
        toad__answer_str(answer, "reason", h->reason);
        toad__answer_end(answer);
    }
    toad__answer_end(answer);
}

static toad_status add_event(search *s, const tally *t) {
    char details[128];
    toad__event event = { .type = TOAD__S("web_search"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("web"),
                          .content = t->blocked || t->refused ? TOAD__S("injection_detected") : TOAD__S("clean"),
                          .action = t->warned ? TOAD__S("warn") : TOAD__S("allow"),
                          .url = toad__str_z(s->turn),
                          .session_id = s->host->session };
    snprintf(details, sizeof details, "{\"count\":%zu,\"blocked\":%zu,\"refused\":%zu}", t->given, t->blocked,
             t->refused);
    event.details = toad__str_z(details);
    toad_status status = TOAD_E_IO;
    if (s->host->store) status = toad__host_store_failed(s->host, toad__store_events_append(s->host->store, &event, 1));
    return toad__host_on_store_error(s->host, status, false, &event);
}

static toad_status answer_hits(search *s, toad__answer *answer) {
    tally t = count_up(s);
    toad_status status = add_event(s, &t);
    if (status) return status;
    toad__answer_str(answer, "query", s->query);
    toad__answer_z(answer, "provider", s->provider->name);
    toad__answer_int(answer, "count", (int64_t)t.given);
    toad__answer_int(answer, "blocked", (int64_t)t.blocked);
    toad__answer_int(answer, "refused", (int64_t)t.refused);
    toad__answer_z(answer, "scan", t.warned ? "warn" : "allow");
    add_ids(s, answer);
    add_left_out(s, answer);
    status = add_text(s, &t, answer);
    return status;
}

/* Read what came, and answer. */
static toad_status take_answer(search *s, toad_str text, toad__answer *answer) {
    toad__search_hit came[TOAD__SEARCH_COUNT_MAX];
    toad__search_answer kind;
    char why[128];
    size_t n, most = s->options->count ? s->options->count : COUNT;
    toad_status status = toad__search_read(s->provider, text, &s->host->arena, came, most, &n, &kind);
    if (status) return toad__host_failed(s->host, status);
    if (kind == TOAD__SEARCH_LIMITED) return refuse_limited(s, answer);
    snprintf(why, sizeof why, "what came is no answer of %s", s->provider->title);
    if (kind == TOAD__SEARCH_STRANGE) return refuse(s, why, "answer", answer);
    status = take_hits(s, came, n);
    if (!status) status = mark_read(s);
    return status ? status : answer_hits(s, answer);
}

toad_status toad__web_search(toad__host *host, const toad__web_search_options *options, toad_str query,
                             toad__answer *answer) {
    search s = { .host = host, .options = options };
    toad__page page = { 0 };
    bool done = false;
    toad_status status = choose(&s);
    if (!status) status = check_words(&s, query);
    if (!status) status = check_options(&s);
    if (!status) status = ask(&s, &page, &done, answer);
    if (status || done) return status;
    status = take_answer(&s, page.text.n ? toad__buf_str(&page.text) : TOAD__S(""), answer);
    toad__page_free(&page);
    return status;
}
