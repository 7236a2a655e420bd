/* hostname.c - see hostname.h. Names in other scripts are mapped by libidn2 (UTS #46, non-transitional) and then looked
 * at as a reader sees them: a label in which letters of another script stand among ASCII ones, or which is nothing but
 * twins of ASCII letters under an ASCII domain, is a disguise (after Chromium's IDN policy). A name whose last label is
 * a number must be an address. */
#include "net/hostname.h"

#include "lib/base/host.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <idn2.h>

enum { RAW_MAX = 1024, LABEL_MAX = 63 };

static bool has_escape(toad_str s) { return s.n && memchr(s.p, '%', s.n); }

static bool is_name_char(int c) { return toad__is_lower(c) || toad__is_digit(c) || c == '-' || c == '_' || c == '.'; }

/* Labels of 1 to 63 letters, digits, hyphens and underscores. */
static bool well_formed(toad_str name) {
    size_t label = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (!is_name_char((unsigned char)name.p[i])) return false;
        if (name.p[i] == '.' ? !label : label == LABEL_MAX) return false;
        label = name.p[i] == '.' ? 0 : label + 1;
    }
    return label > 0 && name.n <= TOAD__HOSTNAME_MAX;
}

/* Does the last label make browsers read the whole as an IPv4 address? */
static bool ends_in_number(toad_str name) {
    size_t from = name.n;
    while (from && name.p[from - 1] != '.') from--;
    toad_str last = toad__str_part(name, from, name.n);
    bool digits = last.n > 0, hex = last.n >= 2 && last.p[0] == '0' && last.p[1] == 'x';
    for (size_t i = 0; i < last.n; i++) {
        digits &= toad__is_digit((unsigned char)last.p[i]);
        hex &= i < 2 || toad__hex_value((unsigned char)last.p[i]) >= 0;
    }
    return digits || hex;
}

/* ---- look-alikes ---- */

/* Scripts whose letters pass for ASCII ones and that no honest label mixes with them: Cyrillic, Greek, Armenian,
 * Georgian, Cherokee, Coptic, Lisu and phonetic letters (UTS #39 section 5.2, "moderately restrictive", and what else
 * has such letters). */
