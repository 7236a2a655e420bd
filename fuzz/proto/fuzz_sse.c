/* Events from a stranger, in chunks of every size: the same events come out whatever the chunking, data and ids keep
 * within their limits, and what our writer writes is read back. */
#include "lib/base/str.h"
#include "proto/sse.h"
#include "tests/support/exact.h"

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)
#define MOST 512

typedef struct seen {
    bzr__buf all;
    size_t n;
} seen;

static bool note(void *ctx, const bzr__sse_event *event) {
    seen *s = ctx;
    MUST(event->data.n <= MOST && event->id.n <= BZR__SSE_ID_MAX && event->type.n);
    MUST(!event->id.n || !memchr(event->id.p, 0, event->id.n));
    bzr__buf_add_str(&s->all, event->type);
    bzr__buf_add_c(&s->all, 0);
    bzr__buf_add_str(&s->all, event->id);
    bzr__buf_add_c(&s->all, 0);
    bzr__buf_add_str(&s->all, event->data);
    bzr__buf_add_c(&s->all, 0);
    s->n++;
    return true;
}

static bzr_status read_all(bzr_str in, size_t step, seen *s) {
    bzr__sse_reader r;
    bzr_status status = BZR_OK;
    bzr__buf_init(&s->all, 1u << 24);
    s->n = 0;
    bzr__sse_init(&r, MOST);
    for (size_t at = 0; at < in.n && !status; at += step) {
        bzr_str part = bzr__str_part(in, at, at + step);
        char *copy = exact_dup(part.p, part.n);
        status = bzr__sse_feed(&r, bzr__str(copy, part.n), note, s);
        free(copy);
    }
    bzr__sse_free(&r);
    return status;
}

static bool is_same(void *ctx, const bzr__sse_event *event) {
    bzr_str *want = ctx;
    MUST(event->data.n == want->n);
    for (size_t i = 0; i < want->n; i++) MUST(event->data.p[i] == want->p[i] || want->p[i] == '\r');
    want->p = NULL;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size);
    seen whole, parts;
    bzr_status status = read_all(in, size ? size : 1, &whole);
    for (size_t step = 1; step < 8; step += 3) {
        MUST(read_all(in, step, &parts) == status);
        MUST(status || (parts.n == whole.n && bzr__str_eq(bzr__buf_str(&parts.all), bzr__buf_str(&whole.all))));
        bzr__buf_free(&parts.all);
    }
    bzr__buf_free(&whole.all);

    bzr__buf out;
    bzr__sse_reader r;
    bzr_str want = in;
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == '\r' && data[i + 1] == '\n') return 0; /* becomes one line end */
    bzr__buf_init(&out, 1u << 24);
    bzr__sse_add(&out, BZR__S("1-2"), BZR__S("message"), in);
    bzr__sse_init(&r, 1u << 24);
    MUST(!bzr__sse_feed(&r, bzr__buf_str(&out), is_same, &want));
    MUST(!want.p);
    bzr__sse_free(&r);
    bzr__buf_free(&out);
    return 0;
}
