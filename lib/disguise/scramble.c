/* scramble.c - shuffled words, looked up by what shuffling leaves alone: the first and the last letter, the length, and
 * which letters there are.
 *
 * People and models read such text at sight. typo.c mends the words that the rules are made of; here all common words
 * are, since the model reads whole sentences. A text is asked for the words of a block every STEP bytes; nearly all are
 * passed by their pairs of letters, and only where one is shuffled are the words around it counted: ordinary text costs
 * a few lookups. A part is scrambled if at least LEAST words and one in SHARE are. A sign behind a word is sometimes
 * shuffled with it, so the last letter of such a word may stand inside it. */
#include "lib/disguise/scramble.h"
#include "lib/base/str.h"
#include "lib/disguise/tables/common_words.gen.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { BLOCK = 64, STEP = 512, SAMPLES = 8, AROUND = 512, LEAST = 2, SHARE = 6 };

typedef enum kind { UNKNOWN, RIGHT, SHUFFLED } kind;

static uint32_t hash(const char *p, size_t n) {
    uint32_t middle = 0;
    for (size_t i = 1; i + 1 < n; i++) {
        uint32_t c = (unsigned char)p[i];
        middle += c * TOAD__COMMON_MIX ^ c << 13;
    }
    uint32_t ends = (uint32_t)(unsigned char)p[0] << 16 | (uint32_t)(unsigned char)p[n - 1] << 8 | (uint32_t)n;
    return (middle ^ ends) * TOAD__COMMON_FACTOR;
}

static bool same_letters(const char *a, const char *b, size_t n) {
    int seen[32] = { 0 };
    if (a[0] != b[0] || a[n - 1] != b[n - 1]) return false;
    for (size_t i = 1; i + 1 < n; i++) seen[a[i] & 31]++, seen[b[i] & 31]--;
    for (int i = 0; i < 32; i++)
        if (seen[i]) return false;
    return true;
}

/* What the word is; *ret: the commonest word that it may be meant for. */
static kind look_up(toad_str w, const toad__common_word **ret) {
    const uint32_t mask = (1u << TOAD__COMMON_BITS) - 1;
    *ret = NULL;
    if (w.n < TOAD__COMMON_LEAST || w.n > TOAD__COMMON_LONGEST) return UNKNOWN;
    uint32_t h = hash(w.p, w.n), tag = h >> (29 - TOAD__COMMON_BITS) & 7;
    for (uint32_t at = h >> (32 - TOAD__COMMON_BITS), slot; (slot = toad__common_slots[at]) != 0;
         at = (at + 1) & mask) {
        const toad__common_word *row = &toad__common_words[(slot & 0x1FFF) - 1];
        if (slot >> 13 != tag || row->n != w.n) continue;
        if (!memcmp(row->word, w.p, w.n)) return *ret = row, RIGHT;
        if (!*ret && same_letters(row->word, w.p, w.n)) *ret = row;
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

/* The next word at or after `from`; n 0 at the end. */
static toad_str next_word(toad_str s, size_t from) {
    while (from < s.n && !is_letter(s, from)) from++;
    size_t end = from;
    while (end < s.n && is_letter(s, end)) end++;
    return toad__str_part(s, from, end);
}

static size_t end_of(toad_str s, toad_str word) { return (size_t)(word.p - s.p) + word.n; }

/* Bit i: byte i of the block is a letter. */
static uint64_t letters_of(const char *p) {
    uint64_t letters = 0;
#if defined(__SSE2__)
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i in =
            _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(v, _mm_set1_epi8('z' + 1)));
        letters |= (uint64_t)(unsigned)_mm_movemask_epi8(in) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) letters |= (uint64_t)toad__is_lower((unsigned char)p[i]) << i;
#endif
    return letters;
}

/* Has a word of five letters and more a rare pair at its beginning? */
static bool is_odd(const char *p) {
    uint32_t common = 1;
    for (unsigned i = 0; i < 4; i++) common &= toad__common_pairs[p[i] - 'a'] >> (p[i + 1] - 'a');
    return !common;
}

/* Is one of the odd words in the block at `at` shuffled? */
static bool sample(toad_str s, size_t at) {
    char tail[BLOCK] = { 0 };
    const char *p = s.p + at;
    const toad__common_word *row;
    if (s.n - at < BLOCK) p = memcpy(tail, p, s.n - at);
    uint64_t letters = letters_of(p), begins = letters & ~(letters << 1 | (at && is_letter(s, at - 1)));
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
    unsigned words = 0, shuffled = 0;
    for (toad_str w = next_word(part, 0); w.n; w = next_word(part, end_of(part, w))) {
        if (w.n < TOAD__COMMON_LEAST) continue;
        words++;
        shuffled += look_up_at(part, w, &row) == SHUFFLED;
    }
    return shuffled >= LEAST && shuffled * SHARE >= words;
}

bool toad__scrambled_next(toad_str folded, bool closely, size_t *from, toad_span *ret) {
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

void toad__unscramble(toad_str folded, toad__buf *out, toad__offmap *map) {
    const toad__common_word *row;
    size_t copied = 0;
    for (toad_str w = next_word(folded, 0); w.n; w = next_word(folded, end_of(folded, w))) {
        if (look_up_at(folded, w, &row) != SHUFFLED) continue;
        size_t start = (size_t)(w.p - folded.p);
        toad__buf_add(out, folded.p + copied, start - copied);
        toad__buf_add(out, row->word, row->n);
        copied = start + w.n;
    }
    toad__buf_add(out, folded.p + copied, folded.n - copied);
    toad__offmap_add(map, folded.n, folded.n);
}