static bool is_rival(uint32_t c) {
    static const struct {
        uint32_t from, to;
    } blocks[] = {
        { 0x0250, 0x02AF }, { 0x0370, 0x058F }, { 0x10A0, 0x10FF }, { 0x13A0, 0x13FF },
        { 0x1C80, 0x1C8F }, { 0x1F00, 0x1FFF }, { 0x2C80, 0x2CFF }, { 0x2DE0, 0x2DFF },
        { 0xA4D0, 0xA4FF }, { 0xA640, 0xA69F }, { 0xAB30, 0xABBF },
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (c >= blocks[i].from && c <= blocks[i].to) return true;
    return false;
}

/* Letters that cannot be told from an ASCII one in common fonts. */
static bool is_twin(uint32_t c) {
    static const uint16_t twins[] = {
        0x0430, 0x0435, 0x043E, 0x0440, 0x0441, 0x0443, 0x0445, 0x0455, 0x0456, 0x0458,
        0x0461, 0x0475, 0x04BB, 0x04BD, 0x04CF, 0x0501, 0x051B, 0x051D,                 /* Cyrillic */
        0x03B1, 0x03B9, 0x03BA, 0x03BD, 0x03BF, 0x03C1, 0x03C5, 0x03C9, 0x03F2, 0x03F3, /* Greek */
        0x0561, 0x0566, 0x0570, 0x0575, 0x0578, 0x057D, 0x0581, 0x0585,                 /* Armenian */
    };
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (c == twins[i]) return true;
    return false;
}

/* `label` is one label as it is displayed. `alone`: the last label of the name is ASCII. */
static bool label_deceives(toad_str label, bool alone) {
    bool ascii = false, rival = false, twins = true;
    for (size_t at = 0, n = 0; at < label.n; at += n) {
        unsigned len;
        uint32_t c = toad__utf8_decode(label, at, &len);
        n = len;
        ascii |= toad__is_alpha((int)c);
        rival |= is_rival(c);
        twins &= is_twin(c) || toad__is_digit((int)c) || c == '-';
    }
    return rival && (ascii || (twins && alone));
}

/* `name` as it is displayed, in UTF-8. */
static bool deceives(toad_str name) {
    bool found = false;
    size_t last = name.n;
    while (last && name.p[last - 1] != '.') last--;
    bool alone = toad__ascii_prefix(toad__str_part(name, last, name.n)) == name.n - last;
    for (size_t at = 0, end; at < name.n && !found; at = end + 1) {
        end = toad__str_find(name, TOAD__S("."), at);
        found = label_deceives(toad__str_part(name, at, end), alone);
    }
    return found;
}

static toad_status judge_display(const char *ascii, toad__refusal *why) {
    char *shown = NULL;
    int rc = idn2_to_unicode_8z8z(ascii, &shown, 0);
    if (rc != IDN2_OK)
        *why = TOAD__REFUSED_HOST;
    else if (deceives(toad__str_z(shown)))
        *why = TOAD__REFUSED_HOST_MIXED;
    idn2_free(shown);
    return rc == IDN2_MALLOC ? TOAD_E_NOMEM : TOAD_OK;
}

/* ---- names ---- */

/* What UTS #46 makes of a name that is not plain ASCII; "" if it refuses it. */
static toad_status map_name(const char *raw, char *out, size_t *ret_n, toad__refusal *why) {
    char *ascii = NULL;
    int rc = idn2_to_ascii_8z(raw, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    size_t n = rc == IDN2_OK ? strlen(ascii) : 0;
    toad_status status = rc == IDN2_MALLOC ? TOAD_E_NOMEM : TOAD_OK;
    if (rc != IDN2_OK || n >= RAW_MAX)
        *why = TOAD__REFUSED_HOST;
    else
        memcpy(out, ascii, n + 1), *ret_n = n;
    if (!status && !*why) status = judge_display(ascii, why);
    idn2_free(ascii);
    return status;
}

static bool holds_punycode(toad_str name) {
    for (size_t at = 0; at < name.n; at = toad__str_find(name, TOAD__S("."), at) + 1)
        if (toad__str_ieq(toad__str_part(name, at, at + 4), TOAD__S("xn--"))) return true;
    return false;
}

static toad_status read_name(toad_str raw, toad__hostname *h, toad__refusal *why) {
    char name[RAW_MAX];
    size_t n = raw.n;
    toad_status status = TOAD_OK;
    if (raw.n >= RAW_MAX || memchr(raw.p, 0, raw.n) || toad__utf8_valid_upto(raw) != raw.n)
        return *why = TOAD__REFUSED_HOST, TOAD_OK;
    memcpy(name, raw.p, raw.n);
    name[raw.n] = 0;
    if (toad__ascii_prefix(raw) < raw.n || holds_punycode(raw)) status = map_name(name, name, &n, why);
    if (status || *why) return status;
    for (size_t i = 0; i < n; i++) name[i] = (char)toad__lower((unsigned char)name[i]);
    n -= n > 1 && name[n - 1] == '.';
    toad_str s = toad__str(name, n);
    uint32_t v4;
    if (!well_formed(s)) return *why = TOAD__REFUSED_HOST, TOAD_OK;
    if (!ends_in_number(s)) {
        memcpy(h->text, name, n);
        h->text[n] = 0;
    } else if (toad__host_ipv4(s, &v4)) {
        h->is_address = true;
        for (int i = 0; i < 4; i++) h->address.bytes[i] = (uint8_t)(v4 >> (24 - 8 * i));
    } else {
        *why = TOAD__REFUSED_HOST;
    }
    return TOAD_OK;
}

/* An IPv4 address at the end of an IPv6 one: four decimal numbers, as the standard has it, or none. The scanner's
 * reader is more lenient. */
static bool ends_in_plain_quad(toad_str s) {
    unsigned parts = 1, digits = 0, value = 0;
    size_t at = s.n;
    while (at && s.p[at - 1] != ':') at--;
    if (!memchr(s.p + at, '.', s.n - at)) return true;
    for (; at < s.n; at++) {
        bool dot = s.p[at] == '.';
        if (!dot && (!toad__is_digit((unsigned char)s.p[at]) || (digits && !value))) return false;
        if (dot && (!digits || ++parts > 4)) return false;
        value = dot ? 0 : value * 10 + (unsigned)(s.p[at] - '0');
        digits = dot ? 0 : digits + 1;
        if (value > 255) return false;
    }
    return parts == 4 && digits;
}

toad_status toad__hostname_read(toad_str raw, toad__hostname *ret, toad__refusal *ret_why) {
    toad__hostname h = { 0 };
    toad__refusal why = TOAD__ALLOWED;
    toad_status status = TOAD_OK;
    if (!raw.n) {
        why = TOAD__REFUSED_HOST;
    } else if (raw.p[0] == '[') {
        toad_str inner = toad__str_part(raw, 1, raw.n - 1);
        h.is_address = h.address.v6 = true;
        if (raw.p[raw.n - 1] != ']' || has_escape(inner) || !ends_in_plain_quad(inner) ||
            !toad__host_ipv6(inner, h.address.bytes))
            why = TOAD__REFUSED_HOST;
    } else if (has_escape(raw)) {
        why = TOAD__REFUSED_HOST_ESCAPED;
    } else {
        status = read_name(raw, &h, &why);
    }
    if (!status && !why) *ret = h;
    *ret_why = why;
    return status;
}
