/* fold.c - see fold.h. The loops of fold_fast.c carry the load, one careful step at a time does the rest.
 *
 * Controls, terminal sequences, white space, ill-formed bytes, jamo, Greek capitals and text near the ceiling go
 * through step(). The tables (tools/unicode/gen_fold.py) hold the fixed point of all steps for each code point, and
 * white() and put_jamo() look at what was written last: so folding folded text changes nothing. What was written can be
 * taken back by cut(), which backspaces, hyphenation and jamo use. Cost: linear; cut() pays for what it removes, every
 * look-around is bounded. */
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/text/fold_work.h"
#include "lib/text/terminal.h"

#include <assert.h>
#include <stdlib.h>

enum {
    GREEK_REACH = 48, /* bytes looked at on either side of a Greek capital with two readings */
    REAL_SCRIPT = 12, /* one letter in so many that no attacker needs: the text is in that script, not in disguise */
};

typedef toad__folding folding;

/* ---- the view's memory ---- */

void toad__view_init(toad__view *v, size_t max) {
    *v = (toad__view){ .lines = NULL };
    toad__buf_init(&v->text, max);
    toad__offmap_init(&v->map);
}

void toad__view_free(toad__view *v) {
    size_t max = v->text.max;
    toad__buf_free(&v->text);
    toad__offmap_free(&v->map);
    free(v->lines);
    toad__view_init(v, max);
}

/* The line bitmap grows with the text, and reaches a little further so that bits can be set eight bytes at a time. */
static bool lines_room(toad__view *v) {
    size_t need = v->text.cap / 8 + 16;
    if (v->lines_cap >= need) return true;
    uint8_t *lines = realloc(v->lines, need);
    if (!lines) {
        v->text.status = TOAD_E_NOMEM;
        return false;
    }
    memset(lines + v->lines_cap, 0, need - v->lines_cap);
    v->lines = lines;
    v->lines_cap = need;
    return true;
}

/* Exactly `n` more bytes, or the end of the fold. */
static bool room(folding *f, size_t n) {
    toad__buf *text = &f->v->text;
    if (n <= text->cap - text->n && text->p) return true;
    f->done = !toad__buf_room(text, n) || !lines_room(f->v);
    return !f->done;
}

bool toad__fold_room(toad__folding *f) {
    toad__view *v = f->v;
    toad__offmap *m = &v->map;
    if (v->text.cap - v->text.n < TOAD__FOLD_ROOM) {
        size_t want = f->in.n - f->at + TOAD__FOLD_ROOM, left = v->text.max - v->text.n;
        if (left < TOAD__FOLD_ROOM || !room(f, want < left ? want : left)) return false;
    }
    if (m->cap - m->n >= TOAD__FOLD_RUNS) return true;
    size_t cap = m->cap + m->cap / 2 + TOAD__FOLD_RUNS;
    toad__run *runs = realloc(m->runs, cap * sizeof *runs);
    if (!runs) {
        m->status = TOAD_E_NOMEM;
        f->done = true;
        return false;
    }
    m->runs = runs;
    m->cap = cap;
    return true;
}

static void map(folding *f, size_t out, size_t in) {
    toad__offmap_add(&f->v->map, out, in);
    if (f->v->map.status) f->done = true;
}

static void set_line(toad__view *v, size_t at) { v->lines[at >> 3] |= (uint8_t)(1u << (at & 7)); }

/* ---- writing, and taking back ---- */

/* Write `n` bytes that the next `in` bytes of input fold to. */
static void put(folding *f, const void *p, size_t n, size_t in) {
    toad__buf *text = &f->v->text;
    if (!room(f, n)) return;
    memcpy(text->p + text->n, p, n);
    text->n += n;
    map(f, n, in);
    f->at += in;
}

static void drop(folding *f, size_t in) {
    map(f, 0, in);
    f->at += in;
}

/* White space of `in` bytes: one blank, or nothing behind a blank. */
static void put_blank(folding *f, size_t in, bool line) {
    if (toad__fold_last(f) == ' ')
        drop(f, in);
    else
        put(f, " ", 1, in);
    if (line && !f->done) set_line(f->v, f->v->text.n);
}

/* Take back what was written from text offset `to` on, whole replacement texts only; f->at goes back to where the input
 * of it began. */
