/* utf7.c - UTF-7 shifts (RFC 2152): "+ADw-" is "<".
 *
 * A shift is believed when it is well-formed UTF-16BE, its left-over bits are zero, and at least half of it is ASCII
 * (or four letters, all of an alphabet): that keeps "a+b-c" and telephone numbers as they are, and costs only texts
 * that nobody writes in UTF-7 today. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

/* Tell the units of a shift to `out` as UTF-8; counts code points and those that are ASCII. False: ill-formed. */
typedef struct units {
    uint32_t high;
    size_t all, ascii, low; /* low: below U+0F00 */
} units;

static bool add_unit(units *u, uint32_t unit, toad__buf *out) {
    bool low = unit >= 0xDC00 && unit <= 0xDFFF;
    if (low != (u->high != 0)) return false;
    if (unit >= 0xD800 && unit <= 0xDBFF) {
        u->high = unit;
        return true;
    }
    if (low) unit = 0x10000 + ((u->high - 0xD800) << 10) + (unit - 0xDC00);
    u->high = 0;
    u->all++;
    u->ascii += unit < 0x80;
    u->low += unit < 0xF00;
    if (unit < 0x20 && unit != '\t' && unit != '\n' && unit != '\r') return false;
    toad__buf_add_cp(out, unit);
    return true;
}

static bool piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    toad__cur c = toad__cur_from(s, at + 1);
    units u = { 0 };
    uint32_t bits = 0;
    unsigned have = 0;
    bool good = true;
    for (int v; good && (v = toad__base64_value(toad__cur_peek(&c, 0))) >= 0; c.at++) {
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 16) continue;
        have -= 16;
        good = add_unit(&u, bits >> have & 0xFFFF, out);
    }
    good = good && u.all && !u.high && have < 6 && !(bits & ((1u << have) - 1)) &&
           (u.ascii * 2 >= u.all || (u.low == u.all && u.all >= 4));
    if (!good) out->n = 0;
    if (toad__cur_peek(&c, 0) == '-') c.at++;
    *ret = (toad__piece){ at, c.at, 1 };
    return good;
}

static bool wanted(const toad__hints *h) { return h->plus > 0; }

static void run(toad_str in, toad__sink *sink) {
    static const toad__inline kind = { { "utf7", 0 }, '+', &toad__set_base64, 1, 1, piece, 1 };
    toad__inline_run(&kind, in, sink);
}

const toad__decoder toad__decoder_utf7 = { "utf7", TOAD__FOLDED, wanted, run };
