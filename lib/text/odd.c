/* odd.c - skipping the text that needs no look: 64 bytes of any script at a time, by masks.
 *
 * Quiet ASCII is everything printable, TAB, LF with no blank before it, and CR LF. Combining marks are quiet up to two
 * in a row after a quiet base. The scan starts as if marks stood before it, so that a mark right after a removed
 * character is ruled on. */
#include "lib/base/cursor.h"
#include "lib/base/masks.h"
#include "lib/base/utf8.h"
#include "lib/text/keep_rules.h"
#include "lib/text/tables/class_tables.gen.h"

#include <assert.h>

enum { WINDOW = 4 };

#define QUIET_MARKS 2u
#define FEW         8u /* code points */

static bool quiet_ascii(toad_str in, size_t at) {
    unsigned char c = (unsigned char)in.p[at];
    if (c >= 0x20 && c < 0x7F) return true;
    if (c == '\t') return true;
    if (c == '\r' && (at + 1 >= in.n || in.p[at + 1] != '\n')) return false;
    return (c == '\n' || c == '\r') && !(at && toad__is_blank(in.p[at - 1]));
}

static size_t skip_ascii(toad_str in, size_t at) {
    while (at < in.n && quiet_ascii(in, at)) at++;
    return at;
}

/* The code point at `at`, which is not ASCII; the common well-formed two- and three-byte forms inline. */
static inline uint32_t decode(toad_str in, size_t at, unsigned *len) {
    const unsigned char *p = (const unsigned char *)in.p + at;
    size_t left = in.n - at;
    if (left >= 2 && p[0] >= 0xC2 && p[0] <= 0xDF && (p[1] & 0xC0) == 0x80) {
        *len = 2;
        return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    }
    if (left >= 3 && p[0] >= 0xE1 && p[0] <= 0xEC && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
        *len = 3;
        return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    }
    return toad__utf8_decode(in, at, len);
}

static inline bool is_tail(char c) { return (c & 0xC0) == 0x80; }

/* Bytes of a code point whose block of 64 is quiet as a whole (most letters and ideographs are); 0 for any other, and
 * for what is not well formed. */
static inline unsigned all_quiet(toad_str in, size_t at, unsigned lead) {
    size_t left = in.n - at;
    if (lead < 0xC2 || lead > 0xEF || lead == 0xE0 || left < 2 || !is_tail(in.p[at + 1])) return 0;
    unsigned len = lead < 0xE0 ? 2 : 3,
             block = lead < 0xE0 ? lead & 0x1F : (lead & 0x0F) << 6 | ((unsigned)in.p[at + 1] & 0x3F);
    if (len == 3 && (left < 3 || !is_tail(in.p[at + 2]))) return 0;
    return toad__quiet_blocks[block / 64] >> (block & 63) & 1 ? len : 0;
}

/* Step over a few quiet code points, up to an odd one (*odd): around those it is quicker than blocks are. */
static size_t skip_few(toad_str in, size_t at, unsigned *marks, bool *odd) {
    unsigned quiet = 0;
    while (at < in.n && quiet++ < FEW) {
        unsigned char c = (unsigned char)in.p[at];
        if (c < 0x80) {
            if (c < 0x20 || c == 0x7F) return at;
            *marks = 0;
            at++;
            continue;
        }
        unsigned len = all_quiet(in, at, c);
        if (len) {
            *marks = 0;
            at += len;
            continue;
        }
        uint32_t cp = decode(in, at, &len);
        unsigned number = cp == TOAD__BAD ? 0xFF : toad__class_number(cp);
        if (number >= TOAD__CLASS_QUIET && (number >= TOAD__CLASS_MARKS || ++*marks > QUIET_MARKS)) {
            *odd = true;
            return at;
        }
        if (number < TOAD__CLASS_QUIET) *marks = 0;
        at += len;
    }
    return at;
}

#define CONTROL(c) (((c) < 0x20 && (c) != '\t') || (c) == 0x7F)
#define TAIL(c)    TOAD__IN(c, 0x80, 0xBF)
#define THREE(c)   ((c) >= 0xE0)
#define FOUR(c)    ((c) >= 0xF0)
/* The lead bytes that begin quiet code points only: those whose blocks are all in toad__quiet_blocks. */
#define CALM(c)                                                                                      \
    (TOAD__IN(c, 0xC3, 0xCB) || TOAD__IN(c, 0xCE, 0xD1) || TOAD__IN(c, 0xD3, 0xD5) || (c) == 0xDA || \
     TOAD__IN(c, 0xE4, 0xE9) || TOAD__IN(c, 0xEB, 0xEC))
#define LOUD(c) ((c) >= 0xC0 && !CALM(c))
/* E3 81 and E3 83 are most of the kana, whose blocks are quiet. */
#define KANA_LEAD(c) ((c) == 0xE3)
#define KANA_NEXT(c) ((c) == 0x81 || (c) == 0x83)

/* What 64 bytes hold; `leads` and `tails` are of what is not ASCII, `threes` and `fours` the leads of at least so many
 * bytes; `loud`: leads that may begin what is not quiet or not well formed. */
