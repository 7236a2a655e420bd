/* hints.c - one pass over a text that says which decoders are worth running.
 *
 * Most bytes mean nothing to a decoder: a mask has those that do, and they are counted one by one; the many that may be
 * digits or no ASCII are counted by the word. Every count is exact. Signs are looked at only where twelve stand in a
 * row, until the first run is found. */
#include "lib/decode/hints.h"
#include "lib/base/masks.h"
#include "lib/decode/runs.h"

enum { WINDOW = 16, SIGNS = 12 };

/* What 64 bytes hold. `telling`: the bytes of which the hints have a count of their own, and control characters. */
typedef struct masks {
    uint64_t telling, high, digits, signs;
} masks;

#define CONTROL(c) (((c) < 0x20 && (c) != '\t' && (c) != '\n' && (c) != '\r') || (c) == 0x7F)
#define TELLING(c)                                                                                                    \
    (CONTROL(c) || (c) == '%' || (c) == '&' || (c) == '\\' || (c) == '=' || (c) == '+' || (c) == '<' || (c) == '[' || \
     (c) == '`' || (c) == '"' || (c) == '\'' || (c) == '{' || (c) == '*')
#define SIGN(c)          ((c) == '.' || TOAD__IN(c, '/', '1') || (c) == '-' || (c) == '_' || (c) == '|')
#define SIGN_OR_BLANK(c) (SIGN(c) || (c) == ' ')

static const toad__set sets[] = { TOAD__SET(TELLING), TOAD__SET(TOAD__IS_HIGH), TOAD__SET(TOAD__IS_DIGIT),
                                  TOAD__SET(SIGN_OR_BLANK) };

static void tell(int c, toad__hints *ret) {
    switch (c) {
    case '%': ret->percent++; break;
    case '&': ret->ampersand++; break;
    case '\\': ret->backslash++; break;
    case '=': ret->equals++; break;
    case '+': ret->plus++; break;
    case '<': ret->less++; break;
    case '[': ret->bracket_open++; break;
    case '`': ret->backquote++; break;
    case '"':
    case '\'': ret->quotes++; break;
    case '{': ret->brace_open++; break;
    case '*': ret->star++; break;
    case 0x1B: ret->escape++; /* fall through */
    default: ret->control += CONTROL(c);
    }
}

void toad__hints_portable(toad_str in, toad__hints *ret) {
    for (size_t i = 0; i < in.n; i++) {
        int c = (unsigned char)in.p[i];
        if (TELLING(c)) tell(c, ret);
        ret->non_ascii += TOAD__IS_HIGH(c), ret->digits += TOAD__IS_DIGIT(c);
    }
}

/* A run of signs that is no indentation: 12 bytes that end in [from, from + 64), the first and the last of them no
 * blank. */
static bool signs_end(toad_str in, size_t from, uint64_t signs, uint64_t before) {
    for (uint64_t ends = toad__bits_row(signs, before, SIGNS); ends; ends &= ends - 1) {
        size_t last = from + (size_t)__builtin_ctzll(ends);
        if (in.p[last] != ' ' && in.p[last - (SIGNS - 1)] != ' ') return true;
    }
    return false;
}

void toad__hints_take(toad_str in, toad__hints *ret) {
    masks window[WINDOW];
    uint64_t before = 0;
    *ret = (toad__hints){ 0 };
    for (size_t at = 0, n;
         (n = toad__masks_at(in, at, sets, sizeof sets / sizeof *sets, WINDOW, &window->telling)) > 0;) {
        for (const masks *m = window; m < window + n; m++, at += 64) {
            for (uint64_t bits = m->telling; bits; bits &= bits - 1)
                tell((unsigned char)in.p[at + (size_t)__builtin_ctzll(bits)], ret);
            if (m->high) ret->non_ascii += toad__bits_count(m->high);
            if (m->digits) ret->digits += toad__bits_count(m->digits);
            if (!ret->symbol_run) ret->symbol_run = signs_end(in, at, m->signs, before);
            before = m->signs;
        }
        if (at >= in.n) break;
    }
}
