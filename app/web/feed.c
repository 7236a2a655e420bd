/* feed.c - see feed.h. A feed that fails is a line of the file, never the end of the others. */
#include "app/web/feed.h"

#include "app/host/authority.h"
#include "app/host/origin.h"
#include "app/memory/memory_disk.h"
#include "app/records/pieces.h"
#include "app/web/web_permit.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "net/feed.h"
#include "toadstone/wrap.h"

#include <errno.h>
#include <stdio.h>

#define FILE_MOST ((size_t)16 << 20)
#define GAP       INT64_C(1000000) /* microseconds: fetch.gap as built in */

enum { HEADLINES = 20, HEADLINES_MAX = 1000, HEADLINE_MOST = 300, NAME_MOST = 100 };

typedef struct section {
    toad_str name, url, id;
    const char *format, *error; /* error: ours; NULL: there is none */
    toad_str lines[HEADLINES_MAX];
    bool keep[HEADLINES_MAX];
    size_t n, shown, blocked;
    struct section *next;
} section;

typedef struct writer {
    toad__host *host;
    const toad__web_options *options;
    size_t most;
    toad__buf file; /* Markdown */
    section *first, **next;
} writer;

static const toad__http_request wanted = {
    .accept = "Accept: application/atom+xml, application/rss+xml, application/feed+json, application/xml;q=0.9, "
              "*/*;q=0.1"
};

static toad_status out_of_memory(toad__host *host) { return toad__host_fail(host, TOAD_E_NOMEM, "out of memory"); }

/* ---- one feed ---- */

static toad_status fetch(writer *w, toad_str url, toad__page *page, toad__refusal *ret_why) {
    toad__host *host = w->host;
    bool model = host->by == TOAD__READER_MODEL;
    char detail[TOAD__FETCH_DETAIL] = "";
    toad__fetch_options net = w->options->net;
    if (model) net.guard = (toad__guard){ 0 };
    net.request = &wanted;
    toad__web_permit permit = { .host = host,
                                .net = &net,
                                .robots = w->options->robots || model,
                                .gap = host->config ? toad__config_number(host->config, TOAD__CONFIG_FETCH_GAP) : GAP };
    net.permit = toad__web_permit_ask;
    net.permit_ctx = &permit;
    toad_status status = toad__fetch_isolated(&net, url, &host->arena, page, ret_why, detail);
    if (status) return toad__host_fail(host, status, "%s", *detail ? detail : toad_status_message(status));
    if (*ret_why == TOAD__REFUSED_BUSY && page->retry_after >= 0) toad__web_permit_hold(&permit, page->retry_after);
    return TOAD_OK;
}

/* All headlines as one text: `raw` as they came, else as they are seen. In the host's arena. */
static toad_status all_of(writer *w, const toad__headline *list, size_t n, bool raw, toad_str *ret) {
    toad__buf b;
    toad__buf_init(&b, TOAD__HOST_ANSWER_MAX / 2);
    for (size_t i = 0; i < n; i++) {
        toad__buf_add_str(&b, raw ? list[i].raw : list[i].text);
        toad__buf_add_c(&b, '\n');
    }
    *ret = b.status ? toad__str(NULL, 0) : toad__arena_dup(&w->host->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return ret->p ? TOAD_OK : out_of_memory(w->host);
}

/* Keep the feed as the content of its URL. `*ret_blocked`: by what it says, or by the user's word on its source. */
static toad_status keep_feed(writer *w, toad_str url, const toad__headline *list, section *s, bool *ret_blocked) {
    toad__answer kept;
    toad__content_in in = { .source = url, .kind = TOAD_KIND_WEB, .style = TOAD__FETCHED_TOADSTONE };
    toad_status status = all_of(w, list, s->n, false, &in.body);
    if (!status) status = all_of(w, list, s->n, true, &in.as_came);
    if (status) return status;
    toad__answer_init(&kept, TOAD__HOST_ANSWER_MAX);
    status = toad__contents_store(w->host, &in, &kept);
    if (!status) status = toad__host_failed(w->host, kept.status);
    if (!status) s->id = toad__arena_dup(&w->host->arena, toad__json_get_text(&kept.root, "id"));
    if (!status && !s->id.p) status = out_of_memory(w->host);
    *ret_blocked = toad__str_eq(toad__json_get_text(&kept.root, "scan"), TOAD__S("block"));
    toad__answer_free(&kept);
    return status;
}

/* What the user excepted of this feed. A store that fails excepts nothing. */
static void find_exceptions(writer *w, toad_str url, toad__excepted *ret) {
    toad__origin o;
    if (toad__origin_of(url, &w->host->arena, &o) || toad__excepted_at(w->host, o.url, o.domain, &w->host->arena, ret))
        *ret = (toad__excepted){ .n = 0 };
}

/* Which headlines may be shown: each is judged alone, and with its neighbors. */
static toad_status sift(writer *w, toad_str url, const toad__headline *list, section *s) {
    const toad_verdict *v;
    toad__excepted e;
    toad__pieces_span run = { .text = { "", 0 } };
    toad_str whole;
    toad_status status = all_of(w, list, s->n, false, &whole);
    if (!status) find_exceptions(w, url, &e);
    bool all = !status && toad__excepts_text(&e, whole);
    for (size_t i = 0; i < s->n && !status; i++) {
        status = toad__host_scan(w->host, list[i].raw, TOAD_KIND_WEB, &v);
        if (!status)
            s->keep[i] = all || toad__action_passes(toad__action_left(w->host, TOAD__ON_LIST, TOAD__S("web"), &e, v));
    }
    if (all) run.text.p = NULL;
    while (!status && run.text.p) {
        status = toad__pieces_run(w->host, s->lines, s->keep, s->n, TOAD_KIND_WEB, TOAD__S("web"), &e, &run);
        for (size_t i = run.first; run.text.p && i <= run.last; i++) s->keep[i] = false;
    }
    s->shown = 0;
    for (size_t i = 0; i < s->n; i++) s->shown += s->keep[i];
    return status;
}

/* The headlines that have a text, as they are shown. */
static toad_status take_lines(writer *w, toad__headline *list, size_t n, section *s) {
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < n && !status; i++) {
        list[s->n] = list[i];
        status = toad__piece_line(w->host, list[i].text, HEADLINE_MOST, &s->lines[s->n]);
        if (!status && s->lines[s->n].n) s->n++;
    }
    return status;
}

