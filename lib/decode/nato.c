/* nato.c - the spelling alphabet (ICAO): "India Golf November ..." is "ign...".
 *
 * Six code words in a row make a candidate; a slash, bar, line break or the word "space" ends a word. One word in 22
 * bytes is probed, as six code words are longer than that. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step step = { "nato", TOAD__DOUBTFUL };

enum { LEAST = 6 };

static const char *const spoken[26] = { "alfa",   "bravo",   "charlie", "delta",  "echo",   "foxtrot", "golf",
                                        "hotel",  "india",   "juliett", "kilo",   "lima",   "mike",    "november",
                                        "oscar",  "papa",    "quebec",  "romeo",  "sierra", "tango",   "uniform",
                                        "victor", "whiskey", "xray",    "yankee", "zulu" };

static size_t word_end(toad_str in, size_t at) {
    toad__cur c = toad__cur_from(in, at);
    while (c.at - at < 12 &&
           (toad__is_alpha(toad__cur_peek(&c, 0)) || (toad__cur_peek(&c, 0) == '-' && c.at == at + 1)))
        c.at++;
    return c.at;
}

/* The letter that the word [at, end) stands for: 'a'..'z', ' ' for "space", or 0. */
static char letter(toad_str in, size_t at, size_t end) {
    toad_str word = toad__str_part(in, at, end);
    int first = word.n ? toad__lower((unsigned char)word.p[0]) : 0;
    if (!toad__is_lower(first)) return 0;
    static const char *const variants[26] = { ['a' - 'a'] = "alpha",
                                              ['j' - 'a'] = "juliet",
                                              ['o' - 'a'] = "oskar",
                                              ['w' - 'a'] = "whisky",
                                              ['x' - 'a'] = "x-ray" };
    const char *usual = spoken[first - 'a'], *variant = variants[first - 'a'];
    if (first == 's' && toad__str_ieq(word, TOAD__S("space"))) return ' ';
    return toad__str_ieq(word, toad__str_z(usual)) || (variant && toad__str_ieq(word, toad__str_z(variant)))
               ? (char)first
               : 0;
}

static bool separates(int c) { return toad__is_space(c) || c == ',' || c == '-' || c == '.' || c == '/' || c == '|'; }

/* Step back over whole code words from `at` (the start of one); at most to `from`. */
static size_t first_word(toad_str in, size_t at, size_t from) {
    for (;;) {
        size_t gap = at, start;
        while (gap > from && at - gap < 4 && separates((unsigned char)in.p[gap - 1])) gap--;
        for (start = gap; start > from && gap - start < 12 && toad__is_alpha((unsigned char)in.p[start - 1]);) start--;
        if (gap == at || start == gap || !letter(in, start, gap)) return at;
        at = start;
    }
}

/* Write the code words from `at` on; returns how many, and where they end in *end. */
static size_t decode(toad_str in, size_t at, toad__emit *e, size_t *end) {
    size_t words = 0;
    toad__cur c = toad__cur_from(in, at);
    *end = at;
    while (!e->text.status) {
        bool ends = false;
        for (size_t gap = c.at; c.at - gap < 6 && words && separates(toad__cur_peek(&c, 0)); c.at++)
            ends |= in.p[c.at] == '/' || in.p[c.at] == '|' || in.p[c.at] == '\n';
        size_t stop = word_end(in, c.at);
        char l = letter(in, c.at, stop);
        if (!l || (words && c.at == *end)) break;
        if (ends && l != ' ') toad__emit_put(e, " ", 1, c.at);
        toad__emit_put(e, &l, 1, stop);
        *end = c.at = stop;
        words++;
    }
    return words;
}

/* Read the code words around the one at `start`, if it is one. False: the decoder has to stop. */
static bool try_word(toad_str in, size_t start, size_t *done, toad__sink *sink) {
    char first = start < *done ? 0 : letter(in, start, word_end(in, start));
    if (!first || first == ' ') return true;
    start = first_word(in, start, *done);
    toad__emit e;
    toad__emit_open(&e, sink, in, start);
    size_t words = decode(in, start, &e, done);
    if (words >= LEAST) return toad__emit_send(&e, &step);
    toad__emit_drop(&e);
    return true;
}

/* The words that begin behind each probed offset of the block at `at`. False: the decoder has to stop. */
static bool try_block(toad_str in, size_t at, size_t *done, toad__sink *sink) {
    uint64_t word = toad__mask_at(in, at, &toad__set_letters), starts = word & ~(word << 1);
    if (at && toad__is_alpha((unsigned char)in.p[at - 1])) starts &= ~UINT64_C(1);
    for (unsigned k = 0; k < 64; k += TOAD__PROBE) {
        uint64_t rest = starts >> k;
        if (rest && !try_word(in, at + k + (size_t)__builtin_ctzll(rest), done, sink)) return false;
    }
    return true;
}

static void run(toad_str in, toad__sink *sink) {
    size_t done = 0, at = 0;
    for (toad_span site; toad__site_next(TOAD__SITES_OF(sink, nato), in.n, at, &site);)
        for (at = (size_t)site.start; at < site.end; at += 64)
            if (!try_block(in, at, &done, sink)) return;
}

const toad__decoder toad__decoder_nato = { "nato", TOAD__FOLDED, NULL, run };
