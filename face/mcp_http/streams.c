/* streams.c - see streams.h. */
#include "face/mcp_http/streams.h"

#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "proto/sse.h"
#include "sys/digest.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define RETRY_MS 500

/* An event that was sent, or waits for who listens. */
typedef struct event {
    struct event *next;
    uint64_t number;
    size_t n;
    char bytes[];
} event;

struct mcp_stream {
    mcp_stream *next;
    uint64_t id, number;   /* number: of its last event */
    uint64_t sent;         /* events up to here went to a reader */
    http_request *request; /* nothing was sent yet */
    http_stream *http;     /* events are being sent; never both */
    uint64_t attached;     /* which of the GETs, and the POST, it is sent to */
    size_t answers;        /* that are to come; 0 of the general one */
    bool was_stream, done, general;
    event *first, **last;
    uint64_t lost; /* events up to here are not kept any more */
};

/* ---- the session ---- */

bool mcp_streams_name(mcp_streams *all) {
    unsigned char random[MCP_SESSION_ID / 2];
    if (!toad__random(random, sizeof random)) return false;
    toad__hex_z(all->session, random, sizeof random);
    return true;
}

bool mcp_streams_are_of(const mcp_streams *all, toad_str session) {
    return *all->session && session.n == MCP_SESSION_ID && toad__same_bytes(all->session, session.p, MCP_SESSION_ID);
}

/* ---- the list ---- */

mcp_stream *mcp_streams_find(mcp_streams *all, uint64_t id) {
    mcp_stream *s = all->first;
    while (s && s->id != id) s = s->next;
    return s;
}

static mcp_stream *general_stream(mcp_streams *all) {
    mcp_stream *s = all->first;
    while (s && !s->general) s = s->next;
    return s;
}

mcp_stream *mcp_streams_add(mcp_streams *all, size_t answers) {
    mcp_stream *s = !*all->session || all->n < MCP_STREAMS ? calloc(1, sizeof *s) : NULL, **at = &all->first;
    if (!s) return NULL;
    s->id = ++all->made;
    s->answers = answers;
    s->general = s->was_stream = !answers;
    s->last = &s->first;
    while (*at) at = &(*at)->next;
    *at = s;
    all->n++;
    return s;
}

uint64_t mcp_stream_id(const mcp_stream *s) { return s->id; }

static void forget_event(mcp_streams *all, mcp_stream *s) {
    event *e = s->first;
    s->first = e->next;
    if (!s->first) s->last = &s->first;
    s->lost = e->number;
    all->kept -= e->n;
    free(e);
}

void mcp_streams_drop(mcp_streams *all, mcp_stream *s) {
    mcp_stream **at = &all->first;
    assert(!s->request && !s->http);
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    all->n--;
    while (s->first) forget_event(all, s);
    free(s);
}

void mcp_streams_free(mcp_streams *all) {
    while (all->first) mcp_streams_drop(all, all->first);
}

/* The oldest events go first; a stream that is done and of which nothing is left goes, too. */
static void trim(mcp_streams *all) {
    for (mcp_stream *s = all->first, *next; s; s = next) {
        next = s->next;
        while (all->kept > MCP_KEPT && s->first) forget_event(all, s);
        bool many = all->n > MCP_STREAMS / 2;
        if (s->done && !s->http && (!s->first || many)) mcp_streams_drop(all, s);
    }
}

/* ---- sending ---- */

static void keep_event(mcp_streams *all, mcp_stream *s, toad_str bytes) {
    event *e = malloc(sizeof *e + bytes.n);
    if (!e) {
        s->lost = s->number;
        return;
    }
    e->next = NULL;
    e->number = s->number;
    e->n = bytes.n;
    memcpy(e->bytes, bytes.p, bytes.n);
    *s->last = e;
    s->last = &e->next;
    all->kept += bytes.n;
}

static void add_event(const mcp_streams *all, const mcp_stream *s, toad__buf *b, toad_str data) {
    char id[48];
    int n = snprintf(id, sizeof id, "%llu-%llu", (unsigned long long)s->id, (unsigned long long)s->number);
    toad__sse_add(b, toad__str(id, *all->session ? (size_t)n : 0), toad__str(NULL, 0), data);
}

static const http_field no_store = { "Cache-Control", { "no-store", 8 } };
static const http_field unbuffered = { "X-Accel-Buffering", { "no", 2 } };

static void open_events(const mcp_streams *all, mcp_stream *s, http_request *r) {
    toad__buf first;
    toad__buf_init(&first, 4096);
    if (all->primed) {
        toad__sse_add_retry(&first, RETRY_MS);
        add_event(all, s, &first, toad__str(NULL, 0));
    } else {
        toad__buf_add_z(&first, ":\n\n");
    }
    http_field fields[] = { no_store, unbuffered, { "Mcp-Session-Id", toad__str_z(all->session) } };
    http_answer answer = { 200, "text/event-stream", toad__buf_str(&first), fields, *all->session ? 3 : 2 };
    assert(!s->http);
    s->http = http_stream_open(r, &answer);
    s->was_stream = true;
    toad__buf_free(&first);
}

