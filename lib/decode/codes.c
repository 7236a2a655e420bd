/* codes.c - text as a list of numbers: ASCII codes in decimal or octal, letters as 1 to 26.
 *
 * Numbers of at most three digits with up to four separators between; eight or more in a row. All readings make letters
 * of any numbers in range, so the result must look like words. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

enum { LEAST = 8, LONG = 24, GAP = 4 };

static const toad__step decimal = { "decimal", 0 }, octal = { "octal", 0 },
                        letter_numbers = { "a1z26", TOAD__DOUBTFUL };

/* One list: where it is and which readings it allows. */
typedef struct list {
    toad_span at;
    size_t n;
    bool decimal, octal, letters, hyphens;
} list;

static void judge_number(list *l, toad_str digits) {
    unsigned ten = 0, eight = 0;
    for (size_t i = 0; i < digits.n; i++) {
        unsigned d = (unsigned)(digits.p[i] - '0');
        ten = ten * 10 + d;
        eight = eight * 8 + d;
        l->octal &= d < 8;
    }
    l->n++;
    l->decimal &= !ten || (ten >= 32 && ten < 256 && ten != 127) || ten == 9 || ten == 10 || ten == 13;
    l->octal &= (eight >= 32 && eight < 256 && eight != 127) || eight == 9 || eight == 10 || eight == 13;
    l->letters &= ten >= 1 && ten <= 26;
}

static size_t digits_at(toad_str in, size_t at, size_t end) {
    size_t n = 0;
    while (at + n < end && toad__is_digit((unsigned char)in.p[at + n])) n++;
    return n;
}

/* The list at `at` (a digit); it ends before a number or a gap that is too long, or where no reading is left. */
static list take_list(toad_str in, size_t at, size_t limit) {
    list l = { { at, at }, 0, true, true, true, false };
    for (size_t i = at; i < limit;) {
        size_t n = digits_at(in, i, limit), gap = 0;
        list more = l;
        judge_number(&more, toad__str_part(in, i, i + n));
        if (!n || n > 3 || !(more.decimal || more.octal || more.letters)) break;
        l = more;
        l.at.end = i += n;
        while (i + gap < limit && !toad__is_digit((unsigned char)in.p[i + gap])) gap++;
        if (gap > GAP) break;
        l.hyphens |= gap == 1 && in.p[i] == '-';
        i += gap;
    }
    return l;
}

static bool ends_word(const list *l, toad_str gap) {
    if (l->hyphens) return !(gap.n == 1 && gap.p[0] == '-');
    if (gap.n == 1) return gap.p[0] == '/' || gap.p[0] == '|' || gap.p[0] == '\n';
    return gap.n > 2 || (gap.n == 2 && gap.p[0] != ',');
}

/* Numbers of all sorts give letters, but words of one or two. */
static bool long_words(toad_str s) {
    size_t words = 1;
    for (size_t i = 0; i < s.n; i++) words += s.p[i] == ' ';
    return s.n + 1 >= 4 * words;
}

static toad__outcome read_list(toad_str in, const list *l, unsigned base, const toad__step *step, toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, (size_t)l->at.start);
    for (size_t i = (size_t)l->at.start, gap_at = i; i < l->at.end && !e.text.status;) {
        size_t n = digits_at(in, i, (size_t)l->at.end);
        unsigned v = 0;
        for (size_t k = 0; k < n; k++) v = v * base + (unsigned)(in.p[i + k] - '0');
        if (step == &letter_numbers) {
            if (i > gap_at && ends_word(l, toad__str_part(in, gap_at, i))) toad__emit_put(&e, " ", 1, i);
            v += 'a' - 1;
        }
        char c = (char)v;
        toad__emit_put(&e, &c, 1, i + n);
        gap_at = i += n;
        while (i < l->at.end && !toad__is_digit((unsigned char)in.p[i])) i++;
    }
    if (step == &letter_numbers && !long_words(toad__buf_str(&e.text))) {
        toad__emit_drop(&e);
        return TOAD__NOTHING;
    }
    toad_str text = toad__buf_str(&e.text);
    bool foreign = base == 10 && toad__ascii_prefix(text) < text.n &&
                   toad__printable_percent(text) == 100; /* well-formed UTF-8 is no chance */
    bool code = base == 10 && text.n >= LONG && toad__printable_percent(text) == 100; /* it may stand for more */
    bool wide = base == 10 && text.n && memchr(text.p, 0, text.n);
    if (foreign || code || wide || toad__looks_like_words(text) || toad__printable_percent(text) < 50 || e.text.status)
        return toad__emit_judge(&e, l->at, step);
    toad__emit_drop(&e);
    return TOAD__NOTHING;
}

static toad__outcome candidate(toad_str in, const list *l, toad__sink *sink) {
    toad__outcome got = TOAD__NOTHING;
    if (l->decimal) got = read_list(in, l, 10, &decimal, sink);
    if (got == TOAD__NOTHING && l->octal) got = read_list(in, l, 8, &octal, sink);
    if (got == TOAD__NOTHING && l->letters) got = read_list(in, l, 10, &letter_numbers, sink);
    return got;
}

/* Are there LEAST numbers? Most stretches are mostly blanks. */
static bool has_numbers(toad_str in, toad_span at) {
    unsigned n = 0;
    bool digit = false;
    for (size_t i = (size_t)at.start; i < at.end && n < LEAST; i++) {
        bool before = digit;
        digit = toad__is_digit((unsigned char)in.p[i]);
        n += digit && !before;
    }
    return n >= LEAST;
}

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_numbers, 2 * LEAST - 1, from, &at);
         from = (size_t)at.end) {
        if (!has_numbers(in, at)) continue;
        for (size_t i = (size_t)at.start; i < at.end;) {
            size_t n = digits_at(in, i, (size_t)at.end);
            list l = n ? take_list(in, i, (size_t)at.end) : (list){ .n = 0 };
            if (l.n >= LEAST && candidate(in, &l, sink) == TOAD__STOP) return;
            i = l.n ? (size_t)l.at.end : i + n + !n;
        }
    }
}

static bool wanted(const toad__hints *h) { return h->digits >= LEAST || h->non_ascii; }

const toad__decoder toad__decoder_codes = { "codes", TOAD__FOLDED, wanted, run };
