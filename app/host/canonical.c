/* canonical.c - see canonical.h. The reader refuses duplicate names, lone surrogates and nesting beyond
 * TOAD__JSON_DEPTH, so the stack is fixed. */
#include "app/host/canonical.h"

#include "lib/base/str.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXACT_DIGITS = 15, MOST_DIGITS = 17 }; /* significant decimal digits that every double keeps; that one needs */

typedef struct frame {
    const toad__json **items; /* in the order they are written */
    size_t n, at;
    bool object;
} frame;

/* UTF-16 order is that of the bytes, but for U+E000 to U+FFFF, which come after all that take two units. */
static int unit(char c) {
    int v = (unsigned char)c;
    return v >= 0xF0 ? v - 2 : v == 0xEE || v == 0xEF ? v + 8 : v;
}

static int by_name(const void *left, const void *right) {
    toad_str a = (*(const toad__json *const *)left)->key, b = (*(const toad__json *const *)right)->key;
    for (size_t i = 0; i < a.n && i < b.n; i++)
        if (a.p[i] != b.p[i]) return unit(a.p[i]) - unit(b.p[i]);
    return a.n < b.n ? -1 : a.n > b.n;
}

static void add_string(toad__buf *b, toad_str s) {
    static const char named[] = "\bb\ff\nn\rr\tt\"\"\\\\";
    size_t done = 0;
    toad__buf_add_c(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= 0x20 && c != '"' && c != '\\') continue;
        if (i > done) toad__buf_add(b, s.p + done, i - done);
        done = i + 1;
        const char *name = c ? strchr(named, c) : NULL;
        char escape[8];
        snprintf(escape, sizeof escape, "\\u%04x", c);
        if (name) snprintf(escape, sizeof escape, "\\%c", name[1]);
        toad__buf_add_z(b, escape);
    }
    if (s.n > done) toad__buf_add(b, s.p + done, s.n - done);
    toad__buf_add_c(b, '"');
}

/* A number's digits without zeros at either end, as 0.DIGITS x 10^point. False: more digits or a larger exponent than a
 * double surely keeps. */
typedef struct decimal {
    char digits[MOST_DIGITS + 1];
    int n, point;
    bool minus;
} decimal;

static bool add_digit(decimal *d, char c, int *zeros) {
    if (c == '0') return d->n ? ++*zeros < 400 : true;
    if (d->n + *zeros >= EXACT_DIGITS) return false;
    while (*zeros) {
        d->digits[d->n++] = '0';
        (*zeros)--;
    }
    d->digits[d->n++] = c;
    return true;
}

static bool read_decimal(toad_str s, decimal *d) {
    size_t i = 0;
    int zeros = 0; /* seen behind the last other digit */
    bool fraction = false;
    *d = (decimal){ .minus = s.p[0] == '-' };
    for (i = d->minus; i < s.n && (s.p[i] == '.' || toad__is_digit(s.p[i])); i++) {
        if (s.p[i] == '.') {
            fraction = true;
            continue;
        }
        if (!add_digit(d, s.p[i], &zeros)) return false;
        if (fraction && !d->n) d->point--;
        if (!fraction && d->n) d->point++;
    }
    if (i == s.n) return true;
    int exponent = 0, sign = s.p[++i] == '-' ? -1 : 1;
    for (i += s.p[i] == '-' || s.p[i] == '+'; i < s.n; i++) {
        exponent = exponent * 10 + (s.p[i] - '0');
        if (exponent > 290) return d->n == 0;
    }
    d->point += sign * exponent;
    return d->point > -290 && d->point < 290;
}

static void add_zeros(toad__buf *b, int n) {
    for (; n > 0; n--) toad__buf_add_c(b, '0');
}

/* ECMA-262, Number::toString. */
static void add_decimal(toad__buf *b, const decimal *d) {
    char tail[16];
    if (!d->n) {
        toad__buf_add_c(b, '0');
        return;
    }
    if (d->minus) toad__buf_add_c(b, '-');
    if (d->point >= d->n && d->point <= 21) {
        toad__buf_add(b, d->digits, (size_t)d->n);
        add_zeros(b, d->point - d->n);
    } else if (d->point > 0 && d->point <= 21) {
        toad__buf_add(b, d->digits, (size_t)d->point);
        toad__buf_add_c(b, '.');
        toad__buf_add(b, d->digits + d->point, (size_t)(d->n - d->point));
    } else if (d->point > -6 && d->point <= 0) {
        toad__buf_add_z(b, "0.");
        add_zeros(b, -d->point);
        toad__buf_add(b, d->digits, (size_t)d->n);
    } else {
        toad__buf_add_c(b, d->digits[0]);
        if (d->n > 1) toad__buf_add_c(b, '.');
        if (d->n > 1) toad__buf_add(b, d->digits + 1, (size_t)d->n - 1);
        snprintf(tail, sizeof tail, "e%+d", d->point - 1);
        toad__buf_add_z(b, tail);
    }
}

