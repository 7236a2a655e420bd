/* search.c - see search.h. The rows of the table, and what they share. Cost: linear in the answer. */
#include "net/search.h"

#include "lib/base/json.h"
#include "lib/html/markup.h"
#include "net/visible.h"

#include <stdio.h>

/* ---- what is asked ---- */

static void add_escaped(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (bzr__is_alnum(c) || (c && strchr("-._~", c))) {
            bzr__buf_add_c(out, (char)c);
            continue;
        }
        bzr__buf_add_c(out, '%');
        bzr__buf_add_c(out, "0123456789ABCDEF"[c >> 4]);
        bzr__buf_add_c(out, "0123456789ABCDEF"[c & 15]);
    }
}

/* `&name=value`, or `?name=value` where the URL has no query yet. */
static void add_parameter(bzr__buf *url, const char *name, bzr_str value) {
    bool first = url->n && !memchr(url->p, '?', url->n);
    if (!value.n) return;
    bzr__buf_add_c(url, first ? '?' : '&');
    bzr__buf_add_z(url, name);
    bzr__buf_add_c(url, '=');
    add_escaped(url, value);
}

static void add_word(bzr__buf *url, const char *name, const char *const *words, size_t i) {
    add_parameter(url, name, bzr__str_z(words[i]));
}

static void ask_duckduckgo(const bzr__search_query *q, bzr__buf *url, bzr__buf *body) {
    static const char *const safe[] = { "", "-2", "-1", "1" }, *const age[] = { "", "d", "w", "m", "y" };
    (void)body;
    add_parameter(url, "q", q->text);
    add_parameter(url, "kl", q->region);
    add_word(url, "kp", safe, q->safe);
    add_word(url, "df", age, q->age);
}

static void ask_searxng(const bzr__search_query *q, bzr__buf *url, bzr__buf *body) {
    static const char *const safe[] = { "", "0", "1", "2" }, *const age[] = { "", "day", "week", "month", "year" };
    (void)body;
    add_parameter(url, "q", q->text);
    add_parameter(url, "format", BZR__S("json"));
    add_word(url, "safesearch", safe, q->safe);
    add_word(url, "time_range", age, q->age);
    if (!q->region.n) return;
    char language[] = "en-US";
    memcpy(language, q->region.p + 3, 2);
    for (int i = 0; i < 2; i++) language[3 + i] = (char)(q->region.p[i] - 'a' + 'A');
    add_parameter(url, "language", bzr__str_z(language));
}

static void ask_brave(const bzr__search_query *q, bzr__buf *url, bzr__buf *body) {
    static const char *const safe[] = { "", "off", "moderate", "strict" }, *const age[] = { "", "pd", "pw", "pm",
                                                                                            "py" };
    char count[12], country[3] = "";
    (void)body;
    snprintf(count, sizeof count, "%u", q->count);
    for (int i = 0; q->region.n && i < 2; i++) country[i] = (char)(q->region.p[i] - 'a' + 'A');
    add_parameter(url, "q", q->text);
    add_parameter(url, "count", bzr__str_z(count));
    add_parameter(url, "result_filter", BZR__S("web"));
    add_parameter(url, "text_decorations", BZR__S("false"));
    add_parameter(url, "country", bzr__str_z(country));
    add_parameter(url, "search_lang", bzr__str_part(q->region, 3, 5));
    add_word(url, "safesearch", safe, q->safe);
    add_word(url, "freshness", age, q->age);
}

static void ask_tavily(const bzr__search_query *q, bzr__buf *url, bzr__buf *body) {
    static const char *const age[] = { "", "day", "week", "month", "year" };
    (void)url;
    bzr__buf_add_c(body, '{');
    bzr__json_add_key(body, "query");
    bzr__json_add_utf8(body, q->text);
    bzr__json_add_key(body, "max_results");
    bzr__buf_add_u64(body, q->count);
    if (q->age) {
        bzr__json_add_key(body, "time_range");
        bzr__json_add_str(body, bzr__str_z(age[q->age]));
    }
    bzr__buf_add_c(body, '}');
}

bool bzr__search_is_region(bzr_str r) {
    for (size_t i = 0; i < r.n; i++)
        if (i == 2 ? r.p[i] != '-' : !bzr__is_lower((unsigned char)r.p[i])) return false;
    return r.n == 5;
}

