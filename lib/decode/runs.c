/* runs.c - finding blocks 64 bytes at a time.
 *
 * A mask says which of 64 bytes are in the set (masks.h); runs and evenly spaced blanks are then a few shifts. Linear
 * whatever the text. */
#include "lib/decode/survey.h"

#include <assert.h>

/* ---- the sets ---- */

#define HEX(c)         (TOAD__IS_DIGIT(c) || TOAD__IN(c, 'A', 'F') || TOAD__IN(c, 'a', 'f'))
#define BLANK(c)       ((c) == ' ' || (c) == '\t' || (c) == '\n' || (c) == '\r')
#define QUOTE(c)       ((c) == '"' || (c) == '\'' || (c) == '`')
#define STROKE(c)      ((c) == '.' || (c) == '-' || (c) == '_' || (c) == '/' || (c) == '|')
#define BASE64(c)      (TOAD__IS_ALNUM(c) || (c) == '+' || (c) == '/' || (c) == '-' || (c) == '_')
#define LOW64(c)       (TOAD__IS_UPPER(c) || TOAD__IN(c, 'a', 'f'))
#define VISIBLE(c)     TOAD__IN(c, '!', '~')
#define HEX_NEXT(c)    (HEX(c) || (c) == 'u' || (c) == 'U')
#define QUOTED_NEXT(c) (HEX(c) || BLANK(c))
#define ENTITY_NEXT(c) (TOAD__IS_ALPHA(c) || (c) == '#')
#define NUMBER_NEXT(c) (TOAD__IS_DIGIT(c) || TOAD__IS_SPACE(c))
#define JOINT_NEXT(c)  (QUOTE(c) || TOAD__IS_SPACE(c) || (c) == '\\' || (c) == '=')
#define WRITTEN(c)     (TOAD__IS_ALNUM(c) || TOAD__IS_SPACE(c))
#define JSON(c)        ((c) == '"' || (c) == '[' || (c) == ']' || (c) == '{' || (c) == '}')
#define PICTURE(c)     ((c) == 0xE2 || (c) == 0xF0)
#define MARK(c)        ((c) == '*' || (c) == '`')
#define CUTTABLE(c)    (TOAD__IS_ALPHA(c) || TOAD__IS_HIGH(c))
#define INSIDE(c)      (TOAD__IS_ALNUM(c) || TOAD__IS_HIGH(c))
#define BIT(c)                                                                                                  \
    (BLANK(c) || TOAD__IN(c, '0', '1') || (c) == 'b' || (c) == 'B' || (c) == ',' || (c) == '_' || (c) == '|' || \
     (c) == '-')
#define NUMBER(c) (TOAD__IS_DIGIT(c) || BLANK(c) || TOAD__IN(c, ',', '/') || TOAD__IN(c, ':', ';') || (c) == '|')
#define HEX_LIST(c)                                                                                                 \
    (HEX(c) || BLANK(c) || TOAD__IN(c, ',', '.') || TOAD__IN(c, ':', ';') || TOAD__IN(c, '#', '$') || (c) == '&' || \
     (c) == '\\' || (c) == '_' || (c) == '|' || (c) == 'h' || (c) == 'H' || (c) == 'x' || (c) == 'X')
#define BACON(c) \
    (TOAD__IN(c, 'A', 'B') || TOAD__IN(c, 'a', 'b') || (c) == ' ' || (c) == '\n' || (c) == '\r' || (c) == '/')
#define TAP(c)  ((c) == '.' || (c) == ' ' || (c) == '/' || (c) == '\n' || (c) == '\r')
#define SIGN(c) (STROKE(c) || TOAD__IN(c, '0', '1') || (c) == ' ')
/* The bytes of dots and dashes of other scripts: U+2022, 2024, 22C5, 2219, 2012 to 2015, 2500, 00B7, 30FB. */
#define DASH(c)                                                                                            \
    (TOAD__IN(c, 0x80, 0x80) || (c) == 0xE2 || (c) == 0xA2 || (c) == 0xA4 || (c) == 0x8B || (c) == 0x85 || \
     (c) == 0x99 || (c) == 0x88 || TOAD__IN(c, 0x90, 0x95) || (c) == 0xC2 || (c) == 0xB7 || (c) == 0xE3 || \
     (c) == 0x83 || (c) == 0xBB)
#define MORSE(c) (STROKE(c) || BLANK(c) || DASH(c))
#define TERSE(c) (HEX_LIST(c) || STROKE(c) || DASH(c)) /* of hex to morse, all */
#define SMALL(c) (TOAD__IS_LOWER(c) || TOAD__IS_DIGIT(c))
#define WIDE(c)  (TOAD__IS_HIGH(c) || (c) == ' ' || (c) == '/' || (c) == '|' || (c) == '\r' || (c) == '\n')

