/* features.c - tokens, units and hashed features of a folded text, see features.h.
 *
 * A token is a run of letters and digits, a run of punctuation, one ideograph with its neighbour (two make a word
 * where no blanks stand between words), or, where a run of letters begins with one of Thai or Lao, that letter with the
 * two after it. Numbers and blobs are known by their length alone. A word is hashed by its first and last eight bytes
 * and its length, so the cost of a hash does not grow with the word. Tokens are cut out of bit maps of 64 bytes, and
 * what differs from token to token is computed, not branched on: a wrong guess costs more than the rest. Every table
 * index is masked to its table's size, every loop ends with the text or with a unit's fixed room. */
#include "lib/model/features.h"
#include "lib/base/masks.h"
#include "lib/base/simd.h"

#include <assert.h>
#include <string.h>

enum { BLANK, LETTER, DIGIT, PUNCT, TAIL, IDEOGRAPH, SYMBOL2, SYMBOL3, SYMBOL4 };
enum {
    BLOB = 30,   /* a longer "word" is no word */
    PERIOD = 4,  /* of what counts as said again */
    SLOTS = 128, /* for the hashes of a unit */
};

/* By lead byte, as UTF-8 stands in folded text. */
static const uint8_t classes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 0, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 7, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
};

static inline unsigned class_at(toad_str t, size_t i) { return classes[(unsigned char)t.p[i]]; }

/* ---- hashes ---- */

static inline uint64_t swap_if_big(uint64_t v) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

/* The `n` <= 8 bytes at text offset `i`, little endian, without reading beyond the text. */
ALWAYS_INLINE uint64_t load_part(toad_str t, size_t i, size_t n) {
    uint64_t v = 0;
    if (t.n - i < 8) {
        memcpy(&v, t.p + i, n);
        return swap_if_big(v);
    }
    memcpy(&v, t.p + i, 8);
    v = swap_if_big(v);
    return n < 8 ? v & ((1ull << (8 * n)) - 1) : v;
}

ALWAYS_INLINE uint32_t hash_short(uint64_t bytes, size_t n) {
    return (uint32_t)(((bytes ^ (uint64_t)n << 59) * 0x9e3779b97f4a7c15u) >> 32);
}

ALWAYS_INLINE uint32_t hash_span(toad_str t, size_t from, size_t n) {
    if (n < 8) return hash_short(load_part(t, from, n), n);
    uint64_t h = (load_part(t, from, 8) ^ (uint64_t)n << 59) * 0x9e3779b97f4a7c15u;
    if (n > 8) {
        h = (h ^ h >> 29 ^ load_part(t, from + n - 8, 8)) * 0xbf58476d1ce4e5b9u;
        if (n > 16) h = (h ^ h >> 31 ^ load_part(t, from + 8, 8)) * 0x94d049bb133111ebu;
    }
    return (uint32_t)(h >> 32);
}

/* Eight bytes at text offset `i`, all of them text. */
ALWAYS_INLINE uint64_t load_8(toad_str t, size_t i) {
    uint64_t v;
    memcpy(&v, t.p + i, sizeof v);
    return swap_if_big(v);
}

/* The same, without a branch on the length of ordinary words: eight bytes of text stand at `from`, and eight before it.
 */
ALWAYS_INLINE uint32_t hash_inside(toad_str t, size_t from, size_t n) {
    if (n > 16) return hash_span(t, from, n);
    uint64_t first = load_8(t, from) & UINT64_MAX >> (64 - 8 * (n < 8 ? n : 8)), last = load_8(t, from + n - 8);
    uint64_t h = (first ^ (uint64_t)n << 59) * 0x9e3779b97f4a7c15u, longer = (h ^ h >> 29 ^ last) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)((n > 8 ? longer : h) >> 32);
}

static inline uint32_t index_of(uint32_t h, unsigned bits) { return ((h ^ h >> 15) * 0x2c1b3c6du) >> (32 - bits); }

/* ---- tokens ---- */

/* What 64 bytes of the text from `at` on are, a bit each; beyond the end all are blanks. */
typedef struct block {
    size_t at;
    uint64_t word, digit, punct;   /* word: letters, digits, and what follows the first byte of a letter */
    uint64_t full_stop, value_end; /* one of .!?; the , or } behind a quote, as a JSON value ends */
    bool plain;                    /* nothing else but blanks, and no letters that stand in a row without blanks */
} block;

