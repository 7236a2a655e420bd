/* fuzz_caching.c - the fields of an answer that say how long it may be used: whatever they are, the result is one that
 * could be sent back as it is, and not longer than it may be.
 *
 * The input is the fields, one a line: Cache-Control, Expires, Date, Age, Vary, ETag, Last-Modified, Retry-After. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "net/caching.h"

enum { FIELDS = 8 };

static void must_be_plain(const char *s) {
    for (; *s; s++) MUST(*s >= ' ' && *s < 0x7F);
}

/* Said to be uncacheable, it stays so whatever else is said. */
static void must_obey(toad__caching_fields f) {
    f.cache_control = TOAD__S("max-age=1000, no-store, no-cache");
    toad__caching c = toad__caching_of(&f, 0);
    MUST(c.no_store && c.fresh_s == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str in = toad__str(data, size), field[FIELDS] = { { NULL, 0 } };
    const int64_t now = INT64_C(1767225600);
    int64_t at = -1, wait = -1;
    for (size_t i = 0, from = 0; i < FIELDS && from <= size; i++) {
        size_t end = toad__str_find(in, TOAD__S("\n"), from);
        field[i] = toad__str_part(in, from, end);
        from = end + 1;
    }
    toad__caching_fields f = { field[0], field[1], field[2], field[3], field[4], field[5], field[6] };
    toad__caching c = toad__caching_of(&f, now);
    MUST(toad__caching_is_valid(&c));
    must_be_plain(c.etag);
    must_be_plain(c.modified);
    must_obey(f);
    if (toad__http_date(field[1], &at)) MUST(at >= INT64_C(-62167219200) && at <= INT64_C(253402300800));
    if (toad__retry_after(field[7], now, &wait)) MUST(wait >= 0);
    return 0;
}
