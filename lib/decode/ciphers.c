/* ciphers.c - two old ways to write letters with two signs: Bacon's groups of five A and B, and the tap code.
 *
 * Both are found by their alphabets alone, in runs of 24 or more; the result must look like words. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step bacon_step = { "bacon", TOAD__DOUBTFUL }, tap_step = { "tap", TOAD__DOUBTFUL };

/* Only what could be words is sent. */
static bool send_words(toad__emit *e, const toad__step *step) {
    if (!e->text.status && !e->map.status && !toad__looks_like_words(toad__buf_str(&e->text))) {
        toad__emit_drop(e);
        return true;
    }
    return toad__emit_send(e, step);
}

static void bacon_run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_bacon, 30, from, &at);
         from = (size_t)at.end) {
        toad__emit e;
        toad__emit_open(&e, sink, in, (size_t)at.start);
        unsigned v = 0, have = 0;
        for (size_t i = (size_t)at.start; i < at.end; i++) {
            int c = in.p[i] | 0x20;
            if (c == '/') toad__emit_put(&e, " ", 1, i + 1);
            if (c != 'a' && c != 'b') continue;
            v = v << 1 | (c == 'b');
            if (++have < 5) continue;
            char letter = (char)(v < 26 ? 'a' + (int)v : '?');
            toad__emit_put(&e, &letter, 1, i + 1);
            v = have = 0;
        }
        if (!send_words(&e, &bacon_step)) return;
    }
}

const toad__decoder toad__decoder_bacon = { "bacon", TOAD__FOLDED, NULL, bacon_run };

/* A group of taps (dots) at the cursor: 1..5, 0 for none. */
static unsigned taps(toad__cur *c, size_t end) {
    size_t n = 0;
    while (c->at + n < end && c->s.p[c->at + n] == '.') n++;
    c->at += n;
    return n <= 5 ? (unsigned)n : 0;
}

static size_t blanks(toad__cur *c, size_t end) {
    size_t n = 0;
    while (c->at + n < end && c->s.p[c->at + n] != '.') n++;
    c->at += n;
    return n;
}

/* The letters of the run, from `from` on. A gap that is too long, or a group without a partner, begins the text again.
 */
static void tap_letters(toad_str in, size_t from, size_t end, toad__emit *e) {
    toad__cur c = toad__cur_from(in, from);
    while (c.at < end && !e->text.status) {
        unsigned row = taps(&c, end);
        size_t gap = blanks(&c, end);
        unsigned column = row && gap <= 1 ? taps(&c, end) : 0;
        if (!column) {
            if (row || !gap) e->text.n = 0;
            if (c.at >= end) break;
            if (e->text.n == 0) toad__offmap_clear(&e->map), e->at = 0, toad__emit_skip(e, c.at);
            continue;
        }
        char letter = "abcdefghijlmnopqrstuvwxyz"[(row - 1) * 5 + column - 1];
        toad__emit_put(e, &letter, 1, c.at);
        size_t before = c.at;
        if (blanks(&c, end) > 2 && c.at < end) toad__emit_put(e, " ", 1, before + 1);
    }
}

/* The first group may be the full stop of a sentence before: the run is also read from the second on. */
static bool tap_block(toad_str in, toad_span at, toad__sink *sink) {
    toad__cur c = toad__cur_from(in, (size_t)at.start);
    taps(&c, (size_t)at.end);
    blanks(&c, (size_t)at.end);
    const size_t starts[] = { (size_t)at.start, c.at };
    for (unsigned i = 0; i < 2; i++) {
        toad__emit e;
        toad__emit_open(&e, sink, in, starts[i]);
        tap_letters(in, starts[i], (size_t)at.end, &e);
        bool words = !e.text.status && toad__looks_like_words(toad__buf_str(&e.text));
        if (words || i) return send_words(&e, &tap_step);
        toad__emit_drop(&e);
    }
    return true;
}

static bool tap_wanted(const toad__hints *h) { return h->symbol_run; }

static void tap_run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_tap, 30, from, &at);
         from = (size_t)at.end)
        if (!tap_block(in, at, sink)) return;
}

const toad__decoder toad__decoder_tap = { "tap", TOAD__FOLDED, tap_wanted, tap_run };
