/* fuzz_url.c - URLs, relative references and host names. What is accepted must read the same when it is read again,
 * must hold no byte that a request or a log could trip over, and must not be an address of a private network unless the
 * guard says so.
 *
 * The input is a URL, or a base and a reference with a line feed between. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/guard.h"
#include "net/robots.h"
#include "net/sniff.h"
#include "net/unpack.h"

static void must_be_plain(toad_str s) {
    for (size_t i = 0; i < s.n; i++) MUST(s.p[i] > ' ' && s.p[i] < 0x7F && !strchr("<>\"", s.p[i]));
}

static void must_be_stable(const toad__url *url, toad__arena *arena) {
    toad__url again;
    toad__refusal why;
    MUST(toad__url_parse(url->text, NULL, arena, &again, &why) == TOAD_OK);
    MUST(why == TOAD__ALLOWED);
    MUST(toad__str_eq(again.text, url->text) && toad__str_eq(again.host, url->host) &&
         toad__str_eq(again.target, url->target));
    MUST(again.https == url->https && again.port == url->port && again.is_address == url->is_address);
    MUST(!memcmp(&again.address.bytes, &url->address.bytes, 16));
}

/* The judgement of a named host without a refusal is the same as none; of a literal address it is that of the address.
 */
static void must_be_judged(const toad__url *url) {
    toad__guard guard = { 0 };
    toad__refusal why = toad__guard_url(&guard, url, toad__guard_is_named(&guard, url));
    MUST(toad__refusal_of(toad__refusal_code(why)) == why || !why);
    if (url->is_address && !why) MUST(toad__guard_address(&url->address, false) == TOAD__ALLOWED);
    MUST(toad__guard_url(&guard, url, true) == TOAD__ALLOWED);
}

static void check(toad_str text, const toad__url *base, toad__arena *arena, toad__url *ret, bool *ok) {
    toad__refusal why;
    MUST(toad__url_parse(text, base, arena, ret, &why) == TOAD_OK);
    *ok = !why;
    if (why) return;
    must_be_plain(ret->text);
    MUST(ret->target.n && ret->target.p[0] == '/');
    MUST(ret->host.n && ret->host.n <= 253 && ret->host.p[ret->host.n] == 0);
    MUST(ret->text.p[ret->text.n] == 0);
    must_be_stable(ret, arena);
    must_be_judged(ret);
}

static void check_body(toad_str body, toad_str label) {
    toad__buf out, packed;
    const char *charset;
    uint64_t replaced;
    toad__refusal why;
    toad__buf_init(&out, 1u << 22);
    toad__buf_init(&packed, 1u << 22);
    if (toad__page_utf8(body, label, &out, &charset, &replaced) == TOAD_OK)
        MUST(toad__utf8_valid_upto(toad__buf_str(&out)) == out.n);
    (void)toad__sniff_text(toad__buf_str(&out), label);
    (void)toad__sniff_binary(body);
    (void)toad__robots_allow(body, TOAD__S("toadstone"), label);
    MUST(toad__unpack(body, TOAD__S("gzip"), 100, &packed, &why) == TOAD_OK);
    toad__buf_free(&out);
    toad__buf_free(&packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size);
    toad__arena arena;
    toad__url first, second;
    bool ok;
    size_t line = toad__str_find(in, TOAD__S("\n"), 0);
    toad__arena_init(&arena, 1u << 24);
    check(toad__str_part(in, 0, line), NULL, &arena, &first, &ok);
    if (ok && line < in.n) check(toad__str_part(in, line + 1, in.n), &first, &arena, &second, &ok);
    check(in, NULL, &arena, &first, &ok);
    check_body(toad__str_part(in, line + 1, in.n), toad__str_part(in, 0, line));
    toad__arena_free(&arena);
    return 0;
}