/* "Name: key" in the arena. */
static bzr_status add_key(const bzr__search_provider *p, bzr_str key, bzr__arena *arena, bzr__http_request *r) {
    bzr__buf line;
    if (!key.n || !p->key_header) return BZR_OK;
    bzr__buf_init(&line, 4096);
    bzr__buf_add_z(&line, p->key_header);
    bzr__buf_add_str(&line, key);
    bzr_str kept = line.status ? bzr__str(NULL, 0) : bzr__arena_dup(arena, bzr__buf_str(&line));
    if (line.n) memset(line.p, 0, line.n);
    bzr__buf_free(&line);
    r->headers[0] = kept.p;
    return kept.p ? BZR_OK : BZR_E_NOMEM;
}

bzr_status bzr__search_ask(const bzr__search_provider *p, const bzr__search_query *q, bzr__arena *arena,
                           bzr_str *ret_url, bzr__http_request *ret) {
    bzr__buf url, body;
    bzr_str to = { NULL, 0 };
    bzr__http_request r = { .accept = p->accept };
    if (!q->endpoint.n && !p->endpoint) return BZR_E_ARG;
    bzr__buf_init(&url, BZR__URL_MAX);
    bzr__buf_init(&body, BZR__URL_MAX);
    bzr__buf_add_str(&url, q->endpoint.n ? q->endpoint : bzr__str_z(p->endpoint));
    p->ask(q, &url, &body);
    bzr_status status = bzr__arena_keep(arena, &url, &to);
    if (!status) status = add_key(p, q->key, arena, &r);
    if (!status) status = body.status;
    if (!status && body.n) {
        status = bzr__arena_keep(arena, &body, &r.body);
        r.headers[1] = "Content-Type: application/json";
    }
    bzr__buf_free(&url);
    bzr__buf_free(&body);
    if (status) return status;
    *ret_url = to;
    *ret = r;
    return BZR_OK;
}

/* ---- what is answered ---- */

/* Title, line break, snippet, in the arena. */
static bzr_status join(bzr_str title, bzr_str snippet, bzr__arena *arena, bzr_str *ret) {
    char *p = bzr__arena_alloc(arena, title.n + snippet.n + 2);
    if (!p) return BZR_E_NOMEM;
    if (title.n) memcpy(p, title.p, title.n);
    p[title.n] = '\n';
    if (snippet.n) memcpy(p + title.n + 1, snippet.p, snippet.n);
    *ret = bzr__str(p, title.n + 1 + snippet.n);
    return BZR_OK;
}

static bzr_status finish_hit(bzr__arena *arena, bzr_str title, bzr_str snippet, bool html, bzr__search_hit *hit) {
    bzr_status status = join(title, snippet, arena, &hit->raw);
    hit->title = title;
    hit->snippet = snippet;
    if (!status && html) status = bzr__visible(title, arena, &hit->title);
    if (!status && html) status = bzr__visible(snippet, arena, &hit->snippet);
    return status;
}

/* ---- DuckDuckGo ---- */

static void add_unescaped(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        int high = s.p[i] == '%' && i + 2 < s.n ? bzr__hex_value((unsigned char)s.p[i + 1]) : -1;
        int low = high >= 0 ? bzr__hex_value((unsigned char)s.p[i + 2]) : -1;
        bzr__buf_add_c(out, low >= 0 ? (char)(high * 16 + low) : s.p[i]);
        if (low >= 0) i += 2;
    }
}

/* The value of a parameter in the query of a URL, escaped; p NULL: there is none. */
static bzr_str parameter(bzr_str target, bzr_str name) {
    size_t at = bzr__str_find(target, BZR__S("?"), 0);
    while (at < target.n) {
        size_t end = bzr__str_find(target, BZR__S("&"), at + 1);
        bzr_str pair = bzr__str_part(target, at + 1, end);
        if (bzr__str_starts(pair, name) && pair.n > name.n && pair.p[name.n] == '=')
            return bzr__str_part(pair, name.n + 1, pair.n);
        at = end;
    }
    return bzr__str(NULL, 0);
}

static bool is_duckduckgo(bzr_str host) {
    bzr_str own = BZR__S("duckduckgo.com");
    size_t rest = host.n >= own.n ? host.n - own.n : 0;
    return bzr__str_eq(bzr__str_part(host, rest, host.n), own) && (!rest || host.p[rest - 1] == '.');
}

