/* search.c - see search.h. The rows of the table, and what they share. Cost: linear in the answer. */
#include "net/search.h"

#include "lib/base/hex.h"
#include "lib/base/json.h"
#include "lib/html/markup.h"
#include "net/visible.h"

#include <stdio.h>

/* ---- what is asked ---- */

static void add_escaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (toad__is_alnum(c) || (c && strchr("-._~", c)))
            toad__buf_add_c(out, (char)c);
        else
            toad__buf_add_percent(out, c);
    }
}

/* `&name=value`, or `?name=value` where the URL has no query yet. */
static void add_parameter(toad__buf *url, const char *name, toad_str value) {
    bool first = url->n && !memchr(url->p, '?', url->n);
    if (!value.n) return;
    toad__buf_add_c(url, first ? '?' : '&');
    toad__buf_add_z(url, name);
    toad__buf_add_c(url, '=');
    add_escaped(url, value);
}

static void add_word(toad__buf *url, const char *name, const char *const *words, size_t i) {
    add_parameter(url, name, toad__str_z(words[i]));
}

static void ask_duckduckgo(const toad__search_query *q, toad__buf *url, toad__buf *body) {
    static const char *const safe[] = { "", "-2", "-1", "1" }, *const age[] = { "", "d", "w", "m", "y" };
    (void)body;
    add_parameter(url, "q", q->text);
    add_parameter(url, "kl", q->region);
    add_word(url, "kp", safe, q->safe);
    add_word(url, "df", age, q->age);
}

static void ask_searxng(const toad__search_query *q, toad__buf *url, toad__buf *body) {
    static const char *const safe[] = { "", "0", "1", "2" }, *const age[] = { "", "day", "week", "month", "year" };
    (void)body;
    add_parameter(url, "q", q->text);
    add_parameter(url, "format", TOAD__S("json"));
    add_word(url, "safesearch", safe, q->safe);
    add_word(url, "time_range", age, q->age);
    if (!q->region.n) return;
    char language[] = "en-US";
    memcpy(language, q->region.p + 3, 2);
    for (int i = 0; i < 2; i++) language[3 + i] = (char)(q->region.p[i] - 'a' + 'A');
    add_parameter(url, "language", toad__str_z(language));
}

static void ask_brave(const toad__search_query *q, toad__buf *url, toad__buf *body) {
    static const char *const safe[] = { "", "off", "moderate", "strict" }, *const age[] = { "", "pd", "pw", "pm",
                                                                                            "py" };
    char count[12], country[3] = "";
    (void)body;
    snprintf(count, sizeof count, "%u", q->count);
    for (int i = 0; q->region.n && i < 2; i++) country[i] = (char)(q->region.p[i] - 'a' + 'A');
    add_parameter(url, "q", q->text);
    add_parameter(url, "count", toad__str_z(count));
    add_parameter(url, "result_filter", TOAD__S("web"));
    add_parameter(url, "text_decorations", TOAD__S("false"));
    add_parameter(url, "country", toad__str_z(country));
    add_parameter(url, "search_lang", toad__str_part(q->region, 3, 5));
    add_word(url, "safesearch", safe, q->safe);
    add_word(url, "freshness", age, q->age);
}

static void ask_tavily(const toad__search_query *q, toad__buf *url, toad__buf *body) {
    static const char *const age[] = { "", "day", "week", "month", "year" };
    (void)url;
    toad__buf_add_c(body, '{');
    toad__json_add_key(body, "query");
    toad__json_add_utf8(body, q->text);
    toad__json_add_key(body, "max_results");
    toad__buf_add_u64(body, q->count);
    if (q->age) {
        toad__json_add_key(body, "time_range");
        toad__json_add_str(body, toad__str_z(age[q->age]));
    }
    toad__buf_add_c(body, '}');
}

bool toad__search_is_region(toad_str r) {
    for (size_t i = 0; i < r.n; i++)
        if (i == 2 ? r.p[i] != '-' : !toad__is_lower((unsigned char)r.p[i])) return false;
    return r.n == 5;
}

