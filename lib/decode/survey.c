/* survey.c - one pass that tells the decoders of runs where to look.
 *
 * Of 64 bytes at a time there are five masks (masks.h), and what they prove to hold nothing costs no more; only where a
 * mask leaves room for doubt is it looked at closer. Every mark is of a block and its neighbors, so that a run is at a
 * site as a whole or with all that a decoder needs to find it. Linear: what lies behind `signs_end` is not looked at
 * for signs again. */
#include "lib/decode/survey.h"

#include <assert.h>

enum { WINDOW = 16 };

/* Of 64 bytes: which are visible ASCII, letters, capitals, digits, and of the set `terse`. */
typedef struct masks {
    uint64_t visible, letters, capitals, digits, terse;
} masks;

/* A pass in progress. */
typedef struct pass {
    toad_str in;
    toad__survey *ret;
    size_t signs_end;
} pass;

static void mark(toad__sites *where, size_t at) {
    size_t block = at >> where->shift;
    assert(block < TOAD__SITE_BLOCKS);
    where->map[block / 64] |= UINT64_C(1) << block % 64;
}

/* Visible tokens of 16 and more in the block at `at`, and runs of as many letters and digits. */
static void survey_tokens(pass *s, size_t at, const masks *b, const masks *m) {
    if (!toad__bits_row(m->visible, b->visible, 16)) return;
    mark(&s->ret->tokens, at);
    if (toad__bits_row(m->letters | m->digits, b->letters | b->digits, 16)) mark(&s->ret->base32, at);
}

/* The run of terse bytes around `at`: marked if eight of them are no blanks. */
static void survey_run(pass *s, size_t at) {
    size_t start = at, end;
    unsigned signs = 0;
    bool more = true;
    while (start > s->signs_end && toad__set_has(&toad__set_terse, s->in.p[start - 1])) start--;
    for (end = start; more && end < s->in.n;) {
        uint64_t others = ~toad__mask_at(s->in, end, &toad__set_terse),
                 run = others ? (others & -others) - 1 : UINT64_MAX;
        if (signs < 8) signs += toad__bits_count(run & ~toad__mask_at(s->in, end, &toad__set_blanks));
        end += others ? (size_t)__builtin_ctzll(others) : 64;
        more = !others;
    }
    s->signs_end = end;
    if (signs < 8) return;
    for (size_t block = start >> 6; block <= (end - 1) >> 6; block++) mark(&s->ret->signs, block << 6);
}

/* Is there a run of terse bytes in the block at `at`? Fifteen have eight that are aligned. */
static void survey_signs(pass *s, size_t at, uint64_t terse) {
    for (unsigned i = 0; i < 64; i += 8)
        if ((terse >> i & 0xFF) == 0xFF && at + i + 7 >= s->signs_end) survey_run(s, at + i + 7);
}

/* Could a code word of nato.c begin at `p`, by its first four letters? The bits in which its spellings differ do not
 * matter. */
static inline bool seems_nato(const char *p) {
    static const char begins[32][4] = {
        { 0 },  "al``", "brav", "char", "delt", "echo", "foxt", "golf", "hote", "indi", "juli", "kilo", "lima", "mike",
        "nove", "osca", "papa", "queb", "rome", "sier", "tang", "unif", "vict", "whis", "x",    "yank", "zulu",
    };
    static const unsigned char vary[32][4] = {
        [1] = { 0, 0, 0x16, 0x09 },     /* alfa, alpha */
        [15] = { 0, 0, 0x08, 0 },       /* oscar, oskar */
        [24] = { 0, 0xFF, 0xFF, 0xFF }, /* xray, x-ray */
    };
    uint32_t word, wanted, any;
    unsigned letter = (unsigned char)*p & 31;
    memcpy(&word, p, 4), memcpy(&wanted, begins[letter], 4), memcpy(&any, vary[letter], 4);
    return !(((word | 0x20202020) ^ wanted) & ~any);
}

/* Does one seem to begin at one of the places that are probed? 68 bytes can be read at `p`; without a start it is the
 * last. */
static inline bool any_nato(const char *p, uint64_t starts) {
    bool any = false;
    for (unsigned k = 0; k < 64; k += TOAD__PROBE)
        any |= seems_nato(p + k + (unsigned)__builtin_ctzll(starts >> k | UINT64_C(1) << (63 - k)));
    return any;
}

/* Is one of the four sixteenths without a letter that stands behind a letter? Its first byte does not matter
 * (spaced.c). */
static inline bool any_loose(uint64_t touching) {
    touching &= UINT64_C(0xFFFEFFFEFFFEFFFE);
    return (touching - UINT64_C(0x0001000100010001)) & ~touching & UINT64_C(0x8000800080008000);
}

