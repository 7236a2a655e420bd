/* cut.c - "ig****nore", "pre`vi`ous": words cut up with marks of Markdown that set nothing off.
 *
 * A run of one mark between two letters, more than one on a side, is a cut. Emphasis inside a word, x**2 and `code`s are met in
 * ordinary text, but not one after the other: a child is made where four and more cuts stand within short reach of each other, of
 * the lines they stand in. Linear. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

enum { LEAST = 4, MARKS = 8, NEAR = 64, AROUND = 256 };

static bool is_letter(bzr_str in, size_t at) { return at < in.n && (bzr__is_alpha((unsigned char)in.p[at]) || (unsigned char)in.p[at] >= 0x80); }

/* The cut that begins with the mark at `at`, behind a letter, if it is one. */
static bool cut_at(bzr_str in, size_t at, bzr_span *ret) {
    size_t end = at + 1;
    while (end < in.n && end - at <= MARKS && in.p[end] == in.p[at]) end++;
    if (end >= in.n || end - at > MARKS) return false;
    *ret = (bzr_span){ at, end };
    return is_letter(in, end) && (is_letter(in, at - 2) || is_letter(in, end + 1));
}

/* The next cut at or after `from`. */
static bool next_cut(bzr_str in, size_t from, bzr_span *ret) {
    for (size_t at = from ? from : 1; (at = bzr__set_find(in, &bzr__set_marks, at)) < in.n; at += 63) {
        uint64_t marks = bzr__set_word(in, at - 1, &bzr__set_marks) & bzr__set_word(in, at - 1, &bzr__set_cuttable) << 1;
        for (; marks; marks &= marks - 1)
            if (cut_at(in, at - 1 + (size_t)__builtin_ctzll(marks), ret)) return true;
    }
    return false;
}

/* Where the line around the cuts begins and ends, AROUND bytes away at most. */
static bzr_span lines_around(bzr_str in, size_t floor, bzr_span cuts) {
    size_t start = (size_t)cuts.start, end = (size_t)cuts.end;
    while (start > floor && cuts.start - start < AROUND && in.p[start - 1] != '\n') start--;
    while (end < in.n && end - cuts.end < AROUND && in.p[end] != '\n') end++;
    return (bzr_span){ start, end };
}

/* The text without its cuts. False: the decoder has to stop. */
static bool send(bzr_str in, bzr_span lines, bzr_span cuts, bzr__sink *sink) {
    bzr__emit e;
    bzr_span cut;
    bzr__emit_open(&e, sink, in, (size_t)lines.start);
    for (size_t from = (size_t)cuts.start; next_cut(in, from, &cut) && cut.end <= cuts.end && !e.text.status; from = (size_t)cut.end) {
        bzr__emit_copy(&e, (size_t)cut.start);
        bzr__emit_skip(&e, (size_t)cut.end);
    }
    bzr__emit_copy(&e, (size_t)lines.end);
    return bzr__emit_send(&e, "cut_words");
}

static void run(bzr_str in, bzr__sink *sink) {
    bzr_span cut, cuts = { 0, 0 };
    size_t n = 0, floor = 0;
    for (bool more = true; more;) {
        more = next_cut(in, (size_t)cuts.end, &cut);
        if (more && n && cut.start - cuts.end <= NEAR) {
            cuts.end = cut.end;
            n++;
            continue;
        }
        bzr_span lines = lines_around(in, floor, cuts);
        if (n >= LEAST && !send(in, lines, cuts, sink)) return;
        if (n >= LEAST) floor = (size_t)cuts.end;
        cuts = cut;
        n = 1;
    }
}

static bool wanted(const bzr__hints *h) { return h->star >= LEAST || h->backquote >= LEAST; }

const bzr__decoder bzr__decoder_cut = { "cut", false, wanted, run };