typedef struct reading {
    toad_str text;
    size_t at;
    block block; /* holds `at` */
    uint32_t hash;
    bool word, stop; /* a sentence may end after it */
} reading;

/* Of 64 bytes. A word's bytes are letters and digits, and of what is no ASCII all but symbols and ideographs. */
typedef struct masks {
    uint64_t word, digit, punct, full_stop, ends_value, quote, high, tail;
} masks;

#define TAIL_BYTE(c)  TOAD__IN(c, 0x80, 0xBF)
#define WORD(c)       (TOAD__IS_ALNUM(c) || TAIL_BYTE(c) || TOAD__IN(c, 0xC3, 0xE1) || TOAD__IN(c, 0xEA, 0xED))
#define PUNCT_BYTE(c) (TOAD__IN(c, '!', '~') && !TOAD__IS_ALNUM(c))
#define FULL_STOP(c)  ((c) == '.' || (c) == '!' || (c) == '?')
#define ENDS_VALUE(c) ((c) == ',' || (c) == '}')
#define QUOTE(c)      ((c) == '"' || (c) == '\'')

static const toad__set sets[] = {
    TOAD__SET(WORD),       TOAD__SET(TOAD__IS_DIGIT), TOAD__SET(PUNCT_BYTE),    TOAD__SET(FULL_STOP),
    TOAD__SET(ENDS_VALUE), TOAD__SET(QUOTE),          TOAD__SET(TOAD__IS_HIGH), TOAD__SET(TAIL_BYTE),
};

/* Do three bytes at `i` spell a letter of Thai or Lao, where no blanks stand between words? */
static inline bool is_unspaced(toad_str t, size_t i) {
    return t.n - i >= 3 && t.p[i] == '\xe0' && (t.p[i + 1] & '\xfc') == '\xb8';
}

#define E0(c) ((c) == 0xE0)

/* Do any begin in the 64 bytes at `at`? */
static bool has_unspaced(toad_str t, size_t at) {
    static const toad__set lead = TOAD__SET(E0);
    for (uint64_t leads = toad__mask_at(t, at, &lead); leads; leads &= leads - 1)
        if (is_unspaced(t, at + (size_t)__builtin_ctzll(leads))) return true;
    return false;
}

static void read_block(reading *r) {
    masks m;
    toad__masks_at(r->text, r->at, sets, sizeof sets / sizeof *sets, 1, &m.word);
    r->block = (block){
        .at = r->at,
        .word = m.word,
        .digit = m.digit,
        .punct = m.punct,
        .full_stop = m.full_stop,
        .value_end = m.ends_value & m.quote << 1,
        .plain = !(m.high & ~m.word) && !(m.tail & ~(m.word << 1)) && !(m.high && has_unspaced(r->text, r->at)),
    };
}

/* Of the two maps one, without a branch. */
static inline uint64_t map_of(const block *b, uint64_t word) { return b->punct ^ ((b->word ^ b->punct) & -word); }

/* How many bytes from `at` on are of a word, or of punctuation; the block is moved where they may go on behind it. 64:
 * so many or more. */
static inline size_t run_length(reading *r, uint64_t word) {
    size_t skip = r->at - r->block.at;
    uint64_t rest = ~(map_of(&r->block, word) >> skip);
    size_t n = (size_t)__builtin_ctzll(rest | (uint64_t)1 << 63);
    if (skip + n < 63) return n;
    read_block(r);
    rest = ~map_of(&r->block, word);
    return rest ? (size_t)__builtin_ctzll(rest) : 64;
}

/* End of the code point at `i`. */
static size_t after_point(toad_str t, size_t i) {
    do i++;
    while (i < t.n && class_at(t, i) == TAIL);
    return i;
}

/* Of eight bytes, are the first six two ideographs of three bytes and no more? The first byte is an ideograph's. */
static inline bool are_two_ideographs(uint64_t v) {
    bool tails = (v & 0x0000c0c000c0c000u) == 0x0000808000808000u && (v >> 48 & 0xc0) != 0x80;
    return tails && classes[v >> 24 & 0xff] == IDEOGRAPH && (v & 0xffff) != 0x80e3;
}