static toad_status take_feed(writer *w, const toad__page *page, section *s) {
    toad__feed_format format;
    size_t n;
    bool blocked = false;
    toad__headline *list = toad__arena_alloc(&w->host->arena, w->most * sizeof *list);
    if (!list) return out_of_memory(w->host);
    toad_str text = page->text.n ? toad__buf_str(&page->text) : TOAD__S("");
    toad_status status = toad__feed_read(text, &w->host->arena, list, w->most, &n, &format);
    if (status) return toad__host_failed(w->host, status);
    s->format = toad__feed_format_name(format);
    if (format == TOAD__FEED_NONE) s->error = "this is no feed";
    if (format == TOAD__FEED_DECLARES) s->error = "the feed declares entities of its own";
    if (s->error) return TOAD_OK;
    status = take_lines(w, list, n, s);
    if (!status && s->n) status = keep_feed(w, page->url.text, list, s, &blocked);
    if (!status) status = sift(w, page->url.text, list, s);
    if (blocked && s->shown == s->n)
        s->shown = 0, memset(s->keep, 0, sizeof s->keep); /* the source is what is blocked */
    s->blocked = s->n - s->shown;
    return status;
}

/* ---- writing ---- */

/* What a viewer of Markdown would fetch, follow or hide: tags, comments, links and images stay text. Done last, for
 * what replaces a marker ends with a bracket. */
static void add_inert(toad__buf *file, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        char after = i + 1 < s.n ? s.p[i + 1] : ' ';
        if (s.p[i] == '<' && (toad__is_alpha((unsigned char)after) || strchr("/!?", after)))
            toad__buf_add_z(file, "&lt;");
        else if (s.p[i] == ']' && after == '(')
            toad__buf_add_z(file, "&#93;");
        else
            toad__buf_add_c(file, s.p[i]);
    }
}

static void add_line(toad__buf *file, toad_str neutral) {
    toad__buf_add_z(file, "- <external_content>");
    add_inert(file, neutral);
    toad__buf_add_z(file, "</external_content>\n");
}

static toad_status add_headlines(writer *w, const section *s) {
    toad_text *neutral;
    for (size_t i = 0; i < s->n; i++) {
        if (!s->keep[i]) continue;
        toad_status status = toad_neutralize(s->lines[i], false, &neutral);
        if (status) return toad__host_failed(w->host, status);
        add_line(&w->file, toad_text_str(neutral));
        toad_text_free(neutral);
    }
    if (!s->blocked) return TOAD_OK;
    toad__buf_add_z(&w->file, "\n_");
    toad__buf_add_u64(&w->file, s->blocked);
    toad__buf_add_z(&w->file, s->blocked == 1 ? " headline was left out: it tries to steer its reader_\n"
                                              : " headlines were left out: they try to steer their reader_\n");
    return TOAD_OK;
}

static toad_status add_section(writer *w, const section *s) {
    if (w->file.n) toad__buf_add_c(&w->file, '\n');
    toad__buf_add_z(&w->file, "## ");
    toad__buf_add_str(&w->file, s->name);
    toad__buf_add_z(&w->file, s->error ? " (Error)\n\n_" : "\n");
    if (!s->error) return add_headlines(w, s);
    toad__buf_add_z(&w->file, s->error);
    toad__buf_add_z(&w->file, "_\n");
    return TOAD_OK;
}

