/* Text in interlinear annotations. */

#include "tests/unit/decode/smuggling.h"

void test_annotation(void **state) {
    (void)state;
    reads(&toad__decoder_annotation, TOAD__S("\xef\xbf\xb9Weather\xef\xbf\xba" PHRASE "\xef\xbf\xbb."), PHRASE);
    assert_int_equal(
        run(&toad__decoder_annotation, TOAD__S("\xef\xbf\xb9Weather\xef\xbf\xba" PHRASE "\xef\xbf\xbb.")).children, 2);
    reads(&toad__decoder_annotation,
          TOAD__S("\xef\xbf\xb9\xef\xbf\xb9"
                  "a\xef\xbf\xba" PHRASE),
          PHRASE);
    silent(&toad__decoder_annotation, TOAD__S("\xef\xbf\xb9never \xef\xbf\xbb closed \xef\xbf\xba x"));
}
