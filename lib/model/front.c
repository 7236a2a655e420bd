/* front.c - words out of bit maps, and their weights, see front.h.
 *
 * Blocks are 56 bytes of a map of 64, so that the eight bytes of every word that begins in a block lie in the map, and
 * its end too if they are fewer. What is beyond the text is blank. */
#include "lib/model/front.h"
#include "lib/base/masks.h"
#include "lib/base/simd.h"
#include "lib/model/features.h"

#include <assert.h>
#include <string.h>

/* Eight blocks are seven maps long, and the last one's map reaches into an eighth. */
enum { MAP = 64, WORD = 8, IDEOGRAPHS = 6, WINDOW = 8 };
#define OWN (UINT64_MAX >> (MAP - TOAD__FRONT_BLOCK))

/* What 64 bytes are, a bit each: letters (a to z, and whatever is not ASCII), the first bytes of ideographs, and those
 * that follow the first of anything that is not ASCII. */
typedef struct maps {
    uint64_t letters, ideographs, tails;
} maps;

#define LETTER(c)    (TOAD__IS_LOWER(c) || TOAD__IS_HIGH(c))
#define IDEOGRAPH(c) TOAD__IN(c, 0xE3, 0xE9)
#define TAIL(c)      TOAD__IN(c, 0x80, 0xBF)

static const toad__set sets[] = { TOAD__SET(LETTER), TOAD__SET(IDEOGRAPH) }, tail_set = TOAD__SET(TAIL);

/* The masks that the maps of eight blocks are cut out of; zeros beyond the text. */
typedef struct window {
    uint64_t of[WINDOW + 1][2], tails[WINDOW + 1];
    bool ideographs; /* are there any? Else the tails are not known */
} window;

static void look(toad_str text, size_t at, window *ret) {
    size_t n = toad__masks_at(text, at, sets, 2, WINDOW, ret->of[0]);
    memset(ret->of[n], 0, (WINDOW + 1 - n) * sizeof *ret->of);
    ret->ideographs = false;
    for (size_t i = 0; i < n; i++) ret->ideographs |= ret->of[i][1] != 0;
    if (!ret->ideographs) return;
    memset(ret->tails, 0, sizeof ret->tails);
    toad__masks_at(text, at, &tail_set, 1, WINDOW, ret->tails);
}

static inline uint64_t cut(uint64_t here, uint64_t next, unsigned by) {
    return here >> by | next << 1 << (MAP - 1 - by);
}

/* The map that begins `at` bytes behind the first one. */
static inline maps map_from(const window *w, size_t at) {
    size_t k = at / MAP;
    unsigned by = at % MAP;
    maps ret = { cut(w->of[k][0], w->of[k + 1][0], by), 0, 0 };
    if (w->ideographs)
        ret.ideographs = cut(w->of[k][1], w->of[k + 1][1], by), ret.tails = cut(w->tails[k], w->tails[k + 1], by);
    return ret;
}

/* Eight bytes, the first one lowest. */
ALWAYS_INLINE uint64_t load_8(const char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* Masks of the first bytes of eight. */
#define FIRST(n) (UINT64_MAX >> (64 - 8 * (n)))
static const uint64_t first_bytes[WORD + 1] = { 0,        FIRST(1), FIRST(2), FIRST(3), FIRST(4),
                                                FIRST(5), FIRST(6), FIRST(7), FIRST(8) };

ALWAYS_INLINE uint32_t index_of(uint32_t hash) { return hash >> (32 - TOAD__FRONT_BITS); }

/* A word of these bytes: itself, and with the one before it. To `ids` if there is one, else the weights to `ret`. */
ALWAYS_INLINE void take_word(toad__front *f, uint64_t bytes, const int8_t *weights, toad__front_sum *ret,
                             uint32_t *ids) {
    uint32_t hash = (uint32_t)((bytes * 0x9e3779b97f4a7c15u) >> 32), alone = index_of(hash),
             paired = index_of(toad__hash_pair(f->before, hash));
    f->before = hash;
    if (ids) {
        ids[ret->n] = alone;
        ids[ret->n + 1] = paired;
    } else {
        ret->sum += weights[alone] + weights[paired];
    }
    ret->n += 2;
}

/* The words that begin in the block whose map of 64 bytes is at `p`. A word that goes on from the block before is not
 * read again. */
ALWAYS_INLINE toad__front_sum read_block(toad__front *f, const char *p, maps m, const int8_t *weights, uint32_t *ids) {
    toad__front_sum ret = { 0, 0 };
    uint64_t words = m.letters, firsts = m.ideographs & OWN;
    if (m.ideographs) {
        uint64_t second = m.ideographs << 1 & m.tails;
        words &= ~(m.ideographs | second | (second << 1 & m.tails));
    }
    words &= words + f->inside;
    f->inside = m.letters >> (TOAD__FRONT_BLOCK - 1) & 1;
    f->at += TOAD__FRONT_BLOCK;
    assert(!(f->inside >> 1));
    uint64_t starts = words & ~(words << 1) & OWN, ends = words & ~(words >> 1);
    if (firsts) {
        for (starts |= firsts; starts; starts &= starts - 1) {
            unsigned at = (unsigned)__builtin_ctzll(starts);
            bool ideograph = firsts >> at & 1;
            uint64_t rest = ~(words >> at) | (uint64_t)1 << WORD;
            unsigned n = ideograph ? IDEOGRAPHS : (unsigned)__builtin_ctzll(rest);
            take_word(f, (load_8(p + at) & first_bytes[n]) | (uint64_t)ideograph << 63, weights, &ret, ids);
        }
        return ret;
    }
    for (; starts; starts &= starts - 1, ends &= ends - 1) {
        unsigned at = (unsigned)__builtin_ctzll(starts), last = (unsigned)__builtin_ctzll(ends) - at;
        take_word(f, load_8(p + at) & first_bytes[last < WORD ? last + 1 : WORD], weights, &ret, ids);
    }
    return ret;
}

/* The bytes of the map at the next block, in `room` where the text ends before it does. */
static inline const char *bytes_at(const toad__front *f, char room[MAP]) {
    size_t n = f->text.n - f->at;
    if (n >= MAP) return f->text.p + f->at;
    memset(room, 0, MAP);
    return memcpy(room, f->text.p + f->at, n);
}

size_t toad__front_read(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most) {
    char room[MAP];
    window w;
    size_t n = 0;
    toad__front front = *f; /* in registers */
    for (; n < most && front.at < front.text.n; n++) {
        if (n % WINDOW == 0) look(front.text, front.at, &w);
        const char *p = bytes_at(&front, room);
        ret[n] = read_block(&front, p, map_from(&w, n % WINDOW * TOAD__FRONT_BLOCK), weights, NULL);
    }
    *f = front;
    return n;
}

size_t toad__front_ids(toad__front *f, uint32_t *ret) {
    char room[MAP];
    window w;
    look(f->text, f->at, &w);
    return read_block(f, bytes_at(f, room), map_from(&w, 0), NULL, ret).n;
}
