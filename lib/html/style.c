#include "lib/html/style.h"
#include "lib/base/cursor.h"

#define NAME_MAX_BYTES 32
#define VALUE_MAX_BYTES 160

enum { POSITIONED = 1, CLIPPED_BOX = 2, TINY_BOX = 4, FLAT_BOX = 8 }; /* shaped */

/* ---- declarations as a browser reads them ---- */

typedef struct word {
    char p[VALUE_MAX_BYTES];
    size_t n, max;
} word;

static void word_add(word *w, char c) {
    if (w->n < w->max) w->p[w->n++] = (char)bzr__lower((unsigned char)c);
}

static bool eat_comment(bzr__cur *c) {
    if (!bzr__cur_eat(c, BZR__S("/*"))) return false;
    c->at = bzr__str_find(c->s, BZR__S("*/"), c->at);
    bzr__cur_skip(c, 2);
    return true;
}

/* \74 or \0000049 and one white space, or \x. Only ASCII results matter here. */
static void escape(bzr__cur *c, word *w) {
    unsigned v = 0, digits = 0;
    for (; digits < 8 && bzr__hex_value(bzr__cur_peek(c, 0)) >= 0; digits++) v = v << 4 | (unsigned)bzr__hex_value(bzr__cur_next(c));
    if (!digits) {
        int next = bzr__cur_next(c);
        if (next > 0) word_add(w, (char)next);
        return;
    }
    if (bzr__is_space(bzr__cur_peek(c, 0))) bzr__cur_skip(c, 1);
    word_add(w, v > 0 && v < 0x80 ? (char)v : '?');
}

/* Read up to `stop` or ';' at nesting 0, without comments, quotes kept, blanks squeezed. */
static void read_word(bzr__cur *c, char stop, word *w) {
    int depth = 0;
    char quote = 0;
    w->n = 0;
    while (!bzr__cur_end(c)) {
        if (!quote && eat_comment(c)) continue;
        char x = (char)bzr__cur_peek(c, 0);
        if (!quote && !depth && (x == stop || x == ';' || x == '}')) break;
        bzr__cur_skip(c, 1);
        if (x == '\\') {
            escape(c, w);
            continue;
        }
        if (quote) quote = x == quote ? 0 : quote;
        else if (x == '"' || x == '\'') quote = x;
        else if (x == '(') depth++;
        else if (x == ')' && depth) depth--;
        if (bzr__is_space((unsigned char)x)) {
            if (w->n && w->p[w->n - 1] != ' ') word_add(w, ' ');
            continue;
        }
        word_add(w, x);
    }
    while (w->n && w->p[w->n - 1] == ' ') w->n--;
}

static bzr_str word_str(const word *w) { return bzr__str(w->p, w->n); }
static bool has(bzr_str s, const char *part) { return bzr__str_find(s, bzr__str_z(part), 0) < s.n; }

/* ---- numbers, lengths, colors ---- */

#define NUMBER_MOST 1e9 /* nothing on a page is larger, and sums and products of such stay finite */

static bool number(bzr__cur *c, double *ret) {
    bool minus = bzr__cur_eat(c, BZR__S("-")), any = false;
    if (!minus) bzr__cur_eat(c, BZR__S("+"));
    double v = 0, scale = 1;
    for (; bzr__is_digit(bzr__cur_peek(c, 0)); any = true) v = v * 10 + (bzr__cur_next(c) - '0');
    if (bzr__cur_peek(c, 0) == '.' && bzr__is_digit(bzr__cur_peek(c, 1)))
        for (bzr__cur_skip(c, 1); bzr__is_digit(bzr__cur_peek(c, 0)); any = true) v += (bzr__cur_next(c) - '0') * (scale /= 10);
    if (bzr__cur_peek(c, 0) == 'e' && (bzr__is_digit(bzr__cur_peek(c, 1)) || bzr__cur_peek(c, 1) == '-')) {
        bzr__cur_skip(c, 1);
        bool small = bzr__cur_eat(c, BZR__S("-"));
        int e = 0;
        while (bzr__is_digit(bzr__cur_peek(c, 0)) && e < 400) e = e * 10 + bzr__cur_next(c) - '0';
        for (; e > 0; e--) v = small ? v / 10 : v * 10;
    }
    if (v > NUMBER_MOST) v = NUMBER_MOST;
    *ret = minus ? -v : v;
    return any;
}

