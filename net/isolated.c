/* isolated.c - a fetch in a child process: libcurl, TLS, the resolver, zlib and iconv, none of them ours, see hostile
 * bytes only there.
 *
 * The child has the memory of its parent, but no way to write it anywhere: see sandbox.h. Before each request it asks
 * the parent, who alone can look into the store, whether it may; at the end it sends a head of fixed size and four
 * texts. The parent believes none of it: lengths and numbers are checked against the limits, URLs are parsed again, the
 * text must be UTF-8. A child that breaks, hangs or lies ends the fetch, nothing else. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/fetch.h"
#include "net/libcurl.h"
#include "net/sandbox.h"
#include "sys/clock.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    KEPT = 3,
    GRACE_MS = 1000,
    DEFAULT_MS = 30000,
    URL_PART = 0,
    LABEL_PART,
    DETAIL_PART,
    TEXT_PART,
    PARTS,
    LABEL_MOST = 1 << 20,
    QUESTIONS = 64 /* more than a journey has hops */
};

typedef enum message { QUESTION = 1, ANSWER } message;

#define MEMORY_FREE ((size_t)512 << 20)
#define MAX_BYTES   ((size_t)10 << 20)

typedef struct head {
    int32_t status, why, type;
    uint32_t http, redirects, sandboxed, named, unchanged;
    uint64_t wire_bytes, replaced, lengths[PARTS];
    int64_t retry_after;
    toad__address address;
    toad__caching caching;
    char charset[32];
} head;

typedef struct reply {
    int32_t why;
    char detail[TOAD__FETCH_DETAIL];
} reply;

/* ---- the child ---- */

static void send_all(const void *p, size_t n) {
    for (const char *at = p; n;) {
        ssize_t sent = write(KEPT, at, n);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) _exit(1);
        at += sent;
        n -= (size_t)sent;
    }
}

static void read_all(void *p, size_t n) {
    for (char *at = p; n;) {
        ssize_t got = read(KEPT, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) _exit(1);
        at += got;
        n -= (size_t)got;
    }
}

/* The permit_fn of the child: ask the parent for its own. */
static toad__refusal ask_parent(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]) {
    (void)ctx;
    (void)left_ms; /* the parent has a clock */
    message kind = QUESTION;
    uint64_t length = url->text.n;
    reply r;
    send_all(&kind, sizeof kind);
    send_all(&length, sizeof length);
    send_all(url->text.p, url->text.n);
    read_all(&r, sizeof r);
    memcpy(detail, r.detail, TOAD__FETCH_DETAIL);
    return (toad__refusal)r.why;
}

static void run_child(const toad__fetch_options *options, toad_str url, int out, unsigned seconds, size_t bytes) {
    toad__fetch_options o = *options;
    message kind = ANSWER;
    toad__arena arena;
    toad__page page = { 0 };
    toad__refusal why = TOAD__ALLOWED;
    char detail[TOAD__FETCH_DETAIL] = "";
    toad__arena_init(&arena, (size_t)16 << 20);
    head h = { .sandboxed = toad__sandbox_enter(out, seconds, bytes) };
    if (o.permit) o.permit = ask_parent;
    h.status = toad__fetch(&o, url, &arena, &page, &why, detail);
    bool came = !h.status && !why;
    toad_str parts[PARTS] = { [URL_PART] = page.url.text,
                              [LABEL_PART] = page.label,
                              [DETAIL_PART] = toad__str_z(detail),
                              [TEXT_PART] = toad__buf_str(&page.text) };
    h.why = (int32_t)why;
    h.type = (int32_t)page.type;
    h.http = page.status;
    h.redirects = page.redirects;
    h.wire_bytes = page.wire_bytes;
    h.replaced = page.replaced;
    h.address = page.address;
    h.named = page.named;
    h.unchanged = page.unchanged;
    h.caching = page.caching;
    h.retry_after = page.retry_after;
    snprintf(h.charset, sizeof h.charset, "%s", came ? page.charset : "");
    for (int i = 0; i < PARTS; i++) h.lengths[i] = parts[i].n;
    send_all(&kind, sizeof kind);
    send_all(&h, sizeof h);
    for (int i = 0; i < PARTS; i++) send_all(parts[i].p, parts[i].n);
    _exit(0);
}

