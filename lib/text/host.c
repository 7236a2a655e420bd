#include "lib/text/host.h"
#include "lib/base/cursor.h"

/* ---- IPv4 (WHATWG URL 3.5) ---- */

static bool ipv4_number(bzr_str part, uint64_t *ret) {
    unsigned base = 10;
    if (part.n >= 2 && part.p[0] == '0' && (part.p[1] | 0x20) == 'x') {
        base = 16;
        part = bzr__str_part(part, 2, part.n);
    } else if (part.n >= 2 && part.p[0] == '0') {
        base = 8;
        part = bzr__str_part(part, 1, part.n);
    }
    uint64_t v = 0;
    for (size_t i = 0; i < part.n; i++) {
        int d = bzr__hex_value((unsigned char)part.p[i]);
        if (d < 0 || d >= (int)base) return false;
        if (v < (uint64_t)1 << 40) v = v * base + (unsigned)d;
    }
    *ret = v;
    return true;
}

bool bzr__host_ipv4(bzr_str host, uint32_t *ret) {
    uint64_t parts[4];
    unsigned n = 0;
    if (host.n && host.p[host.n - 1] == '.') host.n--;
    for (size_t at = 0; at <= host.n; n++) {
        size_t end = bzr__str_find(host, BZR__S("."), at);
        if (n == 4 || end == at || !ipv4_number(bzr__str_part(host, at, end), &parts[n])) return false;
        at = end + 1;
    }
    uint64_t address = 0;
    for (unsigned i = 0; i + 1 < n; i++) {
        if (parts[i] > 255) return false;
        address |= parts[i] << (24 - 8 * i);
    }
    if (!n || parts[n - 1] >= (uint64_t)1 << (8 * (5 - n))) return false;
    *ret = (uint32_t)(address | parts[n - 1]);
    return true;
}

static const struct { uint32_t from; unsigned bits; } internal_v4[] = {
    { 0x00000000, 8 }, { 0x0A000000, 8 }, { 0x64400000, 10 }, { 0x7F000000, 8 }, { 0xA9FE0000, 16 }, { 0xAC100000, 12 }, { 0xC0000000, 24 },
    { 0xC0A80000, 16 }, { 0xC6120000, 15 }, { 0xE0000000, 4 }, { 0xF0000000, 4 }, { 0x646464C8, 32 },
};

bool bzr__ipv4_is_internal(uint32_t a) {
    for (size_t i = 0; i < sizeof internal_v4 / sizeof *internal_v4; i++)
        if (!((a ^ internal_v4[i].from) >> (32 - internal_v4[i].bits))) return true;
    return false;
}

/* ---- IPv6 (WHATWG URL 3.6) ---- */

bool bzr__host_ipv6(bzr_str host, uint8_t ret[16]) {
    uint16_t piece[8] = { 0 };
    int n = 0, gap = -1;
    host.n = bzr__str_find(host, BZR__S("%"), 0); /* a zone id names an interface, not an address */
    bzr__cur c = bzr__cur_of(host);
    if (bzr__cur_eat(&c, BZR__S("::"))) gap = 0;
    while (!bzr__cur_end(&c)) {
        if (n == 8) return false;
        size_t end = bzr__str_find(host, BZR__S(":"), c.at);
        uint32_t v4;
        if (end == host.n && bzr__str_find(host, BZR__S("."), c.at) < host.n) {
            if (n > 6 || !bzr__host_ipv4(bzr__str_part(host, c.at, end), &v4)) return false;
            piece[n++] = (uint16_t)(v4 >> 16);
            piece[n++] = (uint16_t)v4;
            break;
        }
        unsigned v = 0, digits = 0;
        for (; digits < 5 && bzr__hex_value(bzr__cur_peek(&c, 0)) >= 0; digits++) v = v << 4 | (unsigned)bzr__hex_value(bzr__cur_next(&c));
        if (!digits || digits > 4) return false;
        piece[n++] = (uint16_t)v;
        if (bzr__cur_end(&c)) break;
        if (bzr__cur_eat(&c, BZR__S("::"))) {
            if (gap >= 0) return false;
            gap = n;
        } else if (!bzr__cur_eat(&c, BZR__S(":"))) return false;
    }
    if (gap < 0 && n != 8) return false;
    uint16_t full[8] = { 0 };
    for (int i = 0; i < n; i++) full[gap >= 0 && i >= gap ? 8 - n + i : i] = piece[i];
    for (int i = 0; i < 8; i++) {
        ret[2 * i] = (uint8_t)(full[i] >> 8);
        ret[2 * i + 1] = (uint8_t)full[i];
    }
    return true;
}

static uint32_t v4_at(const uint8_t *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

bool bzr__ipv6_is_internal(const uint8_t a[16]) {
    static const uint8_t zeros[16] = { 0 };
    if (!memcmp(a, zeros, 15) && a[15] <= 1) return true;                                    /* ::, ::1 */
    if (!memcmp(a, zeros, 10) && ((a[10] == 0xFF && a[11] == 0xFF) || (!a[10] && !a[11]))) return bzr__ipv4_is_internal(v4_at(a + 12)); /* mapped, compatible */
    if ((a[0] & 0xFE) == 0xFC || a[0] == 0xFF) return true;                                  /* unique local, multicast */
    if (a[0] == 0xFE && a[1] >= 0x80) return true;                                           /* link-local, site-local */
    if (a[0] == 0 && a[1] == 0x64 && a[2] == 0xFF && a[3] == 0x9B) return bzr__ipv4_is_internal(v4_at(a + 12)); /* NAT64 */
    if (a[0] == 0x20 && a[1] == 0x02) return bzr__ipv4_is_internal(v4_at(a + 2));            /* 6to4 */
    if (a[0] == 0x20 && a[1] == 0x01 && !a[2] && !a[3]) return true;                         /* Teredo: the client's address is disguised */
    return false;
}

/* ---- names ---- */

bool bzr__host_is_internal_name(bzr_str host) {
    static const char *const suffixes[] = { "localhost", "ip6-localhost", "ip6-loopback", "internal", "local", "localdomain", "svc", "cluster.local", "lan", "intranet",
        "corp", "home.arpa", "localtest.me", "lvh.me", "nip.io", "sslip.io", "xip.io", "1u.ms", "rbndr.us", "lacolhost.com", "vcap.me" };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        bzr_str s = bzr__str_z(suffixes[i]);
        if (host.n < s.n || memcmp(host.p + host.n - s.n, s.p, s.n)) continue;
        if (host.n == s.n || host.p[host.n - s.n - 1] == '.') return true;
    }
    return host.n && !memchr(host.p, '.', host.n);
}
