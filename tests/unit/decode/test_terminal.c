/* Text in strings of terminal sequences. */

#include "tests/unit/decode/smuggling.h"

void test_terminal(void **state) {
    (void)state;
    reads(&toad__decoder_terminal, TOAD__S("ok\x1bP" PHRASE "\x1b\\ done"), PHRASE);
    reads(&toad__decoder_terminal,
          TOAD__S("\x1b]0;one\x07 two \xc2\x9d"
                  "2;three\xc2\x9c"),
          "0;one\n2;three");
    silent(&toad__decoder_terminal, TOAD__S("\x1b[31mred\x1b[0m"));
}
