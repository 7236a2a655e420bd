/* transform.c - ciphers of letters and word games, undone around a place where a gate rule saw trigger words in
 * disguise.
 *
 * Nothing here searches: without a gate these would turn all text into noise. Letter ciphers map byte by byte; a
 * reversal maps as a whole, as offset maps only run forward. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/disguise/shuffled.h"

enum { SIDE = 4096, LEET_ONES = 3, LEET_LEAST = 5 };

typedef struct job {
    toad_str in;
    toad_span at; /* the region */
    toad__sink *sink;
    const toad__step *step;
    unsigned shift;
} job;

static int rotate(int c, unsigned by) {
    if (!toad__is_alpha(c)) return c;
    int first = toad__is_upper(c) ? 'A' : 'a';
    return first + (c - first + (int)by) % 26;
}

static int atbash(int c) {
    if (!toad__is_alpha(c)) return c;
    return toad__is_upper(c) ? 'A' + 'Z' - c : 'a' + 'z' - c;
}

static int rot47(int c) { return c > 0x20 && c < 0x7F ? 0x21 + (c - 0x21 + 47) % 94 : c; }

static void by_letter(const job *j, int (*turn)(int c, unsigned shift)) {
    toad__emit e;
    toad__emit_open(&e, j->sink, j->in, (size_t)j->at.start);
    for (size_t i = (size_t)j->at.start; i < j->at.end; i++) {
        char c = (char)turn((unsigned char)j->in.p[i], j->shift);
        toad__emit_put(&e, &c, 1, i + 1);
    }
    toad__emit_send(&e, j->step);
}

static int turn_caesar(int c, unsigned shift) { return rotate(c, 26 - shift); }
static int turn_atbash(int c, unsigned shift) { return (void)shift, atbash(c); }
static int turn_rot47(int c, unsigned shift) { return (void)shift, rot47(c); }

static void run_caesar(const job *j) { by_letter(j, turn_caesar); }
static void run_atbash(const job *j) { by_letter(j, turn_atbash); }
static void run_rot47(const job *j) { by_letter(j, turn_rot47); }

/* ---- leet ---- */

static const toad__step leet = { "leet", 0 }, leet_words = { "leet_words", TOAD__DOUBTFUL };

static bool is_leet(int c) { return toad__is_alnum(c) || (c && strchr("@$!|+", c)); }

/* The letter for a sign of a word; `one`: for 1 and |. */
static char leet_letter(char c, char one) {
    static const char from[] = "01345678@$!|+9", to[] = "o?easgtbasi?tg";
    const char *hit = c ? strchr(from, c) : NULL;
    return !hit ? c : to[hit - from] == '?' ? one : to[hit - from];
}

static bool is_one(char c) { return c == '1' || c == '|'; }

/* Which of the ones of a word are an l (bit k: the k-th), so that it is a common word; else a pair of them is. */
static unsigned ells_of(toad_str w) {
    char word[TOAD__WORD_LONGEST];
    unsigned ones = 0, pairs = 0;
    for (size_t i = 0; i < w.n && ones < 32; i++) {
        bool pair = is_one(w.p[i]) && ((i && is_one(w.p[i - 1])) || (i + 1 < w.n && is_one(w.p[i + 1])));
        pairs |= (unsigned)pair << (ones & 31);
        ones += is_one(w.p[i]);
    }
    for (unsigned ells = 0; w.n <= sizeof word && ones <= LEET_ONES && ells >> ones == 0; ells++) {
        for (size_t i = 0, k = 0; i < w.n; i++) {
            word[i] = (char)toad__lower(leet_letter(w.p[i], ells >> k & 1 ? 'l' : 'i'));
            k += is_one(w.p[i]);
        }
        if (toad__is_common_word(word, w.n)) return ells;
    }
    return pairs;
}

/* The word of leet at `at`: signs that end a sentence are no part of it. */
static toad_str leet_word(const job *j, size_t at) {
    size_t end = at;
    while (end < j->at.end && is_leet((unsigned char)j->in.p[end])) end++;
    while (end > at && strchr("!|+", j->in.p[end - 1])) end--;
    return toad__str_part(j->in, at, end);
}

