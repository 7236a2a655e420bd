/* braille.c - Braille patterns (U+2800..28FF) as uncontracted English Braille: letters, digits after the number sign,
 * common marks.
 *
 * Six cells in a row make a candidate; blanks of either kind belong to it. */
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

static const toad__step step = { "braille", 0 };

enum { LEAST = 6 };

/* The meaning of a pattern (its dots as bits), or 0. */
static char cell(unsigned dots) {
    static const char meaning[64] = {
        [0x00] = ' ', [0x01] = 'a',  [0x03] = 'b', [0x09] = 'c', [0x19] = 'd', [0x11] = 'e', [0x0B] = 'f', [0x1B] = 'g',
        [0x13] = 'h', [0x0A] = 'i',  [0x1A] = 'j', [0x05] = 'k', [0x07] = 'l', [0x0D] = 'm', [0x1D] = 'n', [0x15] = 'o',
        [0x0F] = 'p', [0x1F] = 'q',  [0x17] = 'r', [0x0E] = 's', [0x1E] = 't', [0x25] = 'u', [0x27] = 'v', [0x3A] = 'w',
        [0x2D] = 'x', [0x3D] = 'y',  [0x35] = 'z', [0x02] = ',', [0x06] = ';', [0x12] = ':', [0x32] = '.', [0x16] = '!',
        [0x26] = '?', [0x04] = '\'', [0x24] = '-', [0x0C] = '/',
    };
    return dots < 64 ? meaning[dots] : 0;
}

/* The dots of the cell at `at`, or -1. */
static int dots_at(toad_str in, size_t at) {
    toad__cur c = toad__cur_from(in, at);
    int second = toad__cur_peek(&c, 1), third = toad__cur_peek(&c, 2);
    if (toad__cur_peek(&c, 0) != 0xE2 || second < 0xA0 || second > 0xA3 || third < 0x80) return -1;
    return (second & 3) << 6 | (third & 0x3F);
}

/* Write the cells from `at` on; returns how many there were, and where they end in *end. */
static size_t decode(toad_str in, size_t at, toad__emit *e, size_t *end) {
    size_t cells = 0;
    bool capital = false, number = false;
    toad__cur c = toad__cur_from(in, at);
    *end = at;
    while (!e->text.status) {
        int dots = dots_at(in, c.at);
        if (dots < 0) {
            if (!toad__is_space(toad__cur_peek(&c, 0)) || c.at - *end > 4) break;
            c.at++;
            continue;
        }
        if (c.at > *end) toad__emit_put(e, " ", 1, c.at), number = false;
        *end = c.at += 3;
        cells++;
        if (dots == 0x20 || dots == 0x3C) {
            capital = dots == 0x20, number = dots == 0x3C;
            continue;
        }
        char letter = cell((unsigned)dots & 0x3F);
        if (letter == ' ') number = false;
        if (number && letter >= 'a' && letter <= 'j')
            letter = letter == 'j' ? '0' : (char)(letter - 'a' + '1');
        else if (capital && toad__is_lower(letter))
            letter = (char)(letter - 0x20);
        capital = false;
        if (!letter) letter = '?';
        toad__emit_put(e, &letter, 1, c.at);
    }
    return cells;
}

static bool wanted(const toad__hints *h) { return h->non_ascii >= 3 * LEAST; }

static void run(toad_str in, toad__sink *sink) {
    for (toad__cur c = toad__cur_of(in); toad__cur_find(&c, (char)0xE2);) {
        if (dots_at(in, c.at) < 0) {
            c.at++;
            continue;
        }
        toad__emit e;
        toad__emit_open(&e, sink, in, c.at);
        size_t cells = decode(in, c.at, &e, &c.at);
        if (cells < LEAST)
            toad__emit_drop(&e);
        else if (!toad__emit_send(&e, &step))
            return;
    }
}

const toad__decoder toad__decoder_braille = { "braille", TOAD__FOLDED, wanted, run };
