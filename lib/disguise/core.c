/* core.c - where in a text does a word stand, disguised, that the skeleton rules need?
 *
 * Asked where the text has the shape of it, which prose has seldom, and code, markup and tables often: the letters of a
 * stretch are put together, all else left out, and the core words are looked for among them. One counts that is not
 * spelled plainly where it stands; of words run together, as in one identifier, it takes two, since names are made of
 * such words too.
 *
 * Every core word has five letters or more, so of each that stands there the first, second or third three letters are
 * those of every third place, and only these are looked up.
 *
 * Every pattern with the view `skeleton` must need one of these words: tests/unit/disguise/test_skeleton.c holds that.
 * Cost: some ten instructions for a byte that is looked at. */
#include "lib/disguise/core.h"
#include "lib/base/cursor.h"
#include "lib/base/masks.h"
#include "lib/base/str.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/skeleton.h"
#include "lib/disguise/tables/words.gen.h"
#include "lib/disguise/words.h"

#define BLOCK   64u
#define BLOCKS  (TOAD__STEPS * TOAD__STEP / BLOCK + 4) /* with what stands around the first and the last step */
#define APART   4u                                     /* steps that are looked at together */
#define AHEAD   8u                                     /* zeros behind the letters */
#define LETTERS 3u                                     /* of a word that are looked up, at every such place */

/* The letters of a stretch of text that begins at `start`. */
typedef struct stretch {
    toad_str s;
    size_t start, end;
    unsigned blocks, n;
    uint64_t name[BLOCKS];       /* which bytes are letters or digits */
    uint16_t before[BLOCKS + 1]; /* how many letters stand before the block */
    char at[BLOCKS * BLOCK + AHEAD];
} stretch;

/* ---- the letters ---- */

typedef struct masks {
    uint64_t name, digit;
} masks;

static const toad__set sets[] = { TOAD__SET(TOAD__IS_ALNUM), TOAD__SET(TOAD__IS_DIGIT) };

/* The runs with digits of a block whose letters stand at `to`, digits as letters. */
static void read_digits(char *to, uint64_t names, uint64_t digits) {
    while (digits) {
        unsigned at = (unsigned)__builtin_ctzll(digits);
        uint64_t others = ~names, below = others & toad__bits_low(at), above = others & ~toad__bits_low(at);
        unsigned start = below ? 64 - (unsigned)__builtin_clzll(below) : 0,
                 end = above ? (unsigned)__builtin_ctzll(above) : BLOCK;
        char *p = to + toad__bits_count(names & toad__bits_low(start));
        for (unsigned i = 0; i < end - start; i++) p[i] = (char)toad__skeleton_of[p[i] & 0x7F];
        digits &= ~toad__bits_low(end);
    }
}

static void put_letters(stretch *t) {
    masks m[BLOCKS];
    char room[BLOCK];
    t->blocks = (unsigned)toad__masks_at(t->s, t->start, sets, 2, (t->end - t->start + BLOCK - 1) / BLOCK, &m[0].name);
    for (unsigned b = 0; b < t->blocks; b++) {
        size_t at = t->start + (size_t)b * BLOCK;
        const char *p = t->s.p + at;
        if (t->s.n - at < BLOCK) p = memcpy(memset(room, 0, sizeof room), p, t->s.n - at);
        t->name[b] = m[b].name;
        t->before[b] = (uint16_t)t->n;
        t->n += toad__pick(p, m[b].name, t->at + t->n);
        if (m[b].digit) read_digits(t->at + t->before[b], m[b].name, m[b].digit);
    }
    t->before[t->blocks] = (uint16_t)t->n;
    memset(t->at + t->n, 0, AHEAD);
}

/* Where letter k, one of block b or near it, stands in the text. */
static size_t place_of(const stretch *t, unsigned k, unsigned *b) {
    while (t->before[*b + 1] <= k) ++*b;
    while (t->before[*b] > k) --*b;
    uint64_t left = t->name[*b];
    for (unsigned i = t->before[*b]; i < k; i++) left &= left - 1;
    return t->start + (size_t)*b * BLOCK + (unsigned)__builtin_ctzll(left);
}

/* ---- the words ---- */

/* A word found: letters [k, k + n). */
typedef struct found {
    const toad__core_word *word;
    unsigned k, n;
    bool phrase;
} found;

/* Three letters as a key of the table, and whether it has any word under about that key. */
static inline uint32_t key_at(const char *letters) {
    uint32_t four;
    memcpy(&four, letters, sizeof four);
    return (four & 0x1F1F1F) * TOAD__WORD_MIX;
}
static inline bool may_be_word(const char *letters) {
    return toad__core_slots[key_at(letters) >> (32 - TOAD__CORE_BITS)];
}

/* Does the skeleton of these letters begin with `want`? */
static bool begins(const char *letters, const char *want, unsigned n) {
    unsigned i = 0;
    while (i < n && toad__skeleton_of[letters[i] & 0x7F] == (uint8_t)want[i]) i++;
    return i == n;
}

/* The word one of whose first three threes of letters stands at `at` of n letters. */
static bool word_at(const char *letters, unsigned n, unsigned at, found *ret) {
    uint32_t key = key_at(letters + at), step = 0;
    for (unsigned i; (i = toad__slot_next(toad__core_slots, TOAD__CORE_BITS, TOAD__CORE_INDEX_BITS, key, &step));) {
        const toad__core_word *w = &toad__core_words[i - 1];
        for (unsigned k = at < LETTERS ? 0 : at - LETTERS + 1; k <= at; k++) {
            if (n - k < w->head || !begins(letters + k, w->skeleton, w->head)) continue;
            bool phrase = n - k >= w->n && begins(letters + k + w->head, w->skeleton + w->head, w->n - w->head);
            phrase = phrase && w->n > w->head;
            *ret = (found){ w, k, phrase ? w->n : w->head, phrase };
            if (phrase || w->alone) return true;
        }
    }
    return false;
}