/* Where a link of the page leads: its redirects carry the target in a parameter. What is no URL stays as it is. */
static bzr_status unwrap(bzr_str href, bzr__arena *arena, bzr_str *ret) {
    bzr__url base, url;
    bzr__refusal why = BZR__ALLOWED;
    bzr__buf out;
    bzr_status status = bzr__url_parse(BZR__S("https://duckduckgo.com/"), NULL, arena, &base, &why);
    if (!status) status = bzr__url_parse(href, &base, arena, &url, &why);
    *ret = href;
    if (status || why) return status;
    *ret = url.text;
    if (!is_duckduckgo(url.host) || !bzr__str_starts(url.target, BZR__S("/l/?"))) return BZR_OK;
    bzr_str to = parameter(url.target, BZR__S("uddg"));
    if (!to.p) return BZR_OK;
    bzr__buf_init(&out, BZR__URL_MAX);
    add_unescaped(&out, to);
    status = bzr__arena_keep(arena, &out, ret);
    bzr__buf_free(&out);
    return status;
}

typedef struct page_reader {
    bzr__markup m;
    bzr__arena *arena;
    bzr__search_hit *hits;
    size_t max, n;
    bool skip;    /* the result at hand is an advertisement */
    bool nothing; /* the page says that there is none */
    bool open;    /* a hit has its title and waits for its snippet */
    bzr_str title, href;
    bzr_status status;
} page_reader;

/* The hit at hand is whole. */
static void end_hit(page_reader *r, bzr_str snippet) {
    bzr__search_hit hit = { 0 };
    bzr__buf href;
    if (!r->open || r->status || r->n == r->max) return;
    r->open = false;
    bzr_str target = { NULL, 0 };
    bzr__buf_init(&href, BZR__VISIBLE_MAX);
    bzr__markup_decode(&r->m, r->href, true, &href);
    r->status = bzr__arena_keep(r->arena, &href, &target);
    bzr__buf_free(&href);
    if (!r->status) r->status = unwrap(target, r->arena, &hit.url);
    if (!r->status) r->status = finish_hit(r->arena, r->title, snippet, true, &hit);
    if (!r->status) r->hits[r->n++] = hit;
}

static void read_mark(page_reader *r, const bzr__mark *mark) {
    bzr_str none = { NULL, 0 };
    if (bzr__mark_has_class(&r->m, mark, "result")) {
        end_hit(r, none);
        r->skip = bzr__mark_has_class(&r->m, mark, "result--ad");
    }
    if (bzr__mark_has_class(&r->m, mark, "no-results")) r->nothing = true;
    if (r->skip) return;
    if (bzr__mark_has_class(&r->m, mark, "result__a") && bzr__mark_attribute(&r->m, mark, "href", &r->href)) {
        end_hit(r, none);
        r->title = bzr__markup_inner(&r->m, mark);
        r->open = true;
    } else if (r->open && bzr__mark_has_class(&r->m, mark, "result__snippet")) {
        end_hit(r, bzr__markup_inner(&r->m, mark));
    }
}

static bzr_status read_duckduckgo(bzr_str text, bzr__arena *arena, bzr__search_hit *hits, size_t max, size_t *ret_n,
                                  bzr__search_answer *ret_answer) {
    page_reader r = { .arena = arena, .hits = hits, .max = max };
    bzr__mark mark;
    bzr__markup_init(&r.m, text, false);
    while (!r.status && r.n < r.max && bzr__markup_next(&r.m, &mark))
        if (mark.type == BZR__MARK_OPEN) read_mark(&r, &mark);
    end_hit(&r, bzr__str(NULL, 0));
    if (r.status) return r.status;
    *ret_n = r.n;
    *ret_answer = r.n || r.nothing ? BZR__SEARCH_HITS : BZR__SEARCH_LIMITED;
    return BZR_OK;
}

/* ---- JSON ---- */

static bzr_status take_hits(const bzr__json *list, const char *snippet, bool html, bzr__arena *arena,
                            bzr__search_hit *hits, size_t max, size_t *ret_n) {
    bzr_status status = BZR_OK;
    size_t n = 0;
    for (const bzr__json *j = list->child; j && n < max && !status; j = j->next) {
        bzr__search_hit hit = { .url = bzr__json_get_text(j, "url") };
        if (!hit.url.n) continue;
        status = finish_hit(arena, bzr__json_get_text(j, "title"), bzr__json_get_text(j, snippet), html, &hit);
        if (!status) hits[n++] = hit;
    }
    if (!status) *ret_n = n;
    return status;
}

static bool is_type(const bzr__json *j, bzr__json_type type) { return j && j->type == type; }

