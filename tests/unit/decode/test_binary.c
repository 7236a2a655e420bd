/* Text in two invisible characters. */

#include "tests/unit/decode/smuggling.h"

static sheet bits(uint32_t zero, uint32_t one, uint32_t after, const char *each) {
    sheet s = { .n = 0 };
    words(&s, "text");
    for (const char *p = PHRASE; *p; p++) {
        for (int k = 7; k >= 0; k--) {
            words(&s, each);
            cp(&s, (unsigned char)*p >> k & 1 ? one : zero);
            if (after) cp(&s, after);
        }
    }
    return s;
}

void test_binary(void **state) {
    (void)state;
    static const uint32_t symbols[][3] = {
        { 0x200B, 0x200C, 0 }, { 0x2062, 0x2064, 0 }, { 0x2064, 0x2062, 0 },
        { 0x3164, 0xFFA0, 0 }, { 0xAD, 0x2060, 0 },   { 0x200B, 0x200C, 0x200D },
        { 0x200E, 0x200F, 0 }, { 0x115F, 0x1160, 0 }, { 0xFEFF, 0x200B, 0 },
    };
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        sheet s = bits(symbols[i][0], symbols[i][1], symbols[i][2], "");
        reads(&toad__decoder_binary, str(&s), PHRASE);
    }
    sheet s = bits(0xFE0E, 0xFE0F, 0, "\xe2\x98\xba");
    reads(&toad__decoder_binary, str(&s), PHRASE);
    silent(
        &toad__decoder_binary,
        TOAD__S(
            "\xd9\x86\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae \xd9\x86\xd9\x85\xdb\x8c\xe2\x80\x8c\xd8\xae\xe2\x80\x8e"));
    sheet noise = { .n = 0 };
    for (unsigned i = 0; i < 400; i++) cp(&noise, i * 7919 % 13 & 1 ? 0x200B : 0x200C);
    silent(&toad__decoder_binary, str(&noise));
}