static void begin_events(const mcp_streams *all, mcp_stream *s) {
    if (s->request) open_events(all, s, s->request);
    s->request = NULL;
}

static void end_events(mcp_stream *s) {
    if (s->http) http_stream_end(s->http);
    s->http = NULL;
}

static void send_event(mcp_streams *all, mcp_stream *s, toad_str message) {
    toad__buf b;
    toad__buf_init(&b, 2 * message.n + 4096);
    begin_events(all, s);
    s->number++;
    add_event(all, s, &b, message);
    if (s->http && !b.status) (void)http_stream_write(s->http, toad__buf_str(&b));
    if (s->http) s->sent = s->number;
    if (*all->session && s->was_stream && !b.status) keep_event(all, s, toad__buf_str(&b));
    toad__buf_free(&b);
}

static void reply_whole(const mcp_streams *all, mcp_stream *s, int status, toad_str message) {
    http_field fields[] = { no_store, { "Mcp-Session-Id", toad__str_z(all->session) } };
    http_answer answer = { status, "application/json", message, fields, *all->session ? 2 : 1 };
    http_reply(s->request, &answer);
    s->request = NULL;
}

bool mcp_streams_emit(mcp_streams *all, uint64_t stream, toad__mcp_out_kind kind, int http, toad_str message) {
    mcp_stream *s = stream ? mcp_streams_find(all, stream) : NULL;
    if (!s && kind != TOAD__MCP_ANSWER) s = general_stream(all);
    if (!s && kind != TOAD__MCP_ANSWER && kind != TOAD__MCP_PAUSE && *all->session) s = mcp_streams_add(all, 0);
    if (!s) return false;
    if (kind == TOAD__MCP_PAUSE) {
        if (all->primed) begin_events(all, s), end_events(s);
        return false;
    }
    bool last = kind == TOAD__MCP_ANSWER && s->answers && !--s->answers;
    if (last && s->request)
        reply_whole(all, s, http ? http : 200, message);
    else
        send_event(all, s, message);
    if (last) end_events(s);
    s->done |= last;
    trim(all);
    return last;
}

/* ---- readers ---- */

uint64_t mcp_streams_next_reader(mcp_streams *all) { return ++all->attachments; }

void mcp_stream_attach(mcp_stream *s, uint64_t reader) { s->attached = reader; }

void mcp_stream_answers(mcp_stream *s, http_request *r) {
    assert(!s->request && !s->http);
    s->request = r;
}

/* "STREAM-EVENT" */
static bool read_event_id(toad_str text, uint64_t *stream_id, uint64_t *number) {
    uint64_t n[2] = { 0, 0 };
    size_t part = 0, digits = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '-' && !part && digits) {
            part = 1;
            digits = 0;
        } else if (!toad__is_digit((unsigned char)text.p[i]) || ++digits > 18) {
            return false;
        } else {
            n[part] = n[part] * 10 + (uint64_t)(text.p[i] - '0');
        }
    }
    *stream_id = n[0];
    *number = n[1];
    return part && digits;
}

mcp_stream *mcp_streams_for_get(mcp_streams *all, toad_str last, uint64_t *ret_from) {
    uint64_t id, number;
    if (!last.n) {
        mcp_stream *s = general_stream(all);
        if (!s) s = mcp_streams_add(all, 0);
        if (s) *ret_from = s->sent;
        return s;
    }
    mcp_stream *s = read_event_id(last, &id, &number) ? mcp_streams_find(all, id) : NULL;
    if (!s || !s->was_stream || number < s->lost || number > s->number) return NULL;
    *ret_from = number;
    return s;
}

void mcp_stream_listen(mcp_streams *all, mcp_stream *s, http_request *r, uint64_t from) {
    end_events(s);
    open_events(all, s, r);
    for (const event *e = s->first; e; e = e->next)
        if (e->number > from) (void)http_stream_write(s->http, toad__str(e->bytes, e->n));
    s->sent = s->number;
    if (s->done) end_events(s);
}

void mcp_streams_reader_over(mcp_streams *all, uint64_t stream, uint64_t attached, bool early) {
    mcp_stream *s = mcp_streams_find(all, stream);
    if (!s || s->attached != attached) return;
    if (s->request && early) {
        http_reply_problem(s->request, 503, NULL);
        s->request = NULL;
    }
    end_events(s);
}

void mcp_streams_refuse(mcp_streams *all, int status, const char *detail) {
    for (mcp_stream *s = all->first; s; s = s->next) {
        if (s->request) http_reply_problem(s->request, status, detail);
        s->request = NULL;
        end_events(s);
    }
}

void mcp_streams_end_unanswered(mcp_streams *all) {
    for (mcp_stream *s = all->first; s; s = s->next) {
        if (s->general || s->done) continue;
        if (s->request && !*all->session)
            http_reply_problem(s->request, 503, "out of memory");
        else
            begin_events(all, s);
        s->request = NULL;
        s->done = true;
        end_events(s);
    }
    trim(all);
}

bool mcp_streams_used(const mcp_streams *all) {
    for (const mcp_stream *s = all->first; s; s = s->next)
        if (s->http || s->request) return true;
    return false;
}
