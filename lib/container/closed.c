/* closed.c - archives and packed files that are known by their first bytes and that nothing here unpacks: what stands
 * in them was not read, and that is said. */
#include "lib/base/str.h"
#include "lib/container/unpack.h"

static bool is_closed(toad_str name, toad_str head) {
    static const struct {
        const char *bytes;
        uint8_t n;
    } magics[] = { { "7z\xBC\xAF\x27\x1C", 6 }, { "Rar!\x1A\x07", 6 },     { "\xFD\x37zXZ\0", 6 }, { "BZh", 3 },
                   { "\x28\xB5\x2F\xFD", 4 },   { "\x04\x22\x4D\x18", 4 }, { "MSCF\0\0\0\0", 8 } };
    (void)name;
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (toad__str_starts(head, toad__str(magics[i].bytes, magics[i].n)) &&
            (magics[i].n > 3 || (head.n > 9 && !memcmp(head.p + 4, "1AY&SY", 6))))
            return true;
    return false;
}

static void open_closed(toad__unpack *u, toad_str bytes) {
    (void)bytes;
    toad__unpack_close(u, TOAD__S(""), TOAD__CLOSED_METHOD, TOAD_DECODE_LIMIT);
}

const toad__container toad__container_closed = { "archive", is_closed, open_closed };
