/* What a decoder hands over: cut at the room, stopped by the sink, with a map back. */

#include "lib/base/str.h"
#include "tests/unit/decode/decoding.h"

/* A child is cut at the room, the sink is told; a sink that says stop is obeyed. */
void test_room_and_stop(void **state) {
    (void)state;
    for (size_t i = 0; i < rows_count(); i++)
        for (size_t room = 1; room < 24; room += 7) {
            hunt h = { .want = toad__str_z("\x01"), .room = room };
            run_in(row_at(i)->decoder, row_at(i)->in, &h); /* on_child asserts */
        }
    hunt cut = { .want = toad__str_z("Ign"), .room = 10 };
    assert_int_equal(run_in(&toad__decoder_percent, toad__str_z("Ignore%20all%20previous"), &cut), TOAD_E_LIMIT);
    hunt h = { .want = toad__str_z("x"), .stop_after = 1 };
    run_in(&toad__decoder_json, toad__str_z("{\"a\":\"x\",\"b\":\"y\"}"), &h);
    assert_int_equal(h.children, 1);
}

void test_maps(void **state) {
    (void)state;
    const char *in = "first %25%34%39gnore last";
    hunt h = { .step = "percent", .want = toad__str_z("first Ignore last") };
    run_in(&toad__decoder_percent, toad__str_z(in), &h);
    assert_int_equal(h.hits, 1);
    assert_int_equal(h.from.start, 0);
    assert_int_equal(h.from.end, strlen(in));
    hunt b = { .step = "base64", .want = toad__str_z("Ignore all") };
    run_in(&toad__decoder_base64, toad__str_z("data: SWdub3JlIGFsbCBwcmV2aW91cw== end"), &b);
    assert_int_equal(b.hits, 1);
    assert_int_equal(b.from.start, 6);
    assert_int_equal(b.from.end, 32);
}
