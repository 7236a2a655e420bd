/* charset.c - from any encoding of the web to UTF-8: byte order mark, well-formed UTF-8, label, <meta> prescan,
 * windows-1252, in this order.
 *
 * Labels and encodings are those of the Encoding standard, section 4.2; the conversion is iconv's. What cannot be
 * converted becomes U+FFFD and is counted. */
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "net/sniff.h"

#include <errno.h>
#include <iconv.h>

enum { PRESCAN = 1024, LABEL_MAX = 40, CHUNK = 8192 };

/* `labels` are separated by blanks. */
static const struct {
    const char *name, *iconv, *labels;
} encodings[] = {
    { "UTF-8", NULL, "utf-8 utf8 unicode-1-1-utf-8 x-unicode20utf8 unicode11utf8 unicode20utf8" },
    { "windows-1252", "CP1252",
      "windows-1252 cp1252 x-cp1252 iso-8859-1 iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 latin1 l1 us-ascii ascii "
      "ansi_x3.4-1968 cp819 ibm819 iso-ir-100 csisolatin1" },
    { "windows-1250", "CP1250", "windows-1250 cp1250 x-cp1250" },
    { "windows-1251", "CP1251", "windows-1251 cp1251 x-cp1251" },
    { "windows-1253", "CP1253", "windows-1253 cp1253 x-cp1253" },
    { "windows-1254", "CP1254", "windows-1254 cp1254 x-cp1254 iso-8859-9 iso8859-9 latin5 l5 iso-ir-148 csisolatin5" },
    { "windows-1255", "CP1255", "windows-1255 cp1255 x-cp1255" },
    { "windows-1256", "CP1256", "windows-1256 cp1256 x-cp1256" },
    { "windows-1257", "CP1257", "windows-1257 cp1257 x-cp1257" },
    { "windows-1258", "CP1258", "windows-1258 cp1258 x-cp1258" },
    { "windows-874", "CP874", "windows-874 dos-874 tis-620 iso-8859-11 iso8859-11" },
    { "ISO-8859-2", "ISO-8859-2", "iso-8859-2 iso8859-2 iso_8859-2 latin2 l2 csisolatin2 iso-ir-101" },
    { "ISO-8859-3", "ISO-8859-3", "iso-8859-3 iso8859-3 latin3 l3 csisolatin3" },
    { "ISO-8859-4", "ISO-8859-4", "iso-8859-4 iso8859-4 latin4 l4 csisolatin4" },
    { "ISO-8859-5", "ISO-8859-5", "iso-8859-5 iso8859-5 cyrillic csisolatincyrillic" },
    { "ISO-8859-6", "ISO-8859-6", "iso-8859-6 iso8859-6 arabic csisolatinarabic asmo-708 ecma-114" },
    { "ISO-8859-7", "ISO-8859-7", "iso-8859-7 iso8859-7 greek greek8 csisolatingreek ecma-118" },
    { "ISO-8859-8", "ISO-8859-8", "iso-8859-8 iso8859-8 hebrew visual csisolatinhebrew iso-8859-8-i logical" },
    { "ISO-8859-10", "ISO-8859-10", "iso-8859-10 iso8859-10 latin6 l6" },
    { "ISO-8859-13", "ISO-8859-13", "iso-8859-13 iso8859-13" },
    { "ISO-8859-14", "ISO-8859-14", "iso-8859-14 iso8859-14" },
    { "ISO-8859-15", "ISO-8859-15", "iso-8859-15 iso8859-15 latin9 l9 csisolatin9" },
    { "ISO-8859-16", "ISO-8859-16", "iso-8859-16" },
    { "KOI8-R", "KOI8-R", "koi8-r koi koi8 koi8_r cskoi8r" },
    { "KOI8-U", "KOI8-U", "koi8-u koi8-ru" },
    { "IBM866", "CP866", "ibm866 866 cp866 csibm866" },
    { "macintosh", "MACINTOSH", "macintosh mac x-mac-roman csmacintosh" },
    { "GBK", "GB18030", "gbk gb18030 gb2312 gb_2312 gb_2312-80 x-gbk chinese csgb2312 iso-ir-58" },
    { "Big5", "BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5" },
    { "EUC-JP", "EUC-JP", "euc-jp x-euc-jp cseucpkdfmtjapanese" },
    { "Shift_JIS", "CP932", "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis" },
    { "ISO-2022-JP", "ISO-2022-JP", "iso-2022-jp csiso2022jp" },
    { "EUC-KR", "CP949",
      "euc-kr korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 cseuckr csksc56011987 iso-ir-149" },
    { "UTF-16LE", "UTF-16LE", "utf-16le utf-16 unicode ucs-2 iso-10646-ucs-2 csunicode" },
    { "UTF-16BE", "UTF-16BE", "utf-16be unicodefffe" },
};
enum {
    UTF8 = 0,
    WINDOWS_1252 = 1,
    ENCODINGS = sizeof encodings / sizeof *encodings,
    UTF16LE = ENCODINGS - 2,
    UTF16BE = ENCODINGS - 1,
    NONE = -1
};