/* A length in CSS pixels; `em` is what 1em and 100% stand for. False where there is none. */
static bool length(bzr__cur *c, double em, double *px) {
    static const struct { const char *unit; double px; } units[] = {
        { "px", 1 }, { "pt", 4.0 / 3 }, { "pc", 16 }, { "in", 96 }, { "cm", 37.8 }, { "mm", 3.78 }, { "rem", 0 }, { "em", 0 }, { "ex", 8 }, { "ch", 8 },
        { "vw", 12.8 }, { "vh", 8 }, { "vmin", 8 }, { "vmax", 12.8 },
    };
    double v;
    bzr__cur_skip_space(c);
    if (!number(c, &v)) return false;
    *px = v;
    if (bzr__cur_eat(c, BZR__S("%"))) {
        *px = v / 100 * em;
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (bzr__cur_eat(c, bzr__str_z(units[i].unit))) {
            *px = v * (units[i].px > 0 ? units[i].px : em);
            break;
        }
    return true;
}

static const struct { const char *name; uint32_t color; } names[] = {
    { "black", 0xFF000000 }, { "white", 0xFFFFFFFF }, { "red", 0xFFFF0000 }, { "green", 0xFF008000 }, { "blue", 0xFF0000FF }, { "yellow", 0xFFFFFF00 },
    { "gray", 0xFF808080 }, { "grey", 0xFF808080 }, { "silver", 0xFFC0C0C0 }, { "navy", 0xFF000080 }, { "teal", 0xFF008080 }, { "orange", 0xFFFFA500 },
    { "purple", 0xFF800080 }, { "maroon", 0xFF800000 }, { "lime", 0xFF00FF00 }, { "aqua", 0xFF00FFFF }, { "cyan", 0xFF00FFFF }, { "fuchsia", 0xFFFF00FF },
    { "magenta", 0xFFFF00FF }, { "olive", 0xFF808000 }, { "ivory", 0xFFFFFFF0 }, { "snow", 0xFFFFFAFA }, { "whitesmoke", 0xFFF5F5F5 }, { "ghostwhite", 0xFFF8F8FF },
    { "floralwhite", 0xFFFFFAF0 }, { "azure", 0xFFF0FFFF }, { "mintcream", 0xFFF5FFFA }, { "beige", 0xFFF5F5DC }, { "lightgray", 0xFFD3D3D3 }, { "lightgrey", 0xFFD3D3D3 },
    { "gainsboro", 0xFFDCDCDC }, { "aliceblue", 0xFFF0F8FF }, { "seashell", 0xFFFFF5EE }, { "honeydew", 0xFFF0FFF0 }, { "linen", 0xFFFAF0E6 }, { "transparent", 0x00000000 },
};

static uint32_t hex_color(bzr_str digits) {
    uint32_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        uint32_t d = (uint32_t)bzr__hex_value((unsigned char)digits.p[i]);
        v = digits.n <= 4 ? v << 8 | d * 17 : v << 4 | d;
    }
    if (digits.n == 3 || digits.n == 6) return 0xFF000000u | v;
    if (digits.n == 4 || digits.n == 8) return v >> 8 | v << 24;
    return BZR__NO_COLOR;
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* One of red, green, blue of hsl() (CSS Color 4, section 7.1). */
static double channel(double h, double s, double l, double n) {
    double k = n + (h < 0 || h > 3600 ? 0 : h) / 30, a = s * least(l, 1 - l);
    while (k >= 12) k -= 12;
    return l - a * most(-1, least(least(k - 3, 9 - k), 1));
}

/* rgb(), rgba(), hsl(), hsla() with commas, blanks or a slash. */
static uint32_t function_color(bzr__cur *c, bool hsl) {
    double v[4] = { 0, 0, 0, 1 };
    for (int i = 0; i < 4; i++) {
        while (bzr__is_space(bzr__cur_peek(c, 0)) || bzr__cur_peek(c, 0) == ',' || bzr__cur_peek(c, 0) == '/') bzr__cur_skip(c, 1);
        if (!number(c, &v[i])) break;
        if (bzr__cur_eat(c, BZR__S("deg"))) continue;
        if (bzr__cur_eat(c, BZR__S("%")) && (i == 3 || !hsl)) v[i] = i == 3 ? v[i] / 100 : v[i] * 2.55;
    }
    if (hsl) {
        double h = v[0], s = v[1] / 100, l = v[2] / 100;
        v[0] = channel(h, s, l, 0) * 255;
        v[1] = channel(h, s, l, 8) * 255;
        v[2] = channel(h, s, l, 4) * 255;
    }
    uint32_t color = (uint32_t)(most(0, least(1, v[3])) * 255);
    for (int i = 0; i < 3; i++) color = color << 8 | (uint32_t)most(0, least(255, v[i]));
    return color;
}

/* The first color in a value. */
static uint32_t color_of(bzr_str value) {
    bzr__cur c = bzr__cur_of(value);
    while (!bzr__cur_end(&c)) {
        if (bzr__cur_eat(&c, BZR__S("#"))) {
            size_t from = c.at;
            while (bzr__hex_value(bzr__cur_peek(&c, 0)) >= 0) c.at++;
            return hex_color(bzr__str_part(c.s, from, c.at));
        }
        if (bzr__cur_eat(&c, BZR__S("rgba(")) || bzr__cur_eat(&c, BZR__S("rgb("))) return function_color(&c, false);
        if (bzr__cur_eat(&c, BZR__S("hsla(")) || bzr__cur_eat(&c, BZR__S("hsl("))) return function_color(&c, true);
        size_t from = c.at;
        while (bzr__is_alpha(bzr__cur_peek(&c, 0))) c.at++;
        bzr_str name = bzr__str_part(c.s, from, c.at);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (bzr__str_eq(name, bzr__str_z(names[i].name))) return names[i].color;
        if (c.at == from) bzr__cur_skip(&c, 1);
    }
    return BZR__NO_COLOR;
}

static double luminance(uint32_t color) {
    static const double weight[] = { 0.2126, 0.7152, 0.0722 };
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double v = (color >> (16 - 8 * i) & 255) / 255.0;
        sum += weight[i] * v * (v * (v * 0.305306011 + 0.682171111) + 0.012522878); /* the sRGB curve to within 0.4 % */
    }
    return sum;
}

