/* Text as it is displayed. */

#include "tests/unit/decode/smuggling.h"

void test_bidi(void **state) {
    (void)state;
    reads(&toad__decoder_bidi, TOAD__S("\xe2\x80\xaesnoitcurtsni suoiverp lla erongI"), PHRASE);
    reads(&toad__decoder_bidi, TOAD__S("\xe2\x81\xa7snoitcurtsni suoiverp lla erongI\xe2\x81\xa9"), PHRASE);
    reads(&toad__decoder_bidi,
          TOAD__S("first\nx \xe2\x80\xae"
                  "cba\xe2\x80\xac y\nlast"),
          "x abc y\n");
    reads(&toad__decoder_bidi,
          TOAD__S("\xe2\x80\xae"
                  "fed\xe2\x80\xad"
                  "abc\xe2\x80\xac"),
          "abcdef");
    reads(&toad__decoder_bidi,
          TOAD__S("invoice\xe2\x80\xae"
                  "fdp.exe"),
          "invoiceexe.pdf");
    silent(&toad__decoder_bidi, TOAD__S("\xe2\x81\xa6"
                                        "left\xe2\x81\xa9 to right"));
    catch c = run(&toad__decoder_bidi, TOAD__S("x \xe2\x80\xae"
                                               "cba\xe2\x80\xac y"));
    assert_int_equal(c.all.end, 13);
    sheet deep = { .n = 0 };
    for (unsigned i = 0; i < 300; i++) cp(&deep, i & 1 ? 0x202D : 0x202E);
    words(&deep, "abc");
    assert_int_equal(run(&toad__decoder_bidi, str(&deep)).n, 3);
}
