/* features.c - tokens, units and hashed features of a folded text, see features.h.
 *
 * A token is a run of letters and digits, a run of punctuation, or one ideograph with its neighbour (two make a word
 * where no blanks stand between words). Numbers and blobs are known by their length alone. A word is hashed by its first
 * and last eight bytes and its length, so the cost of a hash does not grow with the word. Every table index is masked to
 * its table's size, every loop ends with the text or with a unit's fixed room. */
#include "lib/model/features.h"

#include <string.h>

enum { BLANK, LETTER, DIGIT, PUNCT, TAIL, IDEOGRAPH, SYMBOL2, SYMBOL3, SYMBOL4 };
enum { IN_WORD = 1 << LETTER | 1 << DIGIT | 1 << TAIL };
enum {
    BLOB = 30,  /* a longer "word" is no word */
    PERIOD = 4, /* of what counts as said again */
};

/* By lead byte, as UTF-8 stands in folded text. */
static const uint8_t classes[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3,
    3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3,
    3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 0,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
    6, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 7, 5, 5, 5, 5, 5, 5, 5, 1, 1, 1, 1, 7, 7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8,
};

static inline unsigned class_at(bzr_str t, size_t i) { return classes[(unsigned char)t.p[i]]; }

/* ---- hashes ---- */

static inline uint64_t swap_if_big(uint64_t v) {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    return __builtin_bswap64(v);
#else
    return v;
#endif
}

/* The `n` <= 8 bytes at text offset `i`, little endian, without reading beyond the text. */
static inline uint64_t load_part(bzr_str t, size_t i, size_t n) {
    uint64_t v = 0;
    if (t.n - i < 8) {
        memcpy(&v, t.p + i, n);
        return swap_if_big(v);
    }
    memcpy(&v, t.p + i, 8);
    v = swap_if_big(v);
    return n < 8 ? v & ((1ull << (8 * n)) - 1) : v;
}

static inline uint32_t hash_short(uint64_t bytes, size_t n) { return (uint32_t)(((bytes ^ (uint64_t)n << 59) * 0x9e3779b97f4a7c15u) >> 32); }

static inline uint32_t hash_span(bzr_str t, size_t from, size_t n) {
    if (n < 8) return hash_short(load_part(t, from, n), n);
    uint64_t h = (load_part(t, from, 8) ^ (uint64_t)n << 59) * 0x9e3779b97f4a7c15u;
    if (n > 8) {
        h = (h ^ h >> 29 ^ load_part(t, from + n - 8, 8)) * 0xbf58476d1ce4e5b9u;
        if (n > 16) h = (h ^ h >> 31 ^ load_part(t, from + 8, 8)) * 0x94d049bb133111ebu;
    }
    return (uint32_t)(h >> 32);
}

static inline uint32_t pair_hash(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u ^ b) * 0x85ebca6bu; }

static inline uint32_t index_of(uint32_t h, unsigned bits) { return ((h ^ h >> 15) * 0x2c1b3c6du) >> (32 - bits); }

/* ---- tokens ---- */

typedef struct reading {
    bzr_str text;
    size_t at;
    uint32_t hash;
    bool word, stop; /* a sentence may end after it */
} reading;

#define EACH(byte) ((byte) * 0x0101010101010101ull)

/* The high bit of each byte of `v` (ASCII) that is at least `low` and less than `high`. */
static inline uint64_t between(uint64_t v, unsigned low, unsigned high) {
    return (v + EACH(0x80ull - low)) & ~(v + EACH(0x80ull - high)) & EACH(0x80ull);
}

static inline unsigned first_byte(uint64_t high_bits) { return (unsigned)__builtin_ctzll(high_bits) / 8; }

/* The end of the run of letters and digits that begins at `from`; notes whether some are digits and whether some are not. */
static size_t word_end(bzr_str t, size_t from, bool *ret_digits, bool *ret_letters) {
    size_t i = from, most = t.n - from < BZR__TOKEN_BYTES ? t.n : from + BZR__TOKEN_BYTES;
    bool digits = false, letters = false;
    for (; i < most; i++) {
        unsigned bit = 1u << class_at(t, i);
        if (!(bit & IN_WORD)) break;
        digits |= bit == 1u << DIGIT;
        letters |= bit != 1u << DIGIT;
    }
    *ret_digits = digits;
    *ret_letters = letters;
    return i;
}

static inline uint32_t number_hash(size_t n) { return 0x1000u + (uint32_t)(n < 6 ? n : 6); }

static void read_long_word(reading *r) {
    bool digits, letters;
    size_t from = r->at, n = word_end(r->text, from, &digits, &letters) - from;
    r->at = from + n;
    if (!letters) r->hash = number_hash(n);
    else if (n > BLOB && (unsigned char)r->text.p[from] < 0x80) r->hash = 0x2000u;
    else if (digits && n > 8) r->hash = 0x2001u;
    else {
        r->hash = hash_span(r->text, from, n);
        r->word = true;
    }
}

