/* Text in variation selectors. */

#include "tests/unit/decode/smuggling.h"

void test_selectors(void **state) {
    (void)state;
    sheet run_of = { .n = 0 }, spread = { .n = 0 }, nibbles = { .n = 0 }, pairs = { .n = 0 };
    words(&run_of, "a");
    cp(&nibbles, 0x1F600);
    cp(&pairs, 0x1820);
    for (const char *p = PHRASE; *p; p++) {
        unsigned b = (unsigned char)*p;
        cp(&run_of, 0xE0100 + b - 16);
        cp(&spread, 0x1F600);
        cp(&spread, 0xE0100 + b - 16);
        cp(&nibbles, 0xFE00 + (b >> 4));
        cp(&nibbles, 0xFE00 + (b & 15));
        for (int shift = 6; shift >= 0; shift -= 2)
            cp(&pairs, (b >> shift & 3) == 3 ? 0x180F : 0x180B + (b >> shift & 3));
    }
    reads(&toad__decoder_selectors, str(&run_of), PHRASE);
    reads(&toad__decoder_selectors, str(&spread), PHRASE);
    reads(&toad__decoder_selectors, str(&nibbles), PHRASE);
    reads(&toad__decoder_selectors, str(&pairs), PHRASE);
    silent(&toad__decoder_selectors,
           TOAD__S("\xe2\x9d\xa4\xef\xb8\x8f and 1\xef\xb8\x8f\xe2\x83\xa3 \xe8\x91\x9b\xf3\xa0\x84\x80"));
}
