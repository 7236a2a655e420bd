/* sse.c - the writer puts no byte of data where a field name is read; the reader is the standard's, line by line. */
#include "proto/sse.h"

#include "lib/base/str.h"

/* ---- writing ---- */

static void add_field(toad__buf *out, const char *name, toad_str value) {
    toad__buf_add_z(out, name);
    toad__buf_add_z(out, ": ");
    toad__buf_add_str(out, value);
    toad__buf_add_c(out, '\n');
}

void toad__sse_add(toad__buf *out, toad_str id, toad_str event, toad_str data) {
    if (event.n) add_field(out, "event", event);
    if (id.n) add_field(out, "id", id);
    for (size_t at = 0, end; at <= data.n; at = end + 1) {
        end = at;
        while (end < data.n && data.p[end] != '\n' && data.p[end] != '\r') end++;
        add_field(out, "data", toad__str_part(data, at, end));
        if (end + 1 < data.n && data.p[end] == '\r' && data.p[end + 1] == '\n') end++;
    }
    toad__buf_add_c(out, '\n');
}

void toad__sse_add_retry(toad__buf *out, uint64_t ms) {
    toad__buf_add_z(out, "retry: ");
    toad__buf_add_u64(out, ms);
    toad__buf_add_z(out, "\n\n");
}

/* ---- reading ---- */

void toad__sse_init(toad__sse_reader *r, size_t max) {
    *r = (toad__sse_reader){ .retry = -1 };
    toad__buf_init(&r->line, max);
    toad__buf_init(&r->data, max);
    toad__buf_init(&r->type, 256);
}

void toad__sse_free(toad__sse_reader *r) {
    toad__buf_free(&r->line);
    toad__buf_free(&r->data);
    toad__buf_free(&r->type);
}

static void read_retry(toad__sse_reader *r, toad_str value) {
    int64_t ms = 0;
    for (size_t i = 0; i < value.n; i++) {
        if (!toad__is_digit((unsigned char)value.p[i])) return;
        ms = ms < 1000000000 ? ms * 10 + (value.p[i] - '0') : ms;
    }
    if (value.n) r->retry = ms;
}

static void read_id(toad__sse_reader *r, toad_str value) {
    if (value.n && memchr(value.p, 0, value.n)) return;
    r->id_next_n = value.n <= sizeof r->id_next ? value.n : 0;
    if (r->id_next_n) memcpy(r->id_next, value.p, r->id_next_n);
    r->has_id = true;
}

static void take_field(toad__sse_reader *r, toad_str line) {
    size_t colon = toad__str_find(line, TOAD__S(":"), 0);
    toad_str name = toad__str_part(line, 0, colon), value = toad__str_part(line, colon + 1, line.n);
    if (value.n && value.p[0] == ' ') value = toad__str_part(value, 1, value.n);
    if (toad__str_eq(name, TOAD__S("data"))) {
        if (r->has_data) toad__buf_add_c(&r->data, '\n');
        toad__buf_add_str(&r->data, value);
        r->has_data = true;
    } else if (toad__str_eq(name, TOAD__S("event"))) {
        toad__buf_clear(&r->type);
        toad__buf_add_str(&r->type, value);
    } else if (toad__str_eq(name, TOAD__S("id"))) {
        read_id(r, value);
    } else if (toad__str_eq(name, TOAD__S("retry"))) {
        read_retry(r, value);
    }
}

/* An empty line: what has come is an event, if it has data. */
static bool dispatch(toad__sse_reader *r, bool (*take)(void *, const toad__sse_event *), void *ctx) {
    bool more = true;
    if (r->has_id) {
        r->id_n = r->id_next_n;
        memcpy(r->id, r->id_next, r->id_n);
    }
    toad__sse_event event = { r->type.n ? toad__buf_str(&r->type) : TOAD__S("message"), toad__buf_str(&r->data),
                              toad__str(r->id, r->id_n) };
    if (r->has_data) more = take(ctx, &event);
    toad__buf_clear(&r->data);
    toad__buf_clear(&r->type);
    r->has_data = r->has_id = false;
    return more;
}

static bool take_line(toad__sse_reader *r, bool (*take)(void *, const toad__sse_event *), void *ctx) {
    toad_str line = toad__buf_str(&r->line);
    if (!r->started && toad__str_starts(line, TOAD__S("\xef\xbb\xbf"))) line = toad__str_part(line, 3, line.n);
    r->started = true;
    bool more = true;
    if (line.n)
        take_field(r, line);
    else
        more = dispatch(r, take, ctx);
    toad__buf_clear(&r->line);
    return more;
}

toad_status toad__sse_feed(toad__sse_reader *r, toad_str bytes, bool (*take)(void *, const toad__sse_event *),
                           void *ctx) {
    for (size_t at = 0; at < bytes.n;) {
        size_t end = at;
        if (r->after_cr && bytes.p[at] == '\n') at++, end++;
        r->after_cr = false;
        while (end < bytes.n && bytes.p[end] != '\n' && bytes.p[end] != '\r') end++;
        toad__buf_add(&r->line, bytes.p + at, end - at);
        if (r->line.status) return r->line.status;
        at = end + 1;
        if (end == bytes.n) break;
        r->after_cr = bytes.p[end] == '\r';
        bool more = take_line(r, take, ctx);
        if (r->data.status) return r->data.status;
        if (!more) break;
    }
    return TOAD_OK;
}
