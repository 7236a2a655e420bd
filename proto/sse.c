/* sse.c - the writer puts no byte of data where a field name is read; the reader is the standard's, line by line. */
#include "proto/sse.h"

#include "lib/base/str.h"

/* ---- writing ---- */

static void add_field(bzr__buf *out, const char *name, bzr_str value) {
    bzr__buf_add_z(out, name);
    bzr__buf_add_z(out, ": ");
    bzr__buf_add_str(out, value);
    bzr__buf_add_c(out, '\n');
}

void bzr__sse_add(bzr__buf *out, bzr_str id, bzr_str event, bzr_str data) {
    if (event.n) add_field(out, "event", event);
    if (id.n) add_field(out, "id", id);
    for (size_t at = 0, end; at <= data.n; at = end + 1) {
        end = at;
        while (end < data.n && data.p[end] != '\n' && data.p[end] != '\r') end++;
        add_field(out, "data", bzr__str_part(data, at, end));
        if (end + 1 < data.n && data.p[end] == '\r' && data.p[end + 1] == '\n') end++;
    }
    bzr__buf_add_c(out, '\n');
}

void bzr__sse_add_retry(bzr__buf *out, uint64_t ms) {
    bzr__buf_add_z(out, "retry: ");
    bzr__buf_add_u64(out, ms);
    bzr__buf_add_z(out, "\n\n");
}

/* ---- reading ---- */

void bzr__sse_init(bzr__sse_reader *r, size_t max) {
    *r = (bzr__sse_reader){ .retry = -1 };
    bzr__buf_init(&r->line, max);
    bzr__buf_init(&r->data, max);
    bzr__buf_init(&r->type, 256);
}

void bzr__sse_free(bzr__sse_reader *r) {
    bzr__buf_free(&r->line);
    bzr__buf_free(&r->data);
    bzr__buf_free(&r->type);
}

static void read_retry(bzr__sse_reader *r, bzr_str value) {
    int64_t ms = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (!bzr__is_digit((unsigned char)value.p[i])) return;
        ms = ms < 1000000000 ? ms * 10 + (value.p[i] - '0') : ms;
    }
    if (value.n) r->retry = ms;
}

static void read_id(bzr__sse_reader *r, bzr_str value) {
    if (value.n && memchr(value.p, 0, value.n)) return;
    r->id_next_n = value.n <= sizeof r->id_next ? value.n : 0;
    if (r->id_next_n) memcpy(r->id_next, value.p, r->id_next_n);
    r->has_id = true;
}

static void take_field(bzr__sse_reader *r, bzr_str line) {
    size_t colon = bzr__str_find(line, BZR__S(":"), 0);
    bzr_str name = bzr__str_part(line, 0, colon), value = bzr__str_part(line, colon + 1, line.n);
    if (value.n && value.p[0] == ' ') value = bzr__str_part(value, 1, value.n);
    if (bzr__str_eq(name, BZR__S("data"))) {
        if (r->has_data) bzr__buf_add_c(&r->data, '\n');
        bzr__buf_add_str(&r->data, value);
        r->has_data = true;
    } else if (bzr__str_eq(name, BZR__S("event"))) {
        bzr__buf_clear(&r->type);
        bzr__buf_add_str(&r->type, value);
    } else if (bzr__str_eq(name, BZR__S("id"))) {
        read_id(r, value);
    } else if (bzr__str_eq(name, BZR__S("retry"))) {
        read_retry(r, value);
    }
}

/* An empty line: what has come is an event, if it has data. */
static bool dispatch(bzr__sse_reader *r, bool (*take)(void *, const bzr__sse_event *), void *ctx) {
    bool more = true;
    if (r->has_id) {
        r->id_n = r->id_next_n;
        memcpy(r->id, r->id_next, r->id_n);
    }
    bzr__sse_event event = { r->type.n ? bzr__buf_str(&r->type) : BZR__S("message"), bzr__buf_str(&r->data),
                             bzr__str(r->id, r->id_n) };
    if (r->has_data) more = take(ctx, &event);
    bzr__buf_clear(&r->data);
    bzr__buf_clear(&r->type);
    r->has_data = r->has_id = false;
    return more;
}

static bool take_line(bzr__sse_reader *r, bool (*take)(void *, const bzr__sse_event *), void *ctx) {
    bzr_str line = bzr__buf_str(&r->line);
    if (!r->started && bzr__str_starts(line, BZR__S("\xef\xbb\xbf"))) line = bzr__str_part(line, 3, line.n);
    r->started = true;
    bool more = true;
    if (line.n)
        take_field(r, line);
    else
        more = dispatch(r, take, ctx);
    bzr__buf_clear(&r->line);
    return more;
}

bzr_status bzr__sse_feed(bzr__sse_reader *r, bzr_str bytes, bool (*take)(void *, const bzr__sse_event *), void *ctx) {
    for (size_t at = 0; at < bytes.n;) {
        size_t end = at;
        if (r->after_cr && bytes.p[at] == '\n') at++, end++;
        r->after_cr = false;
        while (end < bytes.n && bytes.p[end] != '\n' && bytes.p[end] != '\r') end++;
        bzr__buf_add(&r->line, bytes.p + at, end - at);
        if (r->line.status) return r->line.status;
        at = end + 1;
        if (end == bytes.n) break;
        r->after_cr = bytes.p[end] == '\r';
        bool more = take_line(r, take, ctx);
        if (r->data.status) return r->data.status;
        if (!more) break;
    }
    return BZR_OK;
}
