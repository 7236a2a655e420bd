/* probe.c - is there any markup in a text? Most that hold a '<' hold none: comparisons, <stdin>, the generics of source
 * code. A name that is no element's makes markup when it is opened and closed. */
#include "lib/html/elements.h"
#include "lib/html/seek.h"

static bool ends_name(char c) { return c == '>' || c == '/' || toad__is_space((unsigned char)c); }

/* Names that were opened: a bit each of 256. Two may share one, which costs no more than a reading in vain. */
typedef struct opened {
    uint64_t bits[4];
} opened;

static bool note_name(opened *o, const toad__name *name, bool closing) {
    uint64_t slot = toad__name_id(name) * UINT64_C(0x9E3779B97F4A7C15) >> 56, bit = UINT64_C(1) << (slot & 63);
    if (closing) return o->bits[slot >> 6] & bit;
    o->bits[slot >> 6] |= bit;
    return false;
}

/* Does what begins with the '<' at `at` say something? *end is where to go on if not. */
static bool says_something(toad_str s, size_t at, opened *o, size_t *end) {
    size_t name = at + 1 + (s.p[at + 1] == '/');
    *end = at + 1;
    if (s.p[at + 1] == '!' || s.p[at + 1] == '?') return true;
    if (name == s.n || !toad__is_alpha((unsigned char)s.p[name])) return name < s.n && name > at + 1;
    size_t to = name;
    while (to < s.n && !ends_name(s.p[to])) to++;
    toad__name known = toad__name_at(s, name, to);
    for (*end = to; *end < s.n && s.p[*end] != '>'; ++*end)
        if (!ends_name(s.p[*end])) return true; /* an attribute: it may hold text, or hide what stands behind it */
    return toad__element_find(&known) || *end == s.n || note_name(o, &known, name > at + 1);
}

/* A heading, a fence or a link of Markdown. */
static bool has_sign(toad_str s) {
    static const char *const signs[] = { "\n# ", "\n## ", "\n```", "\n~~~", "](" };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        toad_str sign = toad__str_z(signs[i]);
        if (toad__str_find(s, sign, 0) < s.n) return true;
    }
    return false;
}

/* Pages begin with what only a page has; a README that begins with a tag goes on as Markdown. */
bool toad__html_is_markdown(toad_str s) {
    static const char *const begins[] = { "<!doctype", "<?xml", "<html", "<head", "<body", "<meta", "<title" };
    size_t at = toad__str_starts(s, TOAD__S("\xEF\xBB\xBF")) ? 3 : 0;
    while (at < s.n && toad__is_space((unsigned char)s.p[at])) at++;
    if (at == s.n || s.p[at] != '<') return true;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        toad_str word = toad__str_z(begins[i]);
        if (toad__str_ieq(toad__str_part(s, at, at + word.n), word)) return false;
    }
    return has_sign(s);
}

bool toad__html_has_markup(toad_str s) {
    opened names = { { 0 } };
    for (size_t at = 0; (at = toad__seek(s, at, '<', '<')) + 1 < s.n;)
        if (says_something(s, at, &names, &at)) return true;
    return false;
}
