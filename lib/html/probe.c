/* probe.c - is there any markup in a text? Most that hold a '<' hold none: comparisons, <stdin>, the generics of source code. A name that is no element's makes
 * markup when it is opened and closed. */
#include "lib/html/elements.h"
#include "lib/html/seek.h"

static bool ends_name(char c) { return c == '>' || c == '/' || bzr__is_space((unsigned char)c); }

/* Names that were opened: a bit each of 256. Two may share one, which costs no more than a reading in vain. */
typedef struct opened {
    uint64_t bits[4];
} opened;

static bool note_name(opened *o, const bzr__name *name, bool closing) {
    uint64_t slot = bzr__name_id(name) * UINT64_C(0x9E3779B97F4A7C15) >> 56, bit = UINT64_C(1) << (slot & 63);
    if (closing) return o->bits[slot >> 6] & bit;
    o->bits[slot >> 6] |= bit;
    return false;
}

/* Does what begins with the '<' at `at` say something? *end is where to go on if not. */
static bool says_something(bzr_str s, size_t at, opened *o, size_t *end) {
    size_t name = at + 1 + (s.p[at + 1] == '/');
    *end = at + 1;
    if (s.p[at + 1] == '!' || s.p[at + 1] == '?') return true;
    if (name == s.n || !bzr__is_alpha((unsigned char)s.p[name])) return name < s.n && name > at + 1;
    size_t to = name;
    while (to < s.n && !ends_name(s.p[to])) to++;
    bzr__name known = bzr__name_at(s, name, to);
    for (*end = to; *end < s.n && s.p[*end] != '>'; ++*end)
        if (!ends_name(s.p[*end])) return true; /* an attribute: it may hold text, or hide what stands behind it */
    return bzr__element_find(&known) || *end == s.n || note_name(o, &known, name > at + 1);
}

bool bzr__html_has_markup(bzr_str s) {
    opened names = { { 0 } };
    for (size_t at = 0; (at = bzr__seek(s, at, '<', '<')) + 1 < s.n;)
        if (says_something(s, at, &names, &at)) return true;
    return false;
}