static void cut(folding *f, size_t to) {
    toad__view *v = f->v;
    toad__offmap *m = &v->map;
    assert(to <= v->text.n && m->out_len == v->text.n && m->in_len == f->at);
    toad__run end = { m->out_len, m->in_len };
    while (m->n && m->runs[m->n - 1].out >= to) end = m->runs[--m->n];
    if (m->n && end.out > to) {
        toad__run last = m->runs[m->n - 1];
        uint32_t out = end.out - last.out, in = end.in - last.in;
        if (in && in % out == 0)
            end = (toad__run){ (uint32_t)to, last.in + ((uint32_t)to - last.out) * (in / out) };
        else
            end = m->runs[--m->n];
    }
    toad__run last = m->n ? m->runs[m->n - 1] : end;
    uint32_t out = end.out - last.out, in = end.in - last.in;
    m->ratio = !out ? 0 : !in || in % out ? TOAD__FOLD_NO_RATIO : in / out;
    for (size_t at = end.out + 1; at <= v->text.n; at++) v->lines[at >> 3] &= (uint8_t) ~(1u << (at & 7));
    m->out_len = end.out;
    m->in_len = end.in;
    v->text.n = end.out;
    f->at = end.in;
}

/* ---- what stands there ---- */

/* C1 controls that open a sequence: DCS, SOS, CSI, OSC, PM, APC. */
static bool introduces(uint32_t c) { return c == 0x90 || c == 0x98 || c == 0x9B || (c >= 0x9D && c <= 0x9F); }

static bool is_break(uint32_t c) { return c >= '\n' && c <= '\r'; }

/* Tag characters that stand for printable ASCII: models read them, so the blank view shows them. */
static bool is_tag(uint32_t c) { return c > 0xE0020 && c < 0xE007F; }

/* The class of the code point at `at`, as white() sees it: what joins a run of white space, or KEEP. */
static unsigned gap_class(const folding *f, size_t at, unsigned *len) {
    uint32_t c = toad__utf8_decode_lenient(f->in, at, len);
    if (c == TOAD__BAD) return TOAD__FOLD_INVISIBLE;
    if (c < 0x80) {
        if (toad__is_space((int)c)) return is_break(c) ? TOAD__FOLD_BREAK : TOAD__FOLD_SPACE;
        return (c < 0x20 && c != '\b' && c != 0x1B) || c == 0x7F ? TOAD__FOLD_INVISIBLE : TOAD__FOLD_KEEP;
    }
    unsigned e = toad__fold_entry(c, false);
    return introduces(c) || (f->blank && is_tag(c)) || e >= TOAD__FOLD_FIRST_TEXT ? TOAD__FOLD_KEEP : e;
}

/* ---- white space and hyphenation ---- */

/* Whether a small letter stands at `at`: folding its case changes nothing. */
static bool is_lower_at(const folding *f, size_t at) {
    if (at >= f->in.n) return false;
    unsigned len;
    uint32_t c = toad__utf8_decode(f->in, at, &len);
    if (c < 0x80) return toad__is_lower((int)c);
    if (c == TOAD__BAD) return false;
    if (c >= 0xDF && c <= 0xFF) return true;
    unsigned match = toad__fold_entry(c, false);
    return match == toad__fold_entry(c, true) &&
           (match >= TOAD__FOLD_FIRST_TEXT || match == TOAD__FOLD_LETTER || match == TOAD__FOLD_NATIVE);
}

/* A line that ends in "-" inside a word, as PDF text has it: the blank of input [start, f->at) and the hyphen go. */
static bool joins(folding *f, size_t start) {
    if (!is_lower_at(f, f->at)) return false;
    size_t end = f->at, n = f->v->text.n;
    if (f->shy != start || !start) {
        const char *p = f->v->text.p;
        if (n < 2 || p[n - 1] != '-' || !(toad__is_alpha((unsigned char)p[n - 2]) || (unsigned char)p[n - 2] >= 0x80))
            return false;
        f->at = start;
        cut(f, n - 1);
    } else {
        f->at = start;
    }
    f->v->dropped++;
    drop(f, end - f->at);
    set_line(f->v, f->v->text.n);
    return true;
}

