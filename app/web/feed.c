/* feed.c - see feed.h. A feed that fails is a line of the file, never the end of the others. */
#include "app/web/feed.h"

#include "app/host/authority.h"
#include "app/memory/memory_disk.h"
#include "app/records/pieces.h"
#include "app/web/web_permit.h"
#include "bezoar/wrap.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "net/feed.h"

#include <errno.h>

#define FILE_MOST ((size_t)16 << 20)
#define GAP       INT64_C(1000000) /* microseconds: fetch.gap as built in */

enum { HEADLINES = 20, HEADLINES_MAX = 1000, HEADLINE_MOST = 300, NAME_MOST = 100 };

typedef struct section {
    bzr_str name, url, id;
    const char *format, *error; /* error: ours; NULL: there is none */
    bzr_str lines[HEADLINES_MAX];
    bool keep[HEADLINES_MAX];
    size_t n, shown, blocked;
} section;

typedef struct writer {
    bzr__host *host;
    const bzr__web_options *options;
    size_t most;
    bzr__buf file, feeds; /* Markdown; the feeds as JSON */
    size_t n, shown, blocked, failed;
} writer;

static const bzr__http_request wanted = {
    .accept = "Accept: application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, "
              "*/*;q=0.1"
};

static bzr_status out_of_memory(bzr__host *host) { return bzr__host_fail(host, BZR_E_NOMEM, "out of memory"); }

/* ---- one feed ---- */

static bzr_status fetch(writer *w, bzr_str url, bzr__page *page, bzr__refusal *ret_why) {
    bzr__host *host = w->host;
    bool model = host->by == BZR__READER_MODEL;
    char detail[BZR__FETCH_DETAIL] = "";
    bzr__fetch_options net = w->options->net;
    if (model) net.guard = (bzr__guard){ 0 };
    net.request = &wanted;
    bzr__web_permit permit = { .host = host,
                               .net = &net,
                               .robots = w->options->robots || model,
                               .gap = host->config ? bzr__config_number(host->config, BZR__CONFIG_FETCH_GAP) : GAP };
    net.permit = bzr__web_permit_ask;
    net.permit_ctx = &permit;
    bzr_status status = bzr__fetch_isolated(&net, url, &host->arena, page, ret_why, detail);
    if (status) return bzr__host_fail(host, status, "%s", *detail ? detail : bzr_status_message(status));
    if (*ret_why == BZR__REFUSED_BUSY && page->retry_after >= 0) bzr__web_permit_hold(&permit, page->retry_after);
    return BZR_OK;
}

/* All headlines as one text: `raw` as they came, else as they are seen. In the host's arena. */
static bzr_status all_of(writer *w, const bzr__headline *list, size_t n, bool raw, bzr_str *ret) {
    bzr__buf b;
    bzr__buf_init(&b, BZR__HOST_ANSWER_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_str(&b, raw ? list[i].raw : list[i].text);
        bzr__buf_add_c(&b, '\n');
    }
    *ret = b.status ? bzr__str(NULL, 0) : bzr__arena_dup(&w->host->arena, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return ret->p ? BZR_OK : out_of_memory(w->host);
}

/* Keep the feed as the content of its URL. `*ret_blocked`: by what it says, or by the user's word on its source. */
static bzr_status keep_feed(writer *w, bzr_str url, const bzr__headline *list, section *s, bool *ret_blocked) {
    bzr__buf json;
    const bzr__json *root;
    const char *expected;
    size_t at;
    bzr__content_in in = { .source = url, .kind = BZR_KIND_WEB, .style = BZR__FETCHED_BEZOAR };
    bzr_status status = all_of(w, list, s->n, false, &in.body);
    if (!status) status = all_of(w, list, s->n, true, &in.as_came);
    if (status) return status;
    bzr__buf_init(&json, BZR__HOST_ANSWER_MAX);
    status = bzr__contents_store(w->host, &in, &json);
    bzr_str copy = status || json.status ? bzr__str(NULL, 0) : bzr__arena_dup(&w->host->arena, bzr__buf_str(&json));
    bzr__buf_free(&json);
    if (status) return status;
    if (!copy.p || bzr__json_parse(copy, &w->host->arena, &root, &at, &expected)) return out_of_memory(w->host);
    s->id = bzr__json_get_text(root, "id");
    *ret_blocked = bzr__str_eq(bzr__json_get_text(root, "scan"), BZR__S("block"));
    return BZR_OK;
}

/* Which headlines may be shown: each is judged alone, and with its neighbors. */
static bzr_status sift(writer *w, const bzr__headline *list, section *s) {
    const bzr_verdict *v;
    bzr__pieces_span run = { .text = { "", 0 } };
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < s->n && !status; i++) {
        status = bzr__host_scan(w->host, list[i].raw, BZR_KIND_WEB, &v);
        if (!status) s->keep[i] = strcmp(bzr__host_action(w->host, BZR__S("web"), v), "block") != 0;
    }
    while (!status && run.text.p) {
        status = bzr__pieces_run(w->host, s->lines, s->keep, s->n, BZR_KIND_WEB, BZR__S("web"), &run);
        for (size_t i = run.first; run.text.p && i <= run.last; i++) s->keep[i] = false;
    }
    s->shown = 0;
    for (size_t i = 0; i < s->n; i++) s->shown += s->keep[i];
    return status;
}

