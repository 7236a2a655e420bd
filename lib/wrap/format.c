/* format.c - the small writers and readers all envelope families share. */
#include "lib/base/text.h"
#include "lib/base/utf8.h"
#include "lib/wrap/envelope.h"

#include <stdlib.h>

static const struct reference {
    char c;
    const char *attribute, *xml; /* XML's as Go writes them; NULL: the character itself */
} references[] = {
    { '&', "&amp;", "&amp;" },  { '<', "&lt;", "&lt;" }, { '>', "&gt;", "&gt;" }, { '"', "&quot;", "&#34;" },
    { '\'', "&#39;", "&#39;" }, { '\t', NULL, "&#x9;" }, { '\n', NULL, "&#xA;" }, { '\r', NULL, "&#xD;" },
};
enum { REFERENCES = sizeof references / sizeof *references };

static const struct reference *reference_of(char c) {
    for (unsigned i = 0; i < REFERENCES; i++)
        if (references[i].c == c) return &references[i];
    return NULL;
}

void toad__add_attribute(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        const struct reference *r = reference_of(s.p[i]);
        if (r && r->attribute)
            toad__buf_add_z(out, r->attribute);
        else
            toad__buf_add_c(out, s.p[i]);
    }
}

static bool xml_allows(uint32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

void toad__add_xml(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(s, i, &len);
        const struct reference *r = c < 0x80 ? reference_of((char)c) : NULL;
        if (r)
            toad__buf_add_z(out, r->xml);
        else
            toad__buf_add_cp(out, xml_allows(c) ? c : TOAD__REPLACEMENT);
        i += len;
    }
}

void toad__add_xml_chars(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = toad__utf8_decode(s, i, &len);
        toad__buf_add_cp(out, xml_allows(c) ? c : TOAD__REPLACEMENT);
        i += len;
    }
}

void toad__add_unescaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n;) {
        size_t len = 0;
        for (unsigned k = 0; k < REFERENCES && !len && s.p[i] == '&'; k++) {
            toad_str rest = toad__str_part(s, i, s.n), xml = toad__str_z(references[k].xml),
                     attribute = toad__str_z(references[k].attribute);
            if (toad__str_starts(rest, xml))
                len = xml.n;
            else if (attribute.n && toad__str_starts(rest, attribute))
                len = attribute.n;
            if (len) toad__buf_add_c(out, references[k].c);
        }
        if (!len) toad__buf_add_c(out, s.p[i]);
        i += len ? len : 1;
    }
}

size_t toad__after(toad_str text, size_t at, const char *word) {
    toad_str w = toad__str_z(word);
    return toad__str_starts(toad__str_part(text, at, text.n), w) ? at + w.n : 0;
}

bool toad__read_attribute(toad_str text, size_t *at, const char *name, toad_str *ret) {
    size_t i = *at;
    while (i < text.n && text.p[i] == ' ') i++;
    i = toad__after(text, i, name);
    i = i ? toad__after(text, i, "=\"") : 0;
    if (!i) return false;
    size_t end = i;
    while (end < text.n && text.p[end] != '"' && text.p[end] != '\n') end++;
    if (end >= text.n || text.p[end] != '"') return false;
    *ret = toad__str_part(text, i, end);
    *at = end + 1;
    return true;
}