/* The fewest digits that read back as this double; of those the nearest, which is what printf rounds to. */
static void shortest(double v, decimal *d) {
    char text[40];
    int most = 1;
    for (; most < MOST_DIGITS; most++) {
        snprintf(text, sizeof text, "%.*e", most - 1, v);
        if (strtod(text, NULL) == v) break;
    }
    snprintf(text, sizeof text, "%.*e", most - 1, v);
    *d = (decimal){ .minus = text[0] == '-' };
    const char *e = strchr(text, 'e');
    for (const char *at = text; at < e; at++)
        if (toad__is_digit((unsigned char)*at)) d->digits[d->n++] = *at;
    while (d->n && d->digits[d->n - 1] == '0') d->n--;
    d->point = (int)strtol(e + 1, NULL, 10) + 1;
}

static bool read_double(toad_str raw, toad__arena *arena, decimal *d) {
    toad_str text = toad__arena_dup(arena, raw); /* with a NUL */
    double v = text.p ? strtod(text.p, NULL) : 0;
    if (!text.p || v > DBL_MAX || v < -DBL_MAX) return false;
    if (v != 0)
        shortest(v, d);
    else
        *d = (decimal){ 0 };
    return true;
}

/* How a value is written. */
typedef struct writing {
    toad__arena *arena;
    toad__buf *out;
    bool rounds; /* to doubles */
} writing;

static void add_number(const writing *w, toad_str raw) {
    decimal d;
    if (read_decimal(raw, &d) || (w->rounds && read_double(raw, w->arena, &d)))
        add_decimal(w->out, &d);
    else
        toad__buf_add(w->out, raw.p, raw.n);
}

static void add_scalar(const writing *w, const toad__json *v) {
    toad__buf *b = w->out;
    if (v->type == TOAD__JSON_STRING)
        add_string(b, v->text);
    else if (v->type == TOAD__JSON_NUMBER)
        add_number(w, v->raw);
    else
        toad__buf_add(b, v->raw.p, v->raw.n);
}

static bool open_container(const toad__json *v, toad__arena *arena, frame *f) {
    *f = (frame){ .object = v->type == TOAD__JSON_OBJECT };
    for (const toad__json *item = v->child; item; item = item->next) f->n++;
    if (!f->n) return true;
    f->items = toad__arena_alloc(arena, f->n * sizeof *f->items);
    if (!f->items) return false;
    size_t i = 0;
    for (const toad__json *item = v->child; item; item = item->next) f->items[i++] = item;
    if (f->object) qsort(f->items, f->n, sizeof *f->items, by_name);
    return true;
}

static toad_status write_value(const writing *w, const toad__json *value) {
    toad__buf *out = w->out;
    frame stack[TOAD__JSON_DEPTH + 1];
    size_t depth = 0;
    for (const toad__json *v = value; v;) {
        bool container = v->type == TOAD__JSON_OBJECT || v->type == TOAD__JSON_ARRAY;
        if (container) {
            if (depth > TOAD__JSON_DEPTH) return TOAD_E_LIMIT;
            if (!open_container(v, w->arena, &stack[depth])) return TOAD_E_NOMEM;
            toad__buf_add_c(out, stack[depth++].object ? '{' : '[');
        } else {
            add_scalar(w, v);
        }
        while (depth && stack[depth - 1].at == stack[depth - 1].n)
            toad__buf_add_c(out, stack[--depth].object ? '}' : ']');
        if (!depth) break;
        frame *f = &stack[depth - 1];
        if (f->at) toad__buf_add_c(out, ',');
        v = f->items[f->at++];
        if (!f->object) continue;
        add_string(out, v->key);
        toad__buf_add_c(out, ':');
    }
    return out->status;
}

toad_status toad__canonical_json(const toad__json *value, toad__arena *arena, toad__buf *out) {
    return write_value(&(writing){ arena, out, false }, value);
}

toad_status toad__canonical_rfc8785(const toad__json *value, toad__arena *arena, toad__buf *out) {
    return write_value(&(writing){ arena, out, true }, value);
}
