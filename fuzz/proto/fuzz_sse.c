/* Events from a stranger, in chunks of every size: the same events come out whatever the chunking, data and ids keep
 * within their limits, and what our writer writes is read back. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "proto/sse.h"
#include "tests/support/exact.h"

#define MOST 512

typedef struct seen {
    toad__buf all;
    size_t n;
} seen;

static bool note(void *ctx, const toad__sse_event *event) {
    seen *s = ctx;
    MUST(event->data.n <= MOST && event->id.n <= TOAD__SSE_ID_MAX && event->type.n);
    MUST(!event->id.n || !memchr(event->id.p, 0, event->id.n));
    toad__buf_add_str(&s->all, event->type);
    toad__buf_add_c(&s->all, 0);
    toad__buf_add_str(&s->all, event->id);
    toad__buf_add_c(&s->all, 0);
    toad__buf_add_str(&s->all, event->data);
    toad__buf_add_c(&s->all, 0);
    s->n++;
    return true;
}

static toad_status read_all(toad_str in, size_t step, seen *s) {
    toad__sse_reader r;
    toad_status status = TOAD_OK;
    toad__buf_init(&s->all, 1u << 24);
    s->n = 0;
    toad__sse_init(&r, MOST);
    for (size_t at = 0; at < in.n && !status; at += step) {
        toad_str part = toad__str_part(in, at, at + step);
        char *copy = exact_dup(part.p, part.n);
        status = toad__sse_feed(&r, toad__str(copy, part.n), note, s);
        free(copy);
    }
    toad__sse_free(&r);
    return status;
}

static bool is_same(void *ctx, const toad__sse_event *event) {
    toad_str *want = ctx;
    MUST(event->data.n == want->n);
    for (size_t i = 0; i < want->n; i++) MUST(event->data.p[i] == want->p[i] || want->p[i] == '\r');
    want->p = NULL;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    seen whole, parts;
    toad_status status = read_all(in, size ? size : 1, &whole);
    for (size_t step = 1; step < 8; step += 3) {
        MUST(read_all(in, step, &parts) == status);
        MUST(status || (parts.n == whole.n && toad__str_eq(toad__buf_str(&parts.all), toad__buf_str(&whole.all))));
        toad__buf_free(&parts.all);
    }
    toad__buf_free(&whole.all);

    toad__buf out;
    toad__sse_reader r;
    toad_str want = in;
    for (size_t i = 0; i + 1 < size; i++)
        if (data[i] == '\r' && data[i + 1] == '\n') return 0; /* becomes one line end */
    toad__buf_init(&out, 1u << 24);
    toad__sse_add(&out, TOAD__S("1-2"), TOAD__S("message"), in);
    toad__sse_init(&r, 1u << 24);
    MUST(!toad__sse_feed(&r, toad__buf_str(&out), is_same, &want));
    MUST(!want.p);
    toad__sse_free(&r);
    toad__buf_free(&out);
    return 0;
}
