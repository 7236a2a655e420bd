/* Text in private use. */

#include "tests/unit/decode/smuggling.h"

void test_private_use(void **state) {
    (void)state;
    static const uint32_t bases[] = { 0xE000, 0xF000, 0xF0000, 0x100000 };
    for (size_t i = 0; i < 4; i++) {
        sheet s = shifted("see ", bases[i], "");
        reads(&toad__decoder_private_use, str(&s), PHRASE);
    }
    silent(&toad__decoder_private_use, TOAD__S("\xee\x82\xb0 main \xee\x82\xa0 \xef\xa3\xbf Inc."));
}