/* ---- the parent ---- */

/* Read exactly `n` bytes before the deadline. */
static bool receive(int fd, void *to, size_t n, int64_t deadline) {
    for (char *at = to; n;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = deadline - toad__now_ms();
        if (left <= 0 || (poll(&p, 1, (int)left) < 0 && errno != EINTR)) return false;
        if (!p.revents) continue;
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

static bool is_plausible(const head *h, size_t max_bytes) {
    static const size_t most[PARTS] = {
        [URL_PART] = 8 * TOAD__URL_MAX, [LABEL_PART] = LABEL_MOST, [DETAIL_PART] = TOAD__FETCH_DETAIL - 1
    };
    for (int i = 0; i < PARTS; i++)
        if (h->lengths[i] > (i == TEXT_PART ? 4 * max_bytes + 65536 : most[i])) return false;
    return h->why >= 0 && h->why < TOAD__REFUSALS && h->type >= 0 && h->type < TOAD__PAGE_BINARY && h->status <= 0 &&
           h->status > -64 && h->retry_after >= -1 && memchr(h->charset, 0, sizeof h->charset) &&
           toad__caching_is_valid(&h->caching);
}

/* One question of the child, answered. False: it does not ask as it should. */
static bool answer_question(int fd, const toad__fetch_options *o, int64_t deadline, toad__arena *arena) {
    uint64_t length;
    toad__url url;
    toad__refusal why = TOAD__ALLOWED;
    reply r = { 0 };
    if (!o->permit || !receive(fd, &length, sizeof length, deadline) || length > (uint64_t)8 * TOAD__URL_MAX)
        return false;
    char *text = toad__arena_alloc(arena, (size_t)length + 1);
    if (!text || !receive(fd, text, (size_t)length, deadline)) return false;
    if (toad__url_parse(toad__str(text, (size_t)length), NULL, arena, &url, &why) || why) return false;
    int64_t left = deadline - toad__now_ms() - GRACE_MS;
    r.why = (int32_t)(left > 0 ? o->permit(o->permit_ctx, &url, (int)left, r.detail) : TOAD__REFUSED_TIMEOUT);
    return send(fd, &r, sizeof r, MSG_NOSIGNAL) == (ssize_t)sizeof r;
}

/* Answer what the child asks until it tells how it went. */
static bool await_answer(int fd, const toad__fetch_options *o, int64_t deadline, toad__arena *arena) {
    for (int i = 0; i < QUESTIONS; i++) {
        message kind;
        if (!receive(fd, &kind, sizeof kind, deadline)) return false;
        if (kind != QUESTION) return kind == ANSWER;
        if (!answer_question(fd, o, deadline, arena)) return false;
    }
    return false;
}

/* A text of the child in the arena. */
static toad_status receive_part(int fd, size_t n, int64_t deadline, toad__arena *arena, toad_str *ret, bool *ok) {
    char *p = toad__arena_alloc(arena, n + 1);
    if (!p) return TOAD_E_NOMEM;
    *ok = receive(fd, p, n, deadline);
    *ret = toad__str(p, n);
    return TOAD_OK;
}

static toad_status receive_page(int fd, const head *h, int64_t deadline, toad__arena *arena, toad__page *page,
                                char *detail, bool *ok) {
    toad_str parts[TEXT_PART], charset;
    toad__refusal why = TOAD__ALLOWED;
    toad_status status = TOAD_OK;
    *ok = true;
    for (int i = 0; i < TEXT_PART && !status && *ok; i++)
        status = receive_part(fd, (size_t)h->lengths[i], deadline, arena, &parts[i], ok);
    if (status || !*ok) return status;
    memcpy(detail, parts[DETAIL_PART].p, parts[DETAIL_PART].n + 1);
    if (h->status || h->why) return TOAD_OK;
    charset = toad__arena_dup(arena, toad__str_z(h->charset));
    page->label = parts[LABEL_PART];
    page->charset = charset.p;
    status = charset.p ? toad__url_parse(parts[URL_PART], NULL, arena, &page->url, &why) : TOAD_E_NOMEM;
    if (status) return status;
    char *room = toad__buf_room(&page->text, (size_t)h->lengths[TEXT_PART]);
    if (!room && h->lengths[TEXT_PART]) return TOAD_E_NOMEM;
    *ok = !why && receive(fd, room, (size_t)h->lengths[TEXT_PART], deadline);
    page->text.n = *ok ? (size_t)h->lengths[TEXT_PART] : 0;
    if (h->type != TOAD__PAGE_PDF && h->type != TOAD__PAGE_FILES) /* which stay as they came */
        *ok = *ok && toad__utf8_valid_upto(toad__buf_str(&page->text)) == page->text.n;
    return TOAD_OK;
}

static toad_status collect(int fd, const toad__fetch_options *o, size_t max_bytes, int64_t deadline, toad__arena *arena,
                           toad__page *ret, toad__refusal *why, char *detail) {
    head h;
    bool ok =
        await_answer(fd, o, deadline, arena) && receive(fd, &h, sizeof h, deadline) && is_plausible(&h, max_bytes);
    toad__page page = { 0 };
    toad_status status = TOAD_OK;
    toad__buf_init(&page.text, 4 * max_bytes + 65536);
    if (ok) status = receive_page(fd, &h, deadline, arena, &page, detail, &ok);
    if (!status && ok) status = (toad_status)h.status;
    *why = ok ? (toad__refusal)h.why : toad__now_ms() >= deadline ? TOAD__REFUSED_TIMEOUT : TOAD__REFUSED_BROKEN;
    if (status || *why) toad__page_free(&page);
    if (!status && *why) *ret = (toad__page){ .status = ok ? h.http : 0, .retry_after = ok ? h.retry_after : -1 };
    if (status || *why) return status;
    page.type = (toad__page_type)h.type;
    page.status = h.http;
    page.redirects = h.redirects;
    page.wire_bytes = h.wire_bytes;
    page.replaced = h.replaced;
    page.address = h.address;
    page.sandboxed = h.sandboxed == 1;
    page.named = h.named == 1;
    page.unchanged = h.unchanged == 1;
    page.caching = h.caching;
    page.retry_after = h.retry_after;
    *ret = page;
    return TOAD_OK;
}

toad_status toad__fetch_isolated(const toad__fetch_options *o, toad_str url, toad__arena *arena, toad__page *ret,
                                 toad__refusal *ret_why, char detail[TOAD__FETCH_DETAIL]) {
    int ends[2], timeout = o->timeout_ms ? o->timeout_ms : DEFAULT_MS;
    size_t max_bytes = o->max_bytes ? o->max_bytes : MAX_BYTES;
    const char *missing = toad__curl_load(); /* here, once, and not in each child */
    detail[0] = 0;
    if (missing || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return snprintf(detail, TOAD__FETCH_DETAIL, "%s", missing ? missing : strerror(errno)), TOAD_E_IO;
    pid_t child = fork(); /* it ends by _exit: what is still in buffers is the parent's to print */
    if (!child) run_child(o, url, ends[1], (unsigned)timeout / 1000 + 2, MEMORY_FREE + 16 * max_bytes);
    close(ends[1]);
    toad_status status = TOAD_E_IO;
    if (child > 0)
        status = collect(ends[0], o, max_bytes, toad__now_ms() + timeout + GRACE_MS, arena, ret, ret_why, detail);
    else
        snprintf(detail, TOAD__FETCH_DETAIL, "%s", strerror(errno));
    close(ends[0]);
    if (child > 0) {
        kill(child, SIGKILL); /* it has nothing left to say */
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
    }
    return status;
}
