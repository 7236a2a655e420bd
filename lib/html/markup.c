/* markup.c - see markup.h. */
#include "lib/html/markup.h"

#include "lib/text/entity.h"

void toad__markup_init(toad__markup *m, toad_str in, bool xml) { *m = (toad__markup){ .in = in, .xml = xml }; }

static int peek(const toad__markup *m, size_t at) { return at < m->in.n ? (unsigned char)m->in.p[at] : -1; }

static bool looking_at(const toad__markup *m, size_t at, toad_str word) {
    return toad__str_eq(toad__str_part(m->in, at, at + word.n), word);
}

/* Behind the next `end` from `at` on, or the end of all. */
static size_t behind(const toad__markup *m, toad_str end, size_t at) {
    size_t found = toad__str_find(m->in, end, at);
    return found < m->in.n ? found + end.n : m->in.n;
}

/* ---- what is passed over ---- */

/* Behind the comment that opens at `at`. HTML ends one also at "<!-->", "<!--->" and "--!>". */
static size_t comment_end(const toad__markup *m, size_t at) {
    size_t from = at + 4;
    if (m->xml) return behind(m, TOAD__S("-->"), from);
    if (peek(m, from) == '>') return from + 1;
    if (looking_at(m, from, TOAD__S("->"))) return from + 2;
    for (;; from++) {
        from = toad__str_find(m->in, TOAD__S("--"), from);
        if (from == m->in.n) return from;
        if (peek(m, from + 2) == '>') return from + 3;
        if (looking_at(m, from + 2, TOAD__S("!>"))) return from + 4;
    }
}

/* Behind <!DOCTYPE ...>. A '[' begins declarations; in a quoted identifier it is none. */
static size_t doctype_end(toad__markup *m, size_t at) {
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

static bool ieq_at(const toad__markup *m, size_t at, toad_str word) {
    return toad__str_ieq(toad__str_part(m->in, at, at + word.n), word);
}

/* Behind the markup at `at` that is neither tag nor text, or `at`: there is none. */
static size_t skip_other(toad__markup *m, size_t at) {
    int next = peek(m, at + 1);
    if (next == '!' && looking_at(m, at, TOAD__S("<!--"))) return comment_end(m, at);
    if (next == '!' && m->xml && looking_at(m, at, TOAD__S("<![CDATA["))) return at;
    if (next == '!' && m->xml && ieq_at(m, at, TOAD__S("<!DOCTYPE"))) return doctype_end(m, at + 9);
    if (next == '!' && m->xml) return m->declares = true, m->in.n;
    if (next == '?' && m->xml) return behind(m, TOAD__S("?>"), at + 2);
    if (next == '!' || next == '?') return behind(m, TOAD__S(">"), at + 2);
    if (next == '/' && !toad__is_alpha(peek(m, at + 2)) && !m->xml && peek(m, at + 2) >= 0)
        return behind(m, TOAD__S(">"), at + 2);
    return at;
}

/* ---- tags ---- */

static bool is_name_start(const toad__markup *m, size_t at) {
    int c = peek(m, at);
    return toad__is_alpha(c) || (m->xml && (c == '_' || c == ':' || c >= 0x80));
}

static bool ends_name(int c) { return c < 0 || toad__is_space(c) || c == '/' || c == '>'; }

/* Behind the '>' that ends the tag whose attributes begin at `at`; '>' in quotes is none. In HTML a quote counts only
 * where a value begins. */
static size_t tag_end(const toad__markup *m, size_t at) {
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
        } else if (!toad__is_space(c)) {
            value = c == '=';
        }
    }
    return at;
}

