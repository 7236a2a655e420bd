/* disguise.c - does a window of odd shape hold a word that the skeleton rules need?
 *
 * Code, markup and tables have the shapes of disguised text without its words, so before a region is handed on its letters are put
 * together and the core words are looked for. One counts that is not spelled plainly where it stands; of words run together, as
 * in one identifier, it takes two, since names are made of such words too.
 *
 * Every pattern with the view `skeleton` must need one of these words: tests/unit/text/test_skeleton.c holds that. Cost: two look-ups a byte of the window. */
#include "lib/text/disguise.h"
#include "lib/base/cursor.h"
#include "lib/base/str.h"
#include "lib/text/skeleton.h"

#define WINDOW 256u /* letters of a window that are looked at */

/* A word, and as the skeleton writes it. A phrase is run together where it stands so. */
typedef struct core_word {
    char plain[15], skeleton[15];
    uint8_t n;
    bool phrase;
} core_word;

/* Sorted by first letter, a word before what it begins with. */
static const core_word words[] = {
#define WORD(plain, skeleton) { plain, skeleton, sizeof(plain) - 1, false }
#define PHRASE(plain, skeleton) { plain, skeleton, sizeof(plain) - 1, true }
    WORD("above", "above"), PHRASE("anythingnow", "anythingnow"), WORD("anything", "anything"), PHRASE("arenow", "arenow"),
    WORD("bypass", "bypass"), WORD("command", "command"), PHRASE("developermode", "deveiopermode"), WORD("developer", "deveioper"),
    WORD("directive", "directive"), WORD("disregard", "disregard"), WORD("earlier", "eariier"), WORD("everything", "everything"),
    WORD("external", "externai"), WORD("forget", "forget"), WORD("guideline", "guideiine"), WORD("hidden", "hidden"), WORD("ignore",
    "ignore"), WORD("initial", "initiai"), WORD("instruct", "instruct"), WORD("jailbroken", "jaiibroken"), WORD("message", "message"),
    WORD("override", "override"), WORD("preceding", "preceding"), WORD("previous", "previous"), WORD("prior", "prior"), WORD("prompt",
    "prompt"), WORD("reveal", "reveai"), WORD("rules", "ruies"), WORD("safety", "safety"), PHRASE("systemprompt", "systemprompt"),
    WORD("system", "system"), WORD("unrestricted", "unrestricted"), WORD("untrusted", "untrusted"),
};

/* By first letter: which words, from the one to the other. */
static const uint8_t by_letter[26][2] = {
    ['a' - 'a'] = { 0, 4 }, ['b' - 'a'] = { 4, 5 }, ['c' - 'a'] = { 5, 6 }, ['d' - 'a'] = { 6, 10 }, ['e' - 'a'] = { 10, 13 }, ['f' -
    'a'] = { 13, 14 }, ['g' - 'a'] = { 14, 15 }, ['h' - 'a'] = { 15, 16 }, ['i' - 'a'] = { 16, 19 }, ['j' - 'a'] = { 19, 20 }, ['m' -
    'a'] = { 20, 21 }, ['o' - 'a'] = { 21, 22 }, ['p' - 'a'] = { 22, 26 }, ['r' - 'a'] = { 26, 28 }, ['s' - 'a'] = { 28, 31 }, ['u' -
    'a'] = { 31, 33 },
};

/* By first letter: the second letters. */
#define L(c) (UINT32_C(1) << ((c) - 'a'))
static const uint32_t second[26] = {
    ['a' - 'a'] = L('b') | L('n') | L('r'), ['b' - 'a'] = L('y'), ['c' - 'a'] = L('o'), ['d' - 'a'] = L('e') | L('i'), ['e' - 'a'] =
    L('a') | L('v') | L('x'), ['f' - 'a'] = L('o'), ['g' - 'a'] = L('u'), ['h' - 'a'] = L('i'), ['i' - 'a'] = L('g') | L('n'), ['j' -
    'a'] = L('a'), ['m' - 'a'] = L('e'), ['o' - 'a'] = L('v'), ['p' - 'a'] = L('r'), ['r' - 'a'] = L('e') | L('u'), ['s' - 'a'] =
    L('a') | L('y'), ['u' - 'a'] = L('n'),
};