/* The object that fills the text, or NULL. */
static bzr_status parse(bzr_str text, bzr__arena *arena, const bzr__json **ret) {
    const char *expected;
    size_t at;
    bzr_status status = bzr__json_parse(text, arena, ret, &at, &expected);
    if (status == BZR_E_NOMEM) return status;
    if (status || (*ret)->type != BZR__JSON_OBJECT) *ret = NULL;
    return BZR_OK;
}

static bzr_status read_searxng(bzr_str text, bzr__arena *arena, bzr__search_hit *hits, size_t max, size_t *ret_n,
                               bzr__search_answer *ret_answer) {
    const bzr__json *root;
    bzr_status status = parse(text, arena, &root);
    const bzr__json *list = status ? NULL : bzr__json_get(root, "results");
    const bzr__json *silent = status ? NULL : bzr__json_get(root, "unresponsive_engines");
    if (status || !is_type(list, BZR__JSON_ARRAY)) return status;
    status = take_hits(list, "content", false, arena, hits, max, ret_n);
    if (!status) *ret_answer = *ret_n || !silent || !silent->child ? BZR__SEARCH_HITS : BZR__SEARCH_LIMITED;
    return status;
}

static bzr_status read_brave(bzr_str text, bzr__arena *arena, bzr__search_hit *hits, size_t max, size_t *ret_n,
                             bzr__search_answer *ret_answer) {
    const bzr__json *root;
    bzr_status status = parse(text, arena, &root);
    if (status || !bzr__str_eq(bzr__json_get_text(root, "type"), BZR__S("search"))) return status;
    const bzr__json *list = bzr__json_get(bzr__json_get(root, "web"), "results");
    *ret_answer = BZR__SEARCH_HITS;
    return is_type(list, BZR__JSON_ARRAY) ? take_hits(list, "description", true, arena, hits, max, ret_n) : BZR_OK;
}

static bzr_status read_tavily(bzr_str text, bzr__arena *arena, bzr__search_hit *hits, size_t max, size_t *ret_n,
                              bzr__search_answer *ret_answer) {
    const bzr__json *root;
    bzr_status status = parse(text, arena, &root);
    const bzr__json *list = status ? NULL : bzr__json_get(root, "results");
    if (status || !is_type(list, BZR__JSON_ARRAY)) return status;
    *ret_answer = BZR__SEARCH_HITS;
    return take_hits(list, "content", false, arena, hits, max, ret_n);
}

/* ---- the table ---- */

#define HTML "Accept: text/html"
#define JSON "Accept: application/json"

static const bzr__search_provider providers[] = {
    { .name = "duckduckgo",
      .title = "DuckDuckGo",
      .endpoint = "https://html.duckduckgo.com/html/",
      .accept = HTML,
      .region = true,
      .safe = true,
      .ask = ask_duckduckgo,
      .read = read_duckduckgo },
    { .name = "searxng",
      .title = "SearXNG",
      .accept = JSON,
      .region = true,
      .safe = true,
      .ask = ask_searxng,
      .read = read_searxng },
    { .name = "brave",
      .title = "Brave",
      .endpoint = "https://api.search.brave.com/res/v1/web/search",
      .key = "BRAVE_API_KEY",
      .key_header = "X-Subscription-Token: ",
      .accept = JSON,
      .region = true,
      .safe = true,
      .ask = ask_brave,
      .read = read_brave },
    { .name = "tavily",
      .title = "Tavily",
      .endpoint = "https://api.tavily.com/search",
      .key = "TAVILY_API_KEY",
      .key_header = "Authorization: Bearer ",
      .accept = JSON,
      .ask = ask_tavily,
      .read = read_tavily },
};
enum { PROVIDERS = sizeof providers / sizeof *providers };

const bzr__search_provider *bzr__search_provider_at(size_t i) { return i < PROVIDERS ? &providers[i] : NULL; }

const bzr__search_provider *bzr__search_provider_find(bzr_str name) {
    for (size_t i = 0; i < PROVIDERS; i++)
        if (bzr__str_eq(bzr__str_z(providers[i].name), name)) return &providers[i];
    return NULL;
}

bzr_status bzr__search_read(const bzr__search_provider *p, bzr_str text, bzr__arena *arena, bzr__search_hit *hits,
                            size_t max, size_t *ret_n, bzr__search_answer *ret_answer) {
    bzr__search_answer answer = BZR__SEARCH_STRANGE;
    size_t n = 0;
    bzr_status status = p->read(text, arena, hits, max, &n, &answer);
    if (status) return status;
    *ret_n = n;
    *ret_answer = answer;
    return BZR_OK;
}