/* A text of leet proves intent, a word or two do not. */
static void run_leet(const job *j) {
    toad__emit e;
    unsigned words = 0, turned = 0;
    toad__emit_open(&e, j->sink, j->in, (size_t)j->at.start);
    for (size_t i = (size_t)j->at.start; i < j->at.end && !e.text.status;) {
        toad_str w = leet_word(j, i);
        unsigned ells = ells_of(w), k = 0, changed = 0;
        for (size_t at = 0; at < w.n; at++, i++) {
            char c = leet_letter(w.p[at], k < 32 && ells >> k & 1 ? 'l' : 'i');
            k += is_one(w.p[at]);
            changed += c != w.p[at];
            toad__emit_put(&e, &c, 1, i + 1);
        }
        words += w.n > 2;
        turned += w.n > 2 && changed && changed < w.n;
        if (!w.n) toad__emit_copy(&e, ++i);
    }
    toad__emit_send(&e, turned >= LEET_LEAST && turned * 2 >= words ? &leet : &leet_words);
}

/* Text that stands in another order than its source: one run for all of it. The line feed keeps the map from being read
 * as byte by byte. */
static void send_whole(const job *j, toad__buf *out) {
    toad__buf_add_c(out, '\n');
    if (out->status == TOAD_E_NOMEM)
        j->sink->status = TOAD_E_NOMEM;
    else
        toad__emit_block(j->sink, j->in, j->at, toad__buf_str(out), j->step);
    toad__buf_free(out);
}

/* Code points of [start, end) from the last to the first; `ascii`: bytes. */
static void add_reversed(toad__buf *out, toad_str in, size_t start, size_t end, bool ascii) {
    char *to = ascii ? toad__buf_room(out, end - start) : NULL;
    if (to) {
        while (end > start) *to++ = in.p[--end], out->n++;
        return;
    }
    while (end > start) {
        size_t c = toad__utf8_floor(in, end - 1);
        if (c < start) c = end - 1;
        toad__buf_add(out, in.p + c, end - c);
        end = c;
    }
}

static bool space_at(const job *j, size_t i) { return toad__is_space((unsigned char)j->in.p[i]); }

static void run_reversed(const job *j) {
    toad__buf out;
    toad__buf_init(&out, j->sink->room);
    toad_str part = toad__str_part(j->in, (size_t)j->at.start, (size_t)j->at.end);
    bool ascii = toad__ascii_prefix(part) == part.n;
    add_reversed(&out, j->in, (size_t)j->at.start, (size_t)j->at.end, ascii);
    send_whole(j, &out);
    toad__buf_init(&out, j->sink->room); /* each word by itself */
    for (size_t i = (size_t)j->at.start, word; i < j->at.end;) {
        for (word = i; i < j->at.end && !space_at(j, i);) i++;
        add_reversed(&out, j->in, word, i, ascii);
        for (word = i; i < j->at.end && space_at(j, i);) i++;
        toad__buf_add(&out, j->in.p + word, i - word);
    }
    send_whole(j, &out);
}

static void run_reversed_words(const job *j) {
    toad__buf out;
    toad__buf_init(&out, j->sink->room);
    for (size_t end = (size_t)j->at.end, word; end > j->at.start; end = word) {
        for (word = end; word > j->at.start && space_at(j, word - 1);) word--;
        toad__buf_add(&out, " ", end > word);
        for (end = word; word > j->at.start && !space_at(j, word - 1);) word--;
        toad__buf_add(&out, j->in.p + word, end - word);
    }
    send_whole(j, &out);
}

/* What a turned character is upright. Folding has made some of them ASCII already: a folded turned g reads b, a turned
 * f reads j. */