bool bzr__style_same_color(uint32_t front, uint32_t ground) {
    if (front == BZR__NO_COLOR) return false;
    if ((front >> 24) < 26) return true;
    if (front == ground) return true;
    double a = luminance(front), b = luminance(ground == BZR__NO_COLOR || !(ground >> 24) ? 0xFFFFFFFF : ground);
    return (most(a, b) + 0.05) / (least(a, b) + 0.05) < 1.5;
}

/* ---- one property each ---- */

typedef struct decl {
    bzr_str name, value;
    bzr__style *style;
} decl;

static void hide(decl *d, bzr__hidden_reason reason) {
    if (!d->style->reason) d->style->reason = (unsigned char)reason;
}

static double first_px(bzr_str value, double em, double missing) {
    bzr__cur c = bzr__cur_of(value);
    double px;
    return length(&c, em, &px) ? px : missing;
}

static void p_display(decl *d) { if (bzr__str_starts(d->value, BZR__S("none"))) hide(d, BZR__HIDDEN_DISPLAY); }

static void p_visibility(decl *d) {
    if (has(d->value, "hidden") || has(d->value, "collapse")) hide(d, BZR__HIDDEN_VISIBILITY);
    else if (has(d->value, "visible")) d->style->seen = 1;
}

static void p_opacity(decl *d) {
    bzr__cur c = bzr__cur_of(d->value);
    double v;
    if (!number(&c, &v)) return;
    if (bzr__cur_eat(&c, BZR__S("%"))) v /= 100;
    if (v < 0.1) hide(d, BZR__HIDDEN_OPACITY);
}

static void p_font_size(decl *d) {
    double px = first_px(d->value, 16, 16);
    if (px < 4) hide(d, BZR__HIDDEN_SIZE);
    else d->style->sized = 1;
}

/* The shorthand: the size is the first length in it. */
static void p_font(decl *d) {
    for (size_t i = 0; i < d->value.n; i++)
        if (bzr__is_digit((unsigned char)d->value.p[i]) && (!i || d->value.p[i - 1] == ' ')) {
            bzr_str rest = bzr__str_part(d->value, i, d->value.n);
            bzr__cur c = bzr__cur_of(rest);
            double v;
            if (number(&c, &v) && v >= 100 && (bzr__cur_end(&c) || bzr__cur_peek(&c, 0) == ' ')) continue; /* a weight */
            if (first_px(rest, 16, 16) < 4) hide(d, BZR__HIDDEN_SIZE);
            return;
        }
}