const toad__set toad__set_alnum = TOAD__SET(TOAD__IS_ALNUM);
const toad__set toad__set_letters = TOAD__SET(TOAD__IS_ALPHA);
const toad__set toad__set_digits = TOAD__SET(TOAD__IS_DIGIT);
const toad__set toad__set_upper = TOAD__SET(TOAD__IS_UPPER);
const toad__set toad__set_lower = TOAD__SET(TOAD__IS_LOWER);
const toad__set toad__set_base64 = TOAD__SET(BASE64);
const toad__set toad__set_low64 = TOAD__SET(LOW64);
const toad__set toad__set_visible = TOAD__SET(VISIBLE);
const toad__set toad__set_hex_next = TOAD__SET(HEX_NEXT);
const toad__set toad__set_quoted_next = TOAD__SET(QUOTED_NEXT);
const toad__set toad__set_entity_next = TOAD__SET(ENTITY_NEXT);
const toad__set toad__set_number_next = TOAD__SET(NUMBER_NEXT);
const toad__set toad__set_joint_next = TOAD__SET(JOINT_NEXT);
const toad__set toad__set_written = TOAD__SET(WRITTEN);
const toad__set toad__set_json = TOAD__SET(JSON);
const toad__set toad__set_pictures = TOAD__SET(PICTURE);
const toad__set toad__set_marks = TOAD__SET(MARK);
const toad__set toad__set_cuttable = TOAD__SET(CUTTABLE);
const toad__set toad__set_inside = TOAD__SET(INSIDE);
const toad__set toad__set_hex = TOAD__SET(HEX_LIST);
const toad__set toad__set_bits = TOAD__SET(BIT);
const toad__set toad__set_numbers = TOAD__SET(NUMBER);
const toad__set toad__set_bacon = TOAD__SET(BACON);
const toad__set toad__set_tap = TOAD__SET(TAP);
const toad__set toad__set_signs = TOAD__SET(SIGN);
const toad__set toad__set_morse = TOAD__SET(MORSE);
const toad__set toad__set_terse = TOAD__SET(TERSE);
const toad__set toad__set_small = TOAD__SET(SMALL);
const toad__set toad__set_blanks = TOAD__SET(BLANK);
const toad__set toad__set_wide = TOAD__SET(WIDE);

/* ---- runs ---- */

/* Bits at which `n` (1..64) ones in a row begin. */
static inline uint64_t row_of(uint64_t bits, size_t n) {
    assert(n >= 1 && n <= 64);
    size_t have = 1;
    if (n >= 8) {
        bits &= bits >> 1;
        bits &= bits >> 2;
        bits &= bits >> 4;
        have = 8;
    }
    while (have < n) {
        size_t step = have < n - have ? have : n - have;
        bits &= bits >> step;
        have += step;
    }
    return bits;
}

/* Do two neighboring groups of four bits of the words `last` and `bits` hold nothing but ones? Eleven ones in a row do.
 */
static inline bool has_full_fours(uint64_t last, uint64_t bits) {
    uint64_t two = bits & bits >> 1, four = two & two >> 2 & UINT64_C(0x1111111111111111);
    return (four & four >> 4) | (last >> 60 == 15 && four & 1);
}

/* The end of the bytes of the set that begin at `at`. */
static size_t end_of(toad_str in, const toad__set *set, size_t at) {
    for (; at < in.n; at += 64) {
        uint64_t others = ~toad__mask_at(in, at, set);
        if (others) return at + (size_t)__builtin_ctzll(others);
    }
    return in.n;
}

bool toad__run_next(toad_str in, const toad__set *set, size_t least, size_t from, toad_span *ret) {
    uint64_t last = 0; /* the word before, */
    size_t run = 0;    /* and the words before it that were all ones, in bits */
    bool full = false, full_before;
    for (size_t at = from; at < in.n; at += 64) {
        uint64_t bits = toad__mask_at(in, at, set), inside;
        full_before = full;
        full = least < 15 ? least < 11 || has_full_fours(last, bits) : toad__bits_full_byte(bits);
        if (full | full_before) {
            size_t before = ~last ? (size_t)__builtin_clzll(~last) : run, start = SIZE_MAX;
            size_t first = ~bits ? (size_t)__builtin_ctzll(~bits) : 64;
            run = ~bits ? 0 : before + 64;
            if (before + first >= least)
                start = at - before;
            else if ((inside = row_of(bits, least)) != 0)
                start = at + (size_t)__builtin_ctzll(inside);
            if (start != SIZE_MAX) {
                *ret = (toad_span){ start, end_of(in, set, start + least) };
                return true;
            }
        }
        last = bits;
    }
    return false;
}

/* The run around `at`, not beginning before `from`. */
static toad_span run_around(toad_str in, const toad__set *set, size_t at, size_t from) {
    size_t start = at;
    while (start > from && toad__set_has(set, in.p[start - 1])) start--;
    return (toad_span){ start, end_of(in, set, at) };
}

