/* skeleton.c - a text's letters alone, leet read as what it is drawn like. */
#include "lib/disguise/skeleton.h"
#include "lib/base/cursor.h"

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
