/* match_repeat.c - is this the same stretch of text as before? */
#include "lib/scan/match_repeat.h"

#define STEP   32u /* bytes compared at once */
#define AROUND 16u /* bytes before and behind the literal's start that its place goes by */
#define MARGIN 64u /* so that eight bytes of line starts may be read from any compared byte */

#define FACTOR 4u /* a text is compared with itself as often as this */

void toad__repeats_begin(toad__repeats *r, uint32_t n, uint32_t reach) {
    r->reach = reach;
    r->from = r->to = r->distance = 0;
    r->steps = n / STEP * FACTOR;
}

static uint64_t load(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static bool same_bytes(const uint8_t *a, const uint8_t *b) {
    return !((load(a) ^ load(b)) | (load(a + 8) ^ load(b + 8)) | (load(a + 16) ^ load(b + 16)) |
             (load(a + 24) ^ load(b + 24)));
}

/* Bit i: does byte at + i start a line? */
static uint32_t line_starts(const uint8_t *lines, uint32_t at) {
    return (uint32_t)(load(lines + (at >> 3)) >> (at & 7));
}

static bool same_step(const subject *t, uint32_t a, uint32_t b) {
    return same_bytes(t->p + a, t->p + b) && (!t->lines || line_starts(t->lines, a) == line_starts(t->lines, b));
}

/* Follow the copy up to `until`, at least MARGIN and STEP before the end of the text. */
static void follow(toad__repeats *r, const subject *t, uint32_t until) {
    for (; r->to < until && r->steps && same_step(t, r->to, r->to - r->distance); r->to += STEP) r->steps--;
}

/* Is all within reach of `at` as it is within reach of `before`? */
static bool is_copy(toad__repeats *r, const subject *t, uint32_t before, uint32_t at) {
    if (before <= r->reach || t->n - at < r->reach + STEP + MARGIN) return false;
    uint32_t low = at - r->reach, high = at + r->reach, distance = at - before;
    if (r->distance != distance || low < r->from || low > r->to) {
        r->distance = distance;
        r->from = r->to = low;
    }
    follow(r, t, high);
    return r->to >= high;
}

uint32_t toad__repeats_end(toad__repeats *r, const subject *t) {
    follow(r, t, t->n - STEP - MARGIN);
    return r->to;
}

static uint64_t mixed(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

toad__place *toad__repeats_find(toad__repeats *r, const subject *t, uint64_t clock, uint32_t literal, uint32_t at,
                                uint32_t *ret) {
    uint64_t h = literal;
    if (at >= AROUND && t->n - at >= AROUND)
        for (unsigned k = 0; k < 2 * AROUND; k += 8) h = mixed(h, load(t->p + at - AROUND + k));
    uint32_t around = (uint32_t)h >> 1;
    toad__place *pair = &r->places[h >> 32 & (TOAD__REPEAT_PLACES - 2)], *place = &pair[pair[0].when > pair[1].when];
    for (unsigned k = 0; k < 2; k++)
        if (pair[k].literal == literal && pair[k].around == around) place = &pair[k];
    bool here = place->literal == literal && place->around == around && place->when >= clock;
    *ret = here && is_copy(r, t, (uint32_t)(place->when - clock), at) ? (uint32_t)(place->when - clock) : TOAD__NOWHERE;
    place->literal = literal;
    place->around = around & 0x7fffffffu;
    return place;
}
