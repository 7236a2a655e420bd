/* disguise.c - where words are apart, cut up, run together, in leet, misspelled or shuffled, and what they say.
 *
 * Windows of 64 bytes every 32 are looked at for the shapes of disguise (shape.c), and around those that have one, for
 * the words that it takes, disguised (core.c). Ordinary prose has neither. A region is every window that fired, with a
 * margin, since half of a phrase may be written plainly. Regions never overlap, so the work on them is linear. After
 * them come misspelled words (misspelled.c), of the whole text if it is short, and then the parts in which words are
 * shuffled (shuffled.c). */
#include "lib/disguise/disguise.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/disguise/core.h"
#include "lib/disguise/misspelled.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/shuffled.h"
#include "lib/disguise/skeleton.h"

#include <assert.h>

#define MARGIN     96u /* bytes around a window that belong to the region */
#define MISSPELLED 2u  /* signs of misspelled trigger words in a text worth mending */

/* ---- regions ---- */

static toad__disguise kind_at(toad_str s, size_t floor, size_t at) {
    unsigned shapes = toad__shapes_at(s, floor, at);
    return shapes & TOAD__SHAPE_APART  ? TOAD__APART
           : shapes & TOAD__SHAPE_CUT  ? TOAD__CUT
           : shapes & TOAD__SHAPE_LEET ? TOAD__LEET
                                       : TOAD__JOINED;
}

/* First window at or after `from` that has a shape and the words that go with it: the bytes [*start, *start + 64). */
static bool next_window(toad_str s, size_t from, size_t *start, toad__disguise *kind) {
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

static size_t less(size_t at, size_t n, size_t floor) { return at - floor > n ? at - n : floor; }
static size_t more(size_t at, size_t n, size_t ceiling) { return ceiling - at > n ? at + n : ceiling; }

/* The next region at or after *from; *from is then behind it. */
static bool next_region(toad_str folded, size_t *from, toad__disguise *ret_kind, toad_span *ret) {
    size_t start, again;
    toad__disguise ignored;
    if (*from >= folded.n || !next_window(folded, *from, &start, ret_kind)) return false;
    size_t end = more(start, 2 * TOAD__STEP, folded.n), begin = less(start, MARGIN, *from);
    /* windows that fire within the margins belong to the same region */
    while (
        end < folded.n &&
        next_window(toad__str_part(folded, 0, more(end, 2 * MARGIN, folded.n)), end - TOAD__STEP, &again, &ignored) &&
        more(again, 2 * TOAD__STEP, folded.n) > end)
        end = more(again, 2 * TOAD__STEP, folded.n);
    end = more(end, MARGIN, folded.n);
    *ret = (toad_span){ begin, end };
    *from = end;
    return true;
}

/* ---- readings ---- */

toad__disguises toad__disguises_of(toad_str folded, toad__disguise first, toad__buf *text, toad__offmap *map) {
    return (toad__disguises){ .folded = folded, .stage = first, .text = text, .map = map };
}

/* Begin the reading of [start, ...): empty, and the map says that nothing before it is read. */
static void begin(toad__disguises *d, size_t start) {
    toad__buf_clear(d->text);
    toad__offmap_clear(d->map);
    toad__offmap_add(d->map, 0, start);
}

/* A region of leet is read twice: with signs as letters, and with signs as nothing. */
static bool region(toad__disguises *d, toad__reading *ret) {
    bool again = d->again;
    if (!again && !next_region(d->folded, &d->from, &d->kind, &d->region)) return false;
    d->again = !again && d->kind == TOAD__LEET;
    toad_str at = toad__str_part(d->folded, d->region.start, d->region.end);
    begin(d, d->region.start);
    toad__skeleton(at, d->again, d->text, d->map);
    *ret = (toad__reading){ d->kind, d->region, d->kind == TOAD__LEET && memchr(at.p, '|', at.n), { NULL, 0 } };
    return true;
}

static bool misspelled(toad__disguises *d, toad__reading *ret) {
    d->misspelled = d->folded.n <= TOAD__LIMIT_TYPO && toad__count_misspelled(d->folded, MISSPELLED) >= MISSPELLED;
    if (!d->misspelled) return false;
    begin(d, 0);
    toad__mend(d->folded, d->text, d->map);
    *ret = (toad__reading){ TOAD__MISSPELLED, { 0, d->folded.n }, true, { NULL, 0 } };
    return true;
}

static bool shuffled(toad__disguises *d, toad__reading *ret) {
    toad_span part;
    if (!toad__shuffled_next(d->folded, d->misspelled, &d->from, &part)) return false;
    begin(d, part.start);
    toad__unshuffle(toad__str_part(d->folded, part.start, part.end), d->text, d->map);
    *ret = (toad__reading){ TOAD__SHUFFLED, part, false, { NULL, 0 } };
    return true;
}

bool toad__disguise_next(toad__disguises *d, toad__reading *ret) {
    bool found = d->stage < TOAD__MISSPELLED && region(d, ret);
    if (!found && d->stage < TOAD__SHUFFLED) {
        found = d->stage <= TOAD__MISSPELLED && misspelled(d, ret);
        d->stage = TOAD__SHUFFLED;
        d->from = 0;
    }
    if (!found) found = shuffled(d, ret);
    if (!found || d->text->status || d->map->status) return false;
    assert(ret->at.start < ret->at.end && ret->at.end <= d->folded.n);
    ret->text = toad__buf_str(d->text);
    return true;
}
