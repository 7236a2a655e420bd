#include "lib/html/style.h"
#include "lib/base/cursor.h"

#define NAME_MAX_BYTES  32
#define VALUE_MAX_BYTES 160

/* ---- declarations as a browser reads them ---- */

typedef struct word {
    char p[VALUE_MAX_BYTES];
    size_t n, max;
} word;

static void word_add(word *w, char c) {
    if (w->n < w->max) w->p[w->n++] = (char)toad__lower((unsigned char)c);
}

static bool eat_comment(toad__cur *c) {
    if (!toad__cur_eat(c, TOAD__S("/*"))) return false;
    c->at = toad__str_find(c->s, TOAD__S("*/"), c->at);
    toad__cur_skip(c, 2);
    return true;
}

/* \74 or \0000049 and one white space, or \x. Only ASCII results matter here. */
static void escape(toad__cur *c, word *w) {
    unsigned v = 0, digits = 0;
    for (; digits < 8 && toad__hex_value(toad__cur_peek(c, 0)) >= 0; digits++)
        v = v << 4 | (unsigned)toad__hex_value(toad__cur_next(c));
    if (!digits) {
        int next = toad__cur_next(c);
        if (next > 0) word_add(w, (char)next);
        return;
    }
    if (toad__is_space(toad__cur_peek(c, 0))) toad__cur_skip(c, 1);
    word_add(w, v > 0 && v < 0x80 ? (char)v : '?');
}

/* Read up to `stop` or ';' at nesting 0, without comments, quotes kept, blanks squeezed. */
static void read_word(toad__cur *c, char stop, word *w) {
    int depth = 0;
    char quote = 0;
    w->n = 0;
    while (!toad__cur_end(c)) {
        if (!quote && eat_comment(c)) continue;
        char x = (char)toad__cur_peek(c, 0);
        if (!quote && !depth && (x == stop || x == ';' || x == '}')) break;
        toad__cur_skip(c, 1);
        if (x == '\\') {
            escape(c, w);
            continue;
        }
        if (quote)
            quote = x == quote ? 0 : quote;
        else if (x == '"' || x == '\'')
            quote = x;
        else if (x == '(')
            depth++;
        else if (x == ')' && depth)
            depth--;
        if (toad__is_space((unsigned char)x)) {
            if (w->n && w->p[w->n - 1] != ' ') word_add(w, ' ');
            continue;
        }
        word_add(w, x);
    }
    while (w->n && w->p[w->n - 1] == ' ') w->n--;
}

/* Take "!important" off the end. */
static bool cut_important(word *w) {
    static const char mark[] = "important";
    size_t n = w->n, k = sizeof mark - 1;
    if (n < k || memcmp(w->p + n - k, mark, k) != 0) return false;
    n -= k;
    while (n && w->p[n - 1] == ' ') n--;
    if (!n || w->p[--n] != '!') return false;
    while (n && w->p[n - 1] == ' ') n--;
    w->n = n;
    return true;
}

static toad_str word_str(const word *w) { return toad__str(w->p, w->n); }
static bool has(toad_str s, const char *part) { return toad__str_find(s, toad__str_z(part), 0) < s.n; }

/* ---- numbers, lengths, colors ---- */

#define NUMBER_MOST 1e9 /* nothing on a page is larger, and sums and products of such stay finite */

static bool number(toad__cur *c, double *ret) {
    bool minus = toad__cur_eat(c, TOAD__S("-")), any = false;
    if (!minus) toad__cur_eat(c, TOAD__S("+"));
    double v = 0, scale = 1;
    for (; toad__is_digit(toad__cur_peek(c, 0)); any = true) v = v * 10 + (toad__cur_next(c) - '0');
    if (toad__cur_peek(c, 0) == '.' && toad__is_digit(toad__cur_peek(c, 1)))
        for (toad__cur_skip(c, 1); toad__is_digit(toad__cur_peek(c, 0)); any = true)
            v += (toad__cur_next(c) - '0') * (scale /= 10);
    if (toad__cur_peek(c, 0) == 'e' && (toad__is_digit(toad__cur_peek(c, 1)) || toad__cur_peek(c, 1) == '-')) {
        toad__cur_skip(c, 1);
        bool small = toad__cur_eat(c, TOAD__S("-"));
        int e = 0;
        while (toad__is_digit(toad__cur_peek(c, 0)) && e < 400) e = e * 10 + toad__cur_next(c) - '0';
        for (; e > 0; e--) v = small ? v / 10 : v * 10;
    }
    if (v > NUMBER_MOST) v = NUMBER_MOST;
    *ret = minus ? -v : v;
    return any;
}

