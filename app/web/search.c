/* search.c - see search.h. Every hit goes through bzr__contents_store, so that what is judged, counted and kept of a
 * page is judged, counted and kept of a hit. Cost: one request, one transaction for each hit. */
#include "app/web/search.h"

#include "app/records/contents.h"
#include "app/host/input.h"
#include "app/records/pieces.h"
#include "bezoar/wrap.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

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
    bzr__search_hit came;
    bzr_str title, url, snippet; /* as they are shown */
    bzr_str id;                  /* empty where a model may not know it, or it is not kept */
    const char *action;          /* allow, warn, block */
    bzr_str reason;              /* of what is left out */
    bool refused;                /* no fetch would follow its URL */
} hit;

typedef struct search {
    bzr__host *host;
    const bzr__web_search_options *options;
    const bzr__search_provider *provider;
    bzr_str asked, query; /* as it is sent, and as it is shown */
    char turn[32];        /* the name that turns are taken under */
    hit hits[BZR__SEARCH_COUNT_MAX];
    size_t n;
} search;

static const bzr_str nothing = { NULL, 0 };

static bool is_kept(const hit *h) { return !h->refused && strcmp(h->action, "block") != 0; }

/* ---- what the user has set ---- */

typedef struct keys {
    const char *provider;
    bzr__config_key url, key_file;
    bool has_key;
} keys;

static const keys settings[] = { { "duckduckgo", BZR__CONFIG_SEARCH_DUCKDUCKGO, 0, false },
                                 { "searxng", BZR__CONFIG_SEARCH_SEARXNG, 0, false },
                                 { "brave", BZR__CONFIG_SEARCH_BRAVE, BZR__CONFIG_SEARCH_BRAVE_KEY, true },
                                 { "tavily", BZR__CONFIG_SEARCH_TAVILY, BZR__CONFIG_SEARCH_TAVILY_KEY, true } };

static const keys *settings_of(const bzr__search_provider *p) {
    size_t i = 0;
    while (strcmp(settings[i].provider, p->name) != 0) i++; /* each row of the providers has one */
    return &settings[i];
}

static bzr_status choose(search *s) {
    const bzr__config *config = s->host->config;
    const char *name = s->options->provider;
    if (!name) name = config ? bzr__config_text(config, BZR__CONFIG_SEARCH_PROVIDER) : "duckduckgo";
    s->provider = bzr__search_provider_find(bzr__str_z(name));
    if (!s->provider) return bzr__host_fail(s->host, BZR_E_ARG, "there is no such search service");
    snprintf(s->turn, sizeof s->turn, "search:%s", s->provider->name);
    return BZR_OK;
}

static bzr_str endpoint_of(const search *s) {
    const bzr__config *config = s->host->config;
    return config ? bzr__str_z(bzr__config_text(config, settings_of(s->provider)->url)) : BZR__S("");
}

static bool is_key(bzr_str key) {
    for (size_t i = 0; i < key.n; i++)
        if (key.p[i] <= ' ' || key.p[i] > '~') return false;
    return key.n > 0 && key.n <= KEY_MOST;
}

static bzr_str trimmed(bzr_str s) {
    while (s.n && bzr__is_space((unsigned char)s.p[s.n - 1])) s.n--;
    while (s.n && bzr__is_space((unsigned char)s.p[0])) s = bzr__str_part(s, 1, s.n);
    return s;
}

static bzr_status read_key_file(search *s, const char *path, bzr_str *ret) {
    bzr__buf file;
    bzr__buf_init(&file, 4096);
    int err = bzr__input_slurp(path, &file);
    if (!err) *ret = bzr__arena_dup(&s->host->arena, trimmed(bzr__buf_str(&file)));
    if (file.n) memset(file.p, 0, file.n);
    bzr__buf_free(&file);
    if (err)
        return bzr__host_fail(s->host, BZR_E_IO, "search.%s_key_file cannot be read: %s", s->provider->name,
                              strerror(err));
    return ret->p ? BZR_OK : bzr__host_fail(s->host, BZR_E_NOMEM, "out of memory");
}

/* The environment first, then the file that the configuration names. No message quotes any of it. */
static bzr_status find_key(search *s, bzr_str *ret) {
    const keys *k = settings_of(s->provider);
    bzr_status status = BZR_OK;
    if (!k->has_key) return BZR_OK;
    const char *value = getenv(s->provider->key);
    const char *path = s->host->config ? bzr__config_text(s->host->config, k->key_file) : "";
    if (value && *value)
        *ret = trimmed(bzr__str_z(value));
    else if (*path)
        status = read_key_file(s, path, ret);
    if (status || is_key(*ret)) return status;
    return bzr__host_fail(s->host, BZR_E_ARG,
                          ret->n ? "what stands as the key of %s is none: set %s or search.%s_key_file"
                                 : "%s needs a key: set %s or search.%s_key_file",
                          s->provider->title, s->provider->key, s->provider->name);
}

