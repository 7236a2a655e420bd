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

void bzr__add_attribute(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        const struct reference *r = reference_of(s.p[i]);
        if (r && r->attribute)
            bzr__buf_add_z(out, r->attribute);
        else
            bzr__buf_add_c(out, s.p[i]);
    }
}

static bool xml_allows(uint32_t c) {
    return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

void bzr__add_xml(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(s, i, &len);
        const struct reference *r = c < 0x80 ? reference_of((char)c) : NULL;
        if (r)
            bzr__buf_add_z(out, r->xml);
        else
            bzr__buf_add_cp(out, xml_allows(c) ? c : BZR__REPLACEMENT);
        i += len;
    }
}

void bzr__add_xml_chars(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n;) {
        unsigned len;
        uint32_t c = bzr__utf8_decode(s, i, &len);
        bzr__buf_add_cp(out, xml_allows(c) ? c : BZR__REPLACEMENT);
        i += len;
    }
}

void bzr__add_unescaped(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n;) {
        size_t len = 0;
        for (unsigned k = 0; k < REFERENCES && !len && s.p[i] == '&'; k++) {
            bzr_str rest = bzr__str_part(s, i, s.n), xml = bzr__str_z(references[k].xml),
                    attribute = bzr__str_z(references[k].attribute);
            if (bzr__str_starts(rest, xml))
                len = xml.n;
            else if (attribute.n && bzr__str_starts(rest, attribute))
                len = attribute.n;
            if (len) bzr__buf_add_c(out, references[k].c);
        }
        if (!len) bzr__buf_add_c(out, s.p[i]);
        i += len ? len : 1;
    }
}

size_t bzr__after(bzr_str text, size_t at, const char *word) {
    bzr_str w = bzr__str_z(word);
    return bzr__str_starts(bzr__str_part(text, at, text.n), w) ? at + w.n : 0;
}

bool bzr__read_attribute(bzr_str text, size_t *at, const char *name, bzr_str *ret) {
    size_t i = *at;
    while (i < text.n && text.p[i] == ' ') i++;
    i = bzr__after(text, i, name);
    i = i ? bzr__after(text, i, "=\"") : 0;
    if (!i) return false;
    size_t end = i;
    while (end < text.n && text.p[end] != '"' && text.p[end] != '\n') end++;
    if (end >= text.n || text.p[end] != '"') return false;
    *ret = bzr__str_part(text, i, end);
    *at = end + 1;
    return true;
}

bzr_status bzr__finish(bzr__buf *out, bzr_text **ret) {
    bzr_status status = bzr__buf_to_text(out, ret);
    bzr__buf_free(out);
    return status;
}