static int encoding_of(toad_str label) {
    for (int i = 0; i < ENCODINGS && label.n && label.n <= LABEL_MAX; i++) {
        toad_str all = toad__str_z(encodings[i].labels);
        for (size_t at = 0, end; at < all.n; at = end + 1) {
            end = toad__str_find(all, TOAD__S(" "), at);
            if (toad__str_ieq(toad__str_part(all, at, end), label)) return i;
        }
    }
    return NONE;
}

/* The value after "charset=" in `s`, without quotes; empty if there is none. */
static toad_str charset_in(toad_str s) {
    for (size_t i = 0; i + 7 < s.n; i++) {
        if (!toad__str_ieq(toad__str_part(s, i, i + 7), TOAD__S("charset"))) continue;
        size_t at = i + 7;
        while (at < s.n && toad__is_space((unsigned char)s.p[at])) at++;
        if (at >= s.n || s.p[at] != '=') continue;
        do at++;
        while (at < s.n && (toad__is_space((unsigned char)s.p[at]) || s.p[at] == '"' || s.p[at] == '\''));
        size_t end = at;
        while (end < s.n && !toad__is_space((unsigned char)s.p[end]) && !strchr("\"';>/", s.p[end])) end++;
        return toad__str_part(s, at, end);
    }
    return toad__str(NULL, 0);
}

/* What a <meta> or XML declaration in the first bytes says. UTF-16 cannot be: we could not have read it. */
static int prescan(toad_str body) {
    toad_str head = toad__str_part(body, 0, PRESCAN);
    int found = NONE;
    for (size_t at = 0; found == NONE && (at = toad__str_find(head, TOAD__S("<"), at)) < head.n; at++) {
        toad_str tag = toad__str_part(head, at, toad__str_find(head, TOAD__S(">"), at));
        if (toad__str_ieq(toad__str_part(tag, 0, 5), TOAD__S("<meta"))) found = encoding_of(charset_in(tag));
    }
    return found >= UTF16LE ? UTF8 : found;
}

static int by_mark(toad_str s, size_t *skip) {
    static const struct {
        const char *mark;
        size_t n;
        int encoding;
    } marks[] = { { "\xef\xbb\xbf", 3, UTF8 }, { "\xff\xfe", 2, UTF16LE }, { "\xfe\xff", 2, UTF16BE } };
    for (size_t i = 0; i < 3; i++) {
        if (!toad__str_starts(s, toad__str(marks[i].mark, marks[i].n))) continue;
        *skip = marks[i].n;
        return marks[i].encoding;
    }
    return NONE;
}

static int choose(toad_str body, toad_str label, size_t *skip) {
    int marked = by_mark(body, skip), labelled = encoding_of(charset_in(label));
    if (marked != NONE) return marked;
    bool shifts =
        labelled != NONE && !strcmp(encodings[labelled].name, "ISO-2022-JP") && body.n && memchr(body.p, 0x1B, body.n);
    bool zeros = body.n && memchr(body.p, 0, body.n);
    if (!shifts && !zeros && toad__utf8_valid_upto(body) == body.n) return UTF8;
    if (labelled != NONE) return labelled;
    int found = prescan(body);
    return found != NONE ? found : zeros ? UTF8 : WINDOWS_1252;
}

static void add_replacement(toad__buf *out, uint64_t *replaced) {
    toad__buf_add_cp(out, TOAD__REPLACEMENT);
    ++*replaced;
}

static void add_valid(toad_str s, toad__buf *out, uint64_t *replaced) {
    for (size_t at = 0; at < s.n && !out->status;) {
        toad_str rest = toad__str_part(s, at, s.n);
        size_t good = toad__utf8_valid_upto(rest);
        unsigned len = 0;
        toad__buf_add(out, rest.p, good);
        at += good;
        if (at == s.n) break;
        toad__utf8_decode(s, at, &len);
        at += len;
        add_replacement(out, replaced);
    }
}

/* iconv stops where it cannot go on: step over one unit there. */
static void convert(iconv_t cd, toad_str s, size_t unit, toad__buf *out, uint64_t *replaced) {
    char *in = (char *)(uintptr_t)s.p; /* iconv's prototype; it does not write there */
    size_t left = s.n;
    while (left && !out->status) {
        char *to = toad__buf_room(out, CHUNK);
        size_t room = CHUNK;
        if (!to) return;
        size_t rc = iconv(cd, &in, &left, &to, &room);
        out->n += CHUNK - room;
        if (rc != (size_t)-1 || errno == E2BIG) continue;
        size_t step = left < unit ? left : unit;
        in += step;
        left -= step;
        add_replacement(out, replaced);
    }
}

toad_status toad__page_utf8(toad_str body, toad_str label, toad__buf *out, const char **ret_charset,
                            uint64_t *ret_replaced) {
    size_t skip = 0;
    uint64_t replaced = 0;
    int e = choose(body, label, &skip);
    iconv_t none = (iconv_t)-1, cd = encodings[e].iconv ? iconv_open("UTF-8", encodings[e].iconv) : none;
    body = toad__str_part(body, skip, body.n);
    if (cd == none) e = UTF8; /* an iconv that lacks it: what is ASCII stays readable */
    if (cd == none)
        add_valid(body, out, &replaced);
    else
        convert(cd, body, e >= UTF16LE ? 2 : 1, out, &replaced);
    if (cd != none) iconv_close(cd);
    *ret_charset = encodings[e].name;
    *ret_replaced = replaced;
    return out->status;
}
