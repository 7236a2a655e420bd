/* fold_blocks.h - the body of the loops that carry the load of folding: whole blocks of 64 bytes, whatever script they
 * are in. Included by one file for each vector unit, which brings a way to look at a block.
 *
 * A block is looked at once (which bytes are special, blank, line break, letter, hyphen, above 7F: one bit each) and
 * written in lower case. Where nothing of it changes length, that is all. Else it is walked from one event to the next:
 * blanks behind a blank become one, code points above 7F go by table, and what lies between is copied. Anything else
 * ends the loop, and fold.c takes one careful step. Signed byte comparisons do most of the work: bytes above 7F are
 * negative, so "below 20" finds them together with the control characters. The map run of a code point is always
 * written and kept only if the ratio of lengths changed, as scripts that fold to one byte here and two there would
 * otherwise miss a branch at every letter. */
#ifndef TOAD_TEXT_FOLD_BLOCKS_H
#define TOAD_TEXT_FOLD_BLOCKS_H

#include "lib/base/masks.h"
#include "lib/base/simd.h"
#include "lib/base/str.h"
#include "lib/text/fold_work.h"

#include <assert.h>

enum {
    BLOCK = 64,
    REACH = 32,     /* bytes behind a block that may be looked at */
    SHORT_TEXT = 4, /* longest replacement text copied here */
};

/* What 64 bytes hold; bit i stands for byte i. `special`: control characters but white space, DEL. */
typedef struct block {
    uint64_t special, high, space, breaks, letters, hyphens;
} block;

/* ---- writing ---- */

/* Where the loop stands; copied back by leave(). */
typedef struct writer {
    unsigned char *text;
    toad__run *run;
    size_t out, in;
    uint32_t ratio;
    uint64_t counts; /* of one block: look-alikes, letters << 10, native letters << 20, dropped << 30 */
} writer;

/* Looks at 64 bytes and writes them to `out` with A-Z as a-z and TAB, LF, VT, FF, CR as blanks (special and high bytes:
 * as anything), or as they are where `keep`. */
typedef block look_fn(const unsigned char *in, unsigned char *out, bool keep);
/* Takes several letters at once, from p on, where 32 bytes may be read and written; their bytes, or 0. */
typedef unsigned many_letters(writer *w, const unsigned char *p, bool keep);

enum { COUNT_BITS = 10 };

ALWAYS_INLINE writer enter(const toad__folding *f) {
    const toad__offmap *m = &f->v->map;
    return (writer){ .text = (unsigned char *)f->v->text.p,
                     .run = m->runs + m->n,
                     .out = m->out_len,
                     .in = m->in_len,
                     .ratio = m->n ? m->ratio : TOAD__FOLD_NO_RATIO - 1 };
}

ALWAYS_INLINE void leave(toad__folding *f, const writer *w) {
    toad__offmap *m = &f->v->map;
    m->n = (size_t)(w->run - m->runs);
    if (m->n) m->ratio = w->ratio;
    m->out_len = (uint32_t)w->out;
    m->in_len = (uint32_t)w->in;
    f->v->text.n = w->out;
    f->at = w->in;
}

ALWAYS_INLINE void flush_counts(toad__folding *f, writer *w) {
    const unsigned field = (1u << COUNT_BITS) - 1;
    f->v->ascii = false;
    f->looks += w->counts & field;
    f->v->letters += w->counts >> COUNT_BITS & field;
    f->natives += w->counts >> 2 * COUNT_BITS & field;
    f->v->dropped += w->counts >> 3 * COUNT_BITS & field;
    w->counts = 0;
}

/* Account for `n` bytes just written for `in` bytes read: a run starts where the ratio changes, without a branch. */
ALWAYS_INLINE void account(writer *w, unsigned n, unsigned in, uint32_t ratio) {
    *w->run = (toad__run){ (uint32_t)w->out, (uint32_t)w->in };
    w->run += (ratio != w->ratio) | (ratio == TOAD__FOLD_NO_RATIO);
    w->ratio = ratio;
    w->out += n;
    w->in += in;
}