static bool is_glue(char c) { return toad__is_alnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/'; }

/* Nothing but letters and what joins them. */
static bool is_one_run(toad_str s, size_t from, size_t to) {
    while (from < to && is_glue(s.p[from])) from++;
    return from == to;
}

/* The steps around which all of [start, end) stands. */
static uint64_t steps_around(size_t from, size_t start, size_t end) {
    size_t last = start + TOAD__REACH,
           first = end > TOAD__REACH + from ? (end - TOAD__REACH - from + TOAD__STEP - 1) / TOAD__STEP : 0;
    if (last < from || (last -= from) / TOAD__STEP < first || first >= TOAD__STEPS) return 0;
    last /= TOAD__STEP;
    return UINT64_MAX << first & (last < 63 ? (UINT64_C(2) << last) - 1 : UINT64_MAX);
}

/* The plain word that was found last. */
typedef struct plain {
    size_t start, end;
} plain;

/* Look at the word that is there: the steps that it counts for. */
static uint64_t judge(const stretch *t, const found *f, size_t from, unsigned *block, plain *last) {
    size_t start = place_of(t, f->k, block), end = place_of(t, f->k + f->word->head - 1, block) + 1;
    unsigned n = f->word->head;
    if (f->phrase) {
        size_t both = place_of(t, f->k + f->n - 1, block) + 1;
        if (both - end <= TOAD__REACH)
            n = f->n, end = both;
        else if (!f->word->alone)
            return 0;
    }
    bool is_plain = end - start == n && !memcmp(t->s.p + start, f->word->plain, n);
    if (!is_plain || n > f->word->head) return end - start <= 2 * TOAD__REACH ? steps_around(from, start, end) : 0;
    bool joined =
        last->end && last->end <= start && start - last->end <= 2 * TOAD__REACH && is_one_run(t->s, last->end, start);
    size_t run = joined ? last->start : start;
    *last = (plain){ start, end };
    return joined ? steps_around(from, run, end) : 0;
}

/* Of the steps `first` to `last` and others near them. */
static uint64_t look_around(toad_str folded, size_t from, unsigned first, unsigned last) {
    stretch t;
    size_t start = from + (size_t)first * TOAD__STEP, end = from + (size_t)last * TOAD__STEP + 2 * TOAD__REACH;
    t.s = folded;
    t.start = start > TOAD__REACH ? start - TOAD__REACH : 0;
    t.end = folded.n < end ? folded.n : end;
    t.n = 0;
    put_letters(&t);
    plain before = { 0, 0 };
    uint64_t steps = 0;
    unsigned block = 0;
    found f;
    for (unsigned k = 0; k + LETTERS <= t.n; k += LETTERS)
        if (may_be_word(t.at + k) && word_at(t.at, t.n, k, &f)) steps |= judge(&t, &f, from, &block, &before);
    return steps;
}

uint64_t toad__disguised_steps(toad_str folded, size_t from, uint64_t steps) {
    uint64_t seen = 0;
    for (uint64_t left = steps; left;) {
        unsigned first = (unsigned)__builtin_ctzll(left), last = first;
        for (left &= left - 1; left && (unsigned)__builtin_ctzll(left) <= last + APART; left &= left - 1)
            last = (unsigned)__builtin_ctzll(left);
        seen |= look_around(folded, from, first, last);
    }
    return seen & steps;
}

/* ---- signs as letters ---- */

/* The letters around a step, signs read as letters, and where each begins and ends. */
typedef struct letters {
    unsigned n;
    uint8_t start[2 * TOAD__REACH], end[2 * TOAD__REACH];
    char at[2 * TOAD__REACH + AHEAD];
} letters;

static bool is_stroke(unsigned char c) { return c == '|' || c == '/' || c == '\\'; }

static bool is_sign(char c) { return c == '!' || c == '$' || c == '+' || c == '@' || c == '|' || c == '\\'; }

static bool has_signs(toad_str window) {
    for (size_t i = 0; i < window.n; i++)
        if (is_sign(window.p[i])) return true;
    return false;
}

static letters read_signs(toad_str window) {
    letters l;
    size_t len;
    l.n = 0;
    for (size_t i = 0; i < window.n; i += len) {
        unsigned char c = (unsigned char)window.p[i];
        char letter = c < 0x80 ? (char)toad__skeleton_of[c] : 0;
        len = 1;
        if (is_stroke(c)) letter = toad__skeleton_letter(window, i, true, &len);
        l.at[l.n] = letter;
        l.start[l.n] = (uint8_t)i;
        l.end[l.n] = (uint8_t)(i + len);
        l.n += letter != 0;
    }
    memset(l.at + l.n, 0, AHEAD);
    return l;
}

bool toad__reads_with_signs(toad_str folded, size_t at) {
    toad_str window = toad__str_part(folded, at > TOAD__REACH ? at - TOAD__REACH : 0,
                                     folded.n - at > TOAD__REACH ? at + TOAD__REACH : folded.n);
    if (!has_signs(window)) return false;
    letters l = read_signs(window);
    found f;
    for (unsigned k = 0; k + LETTERS <= l.n; k += LETTERS) {
        if (!may_be_word(l.at + k) || !word_at(l.at, l.n, k, &f)) continue;
        unsigned start = l.start[f.k], end = l.end[f.k + f.n - 1];
        if (end - start != f.n || memcmp(window.p + start, f.word->plain, f.n)) return true;
    }
    return false;
}