/* A run of white space, with the invisibles in it, from f->at on: one blank. */
static void white(folding *f) {
    size_t start = f->at;
    unsigned breaks = 0;
    while (f->at < f->in.n) {
        unsigned c = (unsigned char)f->in.p[f->at], len;
        if (c == ' ' || c == '\t') {
            f->at++;
            continue;
        }
        unsigned kind = gap_class(f, f->at, &len);
        if (kind != TOAD__FOLD_SPACE && kind != TOAD__FOLD_BREAK && kind != TOAD__FOLD_INVISIBLE &&
            kind != TOAD__FOLD_MARK && kind != TOAD__FOLD_GLYPH)
            break;
        if (kind == TOAD__FOLD_INVISIBLE || kind == TOAD__FOLD_GLYPH) f->v->dropped++;
        if (kind == TOAD__FOLD_INVISIBLE || c >= 0x80) f->v->ascii = false;
        breaks += kind == TOAD__FOLD_BREAK && !(c == '\n' && f->at > start && f->in.p[f->at - 1] == '\r');
        f->at += len;
    }
    if (breaks == 1 && !f->blank && joins(f, start)) return;
    size_t n = f->at - start;
    f->at = start;
    put_blank(f, n, breaks > 0);
}

/* `in` bytes that show nothing: a blank in that view, nothing in the others. */
static void invisible(folding *f, size_t in) {
    f->v->dropped++;
    if (f->blank)
        put_blank(f, in, false);
    else
        drop(f, in);
}

/* ---- terminal ---- */

/* What the blank view takes of a sequence. It shows what a terminal hides, so that neither "ESC ] text BEL" nor "ESC [
 * Ignore" loses a letter. */
static size_t shown_length(const folding *f, const toad__sequence *seq) {
    const unsigned char *p = (const unsigned char *)f->in.p + f->at;
    size_t left = f->in.n - f->at;
    if (*p != 0x1B) return seq->n;
    bool word = seq->n <= 3 && left > seq->n && toad__is_alpha(p[seq->n - 1]) && toad__is_alpha(p[seq->n]);
    return word ? 1 : seq->n;
}

static bool opens_string(const folding *f) {
    toad__cur cur = { f->in, f->at };
    int c = toad__cur_next(&cur) == 0x1B ? toad__cur_peek(&cur, 0) : toad__cur_peek(&cur, 0) - 0x40;
    return c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_';
}

/* ESC or a C1 control that opens a sequence, `len` bytes long by itself. */
static void terminal(folding *f, unsigned len) {
    f->v->ascii = false;
    if (f->blank && opens_string(f)) {
        invisible(f, 2);
        return;
    }
    toad__sequence seq = toad__terminal_sequence(f->in, f->at, NULL);
    size_t n = seq.n < len ? len : f->blank ? shown_length(f, &seq) : seq.n;
    invisible(f, n);
}

/* What was typed over is gone in the view that drops; the blank view shows it. */
static void backspace(folding *f) {
    toad__view *v = f->v;
    v->ascii = false;
    if (f->blank || !v->text.n || toad__view_line_start(v, v->text.n)) {
        invisible(f, 1);
        return;
    }
    size_t end = f->at + 1, to = v->text.n - 1;
    while (to && ((unsigned char)v->text.p[to] & 0xC0) == 0x80) to--;
    cut(f, to);
    v->dropped++;
    drop(f, end - f->at);
}

/* ---- letters that need a look around ---- */

enum {
    JAMO_L = 0x1100,
    JAMO_V = 0x1161,
    JAMO_T = 0x11A7,
    SYLLABLE = 0xAC00,
    L_N = 19,
    V_N = 21,
    T_N = 28,
    SYLLABLES = 11172
};
/* The final consonant that looks like each initial one; 0: none does. */
static const uint8_t final_of[L_N] = { 1, 2, 4, 7, 0, 8, 16, 17, 0, 19, 20, 21, 22, 0, 23, 24, 25, 26, 27 };

static void put_cp(folding *f, uint32_t c, size_t in) {
    char out[4];
    put(f, out, toad__utf8_encode(c, out), in);
}

/* The code point of three bytes written last, or 0. */
static uint32_t last_three(const folding *f) {
    const toad__buf *text = &f->v->text;
    unsigned len;
    if (text->n < 3) return 0;
    uint32_t c = toad__utf8_decode((toad_str){ text->p, text->n }, text->n - 3, &len);
    return len == 3 && c != TOAD__BAD ? c : 0;
}

/* Write `c` for the last three bytes and the input up to `end`. */
static void replace_last(folding *f, uint32_t c, size_t end) {
    cut(f, f->v->text.n - 3);
    put_cp(f, c, end - f->at);
}

static uint32_t syllable(uint32_t l, uint32_t v) { return SYLLABLE + (l * V_N + v) * T_N; }

