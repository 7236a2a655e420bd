/* Any bytes to a verdict: spans inside the input, findings sorted, the stream equal to the whole. */
#include "bezoar/bezoar.h"

#include <stdlib.h>
#include <string.h>

#define CHECK(x) do { if (!(x)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static bzr_engine *engine;
    static bzr_scanner *scanner;
    const bzr_verdict *v;
    if (!engine && (bzr_engine_new(NULL, &engine) || bzr_scanner_new(engine, &scanner))) return 0;
    bzr_str text = { (const char *)data, size };
    CHECK(!bzr_scan(scanner, text, NULL, &v));
    for (size_t i = 0; i < bzr_verdict_count(v); i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        CHECK(f->span.start <= f->span.end && f->span.end <= size);
        CHECK(!i || bzr_verdict_finding(v, i - 1)->span.start <= f->span.start);
        for (size_t k = 0; k < f->excerpt.n; k++) CHECK((unsigned char)f->excerpt.p[k] >= 0x20 && (unsigned char)f->excerpt.p[k] < 0x7F);
    }
    bzr_text *whole = NULL, *chunked = NULL;
    bzr_stream *stream;
    CHECK(!bzr_verdict_json(v, &whole));
    CHECK(!bzr_stream_open(scanner, NULL, &stream));
    for (size_t at = 0, n; at < size; at += n) {
        n = 1 + data[at] % 61;
        if (n > size - at) n = size - at;
        CHECK(!bzr_stream_write(stream, (bzr_str){ text.p + at, n }));
    }
    CHECK(!bzr_stream_close(stream, &v));
    CHECK(!bzr_verdict_json(v, &chunked));
    bzr_str a = bzr_text_str(whole), b = bzr_text_str(chunked);
    CHECK(a.n == b.n && !memcmp(a.p, b.p, a.n));
    bzr_text_free(whole);
    bzr_text_free(chunked);
    return 0;
}