#define EM 16.0

/* A length in CSS pixels; `whole` is what 100% stands for. False where there is none. */
static bool length(toad__cur *c, double whole, double *px) {
    static const struct {
        const char *unit;
        double px;
    } units[] = {
        { "px", 1 },  { "pt", 4.0 / 3 }, { "pc", 16 }, { "in", 96 },   { "cm", 37.8 }, { "mm", 3.78 }, { "rem", EM },
        { "em", EM }, { "ex", 8 },       { "ch", 8 },  { "vw", 12.8 }, { "vh", 8 },    { "vmin", 8 },  { "vmax", 12.8 },
    };
    double v;
    toad__cur_skip_space(c);
    if (!number(c, &v)) return false;
    *px = v;
    if (toad__cur_eat(c, TOAD__S("%"))) {
        *px = v / 100 * whole;
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (toad__cur_eat(c, toad__str_z(units[i].unit))) {
            *px = v * units[i].px;
            break;
        }
    return true;
}

/* A number, or a length that is the same on every screen. */
static bool is_fixed(toad_str s) {
    static const char *const units[] = { "px", "pt", "pc", "in", "cm", "mm" };
    if (s.n && toad__is_digit((unsigned char)s.p[s.n - 1])) return true;
    for (size_t i = 0; s.n > 2 && i < sizeof units / sizeof *units; i++)
        if (!memcmp(s.p + s.n - 2, units[i], 2)) return true;
    return false;
}

/* calc() of numbers and lengths without inner brackets; a sum only of what is fixed, since how long the rest is nobody
 * knows. */
static bool calc(toad__cur *c, double whole, double *px) {
    double sum = 0, product = 1, v;
    bool sums = false, fixed = true;
    for (char op = '+', next;; op = next) {
        toad__cur_skip_space(c);
        size_t from = c->at;
        if (!length(c, whole, &v) || (op == '/' && v == 0)) return false;
        fixed &= v == 0 || is_fixed(toad__str_part(c->s, from, c->at));
        if (op == '*')
            product *= v;
        else if (op == '/')
            product /= v;
        else
            product = op == '-' ? -v : v;
        if (product > NUMBER_MOST || product < -NUMBER_MOST) return false;
        toad__cur_skip_space(c);
        next = (char)toad__cur_peek(c, 0);
        if (next != '*' && next != '/') sum += product;
        if (next == ')') break;
        if (toad__cur_end(c) || !strchr("+-*/", next)) return false;
        sums |= next == '+' || next == '-';
        toad__cur_skip(c, 1);
    }
    *px = sum;
    return fixed || !sums;
}

/* The length or number that a value begins with; false where it cannot be computed. */
static bool first_of(toad_str value, double whole, double *px) {
    toad__cur c = toad__cur_of(value);
    if (toad__cur_eat(&c, TOAD__S("calc("))) return calc(&c, whole, px);
    return length(&c, whole, px);
}

static const struct {
    toad_str name;
    uint32_t color;
} names[] = {
#define N(name, color) \
    { { name, sizeof name - 1 }, color }
    N("black", 0xFF000000),       N("white", 0xFFFFFFFF),     N("red", 0xFFFF0000),        N("green", 0xFF008000),
    N("blue", 0xFF0000FF),        N("yellow", 0xFFFFFF00),    N("gray", 0xFF808080),       N("grey", 0xFF808080),
    N("silver", 0xFFC0C0C0),      N("navy", 0xFF000080),      N("teal", 0xFF008080),       N("orange", 0xFFFFA500),
    N("purple", 0xFF800080),      N("maroon", 0xFF800000),    N("lime", 0xFF00FF00),       N("aqua", 0xFF00FFFF),
    N("cyan", 0xFF00FFFF),        N("fuchsia", 0xFFFF00FF),   N("magenta", 0xFFFF00FF),    N("olive", 0xFF808000),
    N("ivory", 0xFFFFFFF0),       N("snow", 0xFFFFFAFA),      N("whitesmoke", 0xFFF5F5F5), N("ghostwhite", 0xFFF8F8FF),
    N("floralwhite", 0xFFFFFAF0), N("azure", 0xFFF0FFFF),     N("mintcream", 0xFFF5FFFA),  N("beige", 0xFFF5F5DC),
    N("lightgray", 0xFFD3D3D3),   N("lightgrey", 0xFFD3D3D3), N("gainsboro", 0xFFDCDCDC),  N("aliceblue", 0xFFF0F8FF),
    N("seashell", 0xFFFFF5EE),    N("honeydew", 0xFFF0FFF0),  N("linen", 0xFFFAF0E6),      N("transparent", 0x00000000),
#undef N
};

static uint32_t hex_color(toad_str digits) {
    uint32_t v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        uint32_t d = (uint32_t)toad__hex_value((unsigned char)digits.p[i]);
        v = digits.n <= 4 ? v << 8 | d * 17 : v << 4 | d;
    }
    if (digits.n == 3 || digits.n == 6) return 0xFF000000u | v;
    if (digits.n == 4 || digits.n == 8) return v >> 8 | v << 24;
    return TOAD__NO_COLOR;
}

