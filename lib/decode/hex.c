/* hex.c - bytes as hexadecimal digits: one long number, pairs with blanks or signs between, lists with 0x, &h, $, # or
 * \ before or h behind each, words of a dump, and dumps with offsets and a column of text (xxd, hexdump -C,
 * Format-Hex).
 *
 * Candidates are stretches of digits and separators long enough for 12 bytes; a token of odd length ends a list. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

static const toad__step hex_step = { "hex", 0 };

static const toad__step dump_step = { "hexdump", 0 };

enum { LEAST = 10 };

static bool is_hex(int c) { return toad__hex_value(c) >= 0 && c >= 0; }

static size_t digits_at(toad_str in, size_t at, size_t end) {
    size_t n = 0;
    while (at + n < end && is_hex((unsigned char)in.p[at + n])) n++;
    return n;
}

static void put_pairs(toad__emit *e, size_t at, size_t n) {
    for (size_t i = 0; i + 1 < n && !e->text.status; i += 2) {
        char byte = (char)(toad__hex_value(e->in.p[at + i]) << 4 | toad__hex_value(e->in.p[at + i + 1]));
        toad__emit_put(e, &byte, 1, at + i + 2);
    }
}

/* The next token of the list at or after *i; its length, 0 where the list ends. Moves *i to its first digit, or to
 * where the list ends. */
static size_t next_token(toad_str in, size_t *i, size_t limit) {
    while (*i < limit && !is_hex((unsigned char)in.p[*i])) ++*i;
    if (*i < limit && in.p[*i] == '0' && *i + 1 < limit && (in.p[*i + 1] | 0x20) == 'x') *i += 2;
    size_t n = digits_at(in, *i, limit);
    bool word_goes_on = *i + n == limit && limit < in.n && toad__is_alpha((unsigned char)in.p[limit]);
    if (n && n % 2 == 0 && !word_goes_on) return n;
    *i += n;
    return 0;
}

/* How many digits the list at `at` has, and where it ends. */
static size_t measure(toad_str in, size_t at, size_t limit, size_t *end) {
    size_t digits = 0;
    *end = at;
    for (size_t n; (n = next_token(in, end, limit)) > 0; *end += n) digits += n;
    return digits;
}

/* The list that starts at `at`: its end goes to *end. It is only written where it is long enough. */
static toad__outcome list(toad_str in, size_t at, size_t limit, size_t *end, toad__sink *sink) {
    if (measure(in, at, limit, end) < 2 * LEAST) return TOAD__NOTHING;
    toad__emit e;
    toad__emit_open(&e, sink, in, at);
    size_t last = at;
    for (size_t i = at, n; (n = next_token(in, &i, limit)) > 0; last = i += n) put_pairs(&e, i, n);
    if (e.text.n < LEAST) { /* no room */
        toad__emit_drop(&e);
        return sink->status == TOAD_E_NOMEM ? TOAD__STOP : TOAD__NOTHING;
    }
    return toad__emit_judge(&e, (toad_span){ at, last }, &hex_step);
}

/* One line of a dump at `at`. Returns the offset behind its bytes, `at` if it is none. *offset is what the line says it
 * begins at; unless `first`, that must be what it was. */
static size_t dump_line(toad_str in, size_t at, bool first, uint64_t *offset, toad__emit *e) {
    size_t n = digits_at(in, at, in.n), i = at + n, bytes = 0;
    bool colon = i < in.n && in.p[i] == ':';
    if (n < 4 || n > 16) return at;
    uint64_t says = 0;
    for (; n; n--) says = says << 4 | (uint64_t)toad__hex_value(in.p[i - n]);
    if (!first && says != *offset) return at;
    *offset = says;
    i += colon;
    for (size_t blanks, end = i; bytes < 64; bytes += n / 2) {
        for (blanks = 0; i + blanks < in.n && in.p[i + blanks] == ' ';) blanks++;
        n = digits_at(in, i + blanks, in.n);
        bool column = bytes && blanks > 1 && (colon || bytes % 8);
        bool alone = i + blanks + n >= in.n || toad__is_space((unsigned char)in.p[i + blanks + n]);
        if (!blanks || column || !alone || n < 2 || n % 2 || n > 16 || (bytes >= 16 && !colon)) return bytes ? end : at;
        put_pairs(e, i + blanks, n);
        end = i += blanks + n;
    }
    return i;
}

/* Lines whose offsets follow one another. */
static toad__outcome dump(toad_str in, size_t at, size_t *end, toad__sink *sink) {
    toad__emit e;
    toad__emit_open(&e, sink, in, at);
    uint64_t offset = 0;
    unsigned lines = 0;
    *end = at;
    for (size_t line = at; line < in.n; lines++) {
        size_t before = e.text.n;
        if (lines && digits_at(in, line, in.n) < 4) break;
        size_t behind = dump_line(in, line, !lines, &offset, &e);
        if (behind == line) break;
        offset += e.text.n - before;
        *end = behind;
        toad__cur c = toad__cur_from(in, behind);
        line = toad__cur_find(&c, '\n') ? c.at + 1 : in.n;
    }
    if (e.text.n >= LEAST && !(lines == 1 && in.p[at] != '0'))
        return toad__emit_judge(&e, (toad_span){ at, *end }, &dump_step);
    toad__emit_drop(&e);
    return sink->status == TOAD_E_NOMEM ? TOAD__STOP : TOAD__NOTHING;
}

/* Are there `least` digits in [from, to)? Most stretches are mostly blanks. */
static bool has_digits(toad_str in, size_t from, size_t to, size_t least) {
    for (; from < to && least; from++) least -= is_hex((unsigned char)in.p[from]);
    return !least;
}

static toad__outcome candidate(toad_str in, toad_span at, size_t *end, toad__sink *sink) {
    size_t i = (size_t)at.start;
    if (i && toad__is_alnum((unsigned char)in.p[i - 1])) i += digits_at(in, i, (size_t)at.end); /* the tail of a word */
    bool fresh_line = !i || in.p[i - 1] == '\n';
    while (i < at.end && !is_hex((unsigned char)in.p[i])) fresh_line = in.p[i++] == '\n';
    toad__outcome got = fresh_line && has_digits(in, i, (size_t)at.end, 6) ? dump(in, i, end, sink) : TOAD__NOTHING;
    if (got == TOAD__NOTHING && !has_digits(in, i, (size_t)at.end, 2 * LEAST)) return got;
    while (got == TOAD__NOTHING && i < at.end) {
        got = list(in, i, (size_t)at.end, end, sink);
        i = *end > i ? *end : i + 1;
    }
    return got;
}

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = 0, end = 0;
         toad__site_run(in, TOAD__SITES_OF(sink, signs), &toad__set_hex, 2 * LEAST, from, &at);) {
        toad__outcome got = candidate(in, at, &end, sink);
        if (got == TOAD__STOP) return;
        from = got == TOAD__FOUND && end > at.start ? end : (size_t)at.end;
    }
}

static bool wanted(const toad__hints *h) { return h->digits >= LEAST || h->non_ascii; }

const toad__decoder toad__decoder_hex = { "hex", TOAD__FOLDED, wanted, run };
