/* spaced.c - "I g n o r e   a l l", "I-g-n-o-r-e a-l-l": letters held apart, with wider gaps between words.
 *
 * The skeleton (lib/disguise/skeleton.c) finds core words in such text whatever the gaps are; here the words themselves
 * are restored, where the gaps tell them apart, so that every rule and the model can read them. A stretch is loose
 * where no two letters or digits touch. It is looked for by samples of 16 bytes: in ordinary text hardly one is loose,
 * and code that is loose ("[a](") differs in what stands between. What holds the letters apart is either white space,
 * of the width that is met most, or one sign; whatever else stands between them ends a word. Scripts that set no blanks
 * need no gaps. Linear. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step step = { "spaced", 0 };

enum { SAMPLE = 16, STEP = 48, LEAST = 20, WIDTHS = 8, WORD = 14 };

typedef uint8_t lanes __attribute__((vector_size(SAMPLE)));

/* The first byte of a letter, digit or character beyond ASCII; any byte of one. */
static bool begins(int c) { return toad__is_alnum(c) || c >= 0xC0; }
static bool is_inside(int c) { return toad__is_alnum(c) || c >= 0x80; }

/* Of SAMPLE bytes and the one behind them: is there a character, and do no two touch? */
static inline bool is_loose(const char *p) {
    lanes a, b;
    memcpy(&a, p, sizeof a);
    memcpy(&b, p + 1, sizeof b);
    lanes inside = (lanes)((lanes)((a | 0x20) - 'a') < 26) | (lanes)((lanes)(a - '0') < 10) | (lanes)(a >= 0x80);
    lanes next = (lanes)((lanes)((b | 0x20) - 'a') < 26) | (lanes)((lanes)(b - '0') < 10) | (lanes)(b >= 0xC0);
    uint64_t touch[2], any[2];
    inside &= next;
    memcpy(touch, &inside, sizeof touch);
    memcpy(any, &next, sizeof any);
    return !(touch[0] | touch[1]) && (any[0] | any[1]);
}

/* Around `at`: is every second character or word held apart from the next by blanks, by one sign or by one between
 * blanks? */
static bool is_held_apart(toad_str in, size_t at) {
    size_t from = at > LEAST ? at - LEAST : 0;
    uint64_t inside = toad__mask_at(in, from, &toad__set_inside), blank = toad__mask_at(in, from, &toad__set_blanks);
    uint64_t sign = ~inside & ~blank, behind = inside << 1;
    uint64_t by_blanks = ((behind & blank) + blank) & ~blank & inside, by_sign = behind << 1 & sign << 1 & inside;
    uint64_t by_both = behind << 3 & blank << 3 & sign << 2 & blank << 1 & inside;
    int blanks = __builtin_popcountll(by_blanks), signs = __builtin_popcountll(by_sign),
        both = __builtin_popcountll(by_both);
    return ((blanks > signs ? blanks : signs) + both) * 2 >= __builtin_popcountll(inside & ~behind);
}

static bool touches(toad_str in, size_t at) {
    return is_inside((unsigned char)in.p[at - 1]) && begins((unsigned char)in.p[at]);
}

/* The loose stretch around `at`, not before `floor`; a character that touches what stands outside is not part of it. */
static toad_span stretch_at(toad_str in, size_t floor, size_t at) {
    size_t start = at, end = at + 1;
    while (start > floor && !touches(in, start)) start--;
    while (end < in.n && !touches(in, end)) end++;
    if (start > floor) do
            start++;
        while (start < end && is_inside((unsigned char)in.p[start]));
    if (end < in.n)
        while (end > start && is_inside((unsigned char)in.p[end - 1])) end--;
    return (toad_span){ start, end };
}

/* How the characters of a stretch are held apart. */
typedef struct spacing {
    char joint;           /* the sign between letters; ' ': white space ... */
    unsigned width;       /* ... of so many bytes */
    unsigned units, wide; /* characters, of which so many are of a script that sets no blanks */
} spacing;

static bool is_gap(const spacing *s, char c) { return toad__is_space((unsigned char)c) || c == s->joint; }

static size_t gap_end(toad_str in, const spacing *s, size_t at, size_t end) {
    while (at < end && is_gap(s, in.p[at])) at++;
    return at;
}

