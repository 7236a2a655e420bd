/* Text in tag characters. */

#include "tests/unit/decode/smuggling.h"

void test_tags(void **state) {
    (void)state;
    sheet s = shifted("hi ", 0xE0000, "");
    reads(&toad__decoder_tags, str(&s), PHRASE);
    catch c = run(&toad__decoder_tags, str(&s));
    assert_int_equal(c.first.start, 3);
    assert_int_equal(c.all.end, s.n);
    s = shifted("", 0xE0000, "x");
    reads(&toad__decoder_tags, str(&s), PHRASE);
    sheet flags = { .n = 0 };
    cp(&flags, 0x1F3F4);
    for (const char *p = "gbeng"; *p; p++) cp(&flags, 0xE0000 + (unsigned char)*p);
    cp(&flags, 0xE007F);
    silent(&toad__decoder_tags, str(&flags));
    cp(&flags, 0xE0000 + 'o');
    cp(&flags, 0xE0000 + 'k');
    reads(&toad__decoder_tags, str(&flags), "ok");
    sheet bytes = { .n = 0 };
    cp(&bytes, 0xE00C3);
    cp(&bytes, 0xE00A9);
    reads(&toad__decoder_tags, str(&bytes), "\xc3\xa9");
    reads(&toad__decoder_tags, TOAD__S("x\xed\xad\x80\xed\xb1\x89\xed\xad\x80\xed\xb1\xa7"), "Ig"); /* CESU-8 */
    silent(&toad__decoder_tags, TOAD__S("plain \xf3\xa0\x81"));
}