static double least(double a, double b) { return a < b ? a : b; }
static double most(double a, double b) { return a > b ? a : b; }

/* One of red, green, blue of hsl() (CSS Color 4, section 7.1). */
static double channel(double h, double s, double l, double n) {
    double k = n + (h < 0 || h > 3600 ? 0 : h) / 30, a = s * least(l, 1 - l);
    while (k >= 12) k -= 12;
    return l - a * most(-1, least(least(k - 3, 9 - k), 1));
}

/* The light of one channel, 0 to 1: the sRGB curve to within 0.4 %. */
static double linear(double v) { return v * (v * (v * 0.305306011 + 0.682171111) + 0.012522878); }

/* Its inverse, as a byte. */
static uint32_t gray_of(double light) {
    uint32_t v = 0;
    for (uint32_t bit = 128; bit; bit >>= 1)
        if (linear((v | bit) / 255.0) <= light) v |= bit;
    return v;
}

typedef enum color_space { IN_RGB, IN_SRGB, IN_HSL, IN_HWB, IN_LAB, IN_OKLAB } color_space;

/* What 100% stands for in each place. */
static const double percents[][4] = {
    [IN_RGB] = { 255, 255, 255, 1 }, [IN_SRGB] = { 1, 1, 1, 1 },      [IN_HSL] = { 100, 100, 100, 1 },
    [IN_HWB] = { 100, 100, 100, 1 }, [IN_LAB] = { 100, 125, 125, 1 }, [IN_OKLAB] = { 1, 0.4, 0.4, 1 },
};

static void from_hue(const double *in, bool hwb, double *rgb) {
    double h = in[0], white = in[1] / 100, black = in[2] / 100, s = hwb ? 1 : in[1] / 100, l = hwb ? 0.5 : in[2] / 100;
    if (hwb && white + black > 1) {
        white /= white + black;
        black = 1 - white;
    }
    double wide = hwb ? 1 - white - black : 1, least_of = hwb ? white : 0;
    rgb[0] = (channel(h, s, l, 0) * wide + least_of) * 255;
    rgb[1] = (channel(h, s, l, 8) * wide + least_of) * 255;
    rgb[2] = (channel(h, s, l, 4) * wide + least_of) * 255;
}

/* Lab, LCH and their OK kin: only their grays, and what is all light or all dark. False: another color. */
static bool from_light(const double *in, bool ok, bool polar, double *rgb) {
    double light = ok ? in[0] : in[0] / 100, little = ok ? 0.02 : 5;
    bool gray = in[1] <= little && in[1] >= -little && (polar || (in[2] <= little && in[2] >= -little));
    if (!gray && light > 0 && light < 1) return false;
    light = most(0, least(1, light));
    double cube = ok ? light : (light + 0.16) / 1.16;
    rgb[0] = rgb[1] = rgb[2] = gray_of(!ok && light <= 0.08 ? light / 9.033 : cube * cube * cube);
    return true;
}

