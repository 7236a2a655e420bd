#include "lib/base/host.h"
#include "lib/base/cursor.h"

/* ---- IPv4 (WHATWG URL 3.5) ---- */

static bool ipv4_number(toad_str part, uint64_t *ret) {
    unsigned base = 10;
    if (part.n >= 2 && part.p[0] == '0' && (part.p[1] | 0x20) == 'x') {
        base = 16;
        part = toad__str_part(part, 2, part.n);
    } else if (part.n >= 2 && part.p[0] == '0') {
        base = 8;
        part = toad__str_part(part, 1, part.n);
    }
    uint64_t v = 0;
    for (size_t i = 0; i < part.n; i++) {
        int d = toad__hex_value((unsigned char)part.p[i]);
        if (d < 0 || d >= (int)base) return false;
        if (v < (uint64_t)1 << 40) v = v * base + (unsigned)d;
    }
    *ret = v;
    return true;
}

bool toad__host_ipv4(toad_str host, uint32_t *ret) {
    uint64_t parts[4];
    unsigned n = 0;
    if (host.n && host.p[host.n - 1] == '.') host.n--;
    for (size_t at = 0; at <= host.n; n++) {
        size_t end = toad__str_find(host, TOAD__S("."), at);
        if (n == 4 || end == at || !ipv4_number(toad__str_part(host, at, end), &parts[n])) return false;
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

/* In the order of looking: the narrower first. `internal`: what a text that names it may be after. */
static const struct {
    uint32_t from;
    unsigned char bits;
    bool internal;
    const char *purpose;
} blocks_v4[] = {
    { 0xA9FEA9FE, 32, true, "metadata" },       { 0xA9FEAA02, 32, true, "metadata" },
    { 0x646464C8, 32, true, "metadata" },       { 0xA83F8110, 32, false, "metadata" },
    { 0xFFFFFFFF, 32, true, "broadcast" },      { 0x00000000, 8, true, "unspecified" },
    { 0x0A000000, 8, true, "private" },         { 0x64400000, 10, true, "shared" },
    { 0x7F000000, 8, true, "loopback" },        { 0xA9FE0000, 16, true, "link_local" },
    { 0xAC100000, 12, true, "private" },        { 0xC0000000, 24, true, "protocol" },
    { 0xC0000200, 24, false, "documentation" }, { 0xC01FC400, 24, false, "protocol" },
    { 0xC034C100, 24, false, "protocol" },      { 0xC0586300, 24, false, "relay" },
    { 0xC0A80000, 16, true, "private" },        { 0xC0AF3000, 24, false, "protocol" },
    { 0xC6120000, 15, true, "benchmark" },      { 0xC6336400, 24, false, "documentation" },
    { 0xCB007100, 24, false, "documentation" }, { 0xE0000000, 4, true, "multicast" },
    { 0xF0000000, 4, true, "reserved" },
};

static int block_v4(uint32_t a) {
    for (size_t i = 0; i < sizeof blocks_v4 / sizeof *blocks_v4; i++)
        if (!((a ^ blocks_v4[i].from) >> (32 - blocks_v4[i].bits))) return (int)i;
    return -1;
}

bool toad__ipv4_is_internal(uint32_t a) {
    int i = block_v4(a);
    return i >= 0 && blocks_v4[i].internal;
}

const char *toad__ipv4_purpose(uint32_t a) {
    int i = block_v4(a);
    return i >= 0 ? blocks_v4[i].purpose : NULL;
}

/* ---- IPv6 (WHATWG URL 3.6) ---- */

bool toad__host_ipv6(toad_str host, uint8_t ret[16]) {
    uint16_t piece[8] = { 0 };
    int n = 0, gap = -1;
    host.n = toad__str_find(host, TOAD__S("%"), 0); /* a zone id names an interface, not an address */
    toad__cur c = toad__cur_of(host);
    if (toad__cur_eat(&c, TOAD__S("::"))) gap = 0;
    while (!toad__cur_end(&c)) {
        if (n == 8) return false;
        size_t end = toad__str_find(host, TOAD__S(":"), c.at);
        uint32_t v4;
        if (end == host.n && toad__str_find(host, TOAD__S("."), c.at) < host.n) {
            if (n > 6 || !toad__host_ipv4(toad__str_part(host, c.at, end), &v4)) return false;
            piece[n++] = (uint16_t)(v4 >> 16);
            piece[n++] = (uint16_t)v4;
            break;
        }
        unsigned v = 0, digits = 0;
        for (; digits < 5 && toad__hex_value(toad__cur_peek(&c, 0)) >= 0; digits++)
            v = v << 4 | (unsigned)toad__hex_value(toad__cur_next(&c));
        if (!digits || digits > 4) return false;
        piece[n++] = (uint16_t)v;
        if (toad__cur_end(&c)) break;
        if (toad__cur_eat(&c, TOAD__S("::"))) {
            if (gap >= 0) return false;
            gap = n;
        } else if (!toad__cur_eat(&c, TOAD__S(":")) || toad__cur_end(&c))
            return false;
    }
    if (gap < 0 ? n != 8 : n == 8) return false; /* "::" is one group or more */
    uint16_t full[8] = { 0 };
    for (int i = 0; i < n; i++) full[gap >= 0 && i >= gap ? 8 - n + i : i] = piece[i];
    for (int i = 0; i < 8; i++) {
        ret[2 * i] = (uint8_t)(full[i] >> 8);
        ret[2 * i + 1] = (uint8_t)full[i];
    }
    return true;
}

static uint32_t v4_at(const uint8_t *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

bool toad__ipv6_is_internal(const uint8_t a[16]) {
    static const uint8_t zeros[16] = { 0 };
    if (!memcmp(a, zeros, 15) && a[15] <= 1) return true; /* ::, ::1 */
    if (!memcmp(a, zeros, 10) && ((a[10] == 0xFF && a[11] == 0xFF) || (!a[10] && !a[11])))
        return toad__ipv4_is_internal(v4_at(a + 12));       /* mapped, compatible */
    if ((a[0] & 0xFE) == 0xFC || a[0] == 0xFF) return true; /* unique local, multicast */
    if (a[0] == 0xFE && a[1] >= 0x80) return true;          /* link-local, site-local */
    if (a[0] == 0 && a[1] == 0x64 && a[2] == 0xFF && a[3] == 0x9B)
        return toad__ipv4_is_internal(v4_at(a + 12));                              /* NAT64 */
    if (a[0] == 0x20 && a[1] == 0x02) return toad__ipv4_is_internal(v4_at(a + 2)); /* 6to4 */
    if (a[0] == 0x20 && a[1] == 0x01 && !a[2] && !a[3]) return true; /* Teredo: the client's address is disguised */
    return false;
}

/* By the first 64 bits; the narrower first. */
static const struct {
    uint64_t from;
    unsigned char bits;
    const char *purpose;
} blocks_v6[] = {
    { UINT64_C(0xFD000EC200000000), 32, "metadata" },      { UINT64_C(0x20010DB800000000), 32, "documentation" },
    { UINT64_C(0x3FFF000000000000), 20, "documentation" }, { UINT64_C(0x2001000000000000), 32, "teredo" },
    { UINT64_C(0x2001000200000000), 48, "benchmark" },     { UINT64_C(0x2001000000000000), 23, "protocol" },
    { UINT64_C(0x2002000000000000), 16, "relay" },         { UINT64_C(0x2620004F80000000), 48, "protocol" },
    { UINT64_C(0x0064FF9B00010000), 48, "translated" },    { UINT64_C(0x0100000000000000), 8, "discard" },
    { UINT64_C(0x5F00000000000000), 16, "protocol" },      { UINT64_C(0xFC00000000000000), 7, "private" },
    { UINT64_C(0xFE80000000000000), 10, "link_local" },    { UINT64_C(0xFEC0000000000000), 10, "site_local" },
    { UINT64_C(0xFF00000000000000), 8, "multicast" },
};

/* The first 64 bits are zero: loopback, unspecified, and IPv4 in four disguises. */
static const char *low_purpose(const uint8_t a[16]) {
    uint32_t middle = v4_at(a + 8), low = v4_at(a + 12);
    bool embeds = middle == 0xFFFF || !middle || middle == 0xFFFF0000u;
    if (!middle && low <= 1) return low ? "loopback" : "unspecified";
    const char *purpose = embeds ? toad__ipv4_purpose(low) : "reserved";
    return purpose ? purpose : "mapped";
}

const char *toad__ipv6_purpose(const uint8_t a[16]) {
    uint64_t high = (uint64_t)v4_at(a) << 32 | v4_at(a + 4);
    uint32_t interface = v4_at(a + 8) & 0xFDFFFFFFu;
    if (!high) return low_purpose(a);
    if (high == UINT64_C(0x0064FF9B00000000) && !v4_at(a + 8))
        return toad__ipv4_purpose(v4_at(a + 12)); /* NAT64, RFC 6052 */
    for (size_t i = 0; i < sizeof blocks_v6 / sizeof *blocks_v6; i++)
        if (!((high ^ blocks_v6[i].from) >> (64 - blocks_v6[i].bits))) return blocks_v6[i].purpose;
    if (interface == 0x00005EFE) return "translated"; /* ISATAP, RFC 5214 */
    return a[0] >> 5 == 1 ? NULL : "reserved";
}

/* ---- names ---- */

bool toad__host_is_internal_name(toad_str host) {
    static const char *const suffixes[] = {
        "localhost",     "ip6-localhost", "ip6-loopback", "internal", "local",     "localdomain",   "svc",
        "cluster.local", "lan",           "intranet",     "corp",     "home.arpa", "localtest.me",  "lvh.me",
        "nip.io",        "sslip.io",      "xip.io",       "1u.ms",    "rbndr.us",  "lacolhost.com", "vcap.me"
    };
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        toad_str s = toad__str_z(suffixes[i]);
        if (host.n < s.n || memcmp(host.p + host.n - s.n, s.p, s.n)) continue;
        if (host.n == s.n || host.p[host.n - s.n - 1] == '.') return true;
    }
    return host.n && !memchr(host.p, '.', host.n);
}