bool toad__mixed_run_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                          toad_span *ret) {
    size_t at = from;
    for (toad_span site; toad__site_next(where, in.n, at, &site); at = (size_t)site.end) {
        /* what stands before a capital is looked at with it */
        for (at = (size_t)site.start - (site.start > from); at < site.end; at += 63) {
            uint64_t capitals = toad__mask_at(in, at, &toad__set_upper);
            if (!capitals) continue;
            for (uint64_t turns = toad__mask_at(in, at, &toad__set_small) << 1 & capitals; turns; turns &= turns - 1) {
                size_t turn = at + (size_t)__builtin_ctzll(turns);
                if (turn < from) continue;
                *ret = run_around(in, set, turn, from);
                if (ret->end - ret->start >= least) return true;
                from = (size_t)ret->end;
            }
        }
    }
    return false;
}

size_t toad__run_lines(toad_str in, const toad__set *set, toad_span run) {
    size_t end = (size_t)run.end, width = (size_t)(run.end - run.start);
    for (bool first = true;; first = false) {
        toad__cur c = { in, end };
        while (toad__cur_peek(&c, 0) == ' ' || toad__cur_peek(&c, 0) == '\r') c.at++;
        if (toad__cur_next(&c) != '\n') return end;
        while (toad__cur_peek(&c, 0) == ' ' || toad__cur_peek(&c, 0) == '>' || toad__cur_peek(&c, 0) == '\t') c.at++;
        size_t start = c.at;
        c.at = end_of(in, set, start);
        size_t n = c.at - start;
        int next = toad__cur_peek(&c, 0);
        bool whole = next < 0 || next == '=' || toad__is_space(next);
        if (!n || !whole || (n > width && !first)) return end;
        end = c.at;
        if (n < width || next == '=') return end;
        width = n;
    }
}

/* The length of the token of the set at `at`, at most 16. */
static size_t token(toad_str in, const toad__set *set, size_t at) {
    size_t n = 0;
    while (n < 16 && at + n < in.n && toad__set_has(set, in.p[at + n])) n++;
    return n;
}

static bool blank_at(toad_str in, size_t at) { return at < in.n && toad__is_space((unsigned char)in.p[at]); }

/* Tokens of `width` from `start` on: the end of the last one, a shorter last one included. */
static size_t groups_end(toad_str in, const toad__set *set, size_t start, size_t width) {
    size_t end = start;
    while (end == start || blank_at(in, end)) {
        size_t at = end == start ? start : end + 1, n = token(in, set, at);
        bool stands_alone = at + n >= in.n || blank_at(in, at + n) || in.p[at + n] == '=';
        if (!n || n > width || !stands_alone) break;
        end = at + n;
        if (n < width) break;
    }
    return end;
}

static size_t groups_start(toad_str in, const toad__set *set, size_t start, size_t width, size_t from) {
    while (start >= from + width + 1 && blank_at(in, start - 1)) {
        size_t before = start - 1 - width;
        if (token(in, set, before) != width || (before && toad__set_has(set, in.p[before - 1]))) break;
        start = before;
    }
    return start;
}

/* The first of four blanks of a 64-bit mask with equal gaps of width + 1 between; 64 if there is none. */
static unsigned even_blanks(uint64_t blanks, size_t *width) {
    static const uint8_t widths[] = { 4, 8, 5, 2, 3, 6, 7, 10 };
    for (size_t i = 0; i < sizeof widths; i++) {
        unsigned step = widths[i] + 1u;
        uint64_t even = blanks & blanks >> step & blanks >> 2 * step & blanks >> 3 * step;
        *width = widths[i];
        if (even) return (unsigned)__builtin_ctzll(even);
    }
    return 64;
}

bool toad__groups_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                       toad_span *ret) {
    toad_span site = { 0, 0 };
    for (size_t at = from, width; at < in.n; at += 40) {
        if (at >= site.end && !toad__site_next(where, in.n, at, &site)) break;
        if (site.start >= at + 64) at += (site.start - at - 24) / 40 * 40; /* the first word that reaches the site */
        uint64_t capitals = toad__mask_at(in, at, &toad__set_upper);
        if (!(capitals & (capitals - 1)) || !(capitals & toad__mask_at(in, at, &toad__set_lower) << 1))
            continue; /* no capital behind a small letter */
        unsigned first = even_blanks(toad__mask_at(in, at, &toad__set_blanks), &width);
        if (first == 64) continue;
        size_t start = groups_start(in, set, at + first + 1, width, from),
               end = groups_end(in, set, at + first + 1, width);
        if (end > start && (end - start) * width / (width + 1) >= least) {
            *ret = (toad_span){ start, end };
            return true;
        }
    }
    return false;
}
