/* shape.c - the shapes that disguised words have: letters apart, words cut up, words run together, leet.
 *
 * A window of 64 bytes is a few bit masks, one bit a byte, and each shape is some shifts of them. It tells nothing
 * about what the letters say (core.c). */
#include "lib/disguise/shape.h"
#include "lib/base/masks.h"
#include "lib/disguise/core.h"

#include <assert.h>

#define ROW            64u /* bytes looked at together: two steps */
#define ROWS           (TOAD__STEPS * TOAD__STEP / ROW)
#define SINGLES        5u  /* single letters at the same distance */
#define LEET_PLACES    2u  /* places with a sign between letters */
#define JOINTS         2u  /* places where two letters are joined by signs without a blank */
#define LETTERS_JOINED 16u /* letters in a window for a run of word signs to be words */

/* Bit i: byte i is one. */
typedef struct masks {
    uint64_t letter, leet, word, sign, stroke;
} masks;

#define IS_LEET(c)   (TOAD__IS_DIGIT(c) || (c) == '!' || (c) == '$' || (c) == '+' || (c) == '@' || (c) == '|')
#define IS_WORD(c)   (TOAD__IS_ALPHA(c) || TOAD__IN(c, '-', '/') || (c) == '_')
#define IS_TAG(c)    TOAD__IN(c, '<', '>') /* what tags cut up is read without them elsewhere */
#define IS_SIGN(c)   (TOAD__IN(c, '!', 0x7F) && !TOAD__IS_ALNUM(c) && !IS_TAG(c))
#define IS_STROKE(c) ((c) == '|' || (c) == '/' || (c) == '\\')

static const toad__set sets[] = { TOAD__SET(TOAD__IS_ALPHA), TOAD__SET(IS_LEET), TOAD__SET(IS_WORD), TOAD__SET(IS_SIGN),
                                  TOAD__SET(IS_STROKE) };
enum { SETS = sizeof sets / sizeof *sets };

/* Bit i stays where bits i to i + 15 are set. */
static inline uint64_t runs_of_16(uint64_t m) {
    m &= m >> 1;
    m &= m >> 2;
    m &= m >> 4;
    return m & m >> 8;
}

/* i g n o r e: single letters two to five bytes apart (the separators may be more than one byte). */
static inline bool is_apart(const masks *m) {
    uint64_t single = m->letter & ~(m->letter << 1) & ~(m->letter >> 1) & UINT64_C(0x7FFFFFFFFFFFFFFE), any = 0;
    if (!toad__bits_at_least(single, SINGLES)) return false;
    for (unsigned d = 2; d <= 5; d++) any |= single & single >> d & single >> 2 * d & single >> 3 * d & single >> 4 * d;
    return any != 0;
}

/* pr3v10us; also |\ and the like, of which letters are built. */
static inline bool is_leet(const masks *m) {
    if (!(m->leet | m->stroke)) return false;
    uint64_t between = m->letter & m->leet >> 1, one = between & m->letter >> 2,
             two = between & m->leet >> 2 & m->letter >> 3;
    uint64_t strokes = m->stroke & m->stroke >> 1;
    return toad__bits_at_least(one | two, LEET_PLACES) || toad__bits_at_least(strokes, 2 * LEET_PLACES);
}

/* ignoreallprevious, ignore-all-previous: 18 letters, or 20 word signs that are mostly letters. */
static inline bool is_joined(const masks *m) {
    uint64_t run = runs_of_16(m->word);
    if (!run) return false;
    uint64_t letters = runs_of_16(m->letter);
    return (letters & letters >> 2) || ((run & run >> 4) && toad__bits_at_least(m->letter, LETTERS_JOINED));
}

/* (ign)(ore), ig/\**\/nore, "ign" + "ore": letters joined by two or four signs, or by quotes around a plus. */
static inline bool is_cut(const masks *m) {
    if (!toad__bits_at_least(m->sign, 2 * JOINTS)) return false;
    uint64_t pair = m->sign & m->sign >> 1, joint = m->letter & pair >> 1;
    uint64_t two = joint & m->letter >> 3, four = joint & pair >> 3 & m->letter >> 5;
    uint64_t blank = ~(m->letter | m->leet | m->sign);
    uint64_t quotes = m->letter & m->sign >> 1 & blank >> 2 & m->sign >> 3 & blank >> 4 & m->sign >> 5 & m->letter >> 6;
    return toad__bits_at_least(two | four | quotes, JOINTS);
}

/* ---- which windows have a shape ---- */

static inline unsigned shapes_of(const masks *m) {
    return (is_apart(m) ? TOAD__SHAPE_APART : 0u) | (is_cut(m) ? TOAD__SHAPE_CUT : 0u) |
           (is_leet(m) ? TOAD__SHAPE_LEET : 0u) | (is_joined(m) ? TOAD__SHAPE_JOINED : 0u);
}

/* The row before but for its first half, and that of the row behind it. */
static inline masks between(const masks *a, const masks *b) {
    return (masks){ a->letter >> 32 | b->letter << 32, a->leet >> 32 | b->leet << 32, a->word >> 32 | b->word << 32,
                    a->sign >> 32 | b->sign << 32, a->stroke >> 32 | b->stroke << 32 };
}

unsigned toad__shapes_at(toad_str folded, size_t floor, size_t at) {
    masks m[2] = { { 0, 0, 0, 0, 0 }, { 0, 0, 0, 0, 0 } };
    assert(floor <= at && at < folded.n);
    if (at < floor + TOAD__STEP) {
        toad__masks_at(folded, at, sets, SETS, 1, &m[1].letter);
        m[0] = between(&m[0], &m[1]);
    } else
        toad__masks_at(folded, at - TOAD__STEP, sets, SETS, 1, &m[0].letter);
    return shapes_of(&m[0]);
}

static inline void note(toad__shaped *ret, unsigned i, unsigned shapes) {
    ret->any |= (uint64_t)(shapes != 0) << i;
    ret->leet |= (uint64_t)((shapes & TOAD__SHAPE_LEET) != 0) << i;
}

toad__shaped toad__shaped_steps(toad_str folded, size_t floor, size_t from) {
    toad__shaped ret = { 0, 0 };
    masks rows[ROWS + 1];
    assert(floor <= from && from < folded.n && (from - floor) % ROW == 0);
    size_t n = toad__masks_at(folded, from, sets, SETS, ROWS, &rows[1].letter);
    rows[0] = (masks){ 0, 0, 0, 0, 0 };
    if (from > floor) toad__masks_at(folded, from - ROW, sets, SETS, 1, &rows[0].letter);
    for (unsigned i = 1; i <= n; i++) {
        masks before = between(&rows[i - 1], &rows[i]);
        note(&ret, 2 * i - 2, shapes_of(&before));
        if (folded.n - from > (size_t)i * ROW - TOAD__STEP) note(&ret, 2 * i - 1, shapes_of(&rows[i]));
    }
    return ret;
}
