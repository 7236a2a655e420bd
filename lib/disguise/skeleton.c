/* skeleton.c - where words are spaced out, run together, cut up or written in leet, and what they say.
 *
 * Windows of 64 bytes every 32 are looked at for the shapes of disguise (shape.c), and around those that have one, for
 * the words that it takes, disguised (disguise.c). Ordinary prose has neither. A region is every window that fired,
 * with a margin, since half of a phrase may be written plainly. Regions never overlap, so the work on them is linear.
 */
#include "lib/disguise/skeleton.h"
#include "lib/base/cursor.h"
#include "lib/base/limits.h"
#include "lib/disguise/core.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/typo.h"

#define MARGIN 96u /* bytes around a window that belong to the region */
#define TYPOS  2u  /* misspelled trigger words in a text worth mending */

const uint8_t toad__skeleton_of[128] = {
    ['!'] = 'i', ['$'] = 's', ['+'] = 't', ['@'] = 'a', ['|'] = 'i', ['0'] = 'o', ['1'] = 'i', ['2'] = 'z', ['3'] = 'e',
    ['4'] = 'a', ['5'] = 's', ['6'] = 'g', ['7'] = 't', ['8'] = 'b', ['9'] = 'g', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c',
    ['D'] = 'd', ['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'i',
    ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't', ['U'] = 'u',
    ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
    ['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'i', ['m'] = 'm',
    ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v',
    ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

/* ---- the windows ---- */

static toad__region_kind kind_at(toad_str s, size_t floor, size_t at) {
    unsigned shapes = toad__shapes_at(s, floor, at);
    return shapes & TOAD__SHAPE_SEPARATED ? TOAD__REGION_SEPARATED
           : shapes & TOAD__SHAPE_LEET    ? TOAD__REGION_LEET
                                          : TOAD__REGION_JOINED;
}

/* First window at or after `from` that has a shape and the words that go with it: the bytes [*start, *start + 64). */
static bool next_window(toad_str s, size_t from, size_t *start, toad__region_kind *kind) {
    for (size_t part = from; part < s.n; part += TOAD__STEPS * TOAD__STEP) {
        toad__shaped shaped = toad__shaped_steps(s, from, part);
        uint64_t words = shaped.any ? toad__disguised_steps(s, part, shaped.any) : 0;
        for (uint64_t steps = words | shaped.leet; steps; steps &= steps - 1) {
            unsigned i = (unsigned)__builtin_ctzll(steps);
            size_t at = part + (size_t)i * TOAD__STEP;
            if (!(words >> i & 1) && !toad__reads_with_signs(s, at)) continue;
            *kind = kind_at(s, from, at);
            *start = at >= from + TOAD__STEP ? at - TOAD__STEP : from;
            return true;
        }
    }
    return false;
}

bool toad__region_gate(toad_str folded) {
    size_t start;
    toad__region_kind kind;
    return next_window(folded, 0, &start, &kind) ||
           (folded.n <= TOAD__LIMIT_TYPO && toad__count_typos(folded, TYPOS) >= TYPOS);
}

static size_t less(size_t at, size_t n, size_t floor) { return at - floor > n ? at - n : floor; }
static size_t more(size_t at, size_t n, size_t ceiling) { return ceiling - at > n ? at + n : ceiling; }

/* After the last region comes the whole text, once, if it has misspellings: *from is then past its end. */
static bool whole_text(toad_str folded, size_t *from, toad__region *ret) {
    if (*from > folded.n) return false;
    *from = folded.n + 1;
    if (folded.n > TOAD__LIMIT_TYPO || toad__count_typos(folded, TYPOS) < TYPOS) return false;
    *ret = (toad__region){ TOAD__REGION_TYPO, { 0, folded.n } };
    return true;
}

bool toad__region_next(toad_str folded, size_t *from, toad__region *ret) {
    size_t start, again;
    toad__region_kind kind, ignored;
    if (*from >= folded.n || !next_window(folded, *from, &start, &kind)) return whole_text(folded, from, ret);
    size_t end = more(start, 2 * TOAD__STEP, folded.n), begin = less(start, MARGIN, *from);
    /* windows that fire within the margins belong to the same region */
    while (
        end < folded.n &&
        next_window(toad__str_part(folded, 0, more(end, 2 * MARGIN, folded.n)), end - TOAD__STEP, &again, &ignored) &&
        more(again, 2 * TOAD__STEP, folded.n) > end)
        end = more(again, 2 * TOAD__STEP, folded.n);
    end = more(end, MARGIN, folded.n);
    *ret = (toad__region){ kind, { begin, end } };
    *from = end;
    return true;
}

/* ---- the skeleton ---- */

/* Letters drawn with strokes: the longest first. Anything else is read sign by sign. */
static char drawn_letter(toad_str s, size_t at, size_t *len) {
    static const struct {
        const char *strokes;
        char letter;
    } drawn[] = {
        { "/\\/\\", 'm' }, { "|\\/|", 'm' }, { "\\/\\/", 'w' }, { "|\\|", 'n' }, { "/\\/", 'n' }, { "/-\\", 'a' },
        { "|-|", 'h' },    { "|_|", 'u' },   { "\\/", 'v' },    { "/\\", 'a' },  { "|_", 'i' },   { "|2", 'r' },
        { "|3", 'b' },     { "|)", 'd' },    { "|<", 'k' },     { "|*", 'p' },
    };
    toad__cur cur = { s, at };
    int next = toad__cur_peek(&cur, 1);
    bool can = s.p[at] == '|' ? !toad__is_alpha(next) && next > ' ' : next == '\\' || next == '/' || next == '-';
    if (!can) return 0; /* nearly all slashes */
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; i++) {
        toad_str strokes = toad__str_z(drawn[i].strokes);
        if (!toad__cur_looking_at(&cur, strokes)) continue;
        if (drawn[i].letter == 'u' && toad__cur_peek(&cur, 3) == '_') continue; /* two of |_ */
        *len = strokes.n;
        return drawn[i].letter;
    }
    return 0;
}

static bool is_symbol(int c) { return !toad__is_alnum(c); }

char toad__skeleton_letter(toad_str s, size_t at, bool symbols, size_t *len) {
    int c = (unsigned char)s.p[at];
    *len = 1;
    if (c >= 0x80) return 0;
    if (symbols && (c == '|' || c == '/' || c == '\\')) {
        char drawn = drawn_letter(s, at, len);
        if (drawn) return drawn;
    }
    return !symbols && is_symbol(c) ? 0 : (char)toad__skeleton_of[c];
}

/* The common case: letters and digits stay, everything else goes. One table look-up a byte; the map grows only where a
 * stretch ends. */
static void plain_skeleton(toad_str folded, toad__buf *out, toad__offmap *map) {
    char *to = toad__buf_room(out, folded.n + 1);
    if (!to) return;
    size_t n = 0;
    for (size_t at = 0; at < folded.n;) {
        size_t from = at, start = n;
        for (; at < folded.n; at++) {
            unsigned char c = (unsigned char)folded.p[at];
            if (c >= 0x80 || is_symbol(c)) break;
            to[n++] = (char)toad__skeleton_of[c];
        }
        if (map && n > start) toad__offmap_add(map, n - start, at - from);
        for (from = at;
             at < folded.n && ((unsigned char)folded.p[at] >= 0x80 || is_symbol((unsigned char)folded.p[at])); at++) {}
        if (map && at > from) toad__offmap_add(map, 0, at - from);
    }
    out->n += n;
}

toad_status toad__skeleton(toad_str folded, bool symbols, toad__buf *out, toad__offmap *map) {
    size_t dropped = 0, len;
    if (!symbols) {
        plain_skeleton(folded, out, map);
        return out->status ? out->status : map ? map->status : TOAD_OK;
    }
    for (size_t at = 0; at < folded.n && !out->status; at += len) {
        char c = toad__skeleton_letter(folded, at, symbols, &len);
        if (!c) {
            dropped += len;
            continue;
        }
        if (map && dropped) toad__offmap_add(map, 0, dropped);
        dropped = 0;
        toad__buf_add_c(out, c);
        if (map) toad__offmap_add(map, 1, len);
    }
    if (map && dropped) toad__offmap_add(map, 0, dropped);
    return out->status ? out->status : map ? map->status : TOAD_OK;
}
