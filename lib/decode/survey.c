/* survey.c - one pass that tells the decoders of runs where to look.
 *
 * Of 64 bytes at a time five masks are made, and what they prove to hold nothing costs no more; only where a mask
 * leaves room for doubt is it looked at closer. Every mark is of a block and its neighbors, so that a run is at a site
 * as a whole or with all that a decoder needs to find it. Linear: what lies behind `signs_end` is not looked at for
 * signs again. */
#include "lib/decode/survey.h"
#include "lib/base/simd.h"

/* Of 64 bytes: which are visible ASCII, letters, capitals, digits, and the letters from i to w, which no list of codes
 * has. */
typedef struct masks {
    uint64_t visible, letters, capitals, digits, wordy;
} masks;

typedef masks masks_fn(const char *p);

static bool in_range(int c, int first, int last) { return c >= first && c <= last; }

static masks masks_portable(const char *p) {
    masks m = { 0, 0, 0, 0, 0 };
    for (unsigned i = 0; i < 64; i++) {
        int c = (unsigned char)p[i], small = c | 0x20;
        m.visible |= (uint64_t)in_range(c, '!', '~') << i;
        m.letters |= (uint64_t)in_range(small, 'a', 'z') << i;
        m.capitals |= (uint64_t)in_range(c, 'A', 'Z') << i;
        m.digits |= (uint64_t)in_range(c, '0', '9') << i;
        m.wordy |= (uint64_t)in_range(small, 'i', 'w') << i;
    }
    return m;
}

#if HAVE_AVX2
/* The bytes from `first` to `last`, both ASCII: moved up to end at 127, they are the greatest as signed numbers. */
#define RANGE(v, first, last)                                                                                     \
    (uint32_t) _mm256_movemask_epi8(_mm256_cmpgt_epi8(_mm256_add_epi8(v, _mm256_set1_epi8((char)(127 - (last)))), \
                                                      _mm256_set1_epi8((char)(126 - (last) + (first)))))
/* What tells small letters from capitals. */
#define BIT_5(v) (uint32_t) _mm256_movemask_epi8(_mm256_slli_epi16(v, 2))

__attribute__((target("avx2"))) static inline masks masks_avx2(const char *p) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    __m256i small = _mm256_set1_epi8(0x20), c = _mm256_or_si256(a, small), d = _mm256_or_si256(b, small);
    uint64_t letters = RANGE(c, 'a', 'z') | (uint64_t)RANGE(d, 'a', 'z') << 32, bit_5 = BIT_5(a) | (uint64_t)BIT_5(b)
                                                                                                       << 32;
    return (masks){
        RANGE(a, '!', '~') | (uint64_t)RANGE(b, '!', '~') << 32,
        letters,
        letters & ~bit_5,
        RANGE(a, '0', '9') | (uint64_t)RANGE(b, '0', '9') << 32,
        RANGE(c, 'i', 'w') | (uint64_t)RANGE(d, 'i', 'w') << 32,
    };
}
#endif

/* A pass in progress. */
typedef struct pass {
    toad_str in;
    toad__survey *ret;
    size_t signs_end;
} pass;

static void mark(toad__sites *where, size_t at) {
    size_t block = at >> where->shift;
    where->map[block / 64] |= UINT64_C(1) << block % 64;
}

/* Bits moved up by `n` (1..63), those of the word before behind them. */
static inline uint64_t moved(uint64_t bits, uint64_t before, unsigned n) { return bits << n | before >> (64 - n); }

/* Bits at which eight ones in a row end, all in this word. */
static inline uint64_t row_of_eight(uint64_t bits) {
    bits &= bits << 1;
    bits &= bits << 2;
    return bits & bits << 4;
}

/* Bits at which 16 ones in a row end, those of the word before behind them. */
static inline uint64_t row_of_sixteen(uint64_t bits, uint64_t before) {
    uint64_t here = row_of_eight(bits), over = row_of_eight(moved(bits, before, 15));
    return (here & here << 8) | (over & over << 8) >> 15;
}

/* The last bits of the eight bytes that are all ones. */
static inline uint64_t full_bytes(uint64_t bits) { return row_of_eight(bits) & UINT64_C(0x8080808080808080); }

static bool opens(char c) { return c == '"' || c == '\'' || c == '`' || c == '(' || c == '['; }

/* Could the 20 digits at `p`, or those behind what opens a quotation there, be base85 of ASCII text? See base85.c. */
static bool seems_base85(const char *p) {
    for (unsigned k = 0; k < 4; k++, p++) {
        bool adobe = true, git = true;
        for (unsigned i = 0; i < 20; i += 5)
            adobe &= in_range(p[i], '+', 'J'), git &= in_range(p[i], 'A', 'Z') || in_range(p[i], 'a', 'f');
        if (adobe || git) return true;
        if (!opens(*p)) return false;
    }
    return true;
}

/* Visible tokens of 16 and more in the block at `at`: `names` if there is a run of 16 letters and digits, `firsts` has
 * the 16th bytes of the tokens. */
static void survey_tokens(pass *s, size_t at, uint64_t names, uint64_t firsts) {
    if (names) mark(&s->ret->base32, at);
    for (; firsts; firsts &= firsts - 1) {
        size_t start = at + (size_t)__builtin_ctzll(firsts) - 15;
        if (start + 20 <= s->in.n && seems_base85(s->in.p + start)) mark(&s->ret->base85, start);
    }
}

