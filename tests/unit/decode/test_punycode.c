/* Host names in Punycode. */

#include "tests/unit/decode/decoding.h"

static const row rows[] = {
    { &toad__decoder_punycode, "punycode", IN("https://xn--mnchen-3ya.example/"), "https://m\303\274nchen.example/" },
};
const encoding encoding_punycode = { rows, sizeof rows / sizeof *rows };
