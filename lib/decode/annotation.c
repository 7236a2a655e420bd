/* annotation.c - interlinear annotation: U+FFF9 shown text U+FFFA hidden text U+FFFB. The two parts are scanned by
 * themselves: a reader without support for annotation shows only the first. Both are copied and become a child each. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

enum { ANCHOR = 0xB9, SEPARATOR = 0xBA, TERMINATOR = 0xBB }; /* third bytes after EF BF */

static const toad__step annotated_step = { "annotated", TOAD__HIDES }, annotation_step = { "annotation", TOAD__HIDES };

static bool send(toad_str in, toad__sink *sink, size_t start, size_t end, const toad__step *step) {
    return toad__emit_block(sink, in, (toad_span){ start, end }, toad__str_part(in, start, end), step);
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 6; }

static void run(toad_str in, toad__sink *sink) {
    size_t start = 0;
    int open = 0; /* the sign that opened the part at `start` */
    for (size_t at = 0; (at = toad__str_find(in, TOAD__S("\xEF\xBF"), at)) < in.n; at += 2) {
        toad__cur cur = { in, at };
        int sign = toad__cur_peek(&cur, 2);
        if (sign < ANCHOR || sign > TERMINATOR) continue;
        bool annotated = open == ANCHOR && sign == SEPARATOR;
        if (annotated && !send(in, sink, start, at, &annotated_step)) return;
        if (open == SEPARATOR && !send(in, sink, start, at, &annotation_step)) return;
        open = sign == ANCHOR || annotated || (open == SEPARATOR && sign == SEPARATOR) ? sign : 0;
        start = at + 3;
    }
    if (open == SEPARATOR) send(in, sink, start, in.n, &annotation_step);
}

const toad__decoder toad__decoder_annotation = { "annotation", TOAD__RAW, wanted, run };