ALWAYS_INLINE unsigned last(const writer *w) { return w->out ? w->text[w->out - 1] : 0; }

/* Line starts behind the line breaks of a stretch that is written from text offset `at` on. */
ALWAYS_INLINE void mark_lines(uint8_t *lines, uint64_t breaks, size_t at) {
    for (; breaks; breaks &= breaks - 1) {
        size_t line = at + 1 + (unsigned)__builtin_ctzll(breaks);
        lines[line >> 3] |= (uint8_t)(1u << (line & 7));
    }
}

/* A blank that stands for `in` bytes of input. */
ALWAYS_INLINE void put_blank(const toad__folding *f, writer *w, unsigned in, bool line) {
    w->text[w->out] = ' ';
    account(w, 1, in, in);
    f->v->lines[w->out >> 3] |= (uint8_t)(line << (w->out & 7));
}

/* The last byte of the text is a blank and `in` more bytes belong to it: it gets a run of its own. False if its place
 * in the map is not plain. */
static bool widen_blank(const toad__folding *f, writer *w, unsigned in, bool line) {
    uint32_t ratio = w->ratio;
    if (ratio == 0 || ratio == TOAD__FOLD_NO_RATIO) return false;
    w->out--;
    w->in -= ratio;
    if (w->run[-1].out == w->out) w->run--;
    w->ratio = TOAD__FOLD_NO_RATIO;
    put_blank(f, w, ratio + in, line);
    return true;
}

/* ---- code points above 7F ---- */