/* "Name: key" in the arena. */
static toad_status add_key(const toad__search_provider *p, toad_str key, toad__arena *arena, toad__http_request *r) {
    toad__buf line;
    if (!key.n || !p->key_header) return TOAD_OK;
    toad__buf_init(&line, 4096);
    toad__buf_add_z(&line, p->key_header);
    toad__buf_add_str(&line, key);
    toad_str kept = line.status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&line));
    if (line.n) memset(line.p, 0, line.n);
    toad__buf_free(&line);
    r->headers[0] = kept.p;
    return kept.p ? TOAD_OK : TOAD_E_NOMEM;
}

toad_status toad__search_ask(const toad__search_provider *p, const toad__search_query *q, toad__arena *arena,
                             toad_str *ret_url, toad__http_request *ret) {
    toad__buf url, body;
    toad_str to = { NULL, 0 };
    toad__http_request r = { .accept = p->accept };
    if (!q->endpoint.n && !p->endpoint) return TOAD_E_ARG;
    toad__buf_init(&url, TOAD__URL_MAX);
    toad__buf_init(&body, TOAD__URL_MAX);
    toad__buf_add_str(&url, q->endpoint.n ? q->endpoint : toad__str_z(p->endpoint));
    p->ask(q, &url, &body);
    toad_status status = toad__arena_keep(arena, &url, &to);
    if (!status) status = add_key(p, q->key, arena, &r);
    if (!status) status = body.status;
    if (!status && body.n) {
        status = toad__arena_keep(arena, &body, &r.body);
        r.headers[1] = "Content-Type: application/json";
    }
    toad__buf_free(&url);
    toad__buf_free(&body);
    if (status) return status;
    *ret_url = to;
    *ret = r;
    return TOAD_OK;
}

/* ---- what is answered ---- */

/* Title, line break, snippet, in the arena. */
static toad_status join(toad_str title, toad_str snippet, toad__arena *arena, toad_str *ret) {
    char *p = toad__arena_alloc(arena, title.n + snippet.n + 2);
    if (!p) return TOAD_E_NOMEM;
    if (title.n) memcpy(p, title.p, title.n);
    p[title.n] = '\n';
    if (snippet.n) memcpy(p + title.n + 1, snippet.p, snippet.n);
    *ret = toad__str(p, title.n + 1 + snippet.n);
    return TOAD_OK;
}

static toad_status finish_hit(toad__arena *arena, toad_str title, toad_str snippet, bool html, toad__search_hit *hit) {
    toad_status status = join(title, snippet, arena, &hit->raw);
    hit->title = title;
    hit->snippet = snippet;
    if (!status && html) status = toad__visible(title, arena, &hit->title);
    if (!status && html) status = toad__visible(snippet, arena, &hit->snippet);
    return status;
}

/* ---- DuckDuckGo ---- */

static void add_unescaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        int escaped = s.p[i] == '%' ? toad__hex_pair(s, i + 1) : -1;
        toad__buf_add_c(out, escaped >= 0 ? (char)escaped : s.p[i]);
        if (escaped >= 0) i += 2;
    }
}

/* The value of a parameter in the query of a URL, escaped; p NULL: there is none. */
static toad_str parameter(toad_str target, toad_str name) {
    size_t at = toad__str_find(target, TOAD__S("?"), 0);
    while (at < target.n) {
        size_t end = toad__str_find(target, TOAD__S("&"), at + 1);
        toad_str pair = toad__str_part(target, at + 1, end);
        if (toad__str_starts(pair, name) && pair.n > name.n && pair.p[name.n] == '=')
            return toad__str_part(pair, name.n + 1, pair.n);
        at = end;
    }
    return toad__str(NULL, 0);
}

static bool is_duckduckgo(toad_str host) {
    toad_str own = TOAD__S("duckduckgo.com");
    size_t rest = host.n >= own.n ? host.n - own.n : 0;
    return toad__str_eq(toad__str_part(host, rest, host.n), own) && (!rest || host.p[rest - 1] == '.');
}

