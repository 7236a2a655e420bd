/* shuffled.c - shuffled words, looked up by what shuffling leaves alone: the first and the last letter, the length, and
 * which letters there are.
 *
 * People and models read such text at sight. misspelled.c mends the words that the rules are made of; here all common
 * words are, since the model reads whole sentences. A text is asked for the words of a block every STEP bytes; nearly
 * all are passed by their pairs of letters, and only where one is shuffled are the words around it counted: ordinary
 * text costs a few lookups. A part is scrambled if at least LEAST words and one in SHARE are. A sign behind a word is
 * sometimes shuffled with it, so the last letter of such a word may stand inside it. */
#include "lib/disguise/shuffled.h"
#include "lib/base/str.h"
#include "lib/disguise/tables/words.gen.h"
#include "lib/disguise/words.h"

enum { BLOCK = 64, STEP = 512, SAMPLES = 8, AROUND = 512, LEAST = 2, SHARE = 6 };

typedef enum kind { UNKNOWN, RIGHT, SHUFFLED } kind;

static uint32_t hash(const char *p, size_t n) {
    uint32_t middle = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        uint32_t c = (unsigned char)p[i];
        middle += c * TOAD__WORD_MIX ^ c << 13;
    }
    uint32_t ends = (uint32_t)(unsigned char)p[0] << 16 | (uint32_t)(unsigned char)p[n - 1] << 8 | (uint32_t)n;
    return (middle ^ ends) * TOAD__WORD_FACTOR;
}

bool toad__same_letters(const char *a, const char *b, size_t n) {
    int seen[32] = { 0 };
    if (a[0] != b[0] || a[n - 1] != b[n - 1]) return false;
    for (size_t i = 1; i + 1 < n; i++) seen[a[i] & 31]++, seen[b[i] & 31]--;
    for (int i = 0; i < 32; i++)
        if (seen[i]) return false;
    return true;
}

/* What the word is; *ret: the commonest word that it may be meant for. */
static kind look_up(toad_str w, const toad__common_word **ret) {
    *ret = NULL;
    if (w.n < TOAD__COMMON_LEAST || w.n > TOAD__COMMON_LONGEST) return UNKNOWN;
    uint32_t key = hash(w.p, w.n), step = 0;
    for (unsigned i;
         (i = toad__slot_next(toad__common_slots, TOAD__COMMON_BITS, TOAD__COMMON_INDEX_BITS, key, &step));) {
        const toad__common_word *row = &toad__common_words[i - 1];
        if (row->n != w.n) continue;
        if (!memcmp(row->word, w.p, w.n)) return *ret = row, RIGHT;
        if (!*ret && toad__same_letters(row->word, w.p, w.n)) *ret = row;
    }
    return *ret ? SHUFFLED : UNKNOWN;
}

bool toad__is_common_word(const char *p, size_t n) {
    const toad__common_word *row;
    return look_up(toad__str(p, n), &row) == RIGHT;
}

/* The same for a word in its place: with a sign behind it, each of its letters may be the last. */
static kind look_up_at(toad_str s, toad_str w, const toad__common_word **ret) {
    char turned[TOAD__COMMON_LONGEST];
    kind k = look_up(w, ret);
    const char *behind = w.p + w.n;
    bool sign = behind<s.p + s.n && * behind> ' ' && *behind < 0x7F;
    if (k != UNKNOWN || !sign || w.n <= TOAD__COMMON_LEAST || w.n > TOAD__COMMON_LONGEST) return k;
    for (size_t i = 1; i + 1 < w.n && k == UNKNOWN; i++) {
        memcpy(turned, w.p, w.n);
        turned[i] = w.p[w.n - 1];
        turned[w.n - 1] = w.p[i];
        k = look_up(toad__str(turned, w.n), ret);
    }
    return k == RIGHT ? SHUFFLED : k;
}

static bool is_letter(toad_str s, size_t at) { return toad__is_lower((unsigned char)s.p[at]); }

/* Has a word of five letters and more a rare pair at its beginning? */
static bool is_odd(const char *p) {
    uint32_t common = 1;
    for (unsigned i = 0; i < 4; i++) common &= toad__common_pairs[p[i] - 'a'] >> (p[i + 1] - 'a');
    return !common;
}

/* Is one of the odd words in the block at `at` shuffled? */
static bool sample(toad_str s, size_t at) {
    const char *p = s.p + at;
    const toad__common_word *row;
    uint64_t letters = toad__mask_at(s, at, &toad__word_sets[0]),
             begins = letters & ~(letters << 1 | (at && is_letter(s, at - 1)));
    uint64_t words = begins & letters >> 1 & letters >> 2 & letters >> 3 & letters >> 4;
    for (; words; words &= words - 1) {
        unsigned start = (unsigned)__builtin_ctzll(words);
        if (!is_odd(p + start)) continue;
        uint64_t rest = ~(letters >> start);
        unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : BLOCK;
        if (start + n < BLOCK && look_up(toad__str(p + start, n), &row) == SHUFFLED) return true;
    }
    return false;
}

/* The words around `at`, but not before `floor`. */
static toad_span part_around(toad_str s, size_t floor, size_t at) {
    size_t start = at - floor > AROUND ? at - AROUND : floor, end = s.n - at > AROUND ? at + AROUND : s.n;
    while (start > floor && is_letter(s, start - 1)) start--;
    while (end < s.n && is_letter(s, end)) end++;
    return (toad_span){ start, end };
}

static bool is_scrambled(toad_str part) {
    const toad__common_word *row;
    unsigned n = 0, shuffled = 0;
    toad_str w;
    for (toad__words words = toad__words_of(part, true); toad__words_next(&words, &w);) {
        if (w.n < TOAD__COMMON_LEAST) continue;
        n++;
        shuffled += look_up_at(part, w, &row) == SHUFFLED;
    }
    return shuffled >= LEAST && shuffled * SHARE >= n;
}

bool toad__shuffled_next(toad_str folded, bool closely, size_t *from, toad_span *ret) {
    size_t step = folded.n / SAMPLES, floor = *from;
    if (step > STEP) step = STEP;
    if (closely || step < BLOCK) step = closely ? BLOCK / 2 : BLOCK;
    for (size_t at = *from; at < folded.n; at += step) {
        if (!sample(folded, at)) continue;
        toad_span part = part_around(folded, floor, at);
        floor = (size_t)part.end;
        if (!is_scrambled(toad__str_part(folded, (size_t)part.start, (size_t)part.end))) {
            at = floor;
            continue;
        }
        *ret = part;
        *from = floor;
        return true;
    }
    *from = folded.n;
    return false;
}

void toad__unshuffle(toad_str folded, toad__buf *out, toad__offmap *map) {
    const toad__common_word *row;
    size_t copied = 0;
    toad_str w;
    for (toad__words words = toad__words_of(folded, true); toad__words_next(&words, &w);) {
        if (look_up_at(folded, w, &row) != SHUFFLED) continue;
        size_t start = (size_t)(w.p - folded.p);
        toad__buf_add(out, folded.p + copied, start - copied);
        toad__buf_add(out, row->word, row->n);
        copied = start + w.n;
    }
    toad__buf_add(out, folded.p + copied, folded.n - copied);
    toad__offmap_add(map, folded.n, folded.n);
}
