/* cut.c - "ig****nore", "pre`vi`ous": words cut up with marks of Markdown that set nothing off.
 *
 * A run of one mark between two letters, more than one on a side, is a cut. Emphasis inside a word, x**2 and `code`s
 * are met in ordinary text, but not one after the other: a child is made where four and more cuts stand within short
 * reach of each other, of the lines they stand in. Linear. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

static const toad__step step = { "cut_words", 0 };

enum { LEAST = 4, MARKS = 8, NEAR = 64, AROUND = 256 };

static bool is_letter(toad_str in, size_t at) {
    return at < in.n && (toad__is_alpha((unsigned char)in.p[at]) || (unsigned char)in.p[at] >= 0x80);
}

/* The cut that begins with the mark at `at`, behind a letter, if it is one. */
static bool cut_at(toad_str in, size_t at, toad_span *ret) {
    size_t end = at + 1;
    while (end < in.n && end - at <= MARKS && in.p[end] == in.p[at]) end++;
    if (end >= in.n || end - at > MARKS) return false;
    *ret = (toad_span){ at, end };
    return is_letter(in, end) && (is_letter(in, at - 2) || is_letter(in, end + 1));
}

/* The next cut at or after `from`. */
static bool next_cut(toad_str in, size_t from, toad_span *ret) {
    for (size_t at = from ? from : 1; (at = toad__set_find(in, &toad__set_marks, at)) < in.n; at += 63) {
        uint64_t marks = toad__mask_at(in, at - 1, &toad__set_marks) & toad__mask_at(in, at - 1, &toad__set_cuttable)
                                                                           << 1;
        for (; marks; marks &= marks - 1)
            if (cut_at(in, at - 1 + (size_t)__builtin_ctzll(marks), ret)) return true;
    }
    return false;
}

/* Where the line around the cuts begins and ends, AROUND bytes away at most. */
static toad_span lines_around(toad_str in, size_t floor, toad_span cuts) {
    size_t start = (size_t)cuts.start, end = (size_t)cuts.end;
    while (start > floor && cuts.start - start < AROUND && in.p[start - 1] != '\n') start--;
    while (end < in.n && end - cuts.end < AROUND && in.p[end] != '\n') end++;
    return (toad_span){ start, end };
}

/* The text without its cuts. False: the decoder has to stop. */
static bool send(toad_str in, toad_span lines, toad_span cuts, toad__sink *sink) {
    toad__emit e;
    toad_span cut;
    toad__emit_open(&e, sink, in, (size_t)lines.start);
    for (size_t from = (size_t)cuts.start; next_cut(in, from, &cut) && cut.end <= cuts.end && !e.text.status;
         from = (size_t)cut.end) {
        toad__emit_copy(&e, (size_t)cut.start);
        toad__emit_skip(&e, (size_t)cut.end);
    }
    toad__emit_copy(&e, (size_t)lines.end);
    return toad__emit_send(&e, &step);
}

static void run(toad_str in, toad__sink *sink) {
    toad_span cut, cuts = { 0, 0 };
    size_t n = 0, floor = 0;
    for (bool more = true; more;) {
        more = next_cut(in, (size_t)cuts.end, &cut);
        if (more && n && cut.start - cuts.end <= NEAR) {
            cuts.end = cut.end;
            n++;
            continue;
        }
        toad_span lines = lines_around(in, floor, cuts);
        if (n >= LEAST && !send(in, lines, cuts, sink)) return;
        if (n >= LEAST) floor = (size_t)cuts.end;
        cuts = cut;
        n = 1;
    }
}

static bool wanted(const toad__hints *h) { return h->star >= LEAST || h->backquote >= LEAST; }

const toad__decoder toad__decoder_cut = { "cut", TOAD__FOLDED, wanted, run };
