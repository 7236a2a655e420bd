/* fuzz_url.c - URLs, relative references and host names. What is accepted must read the same when it is read again,
 * must hold no byte that a request or a log could trip over, and must not be an address of a private network unless the
 * guard says so.
 *
 * The input is a URL, or a base and a reference with a line feed between. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/guard.h"
#include "net/robots.h"
#include "net/sniff.h"
#include "net/unpack.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MUST(what)                                                     \
    do {                                                               \
        if (!(what)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            abort();                                                   \
        }                                                              \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_plain(bzr_str s) {
    for (size_t i = 0; i < s.n; i++) MUST(s.p[i] > ' ' && s.p[i] < 0x7F && !strchr("<>\"", s.p[i]));
}

static void must_be_stable(const bzr__url *url, bzr__arena *arena) {
    bzr__url again;
    bzr__refusal why;
    MUST(bzr__url_parse(url->text, NULL, arena, &again, &why) == BZR_OK);
    MUST(why == BZR__ALLOWED);
    MUST(bzr__str_eq(again.text, url->text) && bzr__str_eq(again.host, url->host) &&
         bzr__str_eq(again.target, url->target));
    MUST(again.https == url->https && again.port == url->port && again.is_address == url->is_address);
    MUST(!memcmp(&again.address.bytes, &url->address.bytes, 16));
}

/* The judgement of a named host without a refusal is the same as none; of a literal address it is that of the address.
 */
static void must_be_judged(const bzr__url *url) {
    bzr__guard guard = { 0 };
    bzr__refusal why = bzr__guard_url(&guard, url, bzr__guard_is_named(&guard, url));
    MUST(bzr__refusal_of(bzr__refusal_code(why)) == why || !why);
    if (url->is_address && !why) MUST(bzr__guard_address(&url->address, false) == BZR__ALLOWED);
    MUST(bzr__guard_url(&guard, url, true) == BZR__ALLOWED);
}

static void check(bzr_str text, const bzr__url *base, bzr__arena *arena, bzr__url *ret, bool *ok) {
    bzr__refusal why;
    MUST(bzr__url_parse(text, base, arena, ret, &why) == BZR_OK);
    *ok = !why;
    if (why) return;
    must_be_plain(ret->text);
    MUST(ret->target.n && ret->target.p[0] == '/');
    MUST(ret->host.n && ret->host.n <= 253 && ret->host.p[ret->host.n] == 0);
    MUST(ret->text.p[ret->text.n] == 0);
    must_be_stable(ret, arena);
    must_be_judged(ret);
}

static void check_body(bzr_str body, bzr_str label) {
    bzr__buf out, packed;
    const char *charset;
    uint64_t replaced;
    bzr__refusal why;
    bzr__buf_init(&out, 1u << 22);
    bzr__buf_init(&packed, 1u << 22);
    if (bzr__page_utf8(body, label, &out, &charset, &replaced) == BZR_OK)
        MUST(bzr__utf8_valid_upto(bzr__buf_str(&out)) == out.n);
    (void)bzr__sniff_text(bzr__buf_str(&out), label);
    (void)bzr__sniff_binary(body);
    (void)bzr__robots_allow(body, BZR__S("bezoar"), label);
    MUST(bzr__unpack(body, BZR__S("gzip"), 100, &packed, &why) == BZR_OK);
    bzr__buf_free(&out);
    bzr__buf_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str in = bzr__str(data, size);
    bzr__arena arena;
    bzr__url first, second;
    bool ok;
    size_t line = bzr__str_find(in, BZR__S("\n"), 0);
    bzr__arena_init(&arena, 1u << 24);
    check(bzr__str_part(in, 0, line), NULL, &arena, &first, &ok);
    if (ok && line < in.n) check(bzr__str_part(in, line + 1, in.n), &first, &arena, &second, &ok);
    check(in, NULL, &arena, &first, &ok);
    check_body(bzr__str_part(in, line + 1, in.n), bzr__str_part(in, 0, line));
    bzr__arena_free(&arena);
    return 0;
}