/* The sign or blank at `i` between two letters, and no more than it. */
static bool is_joint(toad_str in, toad_span at, size_t i) {
    int c = (unsigned char)in.p[i];
    if (c >= 0x80 || toad__is_alnum(c) || i == at.start || i + 1 >= at.end) return false;
    return is_inside((unsigned char)in.p[i - 1]) && begins((unsigned char)in.p[i + 1]);
}

static spacing spacing_of(toad_str in, toad_span at) {
    spacing s = { ' ', 1, 0, 0 };
    unsigned widths[WIDTHS] = { 0 }, joints[128] = { 0 };
    for (size_t i = (size_t)at.start, gap; i < at.end; i++) {
        int c = (unsigned char)in.p[i];
        s.units += begins(c);
        s.wide += c >= 0xE3 && c < 0xEE;
        if (toad__is_space(c)) {
            gap = gap_end(in, &s, i, (size_t)at.end);
            if (gap - i < WIDTHS) joints[c]++, widths[gap - i]++;
            i = gap - 1;
        } else if (is_joint(in, at, i)) {
            joints[c]++;
        }
    }
    for (unsigned c = 0; c < 128; c++)
        if (joints[c] > joints[(unsigned char)s.joint]) s.joint = (char)c;
    for (unsigned w = 1; w < WIDTHS && toad__is_space(s.joint); w++)
        if (widths[w] > widths[s.width]) s.width = w;
    return s;
}

/* Does a word end at the gap [at, end)? A sign that stands close behind a word ends it. */
static bool ends_word(toad_str in, const spacing *s, size_t floor, size_t at, size_t end) {
    if (end - at != s->width || in.p[at] != s->joint) return true;
    if (s->joint != '\n' && memchr(in.p + at, '\n', end - at)) return true;
    return at >= floor + 2 && !is_inside((unsigned char)in.p[at - 1]) && is_inside((unsigned char)in.p[at - 2]);
}

static unsigned write_words(toad__emit *e, const spacing *s, toad_span at) {
    unsigned words = 0;
    for (size_t i = (size_t)at.start, gap; i < at.end && !e->text.status; i = gap) {
        gap = gap_end(e->in, s, i, (size_t)at.end);
        if (gap == i)
            toad__emit_copy(e, gap = i + 1);
        else if (gap < at.end && e->text.n && ends_word(e->in, s, (size_t)at.start, i, gap))
            toad__emit_put(e, memchr(e->in.p + i, '\n', gap - i) ? "\n" : " ", 1, gap), words++;
        else
            toad__emit_skip(e, gap);
    }
    return words;
}

/* Tables of numbers are loose, too. */
static bool has_letters(toad_str in, toad_span at) {
    size_t letters = 0;
    for (size_t i = (size_t)at.start; i < at.end; i++) {
        unsigned char c = (unsigned char)in.p[i];
        letters += (unsigned char)((c | 0x20) - 'a') < 26 || c >= 0xC0;
    }
    return letters >= LEAST && letters * 8 >= at.end - at.start;
}

/* False: the decoder has to stop. */
static bool send(toad_str in, toad_span at, toad__sink *sink) {
    if (!has_letters(in, at)) return true;
    spacing s = spacing_of(in, at);
    toad__emit e;
    toad__emit_open(&e, sink, in, (size_t)at.start);
    bool told_apart = write_words(&e, &s, at) * WORD >= s.units;
    toad_str text = toad__buf_str(&e.text);
    bool latin = toad__ascii_prefix(text) == text.n;
    if (s.wide * 2 > s.units || (told_apart && (!latin || toad__looks_like_words(text))))
        return toad__emit_send(&e, &step);
    toad__emit_drop(&e);
    return sink->status != TOAD_E_NOMEM;
}

static void run(toad_str in, toad__sink *sink) {
    size_t done = 0, at = 0;
    for (toad_span site; toad__site_next(TOAD__SITES_OF(sink, spaced), in.n, at, &site); at = (size_t)site.end) {
        for (at = (size_t)(site.start + STEP - 1) / STEP * STEP; at < site.end && at + SAMPLE < in.n; at += STEP) {
            if (at < done || !is_loose(in.p + at) || !is_held_apart(in, at)) continue;
            toad_span stretch = stretch_at(in, done, at);
            done = stretch.end > at ? (size_t)stretch.end : at;
            if (stretch.end > stretch.start && !send(in, stretch, sink)) return;
        }
    }
}

const toad__decoder toad__decoder_spaced = { "spaced", TOAD__FOLDED, NULL, run };
