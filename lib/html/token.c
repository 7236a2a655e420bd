/* token.c - where the parts of tags and comments end, as the WHATWG tokenizer has it: duplicate attributes, names that
 * begin with '=', values without quotes, comments that end early. No state, no output. */
#include "lib/html/token.h"
#include "lib/html/seek.h"

const unsigned char toad__ends[256] = {
    ['\t'] = 7,
    ['\n'] = 7,
    ['\v'] = 7,
    ['\f'] = 7,
    ['\r'] = 7,
    [' '] = 7,
    ['>'] = 7,
    ['/'] = TOAD__ENDS_TAG_NAME | TOAD__ENDS_NAME | TOAD__BEGINS_MARKUP,
    ['='] = TOAD__ENDS_NAME,
    ['A' ... 'Z'] = TOAD__BEGINS_MARKUP,
    ['a' ... 'z'] = TOAD__BEGINS_MARKUP,
    ['!'] = TOAD__BEGINS_MARKUP,
    ['?'] = TOAD__BEGINS_MARKUP,
};

static size_t skip_until(toad_str s, size_t at, unsigned what) {
    while (at < s.n && !(toad__ends[(unsigned char)s.p[at]] & what)) at++;
    return at;
}

static size_t skip_space(toad_str s, size_t at) {
    while (at < s.n && (unsigned char)s.p[at] <= ' ' && toad__is_space((unsigned char)s.p[at])) at++;
    return at;
}

/* The value of an attribute behind its '='. False: its quote is never closed. */
static bool read_value(toad_str s, size_t *where, toad__attr_span *ret) {
    size_t at = skip_space(s, *where);
    char quote = at < s.n ? s.p[at] : 0;
    bool quoted = quote == '"' || quote == '\'';
    ret->from = at + quoted;
    ret->to = quoted ? toad__seek(s, ret->from, quote, quote) : skip_until(s, at, TOAD__ENDS_VALUE);
    *where = quoted && ret->to < s.n ? ret->to + 1 : ret->to;
    return !quoted || ret->to < s.n;
}

toad__place_in_tag toad__next_attribute(toad_str s, size_t *where, toad__attr_span *ret, bool *self_closing) {
    size_t at = skip_space(s, *where);
    for (; at < s.n && s.p[at] == '/'; at = skip_space(s, at)) {
        at++;
        *self_closing = at < s.n && s.p[at] == '>';
    }
    *where = at + (at < s.n);
    if (at == s.n) return TOAD__AT_END_OF_INPUT;
    if (s.p[at] == '>') return TOAD__AT_END_OF_TAG;
    ret->name = at;
    ret->name_end = skip_until(s, at + 1, TOAD__ENDS_NAME); /* a leading '=' belongs to the name */
    at = skip_space(s, ret->name_end);
    ret->from = ret->to = *where = at;
    if (at == s.n || s.p[at] != '=') return TOAD__AT_ATTRIBUTE;
    *where = at + 1;
    return read_value(s, where, ret) ? TOAD__AT_ATTRIBUTE : TOAD__AT_END_OF_INPUT;
}

size_t toad__comment_end(toad_str s, size_t from, size_t *close) {
    for (size_t at = from; (at = toad__seek(s, at + 2, '>', '>')) < s.n; at--) {
        size_t mark = s.p[at - 1] == '!' ? 4 : 3;
        if (at + 1 < from + mark || s.p[at + 1 - mark] != '-' || s.p[at + 2 - mark] != '-') continue;
        *close = mark;
        return at + 1 - mark;
    }
    return s.n;
}

bool toad__tag_ends(toad_str s, size_t at) {
    toad__attr_span ignored;
    bool closing;
    toad__place_in_tag found;
    while ((found = toad__next_attribute(s, &at, &ignored, &closing)) == TOAD__AT_ATTRIBUTE) {}
    return found == TOAD__AT_END_OF_TAG;
}