static void p_color(decl *d) { d->style->color = color_of(d->value); }
static void p_background(decl *d) {
    uint32_t c = color_of(d->value);
    if (c != BZR__NO_COLOR) d->style->ground = c;
    else if (has(d->value, "url(") || has(d->value, "gradient")) d->style->ground = 0xFF7F7F7F; /* unknown: nothing is alike */
}

static void p_offset(decl *d) {
    bzr__cur c = bzr__cur_of(d->value);
    for (double px; !bzr__cur_end(&c); bzr__cur_skip(&c, 1))
        if (length(&c, 1000, &px) && (px >= 999 || px <= -999)) hide(d, BZR__HIDDEN_OFFSCREEN);
}

static void p_transform(decl *d) {
    if (has(d->value, "scale(0") && !has(d->value, "scale(0.")) hide(d, BZR__HIDDEN_TRANSFORM);
    if (has(d->value, "scalex(0)") || has(d->value, "scaley(0)") || has(d->value, "scale3d(0")) hide(d, BZR__HIDDEN_TRANSFORM);
    size_t at = bzr__str_find(d->value, BZR__S("translate"), 0);
    if (at < d->value.n) {
        decl moved = { d->name, bzr__str_part(d->value, at, d->value.n), d->style };
        p_offset(&moved);
    }
}

static void p_clip(decl *d) { if (has(d->value, "rect(") || has(d->value, "inset(")) hide(d, BZR__HIDDEN_CLIP); }
static void p_clip_path(decl *d) {
    static const char *const forms[] = { "inset(5", "inset(1", "inset(9", "circle(0", "ellipse(0", "polygon(0 0, 0 0", "polygon(0 0,0 0", "polygon(0 0)" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has(d->value, forms[i])) hide(d, BZR__HIDDEN_CLIP);
}

static void p_box(decl *d) { if (first_px(d->value, 1000, 1000) <= 1) d->style->shaped |= TINY_BOX; }
static void p_max_box(decl *d) { if (first_px(d->value, 1000, 1000) <= 1) d->style->shaped |= FLAT_BOX; }
static void p_overflow(decl *d) { if (has(d->value, "hidden") || has(d->value, "clip")) d->style->shaped |= CLIPPED_BOX; }
static void p_line_height(decl *d) { if (first_px(d->value, 16, 16) < 0.1) hide(d, BZR__HIDDEN_SIZE); }
static void p_letter_spacing(decl *d) { if (first_px(d->value, 16, 0) <= -6) hide(d, BZR__HIDDEN_SIZE); }
static void p_position(decl *d) { if (has(d->value, "absolute") || has(d->value, "fixed") || has(d->value, "relative")) d->style->shaped |= POSITIONED; }
static void p_z_index(decl *d) { if (d->value.n && d->value.p[0] == '-') hide(d, BZR__HIDDEN_INVISIBLE); }

static void p_filter(decl *d) {
    size_t at = bzr__str_find(d->value, BZR__S("opacity("), 0);
    if (at < d->value.n && first_px(bzr__str_part(d->value, at + 8, d->value.n), 1, 1) < 0.1) hide(d, BZR__HIDDEN_OPACITY);
    at = bzr__str_find(d->value, BZR__S("blur("), 0);
    if (at < d->value.n && first_px(bzr__str_part(d->value, at + 5, d->value.n), 16, 0) >= 8) hide(d, BZR__HIDDEN_INVISIBLE);
    if (has(d->value, "contrast(0") || has(d->value, "brightness(0")) hide(d, BZR__HIDDEN_INVISIBLE);
}

static void p_mask(decl *d) { if (has(d->value, "transparent") || has(d->value, "rgba(0")) hide(d, BZR__HIDDEN_INVISIBLE); }
static void p_blend(decl *d) { if (!has(d->value, "normal")) hide(d, BZR__HIDDEN_INVISIBLE); }
static void p_content_visibility(decl *d) { if (has(d->value, "hidden")) hide(d, BZR__HIDDEN_VISIBILITY); }

