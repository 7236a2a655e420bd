/* hex.h - bytes as hexadecimal digits, and back. Every digit that we write ourselves is lower case but in percent
 * escapes, which the URL standard writes in upper case. */
#ifndef TOAD_BASE_HEX_H
#define TOAD_BASE_HEX_H

#include "lib/base/buf.h"
#include "lib/base/str.h"

/* The 2n digits of n bytes; no NUL behind them. */
static inline void toad__hex(char *ret, const void *bytes, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned byte = ((const unsigned char *)bytes)[i];
        ret[2 * i] = "0123456789abcdef"[byte >> 4];
        ret[2 * i + 1] = "0123456789abcdef"[byte & 15];
    }
}
/* The same, with a NUL. */
static inline void toad__hex_z(char *ret, const void *bytes, size_t n) {
    toad__hex(ret, bytes, n);
    ret[2 * n] = 0;
}
/* The byte of the two digits at `at`, or -1 where no two stand. */
static inline int toad__hex_pair(toad_str s, size_t at) {
    if (at > s.n || s.n - at < 2) return -1;
    int high = toad__hex_value((unsigned char)s.p[at]), low = toad__hex_value((unsigned char)s.p[at + 1]);
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}
/* Read what toad__hex wrote; `ret` has room for half of it. False: an odd number, or anything but lower-case digits. */
static inline bool toad__hex_read(toad_str digits, unsigned char *ret) {
    if (digits.n % 2) return false;
    for (size_t i = 0; i < digits.n; i += 2) {
        int byte = toad__hex_pair(digits, i);
        if (byte < 0 || toad__is_upper((unsigned char)digits.p[i]) || toad__is_upper((unsigned char)digits.p[i + 1]))
            return false;
        ret[i / 2] = (unsigned char)byte;
    }
    return true;
}
/* Append `byte` as %XX. */
static inline void toad__buf_add_percent(toad__buf *b, unsigned char byte) {
    const char out[3] = { '%', "0123456789ABCDEF"[byte >> 4], "0123456789ABCDEF"[byte & 15] };
    toad__buf_add(b, out, 3);
}

#endif