/* rgb(), hsl() and the like, with commas, blanks or a slash. */
static uint32_t function_color(toad__cur *c, color_space space, bool polar) {
    double v[4] = { 0, 0, 0, 1 };
    for (int i = 0; i < 4; i++) {
        while (toad__is_space(toad__cur_peek(c, 0)) || toad__cur_peek(c, 0) == ',' || toad__cur_peek(c, 0) == '/')
            toad__cur_skip(c, 1);
        double x = 0;
        if (!toad__cur_eat(c, TOAD__S("none")) && !number(c, &x)) break; /* what is left out keeps its default */
        v[i] = x;
        if (toad__cur_eat(c, TOAD__S("deg"))) continue;
        if (toad__cur_eat(c, TOAD__S("%"))) v[i] = x / 100 * percents[space][i];
    }
    if (space == IN_HSL || space == IN_HWB) from_hue(v, space == IN_HWB, v);
    for (int i = 0; i < 3 && space == IN_SRGB; i++) v[i] *= 255;
    uint32_t color = (uint32_t)(most(0, least(1, v[3])) * 255);
    bool known = space < IN_LAB || from_light(v, space == IN_OKLAB, polar, v);
    if (!known) return color < 26 ? 0 : TOAD__NO_COLOR;
    for (int i = 0; i < 3; i++) color = color << 8 | (uint32_t)most(0, least(255, v[i]));
    return color;
}

static const struct {
    toad_str name;
    color_space space;
    bool polar;
} functions[] = {
#define F(name, space, polar) \
    { { name, sizeof name - 1 }, space, polar }
    F("rgba(", IN_RGB, false),        F("rgb(", IN_RGB, false),     F("hsla(", IN_HSL, true),
    F("hsl(", IN_HSL, true),          F("hwb(", IN_HWB, true),      F("lab(", IN_LAB, false),
    F("lch(", IN_LAB, true),          F("oklab(", IN_OKLAB, false), F("oklch(", IN_OKLAB, true),
    F("color(srgb ", IN_SRGB, false),
#undef F
};

/* The first color in a value. */
static uint32_t color_of(toad_str value) {
    toad__cur c = toad__cur_of(value);
    while (!toad__cur_end(&c)) {
        if (toad__cur_eat(&c, TOAD__S("#"))) {
            size_t from = c.at;
            while (toad__hex_value(toad__cur_peek(&c, 0)) >= 0) c.at++;
            return hex_color(toad__str_part(c.s, from, c.at));
        }
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (toad__cur_eat(&c, functions[i].name)) return function_color(&c, functions[i].space, functions[i].polar);
        size_t from = c.at;
        while (toad__is_alpha(toad__cur_peek(&c, 0))) c.at++;
        toad_str name = toad__str_part(c.s, from, c.at);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (toad__str_eq(name, names[i].name)) return names[i].color;
        if (c.at == from) toad__cur_skip(&c, 1);
    }
    return TOAD__NO_COLOR;
}

static double luminance(uint32_t color) {
    static const double weight[] = { 0.2126, 0.7152, 0.0722 };
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += weight[i] * linear((color >> (16 - 8 * i) & 255) / 255.0);
    return sum;
}

bool toad__style_same_color(uint32_t front, uint32_t ground) {
    if (front == TOAD__NO_COLOR) return false;
    if ((front >> 24) < 26) return true;
    if (front == ground) return true;
    double a = luminance(front), b = luminance(ground == TOAD__NO_COLOR || !(ground >> 24) ? 0xFFFFFFFF : ground);
    return (most(a, b) + 0.05) / (least(a, b) + 0.05) < 1.5;
}

/* ---- one property each: what its value does to the text, TOAD__UNSET where it is no value ---- */

static uint8_t hides_if(bool hides) { return hides ? TOAD__HIDES : TOAD__FINE; }

static double first_px(toad_str value, double whole, double missing) {
    double px;
    return first_of(value, whole, &px) ? px : missing;
}

static uint8_t p_display(toad_str v) { return hides_if(toad__str_starts(v, TOAD__S("none"))); }

static uint8_t p_visibility(toad_str v) {
    if (has(v, "hidden") || has(v, "collapse")) return TOAD__HIDES;
    return has(v, "visible") ? TOAD__FINE : TOAD__UNSET;
}

