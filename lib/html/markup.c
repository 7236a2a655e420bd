/* markup.c - see markup.h. */
#include "lib/html/markup.h"

#include "lib/text/entity.h"

void bzr__markup_init(bzr__markup *m, bzr_str in, bool xml) { *m = (bzr__markup){ .in = in, .xml = xml }; }

static int peek(const bzr__markup *m, size_t at) { return at < m->in.n ? (unsigned char)m->in.p[at] : -1; }

static bool looking_at(const bzr__markup *m, size_t at, bzr_str word) {
    return bzr__str_eq(bzr__str_part(m->in, at, at + word.n), word);
}

/* Behind the next `end` from `at` on, or the end of all. */
static size_t behind(const bzr__markup *m, bzr_str end, size_t at) {
    size_t found = bzr__str_find(m->in, end, at);
    return found < m->in.n ? found + end.n : m->in.n;
}

/* ---- what is passed over ---- */

/* Behind the comment that opens at `at`. HTML ends one also at "<!-->", "<!--->" and "--!>". */
static size_t comment_end(const bzr__markup *m, size_t at) {
    size_t from = at + 4;
    if (m->xml) return behind(m, BZR__S("-->"), from);
    if (peek(m, from) == '>') return from + 1;
    if (looking_at(m, from, BZR__S("->"))) return from + 2;
    for (;; from++) {
        from = bzr__str_find(m->in, BZR__S("--"), from);
        if (from == m->in.n) return from;
        if (peek(m, from + 2) == '>') return from + 3;
        if (looking_at(m, from + 2, BZR__S("!>"))) return from + 4;
    }
}

/* Behind <!DOCTYPE ...>. A '[' begins declarations; in a quoted identifier it is none. */
static size_t doctype_end(bzr__markup *m, size_t at) {
    int quote = 0;
    for (; at < m->in.n; at++) {
        int c = peek(m, at);
        if (quote)
            quote = c == quote ? 0 : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '>')
            return at + 1;
        else if (c == '[')
            return m->declares = true, m->in.n;
    }
    return at;
}

static bool ieq_at(const bzr__markup *m, size_t at, bzr_str word) {
    return bzr__str_ieq(bzr__str_part(m->in, at, at + word.n), word);
}

/* Behind the markup at `at` that is neither tag nor text, or `at`: there is none. */
static size_t skip_other(bzr__markup *m, size_t at) {
    int next = peek(m, at + 1);
    if (next == '!' && looking_at(m, at, BZR__S("<!--"))) return comment_end(m, at);
    if (next == '!' && m->xml && looking_at(m, at, BZR__S("<![CDATA["))) return at;
    if (next == '!' && m->xml && ieq_at(m, at, BZR__S("<!DOCTYPE"))) return doctype_end(m, at + 9);
    if (next == '!' && m->xml) return m->declares = true, m->in.n;
    if (next == '?' && m->xml) return behind(m, BZR__S("?>"), at + 2);
    if (next == '!' || next == '?') return behind(m, BZR__S(">"), at + 2);
    if (next == '/' && !bzr__is_alpha(peek(m, at + 2)) && !m->xml && peek(m, at + 2) >= 0)
        return behind(m, BZR__S(">"), at + 2);
    return at;
}

/* ---- tags ---- */

static bool is_name_start(const bzr__markup *m, size_t at) {
    int c = peek(m, at);
    return bzr__is_alpha(c) || (m->xml && (c == '_' || c == ':' || c >= 0x80));
}

static bool ends_name(int c) { return c < 0 || bzr__is_space(c) || c == '/' || c == '>'; }

/* Behind the '>' that ends the tag whose attributes begin at `at`; '>' in quotes is none. In HTML a quote counts only
 * where a value begins. */
static size_t tag_end(const bzr__markup *m, size_t at) {
    int quote = 0;
    bool value = false;
    for (; at < m->in.n; at++) {
        int c = peek(m, at);
        if (quote) {
            quote = c == quote ? 0 : quote;
        } else if (c == '>') {
            return at + 1;
        } else if ((c == '"' || c == '\'') && value) {
            quote = c;
            value = false;
        } else if (!bzr__is_space(c)) {
            value = c == '=';
        }
    }
    return at;
}

/* Elements of HTML whose content is text up to their own end tag; `references`: with character references in it. */
static bool is_raw(bzr_str name, bool *references) {
    static const char *const names[] = {
        "title", "textarea", "script", "style", "xmp", "iframe", "noembed", "noframes"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bzr__str_ieq(name, bzr__str_z(names[i]))) return *references = i < 2, true;
    return false;
}