static void read_ideograph(reading *r) {
    const char *p = r->text.p + r->at;
    size_t from = r->at, end;
    uint64_t eight = r->text.n - from >= 8 ? load_8(r->text, from) : 0;
    if (are_two_ideographs(eight)) { /* nearly always */
        r->at = from + 3;
        r->word = true;
        r->hash = hash_short(eight & 0xffffffffffffu, 6);
        return;
    }
    end = after_point(r->text, from);
    r->at = end;
    if (p[0] == '\xe3' && end - from > 1 && p[1] == '\x80') { /* CJK punctuation; the full stop is e3 80 82 */
        r->stop = end - from > 2 && p[2] == '\x82';
        r->hash = hash_span(r->text, from, end - from);
        return;
    }
    r->word = true;
    if (end < r->text.n && class_at(r->text, end) == IDEOGRAPH) end = after_point(r->text, end);
    r->hash = hash_span(r->text, from, end - from);
}

/* A blob, or a long run of punctuation. */
static void read_long_run(reading *r, size_t from, size_t n, bool digits) {
    if (!r->word) {
        r->hash = hash_span(r->text, from, 2) ^ 4;
    } else if (n > BLOB ? (unsigned char)r->text.p[from] < 0x80 || digits : digits) {
        r->word = false;
        r->hash = n > BLOB && (unsigned char)r->text.p[from] < 0x80 ? 0x2000u : 0x2001u;
    }
}

/* A run of `n` letters and digits (`word` 1), or of punctuation (0), at `from`. Which one comes next is hard to
 * foretell, so both are read by the same steps. Numbers are known by their length. A sentence ends at one of .!? before
 * a blank or that a longer run begins with. */
static void take_run(reading *r, size_t from, size_t n, uint64_t word) {
    uint64_t inside = ((uint64_t)1 << n) - 1, last = (inside + 1) >> 1;
    size_t skip = from - r->block.at;
    uint64_t digits = r->block.digit >> skip & inside, stops = r->block.full_stop >> skip & inside,
             values = r->block.value_end >> skip & inside;
    uint32_t number = 0x1000u + (uint32_t)(n < 6 ? n : 6);
    r->at = from + n;
    bool behind = r->at == r->text.n || r->text.p[r->at] == ' ', is_number = digits == inside;
    r->hash = from >= 8 && r->text.n - from >= 8 ? hash_inside(r->text, from, n) : hash_span(r->text, from, n);
    r->hash = is_number ? number : r->hash;
    r->word = word & !is_number;
    r->stop = ((stops & last) != 0) & behind;
    r->stop |= ((values >> 1) != 0) | ((stops & 1) & (n > 1));
    bool is_long = n > 4 + (-word & (BLOB - 4)), is_code = word & (n > 8) & (digits != 0);
    if ((is_long | is_code) & !is_number) read_long_run(r, from, n, digits);
}

/* A letter of such a script, known by the two after it: three make a part of a word. */
static void read_unspaced(reading *r) {
    size_t from = r->at, end = from + 3;
    while (end < from + 9 && end < r->text.n && is_unspaced(r->text, end)) end += 3;
    r->hash = hash_span(r->text, from, end - from);
    r->at = from + 3;
    r->word = true;
    r->stop = false;
}

/* The same where its length is not known. */
static void read_run(reading *r, uint64_t word) {
    if (is_unspaced(r->text, r->at)) {
        read_unspaced(r);
        return;
    }
    size_t n = run_length(r, word);
    take_run(r, r->at, n < TOAD__TOKEN_BYTES ? n : TOAD__TOKEN_BYTES, word);
}

/* What is neither. */
static void read_other(reading *r) {
    size_t from = r->at;
    r->word = r->stop = false;
    if (class_at(r->text, from) == IDEOGRAPH) {
        read_ideograph(r);
        return;
    }
    r->at = after_point(r->text, from);
    r->hash = hash_span(r->text, from, r->at - from < 4 ? r->at - from : 4);
}

/* ---- units ---- */

static inline bool is_in(uint64_t tokens, size_t k) { return tokens >> k & 1; }

/* What the tokens of the unit said so far. A repeat is near what it says again, so most tokens are no repeat at once.
 */
typedef struct echo {
    uint8_t last[SLOTS];   /* one more than the last token of a hash, by hash; open addressing */
    uint32_t runs[PERIOD]; /* for how many tokens in a row, of each period, they said what stands so many before them */
    uint64_t words, repeats, seen, longer; /* what the unit will be told; longer: of three bytes and more */
} echo;