/* Where a link of the page leads: its redirects carry the target in a parameter. What is no URL stays as it is. */
static toad_status unwrap(toad_str href, toad__arena *arena, toad_str *ret) {
    toad__url base, url;
    toad__refusal why = TOAD__ALLOWED;
    toad__buf out;
    toad_status status = toad__url_parse(TOAD__S("https://duckduckgo.com/"), NULL, arena, &base, &why);
    if (!status) status = toad__url_parse(href, &base, arena, &url, &why);
    *ret = href;
    if (status || why) return status;
    *ret = url.text;
    if (!is_duckduckgo(url.host) || !toad__str_starts(url.target, TOAD__S("/l/?"))) return TOAD_OK;
    toad_str to = parameter(url.target, TOAD__S("uddg"));
    if (!to.p) return TOAD_OK;
    toad__buf_init(&out, TOAD__URL_MAX);
    add_unescaped(&out, to);
    status = toad__arena_keep(arena, &out, ret);
    toad__buf_free(&out);
    return status;
}

typedef struct page_reader {
    toad__markup m;
    toad__arena *arena;
    toad__search_hit *hits;
    size_t max, n;
    bool skip;    /* the result at hand is an advertisement */
    bool nothing; /* the page says that there is none */
    bool open;    /* a hit has its title and waits for its snippet */
    toad_str title, href;
    toad_status status;
} page_reader;

/* The hit at hand is whole. */
static void end_hit(page_reader *r, toad_str snippet) {
    toad__search_hit hit = { 0 };
    toad__buf href;
    if (!r->open || r->status || r->n == r->max) return;
    r->open = false;
    toad_str target = { NULL, 0 };
    toad__buf_init(&href, TOAD__VISIBLE_MAX);
    toad__markup_decode(&r->m, r->href, true, &href);
    r->status = toad__arena_keep(r->arena, &href, &target);
    toad__buf_free(&href);
    if (!r->status) r->status = unwrap(target, r->arena, &hit.url);
    if (!r->status) r->status = finish_hit(r->arena, r->title, snippet, true, &hit);
    if (!r->status) r->hits[r->n++] = hit;
}

static void read_mark(page_reader *r, const toad__mark *mark) {
    toad_str none = { NULL, 0 };
    if (toad__mark_has_class(&r->m, mark, "result")) {
        end_hit(r, none);
        r->skip = toad__mark_has_class(&r->m, mark, "result--ad");
    }
    if (toad__mark_has_class(&r->m, mark, "no-results")) r->nothing = true;
    if (r->skip) return;
    if (toad__mark_has_class(&r->m, mark, "result__a") && toad__mark_attribute(&r->m, mark, "href", &r->href)) {
        end_hit(r, none);
        r->title = toad__markup_inner(&r->m, mark);
        r->open = true;
    } else if (r->open && toad__mark_has_class(&r->m, mark, "result__snippet")) {
        end_hit(r, toad__markup_inner(&r->m, mark));
    }
}

static toad_status read_duckduckgo(toad_str text, toad__arena *arena, toad__search_hit *hits, size_t max, size_t *ret_n,
                                   toad__search_answer *ret_answer) {
    page_reader r = { .arena = arena, .hits = hits, .max = max };
    toad__mark mark;
    toad__markup_init(&r.m, text, false);
    while (!r.status && r.n < r.max && toad__markup_next(&r.m, &mark))
        if (mark.type == TOAD__MARK_OPEN) read_mark(&r, &mark);
    end_hit(&r, toad__str(NULL, 0));
    if (r.status) return r.status;
    *ret_n = r.n;
    *ret_answer = r.n || r.nothing ? TOAD__SEARCH_HITS : TOAD__SEARCH_LIMITED;
    return TOAD_OK;
}

/* ---- JSON ---- */