/* The name the user gave, else the host of the URL: a feed does not name itself. */
static toad_status name_section(writer *w, const toad__feed_source *feed, section *s) {
    toad__url url = { .host = feed->url };
    toad__refusal why = TOAD__ALLOWED;
    toad_status status = toad__url_parse(feed->url, NULL, &w->host->arena, &url, &why);
    if (status) return out_of_memory(w->host);
    s->url = feed->url;
    return toad__piece_line(w->host, feed->name.n ? feed->name : url.host, NAME_MOST, &s->name);
}

static toad_status write_feed(writer *w, const toad__feed_source *feed) {
    toad__page page = { 0 };
    toad__refusal why = TOAD__ALLOWED;
    section *s = toad__arena_alloc(&w->host->arena, sizeof *s);
    toad_status status = s ? name_section(w, feed, s) : out_of_memory(w->host);
    if (!status) status = fetch(w, feed->url, &page, &why);
    if (!status && why) s->error = toad__refusal_text(why);
    if (!status && why) status = toad__web_refused(w->host, TOAD__S("outbound"), feed->url, toad__refusal_code(why));
    if (!status && !why) status = take_feed(w, &page, s);
    if (!why) toad__page_free(&page);
    if (status) return status;
    *w->next = s;
    w->next = &s->next;
    return add_section(w, s);
}

static toad_status put_file(writer *w, const char *path) {
    toad__memory_disk disk;
    toad__buf before;
    toad__buf_init(&before, TOAD__MEMORY_FILE_MAX);
    int err = toad__memory_disk_open(path, &disk);
    if (!err) {
        err = toad__memory_disk_now(&disk, &before);
        bool none = err == ENOENT;
        if (none) err = 0;
        toad_str old = none ? toad__str(NULL, 0) : before.n ? toad__buf_str(&before) : TOAD__S("");
        if (!err) err = toad__memory_disk_replace(&disk, old, toad__buf_str(&w->file));
        toad__memory_disk_close(&disk);
    }
    toad__buf_free(&before);
    return err ? toad__host_fail(w->host, TOAD_E_IO, "the file could not be written: %s", strerror(err)) : TOAD_OK;
}

static void add_answer(const writer *w, const char *path, toad__answer *answer) {
    char why[160];
    size_t n = 0, shown = 0, blocked = 0, failed = 0;
    for (const section *s = w->first; s; s = s->next) {
        n++;
        shown += s->shown;
        blocked += s->blocked;
        failed += s->error != NULL;
    }
    toad__answer_bool(answer, "success", failed < n);
    if (failed == n) {
        snprintf(why, sizeof why, "no feed could be read: %s", w->first ? w->first->error : "there is none");
        toad__answer_z(answer, "error", why);
    }
    toad__answer_z(answer, "file", path);
    toad__answer_int(answer, "headlines", (int64_t)shown);
    toad__answer_int(answer, "blocked", (int64_t)blocked);
    toad__answer_int(answer, "failed", (int64_t)failed);
    toad__answer_array(answer, "feeds");
    for (const section *s = w->first; s; s = s->next) {
        toad__answer_object(answer, NULL);
        toad__answer_str(answer, "name", s->name);
        toad__answer_str(answer, "url", s->url);
        toad__answer_z(answer, "format", s->format);
        toad__answer_some(answer, "id", s->id);
        toad__answer_int(answer, "headlines", (int64_t)s->shown);
        toad__answer_int(answer, "blocked", (int64_t)s->blocked);
        toad__answer_z(answer, "error", s->error);
        toad__answer_end(answer);
    }
    toad__answer_end(answer);
    toad__answer_str(answer, "text", toad__buf_str(&w->file));
}

toad_status toad__feed_write(toad__host *host, const toad__web_options *options, const toad__feed_source *feeds,
                             size_t n, size_t most, const char *path, toad__answer *answer) {
    writer w = { .host = host, .options = options, .most = most ? most : HEADLINES };
    toad_status status = TOAD_OK;
    if (path && toad__refused_to_model(host, "write a file", answer)) return TOAD_OK;
    if (w.most > HEADLINES_MAX) w.most = HEADLINES_MAX;
    toad__buf_init(&w.file, FILE_MOST);
    w.next = &w.first;
    for (size_t i = 0; i < n && !status; i++) status = write_feed(&w, &feeds[i]);
    if (!status) status = w.file.status;
    if (status && !*host->message) toad__host_failed(host, status);
    if (!status && path) status = put_file(&w, path);
    if (!status) add_answer(&w, path, answer);
    toad__buf_free(&w.file);
    return status;
}