/* The last token before `k` of this hash, which becomes `k`; UINT32_MAX: there is none. Half of the slots at most are
 * taken. */
ALWAYS_INLINE uint32_t note_token(echo *e, const toad__unit *u, uint32_t k, uint32_t hash) {
    uint32_t slot = hash % SLOTS;
    while (e->last[slot] && u->tokens[e->last[slot] - 1].hash != hash) slot = (slot + 1) % SLOTS;
    uint32_t before = (uint32_t)e->last[slot] - 1;
    e->last[slot] = (uint8_t)(k + 1);
    return before;
}

/* Do the last tokens, with this one, say again what the same number before them said? `before`: the last token that
 * said the same. */
ALWAYS_INLINE bool is_repeat(echo *e, const toad__unit *u, uint32_t k, uint32_t hash, uint32_t before) {
    bool again = false;
    if (k - before > PERIOD) {
        memset(e->runs, 0, sizeof e->runs);
        return false;
    }
    for (uint32_t i = 0; i < PERIOD; i++) {
        e->runs[i] = i < k && u->tokens[k - 1 - i].hash == hash ? e->runs[i] + 1 : 0;
        again |= e->runs[i] > i;
    }
    return again;
}

ALWAYS_INLINE void add_token(toad__unit *u, echo *e, toad__token t, bool word) {
    assert(u->tokens_n < TOAD__UNIT_TOKENS && t.start < t.end &&
           (!u->tokens_n || t.start >= u->tokens[u->tokens_n - 1].end));
    uint32_t k = u->tokens_n++;
    uint64_t bit = (uint64_t)1 << k;
    uint32_t before = note_token(e, u, k, t.hash);
    bool seen = before != UINT32_MAX, repeat = is_repeat(e, u, k, t.hash, before);
    u->tokens[k] = t;
    e->words |= -(uint64_t)word & bit;
    e->repeats |= -(uint64_t)repeat & bit;
    e->seen |= -(uint64_t)seen & bit;
    e->longer |= -(uint64_t)(t.end - t.start > 2) & bit;
}

ALWAYS_INLINE bool is_full(const toad__unit *u, size_t at) {
    return u->tokens_n == TOAD__UNIT_TOKENS || at - u->start >= TOAD__UNIT_BYTES;
}

/* All the tokens that lie whole in the block, which is plain and begins with a token or a blank. True: the unit ends.
 * Most are words without digits and signs that end nothing: of those only the hash is wanted. */
ALWAYS_INLINE bool read_plain(reading *r, toad__unit *u, echo *e) {
    uint64_t word = r->block.word, punct = r->block.punct, starts = (word & ~(word << 1)) | (punct & ~(punct << 1));
    uint64_t ends = (word & ~(word >> 1)) | (punct & ~(punct >> 1)),
             special = r->block.digit | r->block.full_stop | r->block.value_end;
    size_t base = r->block.at, behind = r->text.n - base < 64 ? r->text.n - base : 64;
    if (base < 8) special |= ((uint64_t)1 << (8 - base)) - 1; /* hash_inside() asks for room on both sides */
    if (r->text.n - base < 72) special |= r->text.n - base > 8 ? UINT64_MAX << (r->text.n - base - 8) : UINT64_MAX;
    if (starts && (word | punct) >> 63) { /* it may go on behind the block */
        behind = 63 - (size_t)__builtin_clzll(starts);
        starts ^= (uint64_t)1 << behind;
    }
    size_t room = u->start + TOAD__UNIT_BYTES - base; /* the unit goes no farther: see is_full */
    uint64_t rest = room < 64 ? starts & UINT64_MAX << room : 0;
    for (starts ^= rest; starts; starts &= starts - 1, ends &= ends - 1) {
        size_t k = (size_t)__builtin_ctzll(starts), n = (size_t)__builtin_ctzll(ends) + 1 - k;
        uint64_t is_word = word >> k & 1, inside = (ends ^ (ends - 1)) & (0 - (starts & (0 - starts)));
        toad__token t = { (uint32_t)(base + k), (uint32_t)(base + k + n), 0 };
        bool stop = false;
        if ((n > 4 + (-is_word & (BLOB - 4))) | ((special & inside) != 0)) {
            r->at = base + k;
            if (n > TOAD__TOKEN_BYTES) return false; /* a part of it is a token */
            take_run(r, base + k, n, is_word);
            t.hash = r->hash;
            is_word = r->word;
            stop = r->stop;
        } else {
            t.hash = hash_inside(r->text, base + k, n);
        }
        add_token(u, e, t, is_word);
        if ((stop && t.end - u->start >= TOAD__UNIT_LEAST) || u->tokens_n == TOAD__UNIT_TOKENS) {
            r->at = t.end;
            return true;
        }
    }
    r->at = base + (rest ? (size_t)__builtin_ctzll(rest) : behind);
    return rest || is_full(u, r->at);
}

