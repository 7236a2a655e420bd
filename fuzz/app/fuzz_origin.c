/* fuzz_origin.c - any name of a source.
 *
 * Holds: reading the canonical URL again changes nothing, so one place has one name; host and domain are inert ASCII;
 * the domain is the end of the host, cut at a label. */
#include "app/host/origin.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static void check_names(const toad__origin *o) {
    for (size_t i = 0; i < o->host.n; i++) {
        unsigned char c = (unsigned char)o->host.p[i];
        CHECK(toad__is_digit(c) || toad__is_lower(c) || strchr(".-_%[]:ABCDEF", c));
    }
    CHECK(!o->domain.n == !o->host.n && o->domain.n <= o->host.n);
    size_t at = o->host.n - o->domain.n;
    CHECK(toad__str_eq(o->domain, toad__str_part(o->host, at, o->host.n)));
    CHECK(!at || o->host.p[at - 1] == '.');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    toad__origin once, twice, host;
    toad__arena_init(&arena, 1u << 24);
    if (!toad__origin_of(toad__str(data, size), &arena, &once)) {
        check_names(&once);
        for (size_t i = 0; once.host.n && i < once.url.n; i++) CHECK(once.url.p[i] > ' ' && once.url.p[i] < 0x7f);
        CHECK(!toad__origin_of(once.url, &arena, &twice));
        CHECK(!once.host.n || toad__str_eq(once.url, twice.url));
        CHECK(!once.host.n || toad__str_eq(once.domain, twice.domain));
    }
    if (!toad__origin_of_host(toad__str(data, size), &arena, &host)) check_names(&host);
    toad__arena_free(&arena);
    return 0;
}
