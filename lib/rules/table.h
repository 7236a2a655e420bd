/* table.h - the flat layout of a rule set: what compile.c writes and lib/scan/match.c reads.
 *
 * One block of bytes, 8-aligned, without pointers: every reference is an offset from its start, so the same bytes serve
 * from .rodata, from the heap and from a file of this machine's byte order (little-endian; the matcher loads eight text
 * bytes as one such number). The block is made by our own compiler only and is trusted; nothing here is parsed from
 * strangers. */
#ifndef TOAD_RULES_TABLE_H
#define TOAD_RULES_TABLE_H

#include "lib/rules/ruleset.h"

#define TOAD__TABLE_MAGIC 0x31525a42u

typedef struct toad__table_rule {
    uint32_t id, title, family, why, lang, mapping, gate, verify; /* strings */
    uint8_t severity, hidden_severity, scope, skeleton;
    uint8_t not_in_memory, low_in_instructions, tools_severity, unused;
} toad__table_rule;

/* A gram of a literal. Where the gram stands at text offset i, the literal would stand at i - at. */
typedef struct toad__table_entry {
    uint32_t literal : 24, at : 8;
} toad__table_entry;

/* The entries whose gram has a hash k = hash >> (64 - buckets_log2): entries[buckets[k].first .. buckets[k + 1].first).
 * A gram alone is met too often, so one more byte is asked for: bit (byte & 15) of `behind` where such a byte stands
 * behind the gram of a literal, of `before` where a literal ends with its gram and such a byte stands before it. A
 * literal that is nothing but its gram has all bits. */
typedef struct toad__table_bucket {
    uint32_t first;
    uint16_t behind, before;
} toad__table_bucket;

/* A filter: for the hash of each entry's gram two bits of one word of `bits` are set, so that few other grams pass. */
typedef struct toad__table_filter {
    uint32_t n, bits_log2, bits, buckets_log2, buckets, entries;
} toad__table_filter;

/* The filters by length of literal: six bytes and more, four and five, three. The first two look at every second byte
 * of the text, so they hold two neighboring grams of each literal, and hold each literal found once. X(name, bytes of a
 * gram, grams of a literal) */
#define TOAD__FILTERS(X) X(LONG, 5, 2) X(MEDIUM, 3, 2) X(SHORT, 3, 1)
enum {
#define X(name, gram, places) TOAD__FILTER_##name,
    TOAD__FILTERS(X)
#undef X
        TOAD__FILTER_KINDS
};

typedef struct toad__filter_kind {
    unsigned gram, places;
} toad__filter_kind;

static inline toad__filter_kind toad__filter_kind_of(unsigned kind) {
    static const toad__filter_kind kinds[] = {
#define X(name, gram, places) { gram, places },
        TOAD__FILTERS(X)
#undef X
    };
    return kinds[kind];
}

static inline unsigned toad__filter_of(unsigned literal_length) {
    return literal_length >= 6 ? TOAD__FILTER_LONG : literal_length >= 4 ? TOAD__FILTER_MEDIUM : TOAD__FILTER_SHORT;
}

/* A guard that must have been seen at most `reach` bytes before the trigger; slot TOAD__NO_SLOT: none. */
#define TOAD__NO_SLOT UINT32_MAX
typedef struct toad__table_guard {
    uint32_t slot, reach;
} toad__table_guard;

/* One pattern that a literal triggers. What can be asked without looking at the pattern stands here, since its
 * automaton is mostly not in the cache. */
typedef struct toad__table_ref {
    toad__table_guard guards[2];
    uint64_t before, after;             /* bit (byte & 63): such a byte may stand before, or behind, the literal */
    uint64_t three_before, three_after; /* bit toad__three_bit(): such three bytes may */
    uint32_t pattern;
    uint32_t at_first;             /* [words] the positions that can stand at the first byte of the literal */
    uint32_t depth_min, depth_max; /* bytes of a match before the literal */
} toad__table_ref;

/* The bit for the lowest three bytes of x. */
static inline uint64_t toad__three_bit(uint32_t x) { return (uint64_t)1 << ((x << 8) * 0x9E3779B1u >> 26); }

/* A literal, and what it does: note itself in slots[first_slot .. next's), trigger refs[first_ref .. next's). One more
 * row closes the last. Rows are sorted by their bytes. */
typedef struct toad__table_literal {
    uint64_t value; /* its first byte lowest */
    uint32_t n, first_slot, first_ref, unused;
} toad__table_literal;

/* The automaton of one pattern. All sets are `words` words of 64 positions. A step takes `shift` positions to their
 * neighbor; the others (`jump`) look up the set they lead to by their group, which they share with all positions that
 * lead there. */
typedef struct toad__table_steps {
    uint32_t shift, jump; /* sets */
    uint32_t group_of;    /* uint16_t[positions] */
    uint32_t groups;      /* { set members, set to }[] */
    uint32_t ranges;      /* uint8_t[groups][2]: `to` is empty outside the words [from, to) */
} toad__table_steps;

typedef struct toad__table_pattern {
    uint32_t rule, words, len_max;
    uint32_t state;             /* where its state set lies in the matcher's scratch, in words */
    uint32_t classes, class_of; /* how many; uint8_t[256] */
    uint32_t takes;             /* [classes][words] the positions that take a byte of the class */
    uint32_t starts; /* uint64_t[classes]: bit c: a match may begin with a byte of the class and one of a class that is
                        c modulo 64 */
    uint32_t first_words;         /* first_any is empty in this word and above */
    uint32_t first, last;         /* [3][words] by edge */
    uint32_t first_any, last_any; /* [words] */
    toad__table_steps forward, backward;
} toad__table_pattern;

typedef struct toad__table_set {
    uint32_t n_patterns, patterns, state_words;
    uint32_t n_literals, literals, slots, refs, n_slots;
    toad__table_filter filters[TOAD__FILTER_KINDS];
    uint32_t shuffles; /* the short filter's first test: uint8_t[3][2][16], the buckets of each byte of its grams by low
                          and high half */
} toad__table_set;

struct toad__ruleset {
    uint32_t magic, size;
    uint32_t n_rules, rules, by_id; /* by_id: uint32_t[n_rules], sorted by id */
    toad__table_set sets[2];        /* toad__match_set: text, skeleton */
};

static inline const void *toad__table_at(const toad__ruleset *set, uint32_t offset) {
    return (const char *)set + offset;
}

/* The two bits of a hash: word `hash >> shift >> 5` with shift = 64 - bits_log2, and in it the bits of this mask. */
static inline uint32_t toad__filter_bits(uint64_t hash, unsigned shift) {
    return (uint32_t)1 << (hash >> shift & 31) | (uint32_t)1 << (hash >> (shift - 5) & 31);
}

/* Hash of the lowest `gram` bytes of x. */
static inline uint64_t toad__gram_hash(uint64_t x, unsigned gram) {
    return (x << (64 - 8 * gram)) * 0x9E3779B97F4A7C15u;
}

/* The hash for the bits of a filter, of the lowest `gram` bytes: 32 bits, so that eight are made at once, and they
 * stand highest. */
static inline uint64_t toad__bits_hash(uint64_t x, unsigned gram) {
    uint32_t fifth = gram == 5 ? (uint32_t)(x >> 32) & 255 : 0, low = gram == 3 ? (uint32_t)x & 0xffffff : (uint32_t)x;
    return (uint64_t)((low ^ fifth << 11 ^ fifth << 25) * 0x9E3779B1u) << 32;
}

#endif