/* The initial consonant that looks like the final one of `last`; L_N: `last` is no syllable, or has no such. */
static unsigned initial_of(uint32_t last) {
    unsigned l = 0;
    if (last < SYLLABLE || last >= SYLLABLE + SYLLABLES || (last - SYLLABLE) % T_N == 0) return L_N;
    while (l < L_N && final_of[l] != (last - SYLLABLE) % T_N) l++;
    return l;
}

/* A vowel: with the initial consonant before it a syllable, even if that consonant was taken for the end of the
 * syllable before. */
static void put_vowel(folding *f, uint32_t last, uint32_t c, size_t end) {
    unsigned initial =
        f->stolen && f->stolen == f->v->text.n ? initial_of(last) : L_N; /* what ended there may have been cut since */
    if (initial < L_N) {
        replace_last(f, last - (last - SYLLABLE) % T_N, f->stolen_in);
        put_cp(f, syllable(initial, c - JAMO_V), end - f->at);
    } else if (last >= JAMO_L && last < JAMO_L + L_N) {
        replace_last(f, syllable(last - JAMO_L, c - JAMO_V), end);
    } else {
        put_cp(f, c, end - f->at);
    }
}

/* Conjoining, compatibility and halfwidth jamo end up as the syllables they spell, as an input method composes them. */
static void put_jamo(folding *f, uint32_t c, size_t in) {
    size_t end = f->at + in, start = f->at;
    uint32_t last = last_three(f);
    bool open = last >= SYLLABLE && last < SYLLABLE + SYLLABLES && (last - SYLLABLE) % T_N == 0;
    if (c >= JAMO_V && c < JAMO_V + V_N) {
        put_vowel(f, last, c, end);
    } else if (open && c > JAMO_T && c < JAMO_T + T_N) {
        replace_last(f, last + (c - JAMO_T), end);
    } else if (open && c < JAMO_L + L_N && final_of[c - JAMO_L]) {
        replace_last(f, last + final_of[c - JAMO_L], end);
        f->stolen = f->v->text.n;
        f->stolen_in = (uint32_t)start;
    } else {
        put_cp(f, c, in);
    }
}

/* Whether the word around f->at is Greek: it has a letter that no Latin one looks like, and no Latin letter. */
static bool is_greek_word(const folding *f) {
    const unsigned char *p = (const unsigned char *)f->in.p;
    size_t lo = f->at > GREEK_REACH ? f->at - GREEK_REACH : 0,
           hi = f->in.n - f->at > GREEK_REACH ? f->at + GREEK_REACH : f->in.n;
    size_t from = f->at, to = f->at;
    while (from > lo && (p[from - 1] >= 0x80 || toad__is_alpha(p[from - 1]))) from--;
    while (to < hi && (p[to] >= 0x80 || toad__is_alpha(p[to]))) to++;
    bool greek = f->greek;
    for (size_t i = from; i < to; i++) {
        if (p[i] < 0x80) return false;
        if (p[i] != 0xCE || i + 1 == to) continue;
        unsigned c = p[i + 1]; /* accents; Gamma, Delta, Theta, Lambda, Xi, Pi; Phi, Psi, Omega */
        if (c < 0x90 || c == 0x93 || c == 0x94 || c == 0x98 || c == 0x9B || c == 0x9E || c == 0xA0 || c == 0xA6 ||
            (c >= 0xA8 && c <= 0xAB))
            greek = true;
    }
    return greek;
}

static void put_greek(folding *f, uint32_t c, size_t in) {
    size_t i = 0;
    while (i + 1 < TOAD__FOLD_GREEK_N && toad__fold_greek[i][0] != c) i++;
    f->greek = is_greek_word(f);
    char letter = (char)toad__fold_greek[i][f->greek ? 2 : 1];
    if (!f->keep) letter |= 0x20;
    f->looks++;
    f->v->letters++;
    put(f, &letter, 1, in);
}

/* ---- one code point, whatever it is ---- */

static void put_text(folding *f, const uint8_t *text, size_t in) {
    unsigned flags = text[1], len;
    if (flags & TOAD__FOLD_F_JAMO) {
        put_jamo(f, toad__utf8_decode(toad__str(text + 2, text[0]), 0, &len), in);
        return;
    }
    f->looks += (flags & TOAD__FOLD_F_LOOK) != 0;
    f->natives += (flags & TOAD__FOLD_F_NATIVE) != 0;
    f->v->letters += (flags & TOAD__FOLD_F_LETTER) != 0;
    put(f, text + 2, text[0], in);
}