static unsigned count_ones(uint64_t bits) {
    unsigned n = 0;
    for (; bits && n < 8; bits &= bits - 1) n++;
    return n;
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
        if (signs < 8) signs += count_ones(run & ~toad__mask_at(s->in, end, &toad__set_blanks));
        end += others ? (size_t)__builtin_ctzll(others) : 64;
        more = !others;
    }
    s->signs_end = end;
    if (signs < 8) return;
    for (size_t block = start >> 6; block <= (end - 1) >> 6; block++) mark(&s->ret->signs, block << 6);
}

/* The block at `at` has eight bytes in a row that are not wordy: is there a run of terse ones? Fifteen have eight that
 * are aligned. */
static void survey_signs(pass *s, size_t at) {
    for (uint64_t full = full_bytes(toad__mask_at(s->in, at, &toad__set_terse)); full; full &= full - 1) {
        size_t last = at + (size_t)__builtin_ctzll(full);
        if (last >= s->signs_end) survey_run(s, last);
    }
}

/* Could a code word of nato.c begin at `p`, by its first four letters? The bits in which its spellings differ do not
 * matter. */
static inline bool seems_nato(const char *p) {
    static const char begins[32][4] = {
        { 0 },  "al``", "brav", "char", "delt", "echo", "foxt", "golf", "hote", "indi", "juli", "kilo", "lima", "mike",
        "nove", "osca", "papa", "queb", "rome", "sier", "tang", "unif", "vict", "whis", "x",    "yank", "zulu",
    };
    static const unsigned char matter[32][4] = {
#define ALL { 255, 255, 255, 255 }
        ALL,
        { 255, 255, 0xE9, 0xF6 } /* alfa, alpha */,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        { 255, 255, 0xF7, 255 } /* oscar, oskar */,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        { 255, 0, 0, 0 } /* xray, x-ray */,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
        ALL,
#undef ALL
    };
    uint32_t word, wanted, mask;
    unsigned letter = (unsigned char)*p & 31;
    memcpy(&word, p, 4), memcpy(&wanted, begins[letter], 4), memcpy(&mask, matter[letter], 4);
    return !(((word | 0x20202020) ^ wanted) & mask);
}

/* Does one seem to begin at one of the places that are probed? 68 bytes can be read at `p`; without a start it is the
 * last. */
static inline bool any_nato(const char *p, uint64_t starts) {
    bool any = false;
    for (unsigned k = 0; k < 64; k += TOAD__PROBE)
        any |= seems_nato(p + k + (unsigned)__builtin_ctzll(starts >> k | UINT64_C(1) << (63 - k)));
    return any;
}

/* Is one of the eight bytes zero? */
static inline bool has_zero_byte(uint64_t bits) {
    return (bits - UINT64_C(0x0101010101010101)) & ~bits & UINT64_C(0x8080808080808080);
}

/* Is one of the four sixteenths without a letter that stands behind a letter? Its first byte does not matter
 * (spaced.c). */
static inline bool any_loose(uint64_t touching) {
    touching &= UINT64_C(0xFFFEFFFEFFFEFFFE);
    return (touching - UINT64_C(0x0001000100010001)) & ~touching & UINT64_C(0x8000800080008000);
}

/* The block at `at`, whose bytes and 8 more can be read at `p`. */
ALWAYS_INLINE void survey_block(pass *s, size_t at, const char *p, masks b, masks m) {
    toad__survey *ret = s->ret;
    uint64_t touching = m.letters & moved(m.letters, b.letters, 1), small = (m.letters & ~m.capitals) | m.digits,
             small_before = (b.letters & ~b.capitals) | b.digits;
    uint64_t tokens = row_of_sixteen(m.visible, b.visible);
    if (tokens)
        survey_tokens(s, at, row_of_sixteen(m.letters | m.digits, b.letters | b.digits),
                      tokens & ~moved(m.visible, b.visible, 16));
    if (has_zero_byte(m.wordy)) survey_signs(s, at);
    if (m.capitals & moved(small, small_before, 1)) mark(&ret->base64, at);
    if (any_loose(touching)) mark(&ret->spaced, at);
    if (any_nato(p, m.letters & ~touching)) mark(&ret->nato, at);
}

ALWAYS_INLINE void survey(toad_str in, toad__survey *ret, masks_fn *read) {
    pass s = { .in = in, .ret = ret };
    masks before = { 0, 0, 0, 0, 0 };
    size_t at = 0;
    for (masks here; in.n - at >= 72; at += 64, before = here) {
        here = read(in.p + at);
        survey_block(&s, at, in.p + at, before, here);
    }
    char tail[136] = { 0 };
    if (at < in.n) memcpy(tail, in.p + at, in.n - at);
    for (const char *p = tail; at < in.n; at += 64, p += 64) {
        masks here = read(p);
        survey_block(&s, at, p, before, here);
        before = here;
    }
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static void survey_avx2(toad_str in, toad__survey *ret) { survey(in, ret, masks_avx2); }
#endif
static void survey_base(toad_str in, toad__survey *ret) { survey(in, ret, masks_portable); }

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

static void take(toad_str in, toad__survey *ret, void (*read)(toad_str in, toad__survey *ret)) {
    toad__sites *const all[] = { &ret->base64, &ret->base85, &ret->base32, &ret->signs, &ret->nato, &ret->spaced };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) start(all[i], in.n);
    read(in, ret);
    widen(&ret->base85, in.n), widen(&ret->base32, in.n);
}

void toad__survey_portable(toad_str in, toad__survey *ret) { take(in, ret, survey_base); }

void toad__survey_take(toad_str in, toad__survey *ret) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) {
        take(in, ret, survey_avx2);
        return;
    }
#endif
    take(in, ret, survey_base);
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
