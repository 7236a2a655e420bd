/* sniff.c - signatures and patterns of the MIME Sniffing standard, sections 6 and 7. */
#include "net/sniff.h"

#include "lib/base/str.h"

enum { HEAD = 1445 /* the resource header of the standard */, STRAY = 64 /* bytes of text to one that is not */ };

const char *toad__page_type_name(toad__page_type type) {
    static const char *const names[] = { "text", "html", "markdown", "json", "xml", "feed", "pdf", "files", "binary" };
    return names[type];
}

#define SIGNATURE(name, bytes, at) \
    { name, bytes, sizeof(bytes) - 1, at }

const char *toad__sniff_binary(toad_str body) {
    static const struct {
        const char *name, *bytes;
        size_t n, at;
    } signatures[] = {
        SIGNATURE("PDF", "%PDF-", 0),
        SIGNATURE("PostScript", "%!PS-Adobe-", 0),
        SIGNATURE("PNG", "\x89PNG\r\n\x1a\n", 0),
        SIGNATURE("GIF", "GIF87a", 0),
        SIGNATURE("GIF", "GIF89a", 0),
        SIGNATURE("JPEG", "\xff\xd8\xff", 0),
        SIGNATURE("WebP", "WEBPVP", 8),
        SIGNATURE("BMP", "BM\0\0", 0),
        SIGNATURE("icon", "\0\0\1\0", 0),
        SIGNATURE("ZIP", "PK\3\4", 0),
        SIGNATURE("gzip", "\x1f\x8b\x08", 0),
        SIGNATURE("xz",
                  "\xfd"
                  "7zXZ",
                  0),
        SIGNATURE("zstd", "\x28\xb5\x2f\xfd", 0),
        SIGNATURE("RAR", "Rar!\x1a\x07", 0),
        SIGNATURE("7z", "7z\xbc\xaf\x27\x1c", 0),
        SIGNATURE("ELF",
                  "\x7f"
                  "ELF",
                  0),
        SIGNATURE("WebAssembly", "\0asm", 0),
        SIGNATURE("Ogg", "OggS\0", 0),
        SIGNATURE("MP3", "ID3", 0),
        SIGNATURE("MP4", "ftyp", 4),
        SIGNATURE("WebM", "\x1a\x45\xdf\xa3", 0),
        SIGNATURE("WOFF", "wOFF", 0),
        SIGNATURE("WOFF2", "wOF2", 0),
        SIGNATURE("TIFF", "II*\0", 0),
        SIGNATURE("TIFF", "MM\0*", 0),
    };
    for (size_t i = 0; i < sizeof signatures / sizeof *signatures; i++)
        if (body.n >= signatures[i].at + signatures[i].n &&
            !memcmp(body.p + signatures[i].at, signatures[i].bytes, signatures[i].n))
            return signatures[i].name;
    return NULL;
}

/* A byte that no text has. */
static bool is_binary_byte(unsigned char c) {
    return c < 0x20 && c != '\t' && c != '\n' && c != '\f' && c != '\r' && c != 0x1B;
}

/* A NUL, or more than a stray control character. */
static bool looks_binary(toad_str head) {
    size_t n = 0;
    for (size_t i = 0; i < head.n; i++) n += is_binary_byte((unsigned char)head.p[i]);
    return (head.n && memchr(head.p, 0, head.n)) || n * STRAY > head.n;
}

/* Leading white space, XML declarations, comments and document types passed over. */
static toad_str first_tag(toad_str s) {
    for (;;) {
        while (s.n && toad__is_space((unsigned char)s.p[0])) s = toad__str_part(s, 1, s.n);
        toad_str end = toad__str_starts(s, TOAD__S("<?"))     ? TOAD__S("?>")
                       : toad__str_starts(s, TOAD__S("<!--")) ? TOAD__S("-->")
                                                              : toad__str(NULL, 0);
        if (!end.n) return s;
        size_t at = toad__str_find(s, end, 2);
        s = toad__str_part(s, at == s.n ? s.n : at + end.n, s.n);
    }
}

/* Does `s` begin with "<name", and does the tag's name end there? */
static bool opens(toad_str s, const char *name) {
    toad_str n = toad__str_z(name);
    if (s.n < n.n + 2 || s.p[0] != '<' || !toad__str_ieq(toad__str_part(s, 1, 1 + n.n), n)) return false;
    unsigned char after = (unsigned char)s.p[1 + n.n];
    return after == '>' || after == '/' || after == ':' || toad__is_space(after);
}

static bool opens_any(toad_str s, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (opens(s, names[i])) return true;
    return false;
}

/* The essence of a Content-Type: what stands before the parameters. */
static toad_str essence(toad_str label) {
    toad_str e = toad__str_part(label, 0, toad__str_find(label, TOAD__S(";"), 0));
    while (e.n && toad__is_space((unsigned char)e.p[e.n - 1])) e.n--;
    while (e.n && toad__is_space((unsigned char)e.p[0])) e = toad__str_part(e, 1, e.n);
    return e;
}

static bool ends_with(toad_str s, const char *end) {
    toad_str e = toad__str_z(end);
    return s.n >= e.n && toad__str_ieq(toad__str_part(s, s.n - e.n, s.n), e);
}

toad__page_type toad__sniff_text(toad_str text, toad_str label) {
    static const char *const html[] = { "!doctype html", "html", "head",  "script", "iframe", "h1",   "div", "font",
                                        "table",         "a",    "style", "title",  "b",      "body", "br",  "p" };
    static const char *const feeds[] = { "rss", "feed", "rdf" };
    if (looks_binary(toad__str_part(text, 0, HEAD))) return TOAD__PAGE_BINARY;
    toad_str tag = first_tag(text), type = essence(label);
    bool xml = toad__str_starts(text, TOAD__S("<?xml"));
    if (opens_any(tag, feeds, 3)) return TOAD__PAGE_FEED;
    if (opens_any(tag, html, sizeof html / sizeof *html)) return TOAD__PAGE_HTML;
    if (xml || opens(tag, "svg")) return TOAD__PAGE_XML;
    if (ends_with(type, "/html") || ends_with(type, "/xhtml+xml")) return TOAD__PAGE_HTML;
    if (ends_with(type, "markdown")) return TOAD__PAGE_MARKDOWN;
    if ((ends_with(type, "/json") || ends_with(type, "+json")) && tag.n && strchr("{[\"-0123456789tfn", tag.p[0]))
        return TOAD__PAGE_JSON;
    return ends_with(type, "/xml") || ends_with(type, "+xml") ? TOAD__PAGE_XML : TOAD__PAGE_TEXT;
}