static toad_status take_hits(const toad__json *list, const char *snippet, bool html, toad__arena *arena,
                             toad__search_hit *hits, size_t max, size_t *ret_n) {
    toad_status status = TOAD_OK;
    size_t n = 0;
    for (const toad__json *j = list->child; j && n < max && !status; j = j->next) {
        toad__search_hit hit = { .url = toad__json_get_text(j, "url") };
        if (!hit.url.n) continue;
        status = finish_hit(arena, toad__json_get_text(j, "title"), toad__json_get_text(j, snippet), html, &hit);
        if (!status) hits[n++] = hit;
    }
    if (!status) *ret_n = n;
    return status;
}

static bool is_type(const toad__json *j, toad__json_type type) { return j && j->type == type; }

/* The object that fills the text, or NULL. */
static toad_status parse(toad_str text, toad__arena *arena, const toad__json **ret) {
    const char *expected;
    size_t at;
    toad_status status = toad__json_parse(text, arena, ret, &at, &expected);
    if (status == TOAD_E_NOMEM) return status;
    if (status || (*ret)->type != TOAD__JSON_OBJECT) *ret = NULL;
    return TOAD_OK;
}

static toad_status read_searxng(toad_str text, toad__arena *arena, toad__search_hit *hits, size_t max, size_t *ret_n,
                                toad__search_answer *ret_answer) {
    const toad__json *root;
    toad_status status = parse(text, arena, &root);
    const toad__json *list = status ? NULL : toad__json_get(root, "results");
    const toad__json *silent = status ? NULL : toad__json_get(root, "unresponsive_engines");
    if (status || !is_type(list, TOAD__JSON_ARRAY)) return status;
    status = take_hits(list, "content", false, arena, hits, max, ret_n);
    if (!status) *ret_answer = *ret_n || !silent || !silent->child ? TOAD__SEARCH_HITS : TOAD__SEARCH_LIMITED;
    return status;
}

static toad_status read_brave(toad_str text, toad__arena *arena, toad__search_hit *hits, size_t max, size_t *ret_n,
                              toad__search_answer *ret_answer) {
    const toad__json *root;
    toad_status status = parse(text, arena, &root);
    if (status || !toad__str_eq(toad__json_get_text(root, "type"), TOAD__S("search"))) return status;
    const toad__json *list = toad__json_get(toad__json_get(root, "web"), "results");
    *ret_answer = TOAD__SEARCH_HITS;
    return is_type(list, TOAD__JSON_ARRAY) ? take_hits(list, "description", true, arena, hits, max, ret_n) : TOAD_OK;
}

static toad_status read_tavily(toad_str text, toad__arena *arena, toad__search_hit *hits, size_t max, size_t *ret_n,
                               toad__search_answer *ret_answer) {
    const toad__json *root;
    toad_status status = parse(text, arena, &root);
    const toad__json *list = status ? NULL : toad__json_get(root, "results");
    if (status || !is_type(list, TOAD__JSON_ARRAY)) return status;
    *ret_answer = TOAD__SEARCH_HITS;
    return take_hits(list, "content", false, arena, hits, max, ret_n);
}

/* ---- the table ---- */

#define HTML "Accept: text/html"
#define JSON "Accept: application/json"

static const toad__search_provider providers[] = {
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

const toad__search_provider *toad__search_provider_at(size_t i) { return i < PROVIDERS ? &providers[i] : NULL; }

const toad__search_provider *toad__search_provider_find(toad_str name) {
    for (size_t i = 0; i < PROVIDERS; i++)
        if (toad__str_eq(toad__str_z(providers[i].name), name)) return &providers[i];
    return NULL;
}

toad_status toad__search_read(const toad__search_provider *p, toad_str text, toad__arena *arena, toad__search_hit *hits,
                              size_t max, size_t *ret_n, toad__search_answer *ret_answer) {
    toad__search_answer answer = TOAD__SEARCH_STRANGE;
    size_t n = 0;
    toad_status status = p->read(text, arena, hits, max, &n, &answer);
    if (status) return status;
    *ret_n = n;
    *ret_answer = answer;
    return TOAD_OK;
}