/* Most words have less than eight letters, all ASCII: one load tells their length and is their hash. */
static inline void read_word(reading *r) {
    uint64_t v = r->text.n - r->at < 8 ? EACH(0x80ull) : load_part(r->text, r->at, 8);
    uint64_t number = between(v, '0', '9' + 1), letter = between(v | EACH(0x20ull), 'a', 'z' + 1);
    uint64_t other = ~(number | letter) & EACH(0x80ull);
    if (v & EACH(0x80ull) || !other) {
        read_long_word(r);
        return;
    }
    uint64_t inside = ((other & (~other + 1)) >> 7) - 1;
    size_t n = first_byte(other);
    r->at += n;
    r->word = letter & inside;
    r->hash = r->word ? hash_short(v & inside, n) : number_hash(n);
}

/* End of the code point at `i`. */
static size_t after_point(bzr_str t, size_t i) {
    do i++;
    while (i < t.n && class_at(t, i) == TAIL);
    return i;
}

static void read_ideograph(reading *r) {
    const char *p = r->text.p + r->at;
    size_t from = r->at, end = after_point(r->text, from);
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

static bool ends_sentence(char c) { return c == '.' || c == '!' || c == '?'; }

/* A run of punctuation. A sentence ends at one of .!? before a blank, a JSON value at a quote with , or } after it. */
static void read_punct(reading *r) {
    bzr_str t = r->text;
    size_t from = r->at, i = from + 1;
    bool value = false;
    while (i < t.n && i - from < BZR__TOKEN_BYTES && class_at(t, i) == PUNCT) {
        bool quote = t.p[i - 1] == '"' || t.p[i - 1] == '\'';
        value |= quote && (t.p[i] == ',' || t.p[i] == '}');
        i++;
    }
    r->at = i;
    r->stop = value || (ends_sentence(t.p[i - 1]) && (i == t.n || t.p[i] == ' ')) || (i - from > 1 && ends_sentence(t.p[from]));
    size_t n = i - from;
    r->hash = n > 4 ? hash_span(t, from, 2) ^ 4 : hash_span(t, from, n);
}

static inline void read_token(reading *r) {
    r->word = r->stop = false;
    unsigned c = class_at(r->text, r->at);
    if (c == LETTER || c == DIGIT) {
        read_word(r);
    } else if (c == PUNCT) {
        read_punct(r);
    } else if (c == IDEOGRAPH) {
        read_ideograph(r);
    } else {
        size_t from = r->at;
        r->at = after_point(r->text, from);
        r->hash = hash_span(r->text, from, r->at - from < 4 ? r->at - from : 4);
    }
}

/* ---- units ---- */

/* Do the last tokens, with one of hash `hash`, say again what the same number before them said? */
static inline bool is_repeat(const bzr__token *t, uint32_t k, uint32_t hash) {
    for (uint32_t period = 1; period <= PERIOD && period <= k; period++) {
        if (hash != t[k - period].hash || 2 * period > k + 1) continue;
        uint32_t i = 1;
        while (i < period && t[k - i].hash == t[k - i - period].hash) i++;
        if (i == period) return true;
    }
    return false;
}

static bool stands_in(const bzr__token *t, uint32_t n, uint32_t hash) {
    while (n--)
        if (t[n].hash == hash) return true;
    return false;
}

static inline void add_token(bzr__unit *u, const reading *r, size_t start) {
    uint32_t k = u->tokens_n++;
    bzr__token *t = u->tokens + k;
    bool repeat = is_repeat(u->tokens, k, r->hash);
    uint64_t bit = 1ull << (r->hash & 63u);
    bool seen = u->hashes & bit && stands_in(u->tokens, k, r->hash);
    u->hashes |= bit;
    *t = (bzr__token){ (uint32_t)start, (uint32_t)r->at, r->hash, r->word, repeat, seen };
    u->spelled += r->word && !repeat && r->at - start > 2;
}

size_t bzr__unit_read(bzr_str text, size_t from, bzr__unit *u) {
    reading r = { .text = text, .at = from };
    u->tokens_n = u->spelled = 0;
    u->hashes = 0;
    while (r.at < text.n && class_at(text, r.at) == BLANK) r.at++;
    u->start = (uint32_t)r.at;
    while (r.at < text.n && u->tokens_n < BZR__UNIT_TOKENS && r.at - u->start < BZR__UNIT_BYTES) {
        if (class_at(text, r.at) == BLANK) {
            r.at++;
            continue;
        }
        size_t start = r.at;
        read_token(&r);
        add_token(u, &r, start);
        if (r.stop && r.at - u->start >= BZR__UNIT_LEAST) break;
    }
    u->end = u->tokens_n ? u->tokens[u->tokens_n - 1].end : u->start;
    return r.at;
}

size_t bzr__unit_gates(const bzr__unit *u, uint32_t *ret) {
    size_t n = 0;
    for (size_t k = 0; k < u->tokens_n; k++) {
        const bzr__token *t = u->tokens + k;
        if (t->repeat) continue;
        if (!t->seen) ret[n++] = index_of(t->hash, BZR__GATE_BITS);
        if (k) ret[n++] = index_of(pair_hash(t[-1].hash, t->hash), BZR__GATE_BITS);
    }
    return n;
}

size_t bzr__unit_words(const bzr__unit *u, bzr__word *ret) {
    size_t n = 0;
    for (size_t k = 0; k < u->tokens_n; k++) {
        const bzr__token *t = u->tokens + k;
        uint8_t to = (uint8_t)k;
        if (t->repeat) continue;
        if (!t->seen) ret[n++] = (bzr__word){ index_of(t->hash, BZR__WORD_BITS), to, to };
        if (k > 0) ret[n++] = (bzr__word){ index_of(pair_hash(t[-1].hash, t->hash), BZR__WORD_BITS), (uint8_t)(to - 1), to };
        if (k < 2) continue;
        uint32_t three = pair_hash(pair_hash(t[-2].hash, t[-1].hash), t->hash), skip = pair_hash(t[-2].hash ^ 0x5bd1e995u, t->hash);
        ret[n++] = (bzr__word){ index_of(three, BZR__WORD_BITS), (uint8_t)(to - 2), to };
        ret[n++] = (bzr__word){ index_of(skip, BZR__WORD_BITS), (uint8_t)(to - 2), to };
    }
    return n;
}

/* ---- the lexicon ---- */

static inline uint32_t little32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

uint32_t bzr__lexicon_hash(bzr_str folded) {
    bzr__unit u;
    bzr__unit_read(folded, 0, &u);
    if (!u.tokens_n) return 0;
    size_t most = u.tokens_n;
    unsigned last = class_at(folded, u.tokens[most - 1].start);
    if (most > 1 && last == IDEOGRAPH) most--; /* the last ideograph stands in the pair before it */
    return most > 1 ? pair_hash(u.tokens[0].hash, u.tokens[1].hash) : u.tokens[0].hash;
}

/* At most eight slots are looked at: the trainer places no word farther from home. */
static uint64_t cues_of(const bzr__lexicon *x, uint32_t hash) {
    uint32_t mask = (1u << x->bits) - 1, home = index_of(hash, x->bits);
    for (uint32_t k = 0; k < 8; k++) {
        const uint8_t *slot = x->slots + (size_t)((home + k) & mask) * 12;
        uint32_t key = little32(slot);
        if (key == hash) return (uint64_t)little32(slot + 4) | (uint64_t)little32(slot + 8) << 32;
        if (!key) break;
    }
    return 0;
}

uint64_t bzr__unit_cues(const bzr__lexicon *x, const bzr__unit *u) {
    uint64_t cues = 0;
    for (size_t k = 0; k < u->tokens_n; k++) {
        const bzr__token *t = u->tokens + k;
        if (!t->word || t->repeat) continue;
        cues |= cues_of(x, t->hash);
        if (k) cues |= cues_of(x, pair_hash(t[-1].hash, t->hash));
    }
    return cues;
}

/* ---- grams ---- */

static inline uint32_t gram_index(uint64_t bytes) {
    return (uint32_t)((bytes * 0x9e3779b97f4a7c15u) >> (64 - BZR__GRAM_BITS));
}

static inline uint64_t little64(const uint8_t *p) { return (uint64_t)little32(p) | (uint64_t)little32(p + 4) << 32; }

/* Words of three bytes and more, with a blank on either side: four bytes from every letter on, and six where they fit. */
static size_t word_grams(bzr_str word, uint32_t *ret) {
    uint8_t b[BZR__TOKEN_BYTES + 16] = { ' ' };
    memcpy(b + 1, word.p, word.n);
    memset(b + 1 + word.n, ' ', 15);
    size_t n = 0;
    for (size_t i = 0; i + 2 < word.n + 1; i++) {
        if (classes[b[i]] == TAIL) continue;
        uint64_t bytes = little64(b + i);
        ret[n++] = gram_index(bytes & 0xffffffffu);
        if (i + 6 <= word.n + 2) ret[n++] = gram_index(bytes & 0xffffffffffffu);
    }
    return n;
}

size_t bzr__unit_grams(bzr_str text, const bzr__unit *unit, uint32_t *ret) {
    size_t n = 0;
    for (size_t k = 0; k < unit->tokens_n; k++) {
        bzr__token t = unit->tokens[k];
        if (t.seen) continue;
        size_t len = t.end - t.start;
        unsigned c = class_at(text, t.start);
        if (len < 3 || len > BLOB || c != LETTER) continue;
        n += word_grams((bzr_str){ text.p + t.start, len }, ret + n);
    }
    return n;
}