static bool read_tag(bzr__markup *m, size_t at, bzr__mark *ret) {
    bool close = peek(m, at + 1) == '/', references;
    size_t name = at + 1 + close, end = name;
    while (!ends_name(peek(m, end))) end++;
    *ret = (bzr__mark){ .type = close ? BZR__MARK_CLOSE : BZR__MARK_OPEN,
                        .start = at,
                        .end = tag_end(m, end),
                        .name = bzr__str_part(m->in, name, end) };
    bool whole = ret->end > end && peek(m, ret->end - 1) == '>';
    ret->attributes = bzr__str_part(m->in, end, ret->end - whole);
    ret->empty = m->xml && ret->attributes.n && ret->attributes.p[ret->attributes.n - 1] == '/';
    if (ret->empty) ret->attributes.n--;
    if (!m->xml && !close && is_raw(ret->name, &references)) m->raw = ret->name;
    return true;
}

/* Does a tag begin here? */
static bool at_tag(const bzr__markup *m, size_t at) {
    return is_name_start(m, at + 1) || (peek(m, at + 1) == '/' && is_name_start(m, at + 2));
}

/* ---- texts ---- */

/* The text of a raw element: up to its own end tag, or the rest. False: it is empty. */
static bool read_raw(bzr__markup *m, bzr__mark *ret) {
    bool references = false;
    bzr_str name = m->raw;
    size_t end = m->at;
    m->raw = bzr__str(NULL, 0);
    (void)is_raw(name, &references);
    for (;; end++) {
        end = bzr__str_find(m->in, BZR__S("</"), end);
        if (end == m->in.n || (ieq_at(m, end + 2, name) && ends_name(peek(m, end + 2 + name.n)))) break;
    }
    *ret = (bzr__mark){ .type = BZR__MARK_TEXT, .start = m->at, .end = end, .literal = !references };
    ret->text = bzr__str_part(m->in, m->at, end);
    m->at = end;
    return ret->text.n > 0;
}

static bool read_cdata(bzr__markup *m, size_t at, bzr__mark *ret) {
    size_t from = at + sizeof "<![CDATA[" - 1, end = bzr__str_find(m->in, BZR__S("]]>"), from);
    *ret = (bzr__mark){ .type = BZR__MARK_TEXT, .start = at, .end = end < m->in.n ? end + 3 : end, .literal = true };
    ret->text = bzr__str_part(m->in, from, end);
    return true;
}

/* Does anything but text begin here? */
static bool begins(const bzr__markup *m, size_t at) {
    int next = peek(m, at + 1);
    if (peek(m, at) != '<') return false;
    return at_tag(m, at) || next == '!' || next == '?' || (!m->xml && next == '/' && peek(m, at + 2) >= 0);
}

static bool read_text(bzr__markup *m, bzr__mark *ret) {
    size_t end = m->at;
    while (end < m->in.n && !begins(m, end)) end = bzr__str_find(m->in, BZR__S("<"), end + 1);
    *ret = (bzr__mark){ .type = BZR__MARK_TEXT, .start = m->at, .end = end };
    ret->text = bzr__str_part(m->in, m->at, end);
    return true;
}

bool bzr__markup_next(bzr__markup *m, bzr__mark *ret) {
    bool found = m->raw.n && m->at < m->in.n && read_raw(m, ret);
    while (!found && m->at < m->in.n) {
        if (!begins(m, m->at)) {
            found = read_text(m, ret);
        } else if (at_tag(m, m->at)) {
            found = read_tag(m, m->at, ret);
        } else if (m->xml && looking_at(m, m->at, BZR__S("<![CDATA["))) {
            found = read_cdata(m, m->at, ret);
        } else {
            m->at = skip_other(m, m->at);
            continue;
        }
        m->at = ret->end;
    }
    return found;
}

static bool same_name(const bzr__markup *m, bzr_str a, bzr_str b) {
    return m->xml ? bzr__str_eq(a, b) : bzr__str_ieq(a, b);
}

bzr_str bzr__markup_inner(bzr__markup *m, const bzr__mark *open) {
    bzr__mark mark;
    size_t depth = 1;
    if (open->empty) return bzr__str_part(m->in, open->end, open->end);
    while (bzr__markup_next(m, &mark)) {
        if (mark.type == BZR__MARK_TEXT || mark.empty || !same_name(m, mark.name, open->name)) continue;
        depth += mark.type == BZR__MARK_OPEN ? 1 : (size_t)-1;
        if (!depth) return bzr__str_part(m->in, open->end, mark.start);
    }
    return bzr__str_part(m->in, open->end, m->in.n);
}