static void put_space(folding *f, unsigned kind, size_t in) {
    if (!f->keep) {
        white(f);
    } else {
        put(f, kind == TOAD__FOLD_BREAK ? "\n" : " ", 1, in);
        if (kind == TOAD__FOLD_BREAK && !f->done) set_line(f->v, f->v->text.n);
    }
}

static void step_ascii(folding *f, unsigned c, size_t in) {
    if (toad__is_space((int)c) && !f->keep) {
        white(f);
    } else if (c == '\b' && in == 1) {
        backspace(f);
    } else if (c == 0x1B && in == 1) {
        terminal(f, 1);
    } else if ((c < 0x20 && !toad__is_space((int)c)) || c == 0x7F) {
        f->v->ascii = false;
        invisible(f, in);
    } else {
        char out = (char)(f->keep ? c : (unsigned)toad__lower((int)c));
        f->v->letters += toad__is_alpha((int)c);
        put(f, &out, 1, in);
        if (is_break(c) && !f->done) set_line(f->v, f->v->text.n);
    }
}

static void put_tag(folding *f, uint32_t c, size_t in) {
    char letter = (char)toad__lower((int)(c - 0xE0000));
    f->v->dropped++;
    put(f, &letter, 1, in);
}

static void step(folding *f) {
    unsigned len;
    uint32_t c = toad__utf8_decode_lenient(f->in, f->at, &len);
    if (c >= 0x80 || len > 1) f->v->ascii = false;
    if (c == TOAD__BAD) {
        invisible(f, len);
        return;
    }
    if (c < 0x80) {
        step_ascii(f, c, len);
        return;
    }
    if (introduces(c) && len == 2) {
        terminal(f, len);
        return;
    }
    unsigned e = toad__fold_entry(c, f->keep);
    switch (e) {
    case TOAD__FOLD_INVISIBLE:
        if (f->blank && is_tag(c))
            put_tag(f, c, len);
        else
            invisible(f, len);
        if (c == 0xAD) f->shy = f->at;
        break;
    case TOAD__FOLD_GLYPH:
        if (f->keep)
            put(f, " ", 1, len);
        else
            invisible(f, len);
        break;
    case TOAD__FOLD_MARK: drop(f, len); break;
    case TOAD__FOLD_SPACE:
    case TOAD__FOLD_BREAK: put_space(f, e, len); break;
    case TOAD__FOLD_JAMO: put_jamo(f, c, len); break;
    case TOAD__FOLD_GREEK: put_greek(f, c, len); break;
    default:
        if (e >= TOAD__FOLD_FIRST_TEXT) {
            put_text(f, toad__fold_pool + e, len);
        } else {
            f->v->letters += e != TOAD__FOLD_KEEP;
            f->natives += e == TOAD__FOLD_NATIVE;
            put_cp(f, c, len);
        }
    }
}

/* ---- the whole ---- */

static void reset(toad__view *v) {
    size_t used = v->text.n / 8 + 16;
    if (v->lines) memset(v->lines, 0, used < v->lines_cap ? used : v->lines_cap);
    toad__buf_clear(&v->text);
    toad__offmap_clear(&v->map);
    v->dropped = v->lookalikes = v->letters = 0;
    v->ascii = true;
}

toad_status toad__fold_by(toad__view *v, toad_str in, unsigned flags, toad__fold_blocks *blocks) {
    reset(v);
    folding f = { .v = v, .in = in, .keep = flags & TOAD__FOLD_KEEP_CASE, .blank = flags & TOAD__FOLD_BLANK };
    if (!lines_room(v)) return TOAD_E_NOMEM;
    set_line(v, 0);
    if (in.n > UINT32_MAX / 2) f.in.n = UINT32_MAX / 2;
    while (f.at < f.in.n && !f.done) {
        blocks(&f);
        if (f.at < f.in.n && !f.done) step(&f);
    }
    v->lookalikes = f.natives * REAL_SCRIPT >= f.looks ? 0 : f.looks;
    if (v->text.status || v->map.status) return v->text.status ? v->text.status : v->map.status;
    return f.in.n < in.n ? TOAD_E_LIMIT : TOAD_OK;
}

toad_status toad__fold(toad__view *v, toad_str in, unsigned flags) {
    return toad__fold_by(v, in, flags, toad__fold_blocks_best());
}
