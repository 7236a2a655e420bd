/* fuzz_origin.c - any name of a source.
 *
 * Holds: reading the canonical URL again changes nothing, so one place has one name; host and domain are inert ASCII;
 * the domain is the end of the host, cut at a label. */
#include "app/records/origin.h"
#include "lib/base/str.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_names(const bzr__origin *o) {
    for (size_t i = 0; i < o->host.n; i++) {
        unsigned char c = (unsigned char)o->host.p[i];
        CHECK(bzr__is_digit(c) || bzr__is_lower(c) || strchr(".-_%[]:ABCDEF", c));
    }
    CHECK(!o->domain.n == !o->host.n && o->domain.n <= o->host.n);
    size_t at = o->host.n - o->domain.n;
    CHECK(bzr__str_eq(o->domain, bzr__str_part(o->host, at, o->host.n)));
    CHECK(!at || o->host.p[at - 1] == '.');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__arena arena;
    bzr__origin once, twice, host;
    bzr__arena_init(&arena, 1u << 24);
    if (!bzr__origin_of(bzr__str(data, size), &arena, &once)) {
        check_names(&once);
        for (size_t i = 0; once.host.n && i < once.url.n; i++) CHECK(once.url.p[i] > ' ' && once.url.p[i] < 0x7f);
        CHECK(!bzr__origin_of(once.url, &arena, &twice));
        CHECK(!once.host.n || bzr__str_eq(once.url, twice.url));
        CHECK(!once.host.n || bzr__str_eq(once.domain, twice.domain));
    }
    if (!bzr__origin_of_host(bzr__str(data, size), &arena, &host)) check_names(&host);
    bzr__arena_free(&arena);
    return 0;
}