typedef struct masks {
    uint64_t control, high;
} masks;
typedef struct wide_masks {
    uint64_t tails, threes, fours, loud;
} wide_masks;

static const toad__set sets[] = { TOAD__SET(CONTROL), TOAD__SET(TOAD__IS_HIGH) },
                       wide_sets[] = { TOAD__SET(TAIL), TOAD__SET(THREE), TOAD__SET(FOUR), TOAD__SET(LOUD) },
                       kana_sets[] = { TOAD__SET(KANA_LEAD), TOAD__SET(KANA_NEXT) };

/* Some blocks of 64 bytes; `wide` of those that are not ASCII. */
typedef struct window {
    masks of[WINDOW];
    wide_masks wide[WINDOW];
} window;

static size_t look(toad_str in, size_t at, window *ret) {
    size_t n = toad__masks_at(in, at, sets, 2, WINDOW, &ret->of->control);
    uint64_t high = 0;
    for (size_t i = 0; i < n; i++) high |= ret->of[i].high;
    if (high) toad__masks_at(in, at, wide_sets, 4, n, &ret->wide->tails);
    return n;
}

/* The first of the control characters of the block at `at` that is not quiet; 64 if none is. */
static unsigned odd_control(toad_str in, size_t at, uint64_t control) {
    while (control && quiet_ascii(in, at + (size_t)__builtin_ctzll(control))) control &= control - 1;
    return control ? (unsigned)__builtin_ctzll(control) : 64;
}

static uint64_t kana(toad_str in, size_t at) {
    uint64_t m[2];
    toad__masks_at(in, at, kana_sets, 2, 1, m);
    return m[0] & m[1] >> 1;
}

/* Whether the code point at `at`, which is not ASCII, is quiet and no mark. */
static inline bool is_quiet(toad_str in, size_t at) {
    unsigned len;
    uint32_t c = decode(in, at, &len);
    return c != TOAD__BAD && toad__class_number(c) < TOAD__CLASS_QUIET;
}

/* Where the code point begins that lacks a tail at `at`, or has one too many. */
static size_t lead_of(toad_str in, size_t from, size_t at) {
    size_t begin = at;
    while (begin > from && begin + 3 > at && is_tail(in.p[begin - 1])) begin--;
    return begin > from && (unsigned char)in.p[begin - 1] >= 0xC0 ? begin - 1 : at;
}

/* The block at `at`, in which all is quiet and nothing is a mark: 64 bytes on, else the first that may not be. `due`:
 * tails of what began in the block before, and in this one. */
static size_t skip_block(toad_str in, size_t from, size_t at, const masks *m, const wide_masks *w, uint64_t *due) {
    unsigned odd = odd_control(in, at, m->control), end = 64;
    uint64_t wrong = *due, loud = 0;
    *due = 0;
    if (m->high) {
        uint64_t leads = m->high & ~w->tails;
        wrong = (leads << 1 | w->threes << 2 | w->fours << 3 | wrong) ^ w->tails;
        *due = leads >> 63 | w->threes >> 62 | w->fours >> 61;
        loud = w->loud ? w->loud & ~kana(in, at) : 0;
    }
    if (wrong) end = (unsigned)__builtin_ctzll(wrong);
    for (; loud && (unsigned)__builtin_ctzll(loud) < (odd < end ? odd : end); loud &= loud - 1)
        if (!is_quiet(in, at + (size_t)__builtin_ctzll(loud))) return at + (size_t)__builtin_ctzll(loud);
    return odd < end ? at + odd : end < 64 ? lead_of(in, from, at + end) : at + 64;
}

static size_t skip_blocks(toad_str in, size_t at) {
    assert(at <= in.n);
    const size_t from = at;
    window w;
    uint64_t due = 0;
    for (size_t n; at < in.n && (n = look(in, at, &w)) > 0;)
        for (size_t i = 0; i < n; i++) {
            size_t next = skip_block(in, from, at, &w.of[i], &w.wide[i], &due);
            if (next < at + 64) return next;
            at = next;
        }
    return due ? lead_of(in, from, in.n) : in.n;
}

/* Whether one of the next eight bytes is not ASCII. */
static bool wide_near(toad_str in, size_t at) {
    uint64_t x = 0;
    memcpy(&x, in.p + at, in.n - at < 8 ? in.n - at : 8);
    return (x & UINT64_C(0x8080808080808080)) != 0;
}

typedef size_t skip_quiet(toad_str in, size_t at);

static inline size_t next_odd(toad_str in, size_t at, skip_quiet *skip) {
    unsigned marks = QUIET_MARKS;
    while (at < in.n) {
        bool odd = false;
        if (wide_near(in, at)) at = skip_few(in, at, &marks, &odd);
        if (odd || at >= in.n) return at;
        size_t from = at;
        at = skip(in, at);
        if (at > from) marks = 0;
        if (at >= in.n || !((unsigned char)in.p[at] & 0x80)) return at;
    }
    return at;
}

size_t toad__next_odd(toad_str in, size_t at) { return next_odd(in, at, skip_blocks); }
size_t toad__next_odd_portable(toad_str in, size_t at) { return next_odd(in, at, skip_ascii); }