/* The letters of a window in one reading. */
typedef struct letters {
    bzr_str window;
    bool symbols; /* signs are read as letters */
    size_t n;
    char at[WINDOW + 2];
} letters;

/* The next letter at or behind *i, which moves behind it; 0 at the end. */
static inline char next_letter(const letters *l, size_t *i) {
    size_t len = 1;
    char letter = 0;
    for (; !letter && *i < l->window.n; *i += len, len = 1) {
        unsigned char c = (unsigned char)l->window.p[*i];
        if (bzr__is_alnum(c)) letter = (char)bzr__skeleton_of[c];
        else if (l->symbols) letter = bzr__skeleton_letter(l->window, *i, true, &len);
    }
    return letter;
}

static void put_letters(bzr_str window, bool symbols, letters *l) {
    l->window = window;
    l->symbols = symbols;
    l->n = 0;
    if (symbols) {
        char letter;
        for (size_t i = 0; l->n < WINDOW && (letter = next_letter(l, &i));) l->at[l->n++] = letter;
        return;
    }
    for (size_t i = 0; i < window.n && l->n < WINDOW; i++) {
        unsigned char c = (unsigned char)window.p[i];
        unsigned name = (c - 0x30u < 10u) | ((c | 0x20u) - 0x61u < 26u), letter = bzr__skeleton_of[c & 0x7F]; /* no branch a byte */
        l->at[l->n] = (char)letter;
        l->n += name;
    }
}

/* Where letters [k, k + n) stand in the window. */
static bzr_span span_of(const letters *l, size_t k, size_t n) {
    size_t i = 0, start = 0;
    for (size_t at = 0; at < k + n; at++) {
        next_letter(l, &i);
        if (at == k) start = i - 1;
    }
    return (bzr_span){ start, i };
}

/* The word that begins at letter k, or NULL. */
static const core_word *word_at(const letters *l, size_t k) {
    if (!(second[l->at[k] - 'a'] >> (l->at[k + 1] - 'a') & 1)) return NULL;
    const uint8_t *range = by_letter[l->at[k] - 'a'];
    for (const core_word *w = words + range[0]; w < words + range[1]; w++)
        if (w->skeleton[2] == l->at[k + 2] && w->n <= l->n - k && !memcmp(w->skeleton, l->at + k, w->n)) return w;
    return NULL;
}

static bool is_glue(char c) { return bzr__is_alnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/'; }

/* Nothing but letters and what joins them. */
static bool is_one_run(bzr_str s, size_t from, size_t to) {
    while (from < to && is_glue(s.p[from])) from++;
    return from == to;
}

/* Is there a core word in this reading that is no plain one, or two in one run? */
static bool reads(const letters *l) {
    bzr_str s = l->window;
    size_t last = SIZE_MAX; /* the end of the last word */
    for (size_t k = 0; k + 1 < l->n; k++) {
        const core_word *word = word_at(l, k);
        if (!word) continue;
        bzr_span at = span_of(l, k, word->n);
        if (at.end - at.start != word->n || memcmp(s.p + at.start, word->plain, word->n)) return true;
        if (word->phrase || (last != SIZE_MAX && is_one_run(s, last, at.start))) return true;
        last = at.end;
        k += word->n - 1;
    }
    return false;
}

bool bzr__is_disguised(bzr_str folded, bzr_span at, bool leet) {
    bzr_str s = bzr__str_part(folded, at.start, at.end);
    letters l;
    put_letters(s, false, &l);
    if (reads(&l)) return true;
    if (!leet) return false;
    put_letters(s, true, &l);
    return reads(&l);
}