/* The block at `at`, whose bytes and 8 more can be read at `p`. */
static void survey_block(pass *s, size_t at, const char *p, const masks *b, const masks *m) {
    toad__survey *ret = s->ret;
    uint64_t touching = m->letters & toad__bits_moved(m->letters, b->letters, 1),
             small = (m->letters & ~m->capitals) | m->digits, small_before = (b->letters & ~b->capitals) | b->digits;
    if (toad__bits_full_byte(m->visible) || toad__bits_full_byte(b->visible)) survey_tokens(s, at, b, m);
    if (toad__bits_full_byte(m->terse)) survey_signs(s, at, m->terse);
    if (m->capitals & toad__bits_moved(small, small_before, 1)) mark(&ret->base64, at);
    if (any_loose(touching)) mark(&ret->spaced, at);
    if (any_nato(p, m->letters & ~touching)) mark(&ret->nato, at);
}

static void survey(toad_str in, toad__survey *ret) {
    const toad__set sets[] = { toad__set_visible, toad__set_letters, toad__set_upper, toad__set_digits,
                               toad__set_terse };
    pass s = { .in = in, .ret = ret };
    masks window[1 + WINDOW] = { { 0, 0, 0, 0, 0 } }; /* the last one of the window before first */
    char tail[72] = { 0 };
    for (size_t at = 0, n; at < in.n && (n = toad__masks_at(in, at, sets, 5, WINDOW, &window[1].visible)) > 0;) {
        for (size_t i = 1; i <= n; i++, at += 64) {
            const char *p = in.p + at;
            if (in.n - at < sizeof tail) p = memcpy(memset(tail, 0, sizeof tail), p, in.n - at);
            survey_block(&s, at, p, &window[i - 1], &window[i]);
        }
        window[0] = window[n];
    }
}

/* How many words of a map a text has. */
static size_t words_of(const toad__sites *where, size_t n) { return n ? ((n - 1) >> where->shift) / 64 + 1 : 0; }

static void start(toad__sites *where, size_t n) {
    where->shift = 6;
    while (n >> where->shift >= TOAD__SITE_BLOCKS) where->shift++;
    memset(where->map, 0, words_of(where, n) * sizeof *where->map);
}

/* Each mark goes to the blocks before and behind as well. */
static void widen(toad__sites *where, size_t n) {
    uint64_t before = 0;
    for (size_t i = 0, words = words_of(where, n); i < words; i++) {
        uint64_t here = where->map[i], next = i + 1 < words ? where->map[i + 1] : 0;
        where->map[i] |= here << 1 | before >> 63 | here >> 1 | next << 63;
        before = here;
    }
}

void toad__survey_take(toad_str in, toad__survey *ret) {
    toad__sites *const all[] = { &ret->base64, &ret->tokens, &ret->base32, &ret->signs, &ret->nato, &ret->spaced };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) start(all[i], in.n);
    survey(in, ret);
    widen(&ret->tokens, in.n), widen(&ret->base32, in.n);
}

/* The first block from `block` on, before `end`, that is marked or, if `!marked`, that is not; `end` if there is none.
 */
static size_t next_block(const toad__sites *where, size_t block, size_t end, bool marked) {
    for (uint64_t flip = marked ? 0 : UINT64_MAX; block < end; block = (block | 63) + 1) {
        uint64_t bits = (where->map[block / 64] ^ flip) >> block % 64;
        if (bits) return block + (size_t)__builtin_ctzll(bits) < end ? block + (size_t)__builtin_ctzll(bits) : end;
    }
    return end;
}

bool toad__site_next(const toad__sites *where, size_t n, size_t from, toad_span *ret) {
    if (from >= n) return false;
    assert(!where || (n - 1) >> where->shift < TOAD__SITE_BLOCKS);
    *ret = (toad_span){ from, n };
    if (!where) return true;
    size_t blocks = ((n - 1) >> where->shift) + 1, first = next_block(where, from >> where->shift, blocks, true),
           behind = next_block(where, first, blocks, false);
    if (first == blocks) return false;
    if (first << where->shift > from) ret->start = first << where->shift;
    if (behind < blocks) ret->end = behind << where->shift;
    return true;
}

bool toad__site_run(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                    toad_span *ret) {
    size_t floor = from;
    for (toad_span site; toad__site_next(where, in.n, from, &site); from = (size_t)site.end) {
        if (!toad__run_next(toad__str_part(in, 0, (size_t)site.end), set, least, (size_t)site.start, ret)) continue;
        if (ret->start == site.start)
            while (ret->start > floor && toad__set_has(set, in.p[ret->start - 1])) ret->start--;
        while (ret->end < in.n && toad__set_has(set, in.p[ret->end])) ret->end++;
        return true;
    }
    return false;
}
