/* pyspace.c - see pyspace.h. */
#include "lib/memory/pyspace.h"
#include "lib/base/utf8.h"

static bool is_space(uint32_t c) {
    return (c >= 9 && c <= 13) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

size_t bzr__pyspace_skip(bzr_str s, size_t at) {
    for (unsigned len; at < s.n; at += len)
        if (!is_space(bzr__utf8_decode(s, at, &len))) break;
    return at;
}

bzr_str bzr__pyspace_trim(bzr_str s) {
    size_t from = bzr__pyspace_skip(s, 0), to = s.n;
    while (to > from) {
        unsigned len;
        size_t last = bzr__utf8_floor(s, to - 1);
        uint32_t c = bzr__utf8_decode(s, last, &len);
        if (last + len != to || !is_space(c)) break;
        to = last;
    }
    return bzr__str_part(s, from, to);
}