/* Elements of HTML whose content is text up to their own end tag; `references`: with character references in it. */
static bool is_raw(toad_str name, bool *references) {
    static const char *const names[] = {
        "title", "textarea", "script", "style", "xmp", "iframe", "noembed", "noframes"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (toad__str_ieq(name, toad__str_z(names[i]))) return *references = i < 2, true;
    return false;
}

static bool read_tag(toad__markup *m, size_t at, toad__mark *ret) {
    bool close = peek(m, at + 1) == '/', references;
    size_t name = at + 1 + close, end = name;
    while (!ends_name(peek(m, end))) end++;
    *ret = (toad__mark){ .type = close ? TOAD__MARK_CLOSE : TOAD__MARK_OPEN,
                         .start = at,
                         .end = tag_end(m, end),
                         .name = toad__str_part(m->in, name, end) };
    bool whole = ret->end > end && peek(m, ret->end - 1) == '>';
    ret->attributes = toad__str_part(m->in, end, ret->end - whole);
    ret->empty = m->xml && ret->attributes.n && ret->attributes.p[ret->attributes.n - 1] == '/';
    if (ret->empty) ret->attributes.n--;
    if (!m->xml && !close && is_raw(ret->name, &references)) m->raw = ret->name;
    return true;
}

/* Does a tag begin here? */
static bool at_tag(const toad__markup *m, size_t at) {
    return is_name_start(m, at + 1) || (peek(m, at + 1) == '/' && is_name_start(m, at + 2));
}

/* ---- texts ---- */

/* The text of a raw element: up to its own end tag, or the rest. False: it is empty. */
static bool read_raw(toad__markup *m, toad__mark *ret) {
    bool references = false;
    toad_str name = m->raw;
    size_t end = m->at;
    m->raw = toad__str(NULL, 0);
    (void)is_raw(name, &references);
    for (;; end++) {
        end = toad__str_find(m->in, TOAD__S("</"), end);
        if (end == m->in.n || (ieq_at(m, end + 2, name) && ends_name(peek(m, end + 2 + name.n)))) break;
    }
    *ret = (toad__mark){ .type = TOAD__MARK_TEXT, .start = m->at, .end = end, .literal = !references };
    ret->text = toad__str_part(m->in, m->at, end);
    m->at = end;
    return ret->text.n > 0;
}

static bool read_cdata(toad__markup *m, size_t at, toad__mark *ret) {
    size_t from = at + sizeof "<![CDATA[" - 1, end = toad__str_find(m->in, TOAD__S("]]>"), from);
    *ret = (toad__mark){ .type = TOAD__MARK_TEXT, .start = at, .end = end < m->in.n ? end + 3 : end, .literal = true };
    ret->text = toad__str_part(m->in, from, end);
    return true;
}

/* Does anything but text begin here? */
static bool begins(const toad__markup *m, size_t at) {
    int next = peek(m, at + 1);
    if (peek(m, at) != '<') return false;
    return at_tag(m, at) || next == '!' || next == '?' || (!m->xml && next == '/' && peek(m, at + 2) >= 0);
}

static bool read_text(toad__markup *m, toad__mark *ret) {
    size_t end = m->at;
    while (end < m->in.n && !begins(m, end)) end = toad__str_find(m->in, TOAD__S("<"), end + 1);
    *ret = (toad__mark){ .type = TOAD__MARK_TEXT, .start = m->at, .end = end };
    ret->text = toad__str_part(m->in, m->at, end);
    return true;
}

bool toad__markup_next(toad__markup *m, toad__mark *ret) {
    bool found = m->raw.n && m->at < m->in.n && read_raw(m, ret);
    while (!found && m->at < m->in.n) {
        if (!begins(m, m->at)) {
            found = read_text(m, ret);
        } else if (at_tag(m, m->at)) {
            found = read_tag(m, m->at, ret);
        } else if (m->xml && looking_at(m, m->at, TOAD__S("<![CDATA["))) {
            found = read_cdata(m, m->at, ret);
        } else {
            m->at = skip_other(m, m->at);
            continue;
        }
        m->at = ret->end;
    }
    return found;
}

static bool same_name(const toad__markup *m, toad_str a, toad_str b) {
    return m->xml ? toad__str_eq(a, b) : toad__str_ieq(a, b);
}

toad_str toad__markup_inner(toad__markup *m, const toad__mark *open) {
    toad__mark mark;
    size_t depth = 1;
    if (open->empty) return toad__str_part(m->in, open->end, open->end);
    while (toad__markup_next(m, &mark)) {
        if (mark.type == TOAD__MARK_TEXT || mark.empty || !same_name(m, mark.name, open->name)) continue;
        depth += mark.type == TOAD__MARK_OPEN ? 1 : (size_t)-1;
        if (!depth) return toad__str_part(m->in, open->end, mark.start);
    }
    return toad__str_part(m->in, open->end, m->in.n);
}

/* ---- names and values ---- */

bool toad__mark_is(const toad__markup *m, const toad__mark *mark, const char *name) {
    return mark->type != TOAD__MARK_TEXT && same_name(m, mark->name, toad__str_z(name));
}

/* Read the attribute at `*at`; false at the end. */
static bool next_attribute(toad_str s, size_t *at, toad_str *name, toad_str *value) {
    size_t i = *at;
    while (i < s.n && (toad__is_space((unsigned char)s.p[i]) || s.p[i] == '/')) i++;
    size_t from = i;
    while (i < s.n && !toad__is_space((unsigned char)s.p[i]) && s.p[i] != '/' && (s.p[i] != '=' || i == from)) i++;
    *name = toad__str_part(s, from, i);
    *value = toad__str(s.p, 0);
    while (i < s.n && toad__is_space((unsigned char)s.p[i])) i++;
    if (i < s.n && s.p[i] == '=') {
        i++;
        while (i < s.n && toad__is_space((unsigned char)s.p[i])) i++;
        int quote = i < s.n && (s.p[i] == '"' || s.p[i] == '\'') ? s.p[i++] : 0;
        from = i;
        while (i < s.n && (quote ? s.p[i] != quote : !toad__is_space((unsigned char)s.p[i]))) i++;
        *value = toad__str_part(s, from, i);
        i += quote && i < s.n;
    }
    *at = i;
    return name->n > 0;
}

bool toad__mark_attribute(const toad__markup *m, const toad__mark *mark, const char *name, toad_str *ret) {
    toad_str found, value;
    for (size_t at = 0; next_attribute(mark->attributes, &at, &found, &value);)
        if (same_name(m, found, toad__str_z(name))) return *ret = value, true;
    return false;
}

bool toad__mark_has_class(const toad__markup *m, const toad__mark *mark, const char *word) {
    toad_str list;
    if (!toad__mark_attribute(m, mark, "class", &list)) return false;
    for (size_t at = 0, end; at < list.n; at = end + 1) {
        end = at;
        while (end < list.n && !toad__is_space((unsigned char)list.p[end])) end++;
        if (toad__str_eq(toad__str_part(list, at, end), toad__str_z(word))) return true;
    }
    return false;
}

/* ---- references ---- */

static bool xml_allows(uint32_t c) {
    return c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xD7FF) || (c >= 0xE000 && c <= 0xFFFD) ||
           (c >= 0x10000 && c <= 0x10FFFF);
}