/* The headlines that have a text, as they are shown. */
static bzr_status take_lines(writer *w, bzr__headline *list, size_t n, section *s) {
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < n && !status; i++) {
        list[s->n] = list[i];
        status = bzr__piece_line(w->host, list[i].text, HEADLINE_MOST, &s->lines[s->n]);
        if (!status && s->lines[s->n].n) s->n++;
    }
    return status;
}

static bzr_status take_feed(writer *w, const bzr__page *page, section *s) {
    bzr__feed_format format;
    size_t n;
    bool blocked = false;
    bzr__headline *list = bzr__arena_alloc(&w->host->arena, w->most * sizeof *list);
    if (!list) return out_of_memory(w->host);
    bzr_str text = page->text.n ? bzr__buf_str(&page->text) : BZR__S("");
    bzr_status status = bzr__feed_read(text, &w->host->arena, list, w->most, &n, &format);
    if (status) return bzr__host_fail(w->host, status, "%s", bzr_status_message(status));
    s->format = bzr__feed_format_name(format);
    if (format == BZR__FEED_NONE) s->error = "this is no feed";
    if (format == BZR__FEED_DECLARES) s->error = "the feed declares entities of its own";
    if (s->error) return BZR_OK;
    status = take_lines(w, list, n, s);
    if (!status && s->n) status = keep_feed(w, page->url.text, list, s, &blocked);
    if (!status) status = sift(w, list, s);
    if (blocked && s->shown == s->n)
        s->shown = 0, memset(s->keep, 0, sizeof s->keep); /* the source is what is blocked */
    s->blocked = s->n - s->shown;
    return status;
}

/* ---- writing ---- */

/* What a viewer of Markdown would fetch, follow or hide: tags, comments, links and images stay text. Done last, for
 * what replaces a marker ends with a bracket. */
static void add_inert(bzr__buf *file, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        char after = i + 1 < s.n ? s.p[i + 1] : ' ';
        if (s.p[i] == '<' && (bzr__is_alpha((unsigned char)after) || strchr("/!?", after)))
            bzr__buf_add_z(file, "&lt;");
        else if (s.p[i] == ']' && after == '(')
            bzr__buf_add_z(file, "&#93;");
        else
            bzr__buf_add_c(file, s.p[i]);
    }
}

static void add_line(bzr__buf *file, bzr_str wrapped) {
    const bzr_str open = BZR__S("<external_content>"), close = BZR__S("</external_content>");
    bzr__buf_add_z(file, "- ");
    bzr__buf_add_str(file, open);
    add_inert(file, bzr__str_part(wrapped, open.n, wrapped.n - close.n));
    bzr__buf_add_str(file, close);
    bzr__buf_add_c(file, '\n');
}

static bzr_status add_headlines(writer *w, const section *s) {
    bzr_text *wrapped;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->keep[i]) continue;
        bzr_status status = bzr_wrap_external_content(s->lines[i], &wrapped);
        if (status) return bzr__host_fail(w->host, status, "%s", bzr_status_message(status));
        add_line(&w->file, bzr_text_str(wrapped));
        bzr_text_free(wrapped);
    }
    if (!s->blocked) return BZR_OK;
    bzr__buf_add_z(&w->file, "\n_");
    bzr__buf_add_u64(&w->file, s->blocked);
    bzr__buf_add_z(&w->file, s->blocked == 1 ? " headline was left out: it tries to steer its reader_\n"
                                             : " headlines were left out: they try to steer their reader_\n");
    return BZR_OK;
}

static bzr_status add_section(writer *w, const section *s) {
    if (w->file.n) bzr__buf_add_c(&w->file, '\n');
    bzr__buf_add_z(&w->file, "## ");
    bzr__buf_add_str(&w->file, s->name);
    bzr__buf_add_z(&w->file, s->error ? " (Error)\n\n_" : "\n");
    if (!s->error) return add_headlines(w, s);
    bzr__buf_add_z(&w->file, s->error);
    bzr__buf_add_z(&w->file, "_\n");
    return BZR_OK;
}

