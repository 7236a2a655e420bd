/* Any bytes to a verdict: spans inside the input, findings sorted, the stream equal to the whole. */
#include "fuzz/fuzz.h"
#include "toadstone/toadstone.h"

#define CHECK(x)           \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static toad_engine *engine;
    static toad_scanner *scanner;
    const toad_verdict *v;
    if (!engine && (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner))) return 0;
    toad_str text = { (const char *)data, size };
    CHECK(!toad_scan(scanner, text, NULL, &v));
    for (size_t i = 0; i < toad_verdict_count(v); i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        CHECK(f->span.start <= f->span.end && f->span.end <= size);
        CHECK(!i || toad_verdict_finding(v, i - 1)->span.start <= f->span.start);
        for (size_t k = 0; k < f->excerpt.n; k++)
            CHECK((unsigned char)f->excerpt.p[k] >= 0x20 && (unsigned char)f->excerpt.p[k] < 0x7F);
    }
    toad_text *whole = NULL, *chunked = NULL;
    toad_stream *stream;
    CHECK(!toad_verdict_json(v, &whole));
    CHECK(!toad_stream_open(scanner, NULL, &stream));
    for (size_t at = 0, n; at < size; at += n) {
        n = 1 + data[at] % 61;
        if (n > size - at) n = size - at;
        CHECK(!toad_stream_write(stream, (toad_str){ text.p + at, n }));
    }
    CHECK(!toad_stream_close(stream, &v));
    CHECK(!toad_verdict_json(v, &chunked));
    toad_str a = toad_text_str(whole), b = toad_text_str(chunked);
    CHECK(a.n == b.n && !memcmp(a.p, b.p, a.n));
    toad_text_free(whole);
    toad_text_free(chunked);
    return 0;
}