/* "&#65;" or "&#x41;" from behind the '#' on: bytes taken, 0: it is none. */
static size_t xml_number(toad_str s, size_t at, uint32_t *ret) {
    bool hex = at < s.n && s.p[at] == 'x';
    size_t from = at + hex, i = from;
    uint32_t c = 0;
    for (; i < s.n; i++) {
        int digit = toad__hex_value((unsigned char)s.p[i]);
        if (digit < 0 || (!hex && digit > 9)) break;
        c = c > 0x10FFFF ? c : c * (hex ? 16 : 10) + (uint32_t)digit;
    }
    if (i == from || i == s.n || s.p[i] != ';') return 0;
    *ret = xml_allows(c) ? c : 0xFFFD;
    return i + 1 - at;
}

/* Append what the reference at `at` means and return the bytes it takes; 0: it is none. */
static size_t add_xml_reference(toad_str s, size_t at, toad__buf *out) {
    static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
    uint32_t c = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        toad_str name = toad__str_z(names[i]);
        if (!toad__str_eq(toad__str_part(s, at, at + name.n), name)) continue;
        toad__buf_add_c(out, "&<>\"'"[i]);
        return name.n;
    }
    size_t used = at + 1 < s.n && s.p[at + 1] == '#' ? xml_number(s, at + 2, &c) : 0;
    if (used) toad__buf_add_cp(out, c);
    return used ? used + 2 : 0;
}

static size_t add_html_reference(toad_str s, size_t at, bool attribute, toad__buf *out) {
    char value[8];
    unsigned n = 0, used = toad__entity_at(s, at, attribute, value, &n);
    if (used) toad__buf_add(out, value, n);
    return used;
}

void toad__markup_decode(const toad__markup *m, toad_str raw, bool attribute, toad__buf *out) {
    for (size_t at = 0; at < raw.n;) {
        size_t amp = toad__str_find(raw, TOAD__S("&"), at);
        toad__buf_add(out, raw.p + at, amp - at);
        if (amp == raw.n) break;
        size_t used = m->xml ? add_xml_reference(raw, amp, out) : add_html_reference(raw, amp, attribute, out);
        if (!used) toad__buf_add_c(out, '&');
        at = amp + (used ? used : 1);
    }
}