static void add_feed(writer *w, const section *s) {
    w->n++;
    w->shown += s->shown;
    w->blocked += s->blocked;
    w->failed += s->error != NULL;
    bzr__json_add_key(&w->feeds, NULL);
    bzr__buf_add_c(&w->feeds, '{');
    bzr__answer_str(&w->feeds, "name", s->name);
    bzr__answer_str(&w->feeds, "url", s->url);
    bzr__answer_z(&w->feeds, "format", s->format);
    bzr__answer_str(&w->feeds, "id", s->id.n ? s->id : bzr__str(NULL, 0));
    bzr__answer_int(&w->feeds, "headlines", (int64_t)s->shown);
    bzr__answer_int(&w->feeds, "blocked", (int64_t)s->blocked);
    bzr__answer_z(&w->feeds, "error", s->error);
    bzr__buf_add_c(&w->feeds, '}');
}

/* The name the user gave, else the host of the URL: a feed does not name itself. */
static bzr_status name_section(writer *w, const bzr__feed_source *feed, section *s) {
    bzr__url url = { .host = feed->url };
    bzr__refusal why = BZR__ALLOWED;
    bzr_status status = bzr__url_parse(feed->url, NULL, &w->host->arena, &url, &why);
    if (status) return out_of_memory(w->host);
    s->url = feed->url;
    return bzr__piece_line(w->host, feed->name.n ? feed->name : url.host, NAME_MOST, &s->name);
}

static bzr_status write_feed(writer *w, const bzr__feed_source *feed) {
    bzr__page page = { 0 };
    bzr__refusal why = BZR__ALLOWED;
    section *s = bzr__arena_alloc(&w->host->arena, sizeof *s);
    bzr_status status = s ? name_section(w, feed, s) : out_of_memory(w->host);
    if (!status) status = fetch(w, feed->url, &page, &why);
    if (!status && why) s->error = bzr__refusal_text(why);
    if (!status && why) status = bzr__web_refused(w->host, BZR__S("outbound"), feed->url, bzr__refusal_code(why));
    if (!status && !why) status = take_feed(w, &page, s);
    if (!why) bzr__page_free(&page);
    if (status) return status;
    add_feed(w, s);
    return add_section(w, s);
}

static bzr_status put_file(writer *w, const char *path) {
    bzr__memory_disk disk;
    bzr__buf before;
    bzr__buf_init(&before, BZR__MEMORY_FILE_MAX);
    int err = bzr__memory_disk_open(path, &disk);
    if (!err) {
        err = bzr__memory_disk_now(&disk, &before);
        bool none = err == ENOENT;
        if (none) err = 0;
        bzr_str old = none ? bzr__str(NULL, 0) : before.n ? bzr__buf_str(&before) : BZR__S("");
        if (!err) err = bzr__memory_disk_replace(&disk, old, bzr__buf_str(&w->file));
        bzr__memory_disk_close(&disk);
    }
    bzr__buf_free(&before);
    return err ? bzr__host_fail(w->host, BZR_E_IO, "the file could not be written: %s", strerror(err)) : BZR_OK;
}

static void add_answer(const writer *w, const char *path, bzr__buf *answer) {
    bool failed = w->failed == w->n;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", !failed);
    if (failed) bzr__answer_z(answer, "error", "no feed could be read");
    bzr__answer_z(answer, "file", path);
    bzr__answer_int(answer, "headlines", (int64_t)w->shown);
    bzr__answer_int(answer, "blocked", (int64_t)w->blocked);
    bzr__answer_int(answer, "failed", (int64_t)w->failed);
    bzr__json_add_key(answer, "feeds");
    bzr__buf_add_c(answer, '[');
    bzr__buf_add_str(answer, bzr__buf_str(&w->feeds));
    bzr__buf_add_c(answer, ']');
    bzr__answer_str(answer, "text", bzr__buf_str(&w->file));
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__feed_write(bzr__host *host, const bzr__web_options *options, const bzr__feed_source *feeds, size_t n,
                           size_t most, const char *path, bzr__buf *answer) {
    writer w = { .host = host, .options = options, .most = most ? most : HEADLINES };
    bzr_status status = BZR_OK;
    if (path && bzr__refused_to_model(host, "write a file", answer)) return BZR_OK;
    if (w.most > HEADLINES_MAX) w.most = HEADLINES_MAX;
    bzr__buf_init(&w.file, FILE_MOST);
    bzr__buf_init(&w.feeds, FILE_MOST);
    for (size_t i = 0; i < n && !status; i++) status = write_feed(&w, &feeds[i]);
    if (!status) status = w.file.status ? w.file.status : w.feeds.status;
    if (status && !*host->message) bzr__host_fail(host, status, "%s", bzr_status_message(status));
    if (!status && path) status = put_file(&w, path);
    if (!status) add_answer(&w, path, answer);
    bzr__buf_free(&w.file);
    bzr__buf_free(&w.feeds);
    return status;
}
