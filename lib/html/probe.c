/* probe.c - is there any markup in a text? Most that hold a '<' hold none: comparisons, <stdin>, the generics of source code. */
#include "lib/html/elements.h"
#include "lib/html/seek.h"

static bool ends_name(char c) { return c == '>' || c == '/' || bzr__is_space((unsigned char)c); }

/* Does what begins with the '<' at `at` say something? *end is where to go on if not. */
static bool says_something(bzr_str s, size_t at, size_t *end) {
    size_t name = at + 1 + (s.p[at + 1] == '/');
    *end = at + 1;
    if (s.p[at + 1] == '!' || s.p[at + 1] == '?') return true;
    if (name == s.n || !bzr__is_alpha((unsigned char)s.p[name])) return name < s.n && name > at + 1;
    size_t to = name;
    while (to < s.n && !ends_name(s.p[to])) to++;
    bzr__name known = bzr__name_at(s, name, to);
    for (*end = to; *end < s.n && s.p[*end] != '>'; ++*end)
        if (!ends_name(s.p[*end])) return true; /* an attribute: it may hold text, or hide what stands behind it */
    return bzr__element_find(&known) || *end == s.n;
}

bool bzr__html_has_markup(bzr_str s) {
    for (size_t at = 0; (at = bzr__seek(s, at, '<', '<')) + 1 < s.n;)
        if (says_something(s, at, &at)) return true;
    return false;
}
