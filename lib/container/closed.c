/* closed.c - archives and packed files that are known by their first bytes and that nothing here unpacks: what stands
 * in them was not read, and that is said. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

static bool is_closed(toad_str name, toad_str head) {
    static const struct {
        const char *bytes;
        uint8_t n;
    } magics[] = { { "7z\xBC\xAF\x27\x1C", 6 },
                   { "Rar!\x1A\x07", 6 },
                   { "\xFD\x37zXZ\0", 6 },
                   { "BZh", 3 },
                   { "\x28\xB5\x2F\xFD", 4 },
                   { "\x04\x22\x4D\x18", 4 },
                   { "MSCF\0\0\0\0", 8 },
                   { "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8 }, /* Word, Excel, PowerPoint, Outlook before 2007 */
                   { "\x78\x9F\x3E\x22", 4 },                 /* winmail.dat */
                   { "!<arch>\ndebian-binary", 21 },
                   { "\xED\xAB\xEE\xDB", 4 }, /* RPM */
                   { "LZIP\1", 5 },
                   { "\x1F\x9D\x90", 3 } /* compress */ };
    (void)name;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (toad__str_starts(head, toad__str(magics[i].bytes, magics[i].n)) &&
            (magics[i].bytes[0] != 'B' || (head.n > 9 && !memcmp(head.p + 4, "1AY&SY", 6))))
            return true;
    return false;
}

static void open_closed(toad__unpack *u, toad_str bytes) {
    (void)bytes;
    toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_METHOD, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_closed = { "archive", is_closed, open_closed };