static uint8_t p_opacity(toad_str value) {
    double v;
    return first_of(value, 1, &v) ? hides_if(v < 0.1) : TOAD__UNSET;
}

static uint8_t p_zoom(toad_str v) { return hides_if(first_px(v, 1, 1) < 0.1); }
static uint8_t p_font_size(toad_str v) { return hides_if(first_px(v, 16, 16) < 4); }

/* The shorthand: the size is the first length in it. */
static uint8_t p_font(toad_str value) {
    for (size_t i = 0; i < value.n; i++)
        if (toad__is_digit((unsigned char)value.p[i]) && (!i || value.p[i - 1] == ' ')) {
            toad_str rest = toad__str_part(value, i, value.n);
            toad__cur c = toad__cur_of(rest);
            double v;
            if (number(&c, &v) && v >= 100 && (toad__cur_end(&c) || toad__cur_peek(&c, 0) == ' '))
                continue; /* a weight */
            return hides_if(first_px(rest, 16, 16) < 4);
        }
    return TOAD__UNSET;
}

static uint8_t p_color(toad_str v) {
    (void)v;
    return TOAD__FINE;
}

/* Farther than any screen goes? Parts of the box itself (`own`) are short; parts of what it stands in are long to the
 * left and upwards, where nobody can scroll. */
static uint8_t far_away(toad_str value, bool own) {
    toad__cur c = toad__cur_of(value);
    for (double px; !toad__cur_end(&c); toad__cur_skip(&c, 1)) {
        bool back = toad__cur_peek(&c, 0) == '-';
        if (length(&c, own || !back ? 100 : 1000, &px) && (px >= 999 || px <= -999)) return TOAD__HIDES;
    }
    return TOAD__FINE;
}

static uint8_t p_offset(toad_str v) { return far_away(v, false); }
static uint8_t p_translate(toad_str v) { return far_away(v, true); }

static uint8_t p_transform(toad_str v) {
    if (has(v, "scale(0") && !has(v, "scale(0.")) return TOAD__HIDES;
    return hides_if(has(v, "scalex(0)") || has(v, "scaley(0)") || has(v, "scale3d(0"));
}

static uint8_t p_moved(toad_str v) {
    size_t at = toad__str_find(v, TOAD__S("translate"), 0);
    return at < v.n ? p_translate(toad__str_part(v, at, v.n)) : TOAD__FINE;
}

static uint8_t p_clip(toad_str v) { return hides_if(has(v, "rect(") || has(v, "inset(")); }
static uint8_t p_clip_path(toad_str v) {
    static const char *const forms[] = { "inset(5",   "inset(1",          "inset(9",         "circle(0",
                                         "ellipse(0", "polygon(0 0, 0 0", "polygon(0 0,0 0", "polygon(0 0)" };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (has(v, forms[i])) return TOAD__HIDES;
    return TOAD__FINE;
}

static uint8_t p_box(toad_str v) { return hides_if(first_px(v, 1000, 1000) <= 1); }
static uint8_t p_overflow(toad_str v) { return hides_if(has(v, "hidden") || has(v, "clip")); }
static uint8_t p_line_height(toad_str v) { return hides_if(first_px(v, 16, 16) < 0.1); }
static uint8_t p_letter_spacing(toad_str v) { return hides_if(first_px(v, 16, 0) <= -6); }
static uint8_t p_position(toad_str v) { return hides_if(has(v, "absolute") || has(v, "fixed") || has(v, "relative")); }
static uint8_t p_z_index(toad_str v) { return hides_if(v.n && v.p[0] == '-'); }

static uint8_t p_filter(toad_str v) {
    size_t at = toad__str_find(v, TOAD__S("blur("), 0);
    if (at < v.n && first_px(toad__str_part(v, at + 5, v.n), 16, 0) >= 8) return TOAD__HIDES;
    return hides_if(has(v, "contrast(0") || has(v, "brightness(0"));
}

static uint8_t p_faded(toad_str v) {
    size_t at = toad__str_find(v, TOAD__S("opacity("), 0);
    return hides_if(at < v.n && first_px(toad__str_part(v, at + 8, v.n), 1, 1) < 0.1);
}