static const struct { const char *name; void (*read)(decl *); } properties[] = {
    { "display", p_display }, { "visibility", p_visibility }, { "opacity", p_opacity }, { "font-size", p_font_size }, { "font", p_font }, { "color", p_color },
    { "-webkit-text-fill-color", p_color }, { "background", p_background }, { "background-color", p_background }, { "left", p_offset }, { "right", p_offset },
    { "top", p_offset }, { "bottom", p_offset }, { "margin", p_offset }, { "margin-left", p_offset }, { "margin-top", p_offset }, { "margin-right", p_offset },
    { "margin-bottom", p_offset }, { "inset", p_offset }, { "text-indent", p_offset }, { "transform", p_transform }, { "translate", p_offset }, { "scale", p_max_box },
    { "clip", p_clip }, { "clip-path", p_clip_path }, { "width", p_box }, { "height", p_box }, { "max-height", p_max_box }, { "max-width", p_max_box },
    { "overflow", p_overflow }, { "overflow-x", p_overflow }, { "overflow-y", p_overflow }, { "line-height", p_line_height }, { "letter-spacing", p_letter_spacing },
    { "position", p_position }, { "z-index", p_z_index }, { "filter", p_filter }, { "mask", p_mask }, { "mask-image", p_mask }, { "-webkit-mask", p_mask },
    { "-webkit-mask-image", p_mask }, { "mix-blend-mode", p_blend }, { "content-visibility", p_content_visibility },
};

/* var(--x, fallback): the fallback is what counts when nobody set --x. */
static bzr_str fallback_of(bzr_str value) {
    if (!bzr__str_starts(value, BZR__S("var("))) return value;
    size_t comma = bzr__str_find(value, BZR__S(","), 0);
    bzr_str rest = bzr__str_part(value, comma + 1, value.n);
    while (rest.n && rest.p[0] == ' ') rest = bzr__str_part(rest, 1, rest.n);
    return rest;
}

void bzr__style_read(bzr_str css, bzr__style *style) {
    bzr__cur c = bzr__cur_of(css);
    word name = { .max = NAME_MAX_BYTES }, value = { .max = VALUE_MAX_BYTES };
    while (!bzr__cur_end(&c)) {
        read_word(&c, ':', &name);
        if (bzr__cur_peek(&c, 0) != ':') {
            bzr__cur_skip(&c, 1);
            continue;
        }
        bzr__cur_skip(&c, 1);
        read_word(&c, ';', &value);
        bzr__cur_skip(&c, 1);
        decl d = { word_str(&name), fallback_of(word_str(&value)), style };
        for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
            if (bzr__str_eq(d.name, bzr__str_z(properties[i].name))) properties[i].read(&d);
    }
    if ((style->shaped & CLIPPED_BOX && style->shaped & TINY_BOX) || style->shaped & FLAT_BOX)
        if (!style->reason) style->reason = BZR__HIDDEN_OVERFLOW;
}

/* ---- sheets ---- */

uint64_t bzr__sheet_key(char kind, bzr_str name) {
    uint64_t h = 14695981039346656037u ^ (unsigned char)kind;
    for (size_t i = 0; i < name.n; i++) h = (h ^ (unsigned char)bzr__lower((unsigned char)name.p[i])) * 1099511628211u;
    return h ? h : 1;
}

static struct bzr__sheet_rule *slot_of(bzr__sheet *sheet, uint64_t key) {
    for (unsigned i = 0; i < 16; i++) {
        struct bzr__sheet_rule *r = &sheet->slots[(key + i) % BZR__SHEET_SLOTS];
        if (!r->key || r->key == key) return r;
    }
    return NULL;
}

static void merge(bzr__style *to, const bzr__style *from) {
    if (from->reason) to->reason = from->reason;
    to->seen |= from->seen;
    to->sized |= from->sized;
    to->shaped |= from->shaped;
    if (from->color != BZR__NO_COLOR) to->color = from->color;
    if (from->ground != BZR__NO_COLOR) to->ground = from->ground;
}

static void keep(bzr__sheet *sheet, uint64_t key, const bzr__style *style) {
    struct bzr__sheet_rule *r = slot_of(sheet, key);
    if (!r) return;
    if (!r->key) {
        *r = (struct bzr__sheet_rule){ key, BZR__STYLE_INIT };
        sheet->n++;
    }
    merge(&r->style, style);
}