/* The next token, whatever it is; false: a blank is passed. */
static bool read_next(reading *r) {
    size_t skip = r->at - r->block.at;
    uint64_t word = r->block.word >> skip & 1, punct = r->block.punct >> skip & 1;
    unsigned c = class_at(r->text, r->at);
    if (c == BLANK)
        r->at++;
    else if ((word | punct) && c != TAIL)
        read_run(r, word);
    else
        read_other(r);
    return c != BLANK;
}

size_t toad__unit_read(toad_str text, size_t from, toad__unit *u) {
    reading r = { .text = text, .at = from };
    echo e;
    memset(&e, 0, sizeof e);
    u->tokens_n = 0;
    while (r.at < text.n && class_at(text, r.at) == BLANK) r.at++;
    u->start = (uint32_t)r.at;
    for (bool done = false; !done && r.at < text.n && !is_full(u, r.at);) {
        size_t before = r.at;
        if (before == u->start || before - r.block.at >= 64 || r.block.plain) read_block(&r);
        done = r.block.plain && read_plain(&r, u, &e);
        if (done || r.at != before || !read_next(&r)) continue;
        add_token(u, &e, (toad__token){ (uint32_t)before, (uint32_t)r.at, r.hash }, r.word);
        done = r.stop && r.at - u->start >= TOAD__UNIT_LEAST;
    }
    u->words = e.words;
    u->repeats = e.repeats;
    u->seen = e.seen;
    u->spelled = toad__bits_count(e.words & ~e.repeats & e.longer);
    u->end = u->tokens_n ? u->tokens[u->tokens_n - 1].end : u->start;
    return r.at;
}

/* Calls `take` for each word feature of a unit: its hash, and the tokens it spans. */
#define EACH_WORD(u, take)                                                                 \
    for (uint32_t k = 0; k < (u)->tokens_n; k++) {                                         \
        const toad__token *t = (u)->tokens + k;                                            \
        if (is_in((u)->repeats, k)) continue;                                              \
        if (!is_in((u)->seen, k)) take(t->hash, k, k);                                     \
        if (k > 0) take(toad__hash_pair(t[-1].hash, t->hash), k - 1, k);                   \
        if (k < 2) continue;                                                               \
        take(toad__hash_pair(toad__hash_pair(t[-2].hash, t[-1].hash), t->hash), k - 2, k); \
        take(toad__hash_pair(t[-2].hash ^ 0x5bd1e995u, t->hash), k - 2, k);                \
    }

size_t toad__unit_words(const toad__unit *u, toad__word *ret) {
    size_t n = 0;
#define LIST(hash, from, to) ret[n++] = (toad__word){ index_of(hash, TOAD__WORD_BITS), (uint8_t)(from), (uint8_t)(to) }
    EACH_WORD(u, LIST)
    return n;
}

/* Of the weights of a table, one for each of `heads`. */
typedef struct head_sums {
    int32_t of[TOAD__MODEL_HEADS];
} head_sums;

ALWAYS_INLINE void add_weights(head_sums *to, const int8_t *table, uint32_t id, unsigned heads) {
    for (unsigned h = 0; h < heads; h++) to->of[h] += table[(size_t)id * heads + h];
}

uint32_t toad__unit_word_sums(const toad__unit *u, const int8_t *table, int32_t ret[TOAD__MODEL_HEADS]) {
    head_sums sums = { { 0 } };
    uint32_t n = 0;
#define SUM(hash, from, to) add_weights(&sums, table, index_of(hash, TOAD__WORD_BITS), TOAD__MODEL_HEADS), n++
    EACH_WORD(u, SUM)
    memcpy(ret, sums.of, sizeof sums.of);
    return n;
}

/* ---- the lexicon ---- */