static uint8_t p_mask(toad_str v) { return hides_if(has(v, "transparent") || has(v, "rgba(0")); }
static uint8_t p_blend(toad_str v) { return hides_if(!has(v, "normal")); }
static uint8_t p_hidden(toad_str v) { return hides_if(has(v, "hidden")); }

static const struct {
    toad_str name;
    uint8_t slot;
    uint8_t (*read)(toad_str value);
} properties[] = {
#define P(name, slot, read) \
    { { name, sizeof name - 1 }, TOAD__SLOT_##slot, read }
    P("display", DISPLAY, p_display),
    P("visibility", VISIBILITY, p_visibility),
    P("content-visibility", CONTENT, p_hidden),
    P("opacity", OPACITY, p_opacity),
    P("font-size", FONT_SIZE, p_font_size),
    P("font", FONT_SIZE, p_font),
    P("zoom", ZOOM, p_zoom),
    P("line-height", LINE_HEIGHT, p_line_height),
    P("letter-spacing", LETTER_SPACING, p_letter_spacing),
    P("color", COLOR, p_color),
    P("-webkit-text-fill-color", COLOR, p_color),
    P("background", BACKGROUND, p_color),
    P("background-color", BACKGROUND, p_color),
    P("left", LEFT, p_offset),
    P("right", RIGHT, p_offset),
    P("top", TOP, p_offset),
    P("bottom", BOTTOM, p_offset),
    P("inset", INSET, p_offset),
    P("margin", MARGIN, p_offset),
    P("margin-left", MARGIN_LEFT, p_offset),
    P("margin-right", MARGIN_RIGHT, p_offset),
    P("margin-top", MARGIN_TOP, p_offset),
    P("margin-bottom", MARGIN_BOTTOM, p_offset),
    P("text-indent", INDENT, p_offset),
    P("transform", TRANSFORM, p_transform),
    P("transform", MOVED, p_moved),
    P("translate", TRANSLATE, p_translate),
    P("scale", SCALE, p_box),
    P("clip", CLIP, p_clip),
    P("clip-path", CLIP_PATH, p_clip_path),
    P("width", WIDTH, p_box),
    P("height", HEIGHT, p_box),
    P("max-width", MAX_WIDTH, p_box),
    P("max-height", MAX_HEIGHT, p_box),
    P("overflow", OVERFLOW, p_overflow),
    P("overflow-x", OVERFLOW_X, p_overflow),
    P("overflow-y", OVERFLOW_Y, p_overflow),
    P("position", POSITION, p_position),
    P("z-index", Z_INDEX, p_z_index),
    P("filter", FILTER, p_filter),
    P("filter", FADED, p_faded),
    P("mask", MASK, p_mask),
    P("mask-image", MASK, p_mask),
    P("-webkit-mask", MASK, p_mask),
    P("-webkit-mask-image", MASK, p_mask),
    P("mix-blend-mode", BLEND, p_blend),
#undef P
};

/* ---- declarations and what they come to ---- */

/* var(--x, fallback): the fallback is what counts when nobody set --x. */
static toad_str fallback_of(toad_str value) {
    if (!toad__str_starts(value, TOAD__S("var("))) return value;
    size_t comma = toad__str_find(value, TOAD__S(","), 0);
    toad_str rest = toad__str_part(value, comma + 1, value.n);
    while (rest.n && rest.p[0] == ' ') rest = toad__str_part(rest, 1, rest.n);
    return rest;
}

/* A picture or a gradient is a ground of unknown color. What lets the ground through has none. */
static uint32_t ground_of(toad_str value) {
    if (toad__str_eq(value, TOAD__S("currentcolor"))) return TOAD__TEXT_COLOR;
    uint32_t c = color_of(value);
    if (c != TOAD__NO_COLOR) return c >> 24 < 26 ? TOAD__NO_COLOR : c;
    return has(value, "url(") || has(value, "gradient") ? TOAD__ANY_GROUND : TOAD__NO_COLOR;
}

static void each_property(toad_str name, toad_str value, bool important, void (*on_decl)(void *, const toad__decl *),
                          void *ctx) {
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++) {
        if (!toad__str_eq(name, properties[i].name)) continue;
        toad__decl d = { properties[i].slot, properties[i].read(value), important, TOAD__NO_COLOR };
        if (d.slot == TOAD__SLOT_COLOR) d.color = color_of(value);
        if (d.slot == TOAD__SLOT_BACKGROUND) d.color = ground_of(value);
        if (d.value != TOAD__UNSET) on_decl(ctx, &d);
    }
}

