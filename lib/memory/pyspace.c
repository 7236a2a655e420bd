/* pyspace.c - see pyspace.h. */
#include "lib/memory/pyspace.h"
#include "lib/base/utf8.h"

static bool is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t toad__pyspace_skip(toad_str s, size_t at) {
    for (unsigned len; at < s.n; at += len)
        if (!is_space(toad__utf8_decode(s, at, &len))) break;
    return at;
}

toad_str toad__pyspace_trim(toad_str s) {
    size_t from = toad__pyspace_skip(s, 0), to = s.n;
    while (to > from) {
        unsigned len;
        size_t last = toad__utf8_floor(s, to - 1);
        uint32_t c = toad__utf8_decode(s, last, &len);
        if (last + len != to || !is_space(c)) break;
        to = last;
    }
    return toad__str_part(s, from, to);
}