static inline uint32_t little32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t toad__lexicon_hash(toad_str folded) {
    toad__unit u;
    toad__unit_read(folded, 0, &u);
    if (!u.tokens_n) return 0;
    size_t most = u.tokens_n;
    unsigned last = class_at(folded, u.tokens[most - 1].start);
    if (most > 1 && last == IDEOGRAPH) most--; /* the last ideograph stands in the pair before it */
    return most > 1 ? toad__hash_pair(u.tokens[0].hash, u.tokens[1].hash) : u.tokens[0].hash;
}

/* At most eight slots are looked at: the trainer places no word farther from home. */
static uint64_t cues_of(const toad__lexicon *x, uint32_t hash) {
    uint32_t mask = (1u << x->bits) - 1, home = index_of(hash, x->bits);
    for (uint32_t k = 0; k < 8; k++) {
        const uint8_t *slot = x->slots + (size_t)((home + k) & mask) * 12;
        uint32_t key = little32(slot);
        if (key == hash) return (uint64_t)little32(slot + 4) | (uint64_t)little32(slot + 8) << 32;
        if (!key) break;
    }
    return 0;
}

uint64_t toad__unit_cues(const toad__lexicon *x, const toad__unit *u) {
    uint64_t cues = 0;
    for (size_t k = 0; k < u->tokens_n; k++) {
        const toad__token *t = u->tokens + k;
        if (!is_in(u->words & ~u->repeats, k)) continue;
        cues |= cues_of(x, t->hash);
        if (k) cues |= cues_of(x, toad__hash_pair(t[-1].hash, t->hash));
    }
    return cues;
}

/* ---- grams ---- */

static inline uint32_t gram_index(uint64_t bytes) {
    return (uint32_t)((bytes * 0x9e3779b97f4a7c15u) >> (64 - TOAD__GRAM_BITS));
}

static inline uint64_t little64(const uint8_t *p) { return (uint64_t)little32(p) | (uint64_t)little32(p + 4) << 32; }

/* Words of three bytes and more, with a blank on either side: four bytes from every letter on, and six where they fit.
 * To `ids` if there are any, else the weights to `sums`. */
ALWAYS_INLINE size_t word_grams(toad_str word, uint32_t *ids, const int8_t *table, head_sums *sums) {
    uint8_t b[TOAD__TOKEN_BYTES + 16] = { ' ' };
    memcpy(b + 1, word.p, word.n);
    memset(b + 1 + word.n, ' ', 15);
    size_t n = 0;
    for (size_t i = 0; i + 2 < word.n + 1; i++) {
        if (classes[b[i]] == TAIL) continue;
        uint64_t bytes = little64(b + i);
        uint32_t four = gram_index(bytes & 0xffffffffu), six = gram_index(bytes & 0xffffffffffffu);
        bool fits = i + 6 <= word.n + 2;
        if (ids) {
            ids[n] = four;
            if (fits) ids[n + 1] = six;
        } else {
            add_weights(sums, table, four, TOAD__GRAM_HEADS);
            if (fits) add_weights(sums, table, six, TOAD__GRAM_HEADS);
        }
        n += 1 + (size_t)fits;
    }
    return n;
}

ALWAYS_INLINE size_t unit_grams(toad_str text, const toad__unit *unit, uint32_t *ids, const int8_t *table,
                                head_sums *sums) {
    size_t n = 0;
    for (size_t k = 0; k < unit->tokens_n; k++) {
        toad__token t = unit->tokens[k];
        if (is_in(unit->seen, k)) continue;
        size_t len = t.end - t.start;
        unsigned c = class_at(text, t.start);
        if (len < 3 || len > BLOB || c != LETTER) continue;
        n += word_grams((toad_str){ text.p + t.start, len }, ids ? ids + n : NULL, table, sums);
    }
    return n;
}

size_t toad__unit_grams(toad_str text, const toad__unit *unit, uint32_t *ret) {
    return unit_grams(text, unit, ret, NULL, NULL);
}

uint32_t toad__unit_gram_sums(toad_str text, const toad__unit *unit, const int8_t *table,
                              int32_t ret[TOAD__GRAM_HEADS]) {
    head_sums sums = { { 0 } };
    size_t n = unit_grams(text, unit, NULL, table, &sums);
    memcpy(ret, sums.of, TOAD__GRAM_HEADS * sizeof *ret);
    return (uint32_t)n;
}