static bzr_status check_words(search *s, bzr_str query) {
    size_t characters = 0;
    for (size_t at = 0; at < query.n; at++) characters += ((unsigned char)query.p[at] & 0xC0) != 0x80;
    if (!trimmed(query).n) return bzr__host_fail(s->host, BZR_E_ARG, "what is to be looked for?");
    if (characters > BZR__SEARCH_WORDS_MAX)
        return bzr__host_fail(s->host, BZR_E_ARG, "a query has at most %d characters", BZR__SEARCH_WORDS_MAX);
    s->asked = trimmed(query);
    return bzr__piece_line(s->host, query, BZR__SEARCH_WORDS_MAX, &s->query);
}

/* What was asked for must be what is done: a service that knows no regions is not asked as if it did. */
static bzr_status check_options(search *s) {
    const bzr__web_search_options *o = s->options;
    if (o->count > BZR__SEARCH_COUNT_MAX)
        return bzr__host_fail(s->host, BZR_E_ARG, "at most %d results", BZR__SEARCH_COUNT_MAX);
    if (o->region.n && !bzr__search_is_region(o->region))
        return bzr__host_fail(s->host, BZR_E_ARG, "a region is a country and a language, as us-en");
    if ((o->region.n && !s->provider->region) || (o->safe && !s->provider->safe))
        return bzr__host_fail(s->host, BZR_E_ARG, "%s cannot be asked for a %s", s->provider->title,
                              o->region.n ? "region" : "safe search");
    return BZR_OK;
}

/* ---- the request ---- */

/* A refusal is an answer and an event. `why` is ours. */
static bzr_status refuse(search *s, const char *why, const char *reason, bzr__buf *answer) {
    bzr__event event = { .type = BZR__S("search_refused"),
                         .direction = BZR__S("outbound"),
                         .channel = BZR__S("web"),
                         .content = bzr__str_z(reason),
                         .action = BZR__S("block"),
                         .url = bzr__str_z(s->turn),
                         .session_id = s->host->session };
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_z(answer, "error", why);
    bzr__answer_z(answer, "reason", reason);
    bzr__answer_z(answer, "provider", s->provider->name);
    bzr__buf_add_c(answer, '}');
    bzr_status status = BZR_E_IO; /* host->message says why there is no store */
    if (s->host->store) status = bzr__host_store_failed(s->host, bzr__store_events_append(s->host->store, &event, 1));
    return bzr__host_on_store_error(s->host, status, false, &event);
}

static bzr_status refuse_limited(search *s, bzr__buf *answer) {
    char why[160];
    snprintf(why, sizeof why, "%s does not answer now: too many questions, or it wants to see a person",
             s->provider->title);
    return refuse(s, why, "rate_limited", answer);
}