/* ---- names and values ---- */

bool bzr__mark_is(const bzr__markup *m, const bzr__mark *mark, const char *name) {
    return mark->type != BZR__MARK_TEXT && same_name(m, mark->name, bzr__str_z(name));
}

/* Read the attribute at `*at`; false at the end. */
static bool next_attribute(bzr_str s, size_t *at, bzr_str *name, bzr_str *value) {
    size_t i = *at;
    while (i < s.n && (bzr__is_space((unsigned char)s.p[i]) || s.p[i] == '/')) i++;
    size_t from = i;
    while (i < s.n && !bzr__is_space((unsigned char)s.p[i]) && s.p[i] != '/' && (s.p[i] != '=' || i == from)) i++;
    *name = bzr__str_part(s, from, i);
    *value = bzr__str(s.p, 0);
    while (i < s.n && bzr__is_space((unsigned char)s.p[i])) i++;
    if (i < s.n && s.p[i] == '=') {
        i++;
        while (i < s.n && bzr__is_space((unsigned char)s.p[i])) i++;
        int quote = i < s.n && (s.p[i] == '"' || s.p[i] == '\'') ? s.p[i++] : 0;
        from = i;
        while (i < s.n && (quote ? s.p[i] != quote : !bzr__is_space((unsigned char)s.p[i]))) i++;
        *value = bzr__str_part(s, from, i);
        i += quote && i < s.n;
    }
    *at = i;
    return name->n > 0;
}

bool bzr__mark_attribute(const bzr__markup *m, const bzr__mark *mark, const char *name, bzr_str *ret) {
    bzr_str found, value;
    for (size_t at = 0; next_attribute(mark->attributes, &at, &found, &value);)
        if (same_name(m, found, bzr__str_z(name))) return *ret = value, true;
    return false;
}

bool bzr__mark_has_class(const bzr__markup *m, const bzr__mark *mark, const char *word) {
    bzr_str list;
    if (!bzr__mark_attribute(m, mark, "class", &list)) return false;
    for (size_t at = 0, end; at < list.n; at = end + 1) {
        end = at;
        while (end < list.n && !bzr__is_space((unsigned char)list.p[end])) end++;
        if (bzr__str_eq(bzr__str_part(list, at, end), bzr__str_z(word))) return true;
    }
    return false;
}

/* ---- references ---- */

static bool xml_allows(uint32_t c) {
    return c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

/* "&#65;" or "&#x41;" from behind the '#' on: bytes taken, 0: it is none. */
static size_t xml_number(bzr_str s, size_t at, uint32_t *ret) {
    bool hex = at < s.n && s.p[at] == 'x';
    size_t from = at + hex, i = from;
    uint32_t c = 0;
    for (; i < s.n; i++) {
        int digit = bzr__hex_value((unsigned char)s.p[i]);
        if (digit < 0 || (!hex && digit > 9)) break;
        c = c > 0x10FFFF ? c : c * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (i == from || i == s.n || s.p[i] != ';') return 0;
    *ret = xml_allows(c) ? c : 0xFFFD;
    return i + 1 - at;
}

/* Append what the reference at `at` means and return the bytes it takes; 0: it is none. */
static size_t add_xml_reference(bzr_str s, size_t at, bzr__buf *out) {
    static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    uint32_t c = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        bzr_str name = bzr__str_z(names[i]);
        if (!bzr__str_eq(bzr__str_part(s, at, at + name.n), name)) continue;
        bzr__buf_add_c(out, "&<>\"'"[i]);
        return name.n;
    }
    size_t used = at + 1 < s.n && s.p[at + 1] == '#' ? xml_number(s, at + 2, &c) : 0;
    if (used) bzr__buf_add_cp(out, c);
    return used ? used + 2 : 0;
}

static size_t add_html_reference(bzr_str s, size_t at, bool attribute, bzr__buf *out) {
    char value[8];
    unsigned n = 0, used = bzr__entity_at(s, at, attribute, value, &n);
    if (used) bzr__buf_add(out, value, n);
    return used;
}

void bzr__markup_decode(const bzr__markup *m, bzr_str raw, bool attribute, bzr__buf *out) {
    for (size_t at = 0; at < raw.n;) {
        size_t amp = bzr__str_find(raw, BZR__S("&"), at);
        bzr__buf_add(out, raw.p + at, amp - at);
        if (amp == raw.n) break;
        size_t used = m->xml ? add_xml_reference(raw, amp, out) : add_html_reference(raw, amp, attribute, out);
        if (!used) bzr__buf_add_c(out, '&');
        at = amp + (used ? used : 1);
    }
}
