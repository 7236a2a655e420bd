/* bidi.c - text in the order in which it is shown, for paragraphs with right-to-left overrides, embeddings or isolates.
 *
 * "revo derised" after RLO reads as "desired over" on screen. Levels follow UAX #9 as far as explicit controls go: a
 * right-to-left one raises to the next odd level, a left-to-right one to the next even level; then every run of a level
 * and above is reversed, from the highest down (rule L2). Letters count as of the direction that surrounds them, which
 * is what an override does; for embeddings it errs on the side of finding more. Levels beyond LEVELS share the highest,
 * so the work is linear. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/table.h"

static const toad__step step = { "as-displayed", TOAD__HIDES };

#define LEVELS  8u
#define NESTING 125u /* max_depth of UAX #9 */

typedef enum control { NO_CONTROL, RIGHT, LEFT, CLOSE, OTHER } control;

static control control_of(uint32_t c) {
    switch (c) {
    case 0x202B:
    case 0x202E:
    case 0x2067: return RIGHT;
    case 0x202A:
    case 0x202D:
    case 0x2066:
    case 0x2068: return LEFT;
    case 0x202C:
    case 0x2069: return CLOSE;
    case 0x200E:
    case 0x200F:
    case 0x061C: return OTHER;
    default: return NO_CONTROL;
    }
}

typedef struct unit {
    uint32_t at;
    uint8_t len, level;
} unit;

/* The code points of one paragraph without its controls, each with its level. */
typedef struct paragraph {
    toad__buf units;
    uint8_t stack[NESTING]; /* the level outside of each open control */
    unsigned depth, level, highest;
} paragraph;

static unit *units_of(paragraph *p) { return (unit *)(void *)p->units.p; }
static size_t units_count(const paragraph *p) { return p->units.n / sizeof(unit); }

static void change_level(paragraph *p, control what) {
    if (what == CLOSE) {
        if (p->depth) p->level = p->stack[--p->depth];
        return;
    }
    if ((what != RIGHT && what != LEFT) || p->depth == NESTING) return;
    p->stack[p->depth++] = (uint8_t)p->level;
    unsigned next = what == RIGHT ? (p->level + 1) | 1 : (p->level + 2) & ~1u;
    if (next <= LEVELS) p->level = next;
    if (p->level > p->highest) p->highest = p->level;
}

static void read_paragraph(paragraph *p, toad_str in, size_t at, size_t end) {
    toad__buf_clear(&p->units);
    p->depth = p->level = p->highest = 0;
    for (unsigned len; at < end && !p->units.status; at += len) {
        control what = control_of(toad__utf8_decode(in, at, &len));
        if (what != NO_CONTROL) {
            change_level(p, what);
            continue;
        }
        unit u = { (uint32_t)at, (uint8_t)len, (uint8_t)p->level };
        toad__buf_add(&p->units, &u, sizeof u);
    }
}

static void reverse(unit *u, size_t from, size_t to) {
    while (from + 1 < to) {
        unit swap = u[from];
        u[from++] = u[--to];
        u[to] = swap;
    }
}

/* Rule L2. */
static void reorder(unit *u, size_t n, unsigned highest) {
    for (unsigned level = highest; level > 0; level--)
        for (size_t i = 0; i < n; i++) {
            size_t from = i;
            while (i < n && u[i].level >= level) i++;
            reverse(u, from, i);
        }
}

static void write_out(toad__emit *e, const unit *u, size_t n, size_t end) {
    for (size_t i = 0; i < n;) {
        if (!u[i].level) {
            toad__emit_skip(e, u[i].at);
            toad__emit_copy(e, u[i].at + u[i].len);
            i++;
            continue;
        }
        size_t before = e->text.n; /* a stretch that was reordered stands for all of its input */
        for (; i < n && u[i].level; i++) toad__buf_add(&e->text, e->in.p + u[i].at, u[i].len);
        size_t to = i < n ? u[i].at : end;
        toad__offmap_add(&e->map, e->text.n - before, to - e->at);
        e->at = to;
    }
}

static size_t paragraph_end(toad_str in, size_t at) {
    const char *hit = at < in.n ? memchr(in.p + at, '\n', in.n - at) : NULL;
    return hit ? (size_t)(hit - in.p) + 1 : in.n;
}

/* The next right-to-left control at or after `at`, or in.n. */
static size_t next_right(toad_str in, size_t at) {
    for (; (at = toad__str_find(in, TOAD__S("\xE2"), at)) < in.n; at++) {
        unsigned len;
        if (control_of(toad__utf8_decode(in, at, &len)) == RIGHT) return at;
    }
    return in.n;
}

static bool wanted(const toad__hints *h) { return !h->all_shown && h->non_ascii >= 3; }

static void run(toad_str in, toad__sink *sink) {
    if (in.n > UINT32_MAX || next_right(in, 0) >= in.n) return;
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    paragraph p = { .depth = 0 };
    toad__buf_init(&p.units, SIZE_MAX);
    size_t start = 0; /* of the paragraph: the last line feed passed */
    for (size_t at = 0; (at = next_right(in, at)) < in.n && !e.text.status;) {
        for (size_t end = paragraph_end(in, start); end <= at; end = paragraph_end(in, start)) start = end;
        size_t end = paragraph_end(in, at);
        read_paragraph(&p, in, start, end);
        if (p.units.status) e.text.status = p.units.status;
        reorder(units_of(&p), units_count(&p), p.highest);
        toad__emit_skip(&e, start);
        write_out(&e, units_of(&p), units_count(&p), end);
        at = start = end;
    }
    toad__buf_free(&p.units);
    toad__emit_send(&e, &step);
}

const toad__decoder toad__decoder_bidi = { "bidi", TOAD__RAW, wanted, run };