/* Wait for the next turn at the service; false: it is too far away. Without a store nobody knows of the others. */
static bool take_turn(const search *s) {
    int64_t at, left = SECOND;
    if (s->host->store) {
        int64_t now = bzr__store_now(s->host->store);
        if (bzr__store_visit(s->host->store, bzr__str_z(s->turn), SECOND, now + WAIT, &at)) at = now + SECOND;
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
    (void)bzr__store_visit_hold(s->host->store, bzr__str_z(s->turn), bzr__store_now(s->host->store) + seconds * SECOND);
}

/* The service's URL is the user's own word: it may lead inside. */
static bzr_status name_host(search *s, bzr_str endpoint, char room[HOST_ROOM], const char **ret) {
    bzr__url url;
    bzr__refusal why = BZR__ALLOWED;
    if (!endpoint.n) return BZR_OK;
    bzr_status status = bzr__url_parse(endpoint, NULL, &s->host->arena, &url, &why);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    if (why) return bzr__host_fail(s->host, BZR_E_ARG, "search.%s_url: %s", s->provider->name, bzr__refusal_text(why));
    bool v6 = url.is_address && url.address.v6;
    snprintf(room, HOST_ROOM, v6 ? "[%s]:%u" : "%s:%u", url.host.p, (unsigned)url.port);
    *ret = room;
    return BZR_OK;
}

static bzr_status prepare(search *s, bzr__fetch_options *net, char room[HOST_ROOM], const char **named, bzr_str *url,
                          bzr__http_request *request) {
    bzr__search_query q = { .text = s->asked,
                            .count = s->options->count ? s->options->count : COUNT,
                            .region = s->options->region,
                            .safe = s->options->safe,
                            .age = s->options->age,
                            .endpoint = endpoint_of(s) };
    if (!q.endpoint.n && !s->provider->endpoint)
        return bzr__host_fail(s->host, BZR_E_ARG, "where is your %s? set search.%s_url", s->provider->title,
                              s->provider->name);
    bzr_status status = find_key(s, &q.key);
    if (!status) status = name_host(s, q.endpoint, room, named);
    if (status) return status;
    status = bzr__search_ask(s->provider, &q, &s->host->arena, url, request);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    *net = bzr__fetch_defaults();
    net->redirects = 0; /* a key goes where the user said, and nowhere else */
    net->timeout_ms = s->options->timeout_ms;
    net->request = request;
    net->guard = (bzr__guard){ .private_hosts = named, .private_n = *named ? 1 : 0 };
    return BZR_OK;
}

/* What the service answered. `*ret_done`: it was refused, and the answer says so. */
static bzr_status ask(search *s, bzr__page *page, bool *ret_done, bzr__buf *answer) {
    bzr__fetch_options net;
    bzr__http_request request;
    bzr_str url;
    bzr__refusal why = BZR__ALLOWED;
    const char *named = NULL;
    char detail[BZR__FETCH_DETAIL] = "", error[512], room[HOST_ROOM];
    bzr_status status = prepare(s, &net, room, &named, &url, &request);
    if (status) return status;
    *ret_done = !take_turn(s);
    if (*ret_done) return refuse(s, "too many searches are waiting for their turn", "rate_limited", answer);
    status = bzr__fetch_isolated(&net, url, &s->host->arena, page, &why, detail);
    if (status) return bzr__host_fail(s->host, status, "%s", *detail ? detail : bzr_status_message(status));
    *ret_done = why != BZR__ALLOWED;
    if (!why) return BZR_OK;
    if (why == BZR__REFUSED_BUSY) return hold(s, page->retry_after), refuse_limited(s, answer);
    snprintf(error, sizeof error,
             why == BZR__REFUSED_STATUS ? "%s could not be asked: %s (%s)" : "%s could not be asked: %s",
             s->provider->title, bzr__refusal_text(why), detail);
    return refuse(s, error, bzr__refusal_code(why), answer);
}

/* ---- the hits ---- */

/* Each hit as it is shown. Its URL in one spelling, if a fetch would follow it. */
static bzr_status clean(search *s, hit *h) {
    bzr__fetch_options plain = bzr__fetch_defaults();
    bzr__url url;
    bzr__addresses addresses;
    bzr__refusal why = BZR__ALLOWED;
    bzr_status status = bzr__fetch_judge(&plain, h->came.url, NULL, false, &s->host->arena, &url, &addresses, &why);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    h->action = "allow";
    h->refused = why != BZR__ALLOWED;
    h->reason = bzr__str_z(why ? bzr__refusal_code(why) : "");
    if (!why) h->came.url = url.text;
    status = bzr__piece_line(s->host, h->came.title, TITLE_MOST, &h->title);
    if (!status) status = bzr__piece_line(s->host, h->came.url, URL_MOST, &h->url);
    return status ? status : bzr__piece_line(s->host, h->came.snippet, SNIPPET_MOST, &h->snippet);
}

static bzr_status joined(bzr__host *host, const char *between, const bzr_str *parts, size_t n, bzr_str *ret) {
    bzr__buf b;
    bzr__buf_init(&b, BZR__HOST_ANSWER_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        if (i) bzr__buf_add_z(&b, between);
        bzr__buf_add_str(&b, parts[i]);
    }
    *ret = b.status ? nothing : bzr__arena_dup(&host->arena, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return ret->p ? BZR_OK : bzr__host_fail(host, BZR_E_NOMEM, "out of memory");
}

static bzr_status take_judgement(search *s, bzr_str json, hit *h) {
    const bzr__json *root;
    const char *expected;
    size_t at;
    bzr_str copy = bzr__arena_dup(&s->host->arena, json);
    bzr_status status = copy.p ? bzr__json_parse(copy, &s->host->arena, &root, &at, &expected) : BZR_E_NOMEM;
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    bzr_str action = bzr__json_get_text(root, "scan");
    h->id = bzr__json_get_text(root, "id");
    h->reason = bzr__json_get_text(root, "pattern_matched");
    h->action = bzr__str_eq(action, BZR__S("allow")) ? "allow" : bzr__str_eq(action, BZR__S("warn")) ? "warn" : "block";
    return BZR_OK;
}

/* Judge and keep one. `as_came`: what it is judged by. */
static bzr_status keep(search *s, hit *h, bzr_str as_came) {
    bzr__buf json;
    bzr__content_in in = {
        .source = h->came.url, .kind = BZR_KIND_SEARCH, .style = BZR__FETCHED_BEZOAR, .as_came = as_came
    };
    const bzr_str parts[] = { h->came.title, h->came.snippet };
    bzr_status status = joined(s->host, "\n", parts, 2, &in.body);
    if (status) return status;
    bzr__buf_init(&json, BZR__HOST_ANSWER_MAX);
    status = bzr__contents_store(s->host, &in, &json);
    if (!status && json.status) status = bzr__host_fail(s->host, json.status, "%s", bzr_status_message(json.status));
    if (!status) status = take_judgement(s, bzr__buf_str(&json), h);
    bzr__buf_free(&json);
    return status;
}

/* A marker may be laid over the lines of a hit. */
static bzr_status check_markers(search *s, hit *h) {
    bzr_str whole;
    size_t at;
    const bzr_str parts[] = { h->title, h->url, h->snippet };
    bzr_status status = joined(s->host, "\n   ", parts, 3, &whole);
    if (status) return status;
    status = bzr_find_marker(whole, &at);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    if (at == whole.n) return BZR_OK;
    h->action = "block";
    h->reason = BZR__S("marker");
    return BZR_OK;
}

/* An attack may be laid over several hits: then all of them are judged by what they say together. */
static bzr_status find_runs(search *s) {
    bzr_str texts[BZR__SEARCH_COUNT_MAX];
    bool keeps[BZR__SEARCH_COUNT_MAX];
    bzr__pieces_span run = { .text = { "", 0 } };
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < s->n && !status; i++) {
        const bzr_str parts[] = { s->hits[i].title, s->hits[i].snippet };
        status = joined(s->host, "\n", parts, 2, &texts[i]);
    }
    while (!status && run.text.p) {
        for (size_t i = 0; i < s->n; i++) keeps[i] = is_kept(&s->hits[i]);
        status = bzr__pieces_run(s->host, texts, keeps, s->n, BZR_KIND_SEARCH, BZR__S("search"), &run);
        for (size_t i = run.first; run.text.p && i <= run.last && !status; i++) {
            if (!keeps[i]) continue;
            status = keep(s, &s->hits[i], run.text);
            s->hits[i].action = "block";
        }
    }
    return status;
}

static bzr_status take_hits(search *s, const bzr__search_hit *came, size_t n) {
    bzr_status status = BZR_OK;
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
static bzr_status mark_read(search *s) {
    bzr__content c;
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < s->n && !status && s->host->store; i++)
        if (is_kept(&s->hits[i]) && s->hits[i].id.n)
            status = bzr__host_store_failed(s->host, bzr__store_content_read(s->host->store, s->hits[i].id, s->host->by,
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
static bzr_status check_body(search *s, bzr_str text) {
    bzr_str head = BZR__S("\n---\n"), tail = BZR__S("\n<<<END_EXTERNAL_UNTRUSTED_CONTENT>>>");
    size_t from = bzr__str_find(text, head, 0) + head.n, at;
    if (from > text.n || text.n < tail.n)
        return bzr__host_fail(s->host, BZR_E_STATE, "the result could not be wrapped");
    bzr_str body = bzr__str_part(text, from, text.n - tail.n);
    bzr_status status = bzr_find_marker(body, &at);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    return at == body.n ? BZR_OK : bzr__host_fail(s->host, BZR_E_STATE, "the result could not be wrapped");
}

static void add_notes(const tally *t, bzr__buf *text) {
    size_t out = t->blocked + t->refused;
    if (out) {
        bzr__buf_add_c(text, '[');
        bzr__buf_add_u64(text, out);
        bzr__buf_add_z(text, out == 1 ? " result was left out" : " results were left out");
        bzr__buf_add_z(text,
                       ": what tries to steer its reader, or leads where nothing may be fetched, is not shown.]\n\n");
    }
    if (t->warned)
        bzr__buf_add_z(text, "[Some of these results were flagged when they were scanned: use them with caution.]\n\n");
}

/* ,"text":... in seed 001's form. */
static bzr_status add_text(search *s, const tally *t, bzr__buf *answer) {
    bzr_search_result results[BZR__SEARCH_COUNT_MAX];
    bzr__buf text;
    bzr_text *wrapped;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        if (is_kept(&s->hits[i]))
            results[n++] = (bzr_search_result){ s->hits[i].title, s->hits[i].url, s->hits[i].snippet };
    bzr_status status = (s->options->json ? bzr_ddg_format_json : bzr_ddg_format_text)(s->query, results, n, &wrapped);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    bzr__buf_init(&text, ANSWER_JSON);
    status = check_body(s, bzr_text_str(wrapped));
    add_notes(t, &text);
    bzr__buf_add_str(&text, bzr_text_str(wrapped));
    bzr_text_free(wrapped);
    if (!status && text.status) status = bzr__host_fail(s->host, text.status, "%s", bzr_status_message(text.status));
    if (!status) bzr__answer_str(answer, "text", bzr__buf_str(&text));
    bzr__buf_free(&text);
    return status;
}

/* What was left out and why is the user's to know: a URL may be the attack. */
static void add_left_out(const search *s, bzr__buf *answer) {
    if (s->host->by == BZR__READER_MODEL) {
        bzr__answer_z(answer, "left_out", NULL);
        return;
    }
    bzr__json_add_key(answer, "left_out");
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < s->n; i++) {
        const hit *h = &s->hits[i];
        if (is_kept(h)) continue;
        bzr__json_add_key(answer, NULL);
        bzr__buf_add_c(answer, '{');
        bzr__answer_str(answer, "id", h->id.n ? h->id : nothing);
        bzr__answer_str(answer, "url", h->came.url);
        bzr__answer_str(answer, "reason", h->reason);
        bzr__buf_add_c(answer, '}');
    }
    bzr__buf_add_c(answer, ']');
}

static bzr_status add_event(search *s, const tally *t) {
    char details[128];
    bzr__event event = { .type = BZR__S("web_search"),
                         .direction = BZR__S("inbound"),
                         .channel = BZR__S("web"),
                         .content = t->blocked || t->refused ? BZR__S("injection_detected") : BZR__S("clean"),
                         .action = t->warned ? BZR__S("warn") : BZR__S("allow"),
                         .url = bzr__str_z(s->turn),
                         .session_id = s->host->session };
    snprintf(details, sizeof details, "{\"count\":%zu,\"blocked\":%zu,\"refused\":%zu}", t->given, t->blocked,
             t->refused);
    event.details = bzr__str_z(details);
    bzr_status status = BZR_E_IO;
    if (s->host->store) status = bzr__host_store_failed(s->host, bzr__store_events_append(s->host->store, &event, 1));
    return bzr__host_on_store_error(s->host, status, false, &event);
}

static bzr_status answer_hits(search *s, bzr__buf *answer) {
    tally t = count_up(s);
    bzr_status status = add_event(s, &t);
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "query", s->query);
    bzr__answer_z(answer, "provider", s->provider->name);
    bzr__answer_int(answer, "count", (int64_t)t.given);
    bzr__answer_int(answer, "blocked", (int64_t)t.blocked);
    bzr__answer_int(answer, "refused", (int64_t)t.refused);
    bzr__answer_z(answer, "scan", t.warned ? "warn" : "allow");
    add_left_out(s, answer);
    status = add_text(s, &t, answer);
    bzr__buf_add_c(answer, '}');
    return status;
}

/* Read what came, and answer. */
static bzr_status take_answer(search *s, bzr_str text, bzr__buf *answer) {
    bzr__search_hit came[BZR__SEARCH_COUNT_MAX];
    bzr__search_answer kind;
    char why[128];
    size_t n, most = s->options->count ? s->options->count : COUNT;
    bzr_status status = bzr__search_read(s->provider, text, &s->host->arena, came, most, &n, &kind);
    if (status) return bzr__host_fail(s->host, status, "%s", bzr_status_message(status));
    if (kind == BZR__SEARCH_LIMITED) return refuse_limited(s, answer);
    snprintf(why, sizeof why, "what came is no answer of %s", s->provider->title);
    if (kind == BZR__SEARCH_STRANGE) return refuse(s, why, "answer", answer);
    status = take_hits(s, came, n);
    if (!status) status = mark_read(s);
    return status ? status : answer_hits(s, answer);
}

bzr_status bzr__web_search(bzr__host *host, const bzr__web_search_options *options, bzr_str query, bzr__buf *answer) {
    search s = { .host = host, .options = options };
    bzr__page page = { 0 };
    bool done = false;
    bzr_status status = choose(&s);
    if (!status) status = check_words(&s, query);
    if (!status) status = check_options(&s);
    if (!status) status = ask(&s, &page, &done, answer);
    if (status || done) return status;
    status = take_answer(&s, page.text.n ? bzr__buf_str(&page.text) : BZR__S(""), answer);
    bzr__page_free(&page);
    return status;
}