static uint32_t upright(uint32_t c, bool folded) {
    static const struct {
        uint16_t from;
        char to;
    } marks[] = {
        { 0x250, 'a' },  { 0x254, 'c' },  { 0x1DD, 'e' },  { 0x25F, 'f' }, { 0x183, 'g' }, { 0x253, 'g' },
        { 0x265, 'h' },  { 0x1D09, 'i' }, { 0x131, 'i' },  { 0x27E, 'j' }, { 0x29E, 'k' }, { 0x5DF, 'l' },
        { 0xA781, 'l' }, { 0x26F, 'm' },  { 0x279, 'r' },  { 0x287, 't' }, { 0x28C, 'v' }, { 0x28D, 'w' },
        { 0x28E, 'y' },  { 0x2D9, '.' },  { 0x2018, ',' }, { 0xBF, '?' },  { 0xA1, '!' },  { 0x203E, '_' },
    };
    static const char from[] = "bqdpun()[]{}<>jmw", plain[] = "qbpdnu)(][}{><jmw", fold[] = "gbpdnu)(][}{><fmw";
    const char *hit = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    if (hit) return (unsigned char)(folded ? fold : plain)[hit - from];
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (marks[i].from == c) return (unsigned char)marks[i].to;
    return c;
}

static void run_upside_down(const job *j) {
    toad__buf out;
    toad__buf_init(&out, j->sink->room);
    bool folded =
        toad__ascii_prefix(toad__str_part(j->in, (size_t)j->at.start, (size_t)j->at.end)) == j->at.end - j->at.start;
    for (size_t end = (size_t)j->at.end; end > j->at.start;) {
        size_t at = toad__utf8_floor(j->in, end - 1);
        if (at < j->at.start) at = end - 1;
        unsigned len;
        uint32_t c = toad__utf8_decode(j->in, at, &len);
        if (c == TOAD__BAD)
            toad__buf_add(&out, j->in.p + at, end - at);
        else
            toad__buf_add_cp(&out, upright(c, folded));
        end = at;
    }
    send_whole(j, &out);
}

static bool is_vowel(int c) {
    c = toad__lower(c);
    return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u';
}

/* How many letters at the end of `stem` stood at the front of the word: the longest onset of English that ends it. A
 * word that was moved keeps its vowel in front, so what is left must not be all of it. */
static size_t onset(toad_str stem) {
    static const char *const onsets[] = { "thr", "str", "spr", "scr", "spl", "shr", "sch", "squ", "th", "sh",
                                          "ch",  "wh",  "ph",  "pr",  "tr",  "br",  "cr",  "dr",  "fr", "gr",
                                          "wr",  "pl",  "bl",  "cl",  "fl",  "gl",  "sl",  "st",  "sp", "sc",
                                          "sk",  "sm",  "sn",  "sw",  "tw",  "qu",  "kn" };
    size_t cluster = 0;
    while (cluster < stem.n && !is_vowel((unsigned char)stem.p[stem.n - 1 - cluster])) cluster++;
    for (size_t i = 0; i < sizeof onsets / sizeof *onsets; i++) {
        size_t n = strlen(onsets[i]);
        if (stem.n > n && toad__str_ieq(toad__str_part(stem, stem.n - n, stem.n), toad__str_z(onsets[i]))) return n;
    }
    return cluster ? 1 : 0;
}

/* "previous" ends in s and begins with pr, so its stem "eviouspr" seems to have moved "spr": words that matter are
 * known. */
static size_t known_onset(toad_str stem) {
    static const char *const stems[] = { "eviouspr", "omptpr", "omptspr", "ontentsc",
                                         "ommandsc", "ulesr",  "iorpr",   "ecretss" };
    static const uint8_t moved[] = { 2, 2, 2, 1, 1, 1, 2, 1 };
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++)
        if (toad__str_ieq(stem, toad__str_z(stems[i]))) return moved[i];
    return 0;
}

static void add_pig_word(toad__buf *out, toad_str word) {
    bool ay = word.n > 3 && toad__str_ieq(toad__str_part(word, word.n - 2, word.n), TOAD__S("ay"));
    if (!ay) {
        toad__buf_add_str(out, word);
        return;
    }
    toad_str stem = toad__str_part(word, 0, word.n - 2);
    int last = toad__lower((unsigned char)stem.p[stem.n - 1]);
    if (is_vowel((unsigned char)word.p[0]) && (last == 'w' || last == 'y') && stem.n > 2) {
        toad__buf_add(out, stem.p, stem.n - 1); /* it began with a vowel: way, yay */
        return;
    }
    size_t n = known_onset(stem);
    if (!n) n = onset(stem);
    toad__buf_add(out, stem.p + stem.n - n, n);
    toad__buf_add(out, stem.p, stem.n - n);
}