void bzr__sheet_apply(const bzr__sheet *sheet, uint64_t key, bzr__style *style) {
    if (!sheet->n) return;
    for (unsigned i = 0; i < 16; i++) {
        const struct bzr__sheet_rule *r = &sheet->slots[(key + i) % BZR__SHEET_SLOTS];
        if (!r->key) return;
        if (r->key == key) {
            merge(style, &r->style);
            return;
        }
    }
}

static bool is_name(int c) { return bzr__is_alnum(c) || c == '-' || c == '_' || c >= 0x80; }

/* The key of a selector is its last id, class, attribute or tag: what stands last decides. Pseudo-elements style no text of the page. */
static uint64_t key_of(bzr_str selector) {
    uint64_t key = 0;
    for (size_t i = 0; i < selector.n;) {
        char kind = selector.p[i];
        if (kind == ':') {
            if (i + 1 < selector.n && selector.p[i + 1] == ':') return 0;
            break;
        }
        bool tag = is_name((unsigned char)kind) || kind == '*';
        size_t from = tag ? i : i + 1, end = from;
        while (end < selector.n && (is_name((unsigned char)selector.p[end]) || (tag && selector.p[end] == '*'))) end++;
        if (tag) key = bzr__sheet_key('t', bzr__str_part(selector, from, end));
        else if (kind == '#' || kind == '.' || kind == '[') key = bzr__sheet_key(kind, bzr__str_part(selector, from, end));
        i = end > i ? end : i + 1;
        if (kind == '[') i = bzr__str_find(selector, BZR__S("]"), i) + 1;
    }
    return key;
}

static void each_selector(bzr_str list, bzr__sheet *sheet, const bzr__style *style) {
    for (size_t at = 0; at <= list.n;) {
        size_t end = bzr__str_find(list, BZR__S(","), at);
        uint64_t key = key_of(bzr__str_part(list, at, end));
        if (key) keep(sheet, key, style);
        at = end + 1;
    }
}

static void each_content(bzr_str body, void (*on_text)(void *, bzr_str), void *ctx) {
    for (size_t at = bzr__str_find(body, BZR__S("content"), 0); at < body.n; at = bzr__str_find(body, BZR__S("content"), at + 7)) {
        size_t quote = at;
        while (quote < body.n && body.p[quote] != '"' && body.p[quote] != '\'' && body.p[quote] != ';') quote++;
        if (quote >= body.n || body.p[quote] == ';') continue;
        const char *end = memchr(body.p + quote + 1, body.p[quote], body.n - quote - 1);
        if (end && end > body.p + quote + 1) on_text(ctx, bzr__str(body.p + quote + 1, (size_t)(end - body.p) - quote - 1));
    }
}

void bzr__sheet_read(bzr_str css, bzr__sheet *sheet, void (*on_text)(void *ctx, bzr_str text), void *ctx) {
    bzr__cur c = bzr__cur_of(css);
    size_t from = 0;
    while (!bzr__cur_end(&c)) {
        int x = bzr__cur_peek(&c, 0);
        size_t start = c.at;
        if (x == '/' && eat_comment(&c)) {
            on_text(ctx, bzr__str_part(css, start + 2, c.at >= start + 4 ? c.at - 2 : c.at));
            if (bzr__str_part(css, from, start).n == 0) from = c.at;
            continue;
        }
        bzr__cur_skip(&c, 1);
        if (x == ';' || x == '}') from = c.at;
        if (x != '{') continue;
        bzr_str selector = bzr__str_part(css, from, start);
        while (selector.n && bzr__is_space((unsigned char)selector.p[0])) selector = bzr__str_part(selector, 1, selector.n);
        from = c.at;
        if (selector.n && selector.p[0] == '@' && !bzr__str_starts(selector, BZR__S("@font-face"))) continue; /* its rules follow */
        size_t end = bzr__str_find(css, BZR__S("}"), c.at);
        bzr_str body = bzr__str_part(css, c.at, end);
        bzr__style style = BZR__STYLE_INIT;
        bzr__style_read(body, &style);
        each_selector(selector, sheet, &style);
        each_content(body, on_text, ctx);
        for (size_t at = bzr__str_find(body, BZR__S("/*"), 0); at < body.n;) {
            size_t close = bzr__str_find(body, BZR__S("*/"), at + 2);
            on_text(ctx, bzr__str_part(body, at + 2, close));
            at = bzr__str_find(body, BZR__S("/*"), close);
        }
        c.at = end;
    }
}