/* Well-formed UTF-8 of two to four bytes at p; its length, or 0. */
ALWAYS_INLINE unsigned decode(const unsigned char *p, uint32_t *c) {
    if (p[0] < 0xE0) {
        *c = (uint32_t)(p[0] & 31) << 6 | (p[1] & 63);
        return p[0] >= 0xC2 && (p[1] & 0xC0) == 0x80 ? 2 : 0;
    }
    if ((unsigned)((p[1] ^ 0x80) | (p[2] ^ 0x80)) >= 0x40) return 0;
    if (p[0] < 0xF0) {
        *c = (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
        return *c >= 0x800 && (*c & 0xF800) != 0xD800 ? 3 : 0;
    }
    *c = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
    return p[0] < 0xF5 && (p[3] & 0xC0) == 0x80 && *c >= 0x10000 && *c < 0x110000 ? 4 : 0;
}

/* Code points below 800: Latin, Greek, Cyrillic, Hebrew, Arabic. False: not handled here. */
ALWAYS_INLINE bool two_bytes(writer *w, const unsigned char *p, bool keep) {
    if ((p[1] & 0xC0) != 0x80) return false;
    uint64_t e = toad__fold_two[(unsigned)keep << 11 | (unsigned)(p[0] & 31) << 6 | (p[1] & 63)];
    if (!e || p[0] < 0xC0) return false;
    w->text[w->out] = (unsigned char)e;
    w->text[w->out + 1] = (unsigned char)(e >> 8);
    account(w, e >> 16 & 3, 2, e >> 20 & 3);
    w->counts += e >> 32;
    return true;
}

/* One code point by the two-stage table; its length, or 0 for what is not handled here. */
ALWAYS_INLINE unsigned any_letter(writer *w, const unsigned char *p, bool keep) {
#define COUNTS(f) ((f)&1) | (uint64_t)((f) >> 1 & 1) << COUNT_BITS | (uint64_t)((f) >> 2) << 2 * COUNT_BITS
    static const uint64_t counts_of[8] = { COUNTS(0), COUNTS(1), COUNTS(2), COUNTS(3),
                                           COUNTS(4), COUNTS(5), COUNTS(6), COUNTS(7) };
#undef COUNTS
    static const uint32_t none = TOAD__FOLD_NO_RATIO;
    static const uint32_t ratios[5][5] = {
        { 0 }, { 0 }, { 0, 2, 1, none, none }, { 0, 3, none, 1, none }, { 0, 4, 2, none, 1 }
    };
    static const uint8_t class_flags[] = { 0, TOAD__FOLD_F_LETTER, TOAD__FOLD_F_LETTER | TOAD__FOLD_F_NATIVE };
    uint32_t c;
    unsigned in = decode(p, &c), e = in ? toad__fold_entry(c, keep) : TOAD__FOLD_INVISIBLE, n = in, flags;
    if (e <= TOAD__FOLD_NATIVE) {
        flags = class_flags[e];
    } else if (e == TOAD__FOLD_MARK) {
        n = flags = 0;
    } else {
        const uint8_t *text = toad__fold_pool + e;
        if (e < TOAD__FOLD_FIRST_TEXT || text[0] > SHORT_TEXT || text[1] & TOAD__FOLD_F_JAMO) return 0;
        n = text[0];
        flags = text[1];
        p = text + 2;
    }
    memcpy(w->text + w->out, p, 4);
    w->counts += counts_of[flags];
    account(w, n, in, ratios[in][n]);
    return in;
}

/* The code points of three or four bytes from p on that show nothing, and bytes that are part of none, up to `end`:
 * what fold.c does with them. Those of two bytes, and ill-formed ones that may mean something, are left to it. Returns
 * their bytes. */
static unsigned take_hidden(const toad__folding *f, writer *w, const unsigned char *p, const unsigned char *end) {
    const unsigned char *start = p;
    unsigned in = 1;
    uint32_t c = 0;
    while (p < end && *p >= 0x80) {
        if (p - start < 3 || in != 3 || p[0] != p[-3] || p[1] != p[-2] ||
            p[2] != p[-1]) { /* not one more of the same */
            in = decode(p, &c);
            bool stray = p[0] < 0xC0 || p[0] > 0xFD || (p[1] & 0xC0) != 0x80;
            if (in < 3 ? !stray : toad__fold_entry(c, f->keep) != TOAD__FOLD_INVISIBLE) break;
            if (in < 3) in = 1;
        }
        bool tag = in == 4 && c > 0xE0020 && c < 0xE007F, shown = f->blank && (tag || last(w) != ' ');
        w->counts += (uint64_t)1 << 3 * COUNT_BITS;
        w->text[w->out] = (unsigned char)(tag ? toad__lower((int)(c - 0xE0000)) : ' ');
        account(w, shown, in, shown ? in : 0);
        p += in;
    }
    return (unsigned)(p - start);
}

ALWAYS_INLINE unsigned many_portable(writer *w, const unsigned char *p, bool keep) {
    (void)w, (void)p, (void)keep;
    return 0;
}

/* The code points above 7F from p on, up to `end`, and single blanks between them. Returns where it stopped: at a byte
 * above 7F only if that is not handled here. */
ALWAYS_INLINE const unsigned char *wide(const toad__folding *f, writer *w, const unsigned char *p,
                                        const unsigned char *end, bool keep, many_letters *many) {
    while (p < end) {
        unsigned in;
        if (*p < 0x80) {
            if (*p != ' ' || p[1] < 0x80 || p + 1 == end || last(w) == ' ') break;
            w->text[w->out] = ' ';
            account(w, 1, 1, 1);
            in = 1;
        } else {
            in = many(w, p, keep);
            if (!in) in = *p >= 0xE0 ? any_letter(w, p, keep) : two_bytes(w, p, keep) ? 2 : 0;
            if (!in) {
                writer copy = *w; /* so that *w can stay in registers */
                in = take_hidden(f, &copy, p, end);
                *w = copy;
            }
            if (!in) break;
        }
        p += in;
    }
    return p;
}

/* ---- blocks ---- */

/* Whether what stands at p, above 7F, may belong to the white space before it. */
static bool joins_gap(const unsigned char *p) {
    uint32_t c;
    unsigned e = decode(p, &c) ? toad__fold_entry(c, false) : TOAD__FOLD_INVISIBLE;
    return e >= TOAD__FOLD_INVISIBLE && e <= TOAD__FOLD_GLYPH;
}

/* Whether white space that follows now does more than add a blank. */
ALWAYS_INLINE bool may_join(const writer *w) { return last(w) == ' ' || last(w) == '-'; }

/* `n` bytes in lower case, one for one. */
ALWAYS_INLINE void put_plain(const toad__folding *f, writer *w, const unsigned char *lower, unsigned n,
                             uint64_t breaks) {
    if (!n) return;
    memcpy(w->text + w->out, lower, BLOCK);
    mark_lines(f->v->lines, breaks & toad__bits_low(n), w->out);
    account(w, n, n, 1);
}

/* Bytes [k, n) of a block without code points above 7F; the blanks marked in `again` follow another blank. Its lower
 * case stands at the end of the text. */
ALWAYS_INLINE void squeeze(const toad__folding *f, writer *w, const block *b, unsigned k, unsigned n, uint64_t again) {
    unsigned char lower[2 * BLOCK];
    memcpy(lower, w->text + w->out, BLOCK);
    for (uint64_t firsts = again >> 1 & ~again; firsts; firsts &= firsts - 1) {
        unsigned first = (unsigned)__builtin_ctzll(firsts), end = first + 1;
        uint64_t rest = ~again >> end; /* end < 64: a blank follows */
        end = rest ? end + (unsigned)__builtin_ctzll(rest) : BLOCK;
        put_plain(f, w, lower + k, first - k, b->breaks >> k);
        put_blank(f, w, end - first, (b->breaks & toad__bits_low(end) & ~toad__bits_low(first)) != 0);
        k = end;
    }
    put_plain(f, w, lower + k, n - k, k < n ? b->breaks >> k : 0);
}

/* Bytes [k, n) of a block, from one event to the next; the blanks marked in `again` follow another blank. Its lower
 * case stands at the end of the text. Returns where it stopped, which is n or more unless something stands there that
 * is not handled here, or *left, cut where the rest is best looked at anew. */
ALWAYS_INLINE unsigned walk(const toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned k,
                            unsigned n, uint64_t again, bool keep, many_letters *many, unsigned *left) {
    unsigned char lower[2 * BLOCK];
    memcpy(lower, w->text + w->out, BLOCK);
    uint64_t events = (b->high | (again >> 1 & ~again)) & toad__bits_low(n);
    while (k < n) {
        uint64_t ahead = events & ~toad__bits_low(k);
        unsigned next = ahead ? (unsigned)__builtin_ctzll(ahead) : n;
        bool high = next < n && b->high >> next & 1;
        bool gap = high && !keep && next > k && b->space >> (next - 1) & 1 && p[next - 1] != ' ' && joins_gap(p + next);
        put_plain(f, w, lower + k, next - k - gap, b->breaks >> k);
        k = next - gap;
        if (gap) return k;
        if (high) {
            k = (unsigned)(wide(f, w, p + k, p + n, keep, many) - p);
            if (k >= n || b->high >> k & 1) return k;
            if (!keep && b->space >> k & 1 && may_join(w)) {
                *left = k;
                return k;
            }
        } else if (k < n) {
            uint64_t rest = ~again & ~toad__bits_low(k + 1);
            unsigned end = rest ? (unsigned)__builtin_ctzll(rest) : BLOCK;
            if (end < n && b->high >> end & 1 && (last(w) == '-' || joins_gap(p + end))) return k;
            put_blank(f, w, end - k, (b->breaks & toad__bits_low(end) & ~toad__bits_low(k)) != 0);
            k = end;
        }
    }
    return k;
}

/* The bytes of a block of the match views that may be written: not what is special, not the line break behind a hyphen,
 * nor the blanks before either, which may go on behind it; nor those at its end, unless it is all blanks: what becomes
 * of them must not depend on where a block ends. */
ALWAYS_INLINE unsigned block_length(const writer *w, const block *b, unsigned *left) {
    uint64_t stop = (b->special | (b->breaks & (b->hyphens << 1 | (last(w) == '-')))) & toad__bits_low(*left);
    if (!stop && !(*left == BLOCK && b->space >> (BLOCK - 1))) return *left;
    uint64_t solid = ~b->space & (stop ? (stop & -stop) - 1 : ~(uint64_t)0);
    unsigned n = solid ? 64 - (unsigned)__builtin_clzll(solid) : 0;
    if (!stop && n) *left = n;
    return stop ? n : *left;
}

/* Blanks at the start of a block that belong to what was written before; their number in *lead. False: not handled
 * here. */
ALWAYS_INLINE bool take_lead(const toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned n,
                             unsigned *lead) {
    if (!(b->space & 1)) return true;
    if (f->shy == w->in) return false;
    if (last(w) != ' ') return true;
    uint64_t solid = ~b->space & toad__bits_low(n);
    *lead = solid ? (unsigned)__builtin_ctzll(solid) : n;
    if (*lead < n && b->high >> *lead & 1 && joins_gap(p + *lead)) return false;
    writer copy = *w;
    bool taken = widen_blank(f, &copy, *lead, (b->breaks & toad__bits_low(*lead)) != 0);
    *w = copy;
    return taken;
}

/* A block, `*left` bytes of which are input; it stands in lower case at the end of the text. Returns the bytes taken,
 * which are fewer than `*left` if something is not handled here. */
ALWAYS_INLINE unsigned take_block(toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned *left,
                                  bool keep, many_letters *many) {
    unsigned n = *left, lead = 0;
    if (keep)
        n = b->special & toad__bits_low(n) ? (unsigned)__builtin_ctzll(b->special) : n;
    else
        n = block_length(w, b, left);
    if (!n || (!keep && !take_lead(f, w, p, b, n, &lead))) return 0;
    uint64_t again = keep ? 0 : b->space & b->space << 1 & toad__bits_low(n) & ~toad__bits_low(lead);
    uint64_t wide = b->high & toad__bits_low(n);
    if (wide) {
        n = walk(f, w, p, b, lead, n, again, keep, many, left);
        flush_counts(f, w);
    } else if (again | lead) {
        squeeze(f, w, b, lead, n, again);
    } else {
        mark_lines(f->v->lines, b->breaks & toad__bits_low(n), w->out);
        account(w, n, n, 1);
    }
    f->v->letters += (unsigned)__builtin_popcountll(b->letters & toad__bits_low(n));
    return n;
}

ALWAYS_INLINE bool make_room(toad__folding *f, writer *w) {
    leave(f, w);
    bool made = toad__fold_room(f);
    *w = enter(f);
    return made;
}

ALWAYS_INLINE bool has_room(toad__folding *f, writer *w) {
    const toad__view *v = f->v;
    return (v->text.cap - w->out >= TOAD__FOLD_ROOM &&
            v->map.cap - (size_t)(w->run - v->map.runs) >= TOAD__FOLD_RUNS) ||
           make_room(f, w);
}

/* The loop itself. The last bytes are taken from a padded copy. */
ALWAYS_INLINE void fold_loop(toad__folding *f, bool keep, look_fn *look, many_letters *many) {
    if (!toad__fold_room(f)) return;
    writer w = enter(f);
    unsigned n = 0, taken = 0;
    while (taken >= n && w.in < f->in.n && has_room(f, &w)) {
        const unsigned char *p = (const unsigned char *)f->in.p + w.in;
        size_t left = f->in.n - w.in;
        unsigned char tail[BLOCK + REACH];
        if (left < sizeof tail) {
            memset(tail, 0x7F, sizeof tail);
            memcpy(tail, p, left);
            p = tail;
        }
        n = left < BLOCK ? (unsigned)left : BLOCK;
        block b = look(p, w.text + w.out, keep);
        taken = take_block(f, &w, p, &b, &n, keep, many);
        assert(w.in <= f->in.n && w.out <= f->v->text.cap);
    }
    leave(f, &w);
}

ALWAYS_INLINE void fold_blocks(toad__folding *f, look_fn *look, many_letters *many) {
    if (f->keep)
        fold_loop(f, true, look, many);
    else
        fold_loop(f, false, look, many);
}

#endif