static void run_pig_latin(const job *j) {
    toad__emit e;
    toad__emit_open(&e, j->sink, j->in, (size_t)j->at.start);
    toad__buf word;
    toad__buf_init(&word, 2 * SIDE + (size_t)(j->at.end - j->at.start));
    for (size_t i = (size_t)j->at.start, start; i < j->at.end;) {
        for (start = i; i < j->at.end && toad__is_alpha((unsigned char)j->in.p[i]);) i++;
        toad__buf_clear(&word);
        if (i > start) add_pig_word(&word, toad__str_part(j->in, start, i));
        if (word.status) e.text.status = word.status;
        if (i > start) toad__emit_put(&e, word.p, word.n, i);
        while (i < j->at.end && !toad__is_alpha((unsigned char)j->in.p[i])) i++;
        toad__emit_copy(&e, i);
    }
    toad__buf_free(&word);
    toad__emit_send(&e, j->step);
}

static const struct {
    toad__step step;
    void (*run)(const job *j);
} transforms[] = {
    { { "atbash", 0 }, run_atbash },
    { { "rot47", 0 }, run_rot47 },
    { { "reversed", 0 }, run_reversed },
    { { "reversed_words", TOAD__DOUBTFUL }, run_reversed_words },
    { { "upside_down", 0 }, run_upside_down },
    { { "leet", 0 }, run_leet },
    { { "pig_latin", TOAD__DOUBTFUL }, run_pig_latin },
};

/* "caesar+1" .. "caesar+25". */
#define SHIFT(places) \
    { "caesar+" #places, TOAD__SHIFTS }
static const toad__step caesars[26] = {
    { NULL, 0 }, SHIFT(1),  SHIFT(2),  SHIFT(3),  SHIFT(4),  SHIFT(5),  SHIFT(6),  SHIFT(7),  SHIFT(8),
    SHIFT(9),    SHIFT(10), SHIFT(11), SHIFT(12), SHIFT(13), SHIFT(14), SHIFT(15), SHIFT(16), SHIFT(17),
    SHIFT(18),   SHIFT(19), SHIFT(20), SHIFT(21), SHIFT(22), SHIFT(23), SHIFT(24), SHIFT(25),
};
#undef SHIFT

/* Up to an empty line or SIDE bytes, no code point cut. */
toad_span toad__transform_region(toad_str in, toad_span at) {
    size_t start = at.start < in.n ? (size_t)at.start : in.n, end = at.end < in.n ? (size_t)at.end : in.n;
    if (end < start) end = start;
    size_t first = start > SIDE ? start - SIDE : 0, last = in.n - end > SIDE ? end + SIDE : in.n;
    while (start > first && !(start >= 2 && in.p[start - 1] == '\n' && in.p[start - 2] == '\n')) start--;
    while (end < last && !(end + 1 < in.n && in.p[end] == '\n' && in.p[end + 1] == '\n')) end++;
    return (toad_span){ toad__utf8_floor(in, start), toad__utf8_floor(in, end) };
}

bool toad__transform(const char *name, toad_str in, toad_span region, toad__sink *sink) {
    job j = { in, region, sink, NULL, 0 };
    void (*run)(const job *j) = NULL;
    for (unsigned k = 1; k < 26; k++)
        if (!strcmp(name, caesars[k].name)) j.step = &caesars[k], j.shift = k, run = run_caesar;
    for (size_t i = 0; i < sizeof transforms / sizeof *transforms; i++)
        if (!strcmp(name, transforms[i].step.name)) j.step = &transforms[i].step, run = transforms[i].run;
    if (!run) return false;
    if (j.at.end > j.at.start) run(&j);
    return true;
}