void toad__style_read(toad_str css, void (*on_decl)(void *ctx, const toad__decl *d), void *ctx) {
    toad__cur c = toad__cur_of(css);
    word name = { .max = NAME_MAX_BYTES }, value = { .max = VALUE_MAX_BYTES };
    while (!toad__cur_end(&c)) {
        read_word(&c, ':', &name);
        if (toad__cur_peek(&c, 0) != ':') {
            toad__cur_skip(&c, 1);
            continue;
        }
        toad__cur_skip(&c, 1);
        read_word(&c, ';', &value);
        toad__cur_skip(&c, 1);
        bool important = cut_important(&value);
        if (value.n) each_property(word_str(&name), fallback_of(word_str(&value)), important, on_decl, ctx);
    }
}

void toad__cascade_begin(toad__cascade *c) {
    memset(c, 0, sizeof *c);
    c->color = c->ground = TOAD__NO_COLOR;
}

void toad__cascade_set(toad__cascade *c, const toad__decl *d, uint64_t weight) {
    if (d->important) weight |= UINT64_C(1) << 63;
    if (weight < c->weight[d->slot]) return;
    c->weight[d->slot] = weight;
    c->value[d->slot] = d->value;
    if (d->slot == TOAD__SLOT_COLOR) c->color = d->color;
    if (d->slot == TOAD__SLOT_BACKGROUND) c->ground = d->color;
}

static void set_inline(void *ctx, const toad__decl *d) { toad__cascade_set(ctx, d, UINT64_C(1) << 62); }
void toad__cascade_inline(toad__cascade *c, toad_str css) { toad__style_read(css, set_inline, c); }

void toad__cascade_attribute(toad__cascade *c, toad__slot slot, toad_str value) {
    word w = { .max = VALUE_MAX_BYTES };
    size_t digits = 0;
    for (size_t i = 0; i < value.n; i++) word_add(&w, value.p[i]);
    while (digits < w.n && toad__hex_value((unsigned char)w.p[digits]) >= 0) digits++;
    bool bare = digits == w.n && (digits == 3 || digits == 6);
    toad__decl d = { (uint8_t)slot, TOAD__FINE, false, bare ? hex_color(word_str(&w)) : color_of(word_str(&w)) };
    if (d.color != TOAD__NO_COLOR) toad__cascade_set(c, &d, 0);
}

toad__style toad__cascade_end(const toad__cascade *c) {
    static const unsigned char reasons[] = {
#define X(name, reason) TOAD__HIDDEN_##reason,
        TOAD__SLOTS(X)
#undef X
    };
    const uint8_t *v = c->value;
    toad__style s = { 0,
                      v[TOAD__SLOT_VISIBILITY] == TOAD__FINE,
                      v[TOAD__SLOT_FONT_SIZE] == TOAD__FINE,
                      v[TOAD__SLOT_DISPLAY] == TOAD__FINE,
                      c->color,
                      c->ground };
    for (unsigned i = 0; i < TOAD__SLOTS_N && !s.reason; i++)
        if (v[i] == TOAD__HIDES) s.reason = reasons[i];
    bool clipped = v[TOAD__SLOT_OVERFLOW] == TOAD__HIDES || v[TOAD__SLOT_OVERFLOW_X] == TOAD__HIDES ||
                   v[TOAD__SLOT_OVERFLOW_Y] == TOAD__HIDES;
    bool flat = v[TOAD__SLOT_MAX_WIDTH] == TOAD__HIDES || v[TOAD__SLOT_MAX_HEIGHT] == TOAD__HIDES;
    bool tiny = v[TOAD__SLOT_WIDTH] == TOAD__HIDES || v[TOAD__SLOT_HEIGHT] == TOAD__HIDES ||
                v[TOAD__SLOT_LINE_HEIGHT] == TOAD__HIDES;
    if (!s.reason && (flat || (clipped && tiny))) s.reason = TOAD__HIDDEN_OVERFLOW;
    return s;
}
