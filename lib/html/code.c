/* code.c - see code.h. Every search goes on where it leaves off or is bounded by a paragraph of as many different runs,
 * so the cost is linear in practice and O(n sqrt n) at worst. */
#include "lib/html/code.h"
#include "lib/html/seek.h"

bool toad__begins_line(toad_str s, size_t at) {
    while (at && (s.p[at - 1] == ' ' || s.p[at - 1] == '\t' || s.p[at - 1] == '>')) at--;
    return !at || s.p[at - 1] == '\n';
}

static size_t run_of(toad_str s, size_t at) {
    size_t n = 1;
    while (at + n < s.n && s.p[at + n] == s.p[at]) n++;
    return n;
}

size_t toad__code_begins(toad_str s, size_t from, size_t to) {
    toad_str in = toad__str_part(s, 0, to);
    for (size_t at = from; (at = toad__seek(in, at, '`', '~')) < to; at += run_of(s, at))
        if (s.p[at] == '`' || (run_of(s, at) >= 3 && toad__begins_line(s, at))) return at;
    return to;
}

/* Behind the line that closes the open fence, or the end. */
static size_t fence_end(toad_str s, size_t at, toad__html_state *now) {
    while (at < s.n) {
        size_t i = at;
        while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '>')) i++;
        bool closes = i < s.n && s.p[i] == now->fence && run_of(s, i) >= now->fence_n;
        at = toad__str_find(s, TOAD__S("\n"), i);
        if (at < s.n) at++;
        if (closes) {
            now->fence = 0;
            break;
        }
    }
    return at;
}

/* The end of inline code that `n` back quotes open before `from`: as many in the same paragraph. 0: there is none. */
static size_t inline_end(toad_str s, size_t from, size_t n) {
    for (size_t i = from; (i = toad__seek(s, i, '`', '\n')) < s.n;) {
        if (s.p[i] == '\n') {
            if (++i < s.n && s.p[i] == '\n') break;
            continue;
        }
        size_t run = run_of(s, i);
        if (run == n) return i + n;
        i += run;
    }
    return 0;
}

size_t toad__code_end(toad_str s, size_t at, toad__html_state *now) {
    if (now->fence) return fence_end(s, at, now);
    size_t n = run_of(s, at);
    if (n >= 3 && toad__begins_line(s, at)) {
        size_t line = toad__str_find(s, TOAD__S("\n"), at);
        if (s.p[at] == '~' || toad__seek(toad__str_part(s, 0, line), at + n, '`', '`') == line) {
            now->fence = s.p[at];
            now->fence_n = n;
            return line < s.n ? fence_end(s, line + 1, now) : line;
        }
    }
    size_t end = inline_end(s, at + n, n);
    return end ? end : at + n;
}

bool toad__ends_ahead(toad__open_ends *known, toad_str s, size_t from, const toad__element *e) {
    toad_str name = toad__str(e->name, strnlen(e->name, sizeof e->name));
    unsigned number = toad__element_number(e);
    uint64_t bit = UINT64_C(1) << (number & 63);
    if (known->bits[number >> 6] & bit) return false;
    for (size_t at = from; (at = toad__str_find(s, TOAD__S("</"), at)) < s.n; at += 2)
        if (toad__str_ieq(toad__str_part(s, at + 2, at + 2 + name.n), name)) return true;
    known->bits[number >> 6] |= bit;
    return false;
}
