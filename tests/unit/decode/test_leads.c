/* Pairs and leads. */

#include "lib/base/str.h"
#include "lib/decode/leads.h"
#include "lib/decode/runs.h"
#include "tests/support/exact.h"
#include "tests/unit/decode/decoding.h"

/* Leads are found as a byte-by-byte search finds them. */
void test_leads(void **state) {
    (void)state;
    static char text[400];
    uint32_t seed = 3;
    for (size_t i = 0; i < sizeof text; i++) seed = seed * 1664525 + 1013904223, text[i] = "ab%\xe2 "[(seed >> 16) % 5];
    for (size_t n = 0; n < sizeof text; n += n < 150 ? 1 : 37) {
        char *copy = exact_dup(text, n);
        toad_str in = { copy, n };
        toad__leads leads = toad__leads_of(in, "%\xe2");
        for (size_t from = 0; from <= n; from += 1 + from % 5) {
            size_t any = from;
            while (any < n && copy[any] != '%' && copy[any] != '\xe2') any++;
            assert_int_equal(toad__leads_next(&leads, from), any);
        }
        free(copy);
    }
}
