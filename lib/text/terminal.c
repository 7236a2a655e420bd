/* terminal.c - see terminal.h. ECMA-48 sections 5.3 to 5.6; xterm's control sequences for what a final byte does.
 *
 * Parameters are read with a saturating counter, so twenty thousand of them cost twenty thousand steps and no memory.
 */
#include "lib/text/terminal.h"
#include "lib/base/cursor.h"

#define ESC        0x1B
#define SAME_COLOR 16 /* channels that differ by less cannot be told apart */

/* The C1 control at the cursor as its second byte in the ESC form ('[' for CSI), its length in *len; 0 if none. */
static int introducer(const toad__cur *cur, size_t *len) {
    int first = toad__cur_peek(cur, 0), second = toad__cur_peek(cur, 1);
    *len = 2;
    if (first == ESC) return second >= 0x20 && second <= 0x7E ? second : 0;
    return first == 0xC2 && second >= 0x80 && second <= 0x9F ? second - 0x40 : 0;
}

static bool is_string_start(int c) { return c == ']' || c == 'P' || c == '_' || c == '^' || c == 'X'; }

/* Length of a string terminator at the cursor: BEL, ESC \ or U+009C. */
static size_t terminator(const toad__cur *cur) {
    int first = toad__cur_peek(cur, 0), second = toad__cur_peek(cur, 1);
    if (first == 0x07) return 1;
    return (first == ESC && second == '\\') || (first == 0xC2 && second == 0x9C) ? 2 : 0;
}

static bool is_line_break(const toad__cur *cur) {
    int c = toad__cur_peek(cur, 0);
    if (c >= '\n' && c <= '\r') return true;
    if (c == 0xC2) return toad__cur_peek(cur, 1) == 0x85;
    return c == 0xE2 && toad__cur_peek(cur, 1) == 0x80 && (toad__cur_peek(cur, 2) | 1) == 0xA9;
}

/* A link that is closed ("8;;") and the shell's marks (133) do nothing by themselves. */
static bool harmless_string(int kind, toad_str payload) {
    return kind == ']' && (toad__str_eq(payload, TOAD__S("8;;")) || toad__str_starts(payload, TOAD__S("133;")));
}

static void take_string(toad__cur *cur, int kind, toad__sequence *ret) {
    size_t start = cur->at, end = start, closing = 0;
    while (!toad__cur_end(cur) && !is_line_break(cur) && cur->at - start < TOAD__TERMINAL_STRING_MAX) {
        closing = terminator(cur);
        if (closing || toad__cur_peek(cur, 0) == ESC) break;
        cur->at++;
        end = cur->at;
    }
    while (!closing && end > start && end < cur->s.n && ((unsigned char)cur->s.p[end] & 0xC0) == 0x80)
        end--; /* never half a character */
    cur->at = end;
    ret->payload = toad__str_part(cur->s, start, end);
    toad__cur_skip(cur, closing);
    ret->harmless = harmless_string(kind, ret->payload);
}

/* The 256-color palette as 24 bits: 16 named ones (xterm's), the 6x6x6 cube, the grays. */
static uint32_t palette(uint32_t i) {
    static const uint32_t named[16] = {
        0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD, 0x00CDCD, 0xE5E5E5,
        0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00, 0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF
    };
    static const uint32_t level[6] = { 0, 0x5F, 0x87, 0xAF, 0xD7, 0xFF };
    if (i < 16) return named[i];
    if (i < 232) return level[(i - 16) / 36] << 16 | level[(i - 16) / 6 % 6] << 8 | level[(i - 16) % 6];
    return (8 + 10 * (i - 232)) * 0x010101;
}

static bool look_alike(const toad__colors *colors) {
    if (!colors->front || !colors->back) return false;
    for (int shift = 0; shift < 24; shift += 8) {
        int a = (int)((colors->front - 1) >> shift & 0xFF), b = (int)((colors->back - 1) >> shift & 0xFF);
        if (a - b >= SAME_COLOR || b - a >= SAME_COLOR) return false;
    }
    return true;
}

/* One parameter of digits, saturating; steps over it and one separator. */
static uint32_t number(toad__cur *cur) {
    uint32_t v = 0;
    while (toad__is_digit(toad__cur_peek(cur, 0))) {
        uint32_t digit = (uint32_t)toad__cur_next(cur) - '0';
        v = v > 99999 ? v : v * 10 + digit;
    }
    toad__cur_skip(cur, 1);
    return v;
}

/* What follows 38 or 48: 5;N or 2;R;G;B (2::R:G:B with colons). */
static uint32_t extended_color(toad__cur *cur) {
    uint32_t how = number(cur);
    if (how == 5) return palette(number(cur) & 0xFF);
    if (how != 2) return 0;
    if (toad__cur_peek(cur, 0) == ':') toad__cur_skip(cur, 1);
    uint32_t red = number(cur) & 0xFF, green = number(cur) & 0xFF;
    return red << 16 | green << 8 | (number(cur) & 0xFF);
}

static void set_color(toad__colors *colors, uint32_t v, toad__cur *params) {
    if (v == 0)
        *colors = (toad__colors){ 0, 0 };
    else if (v >= 30 && v <= 37)
        colors->front = 1 + palette(v - 30);
    else if (v >= 90 && v <= 97)
        colors->front = 1 + palette(v - 90 + 8);
    else if (v >= 40 && v <= 47)
        colors->back = 1 + palette(v - 40);
    else if (v >= 100 && v <= 107)
        colors->back = 1 + palette(v - 100 + 8);
    else if (v == 38)
        colors->front = 1 + extended_color(params);
    else if (v == 48)
        colors->back = 1 + extended_color(params);
    else if (v == 39)
        colors->front = 0;
    else if (v == 49)
        colors->back = 0;
}

/* Select Graphic Rendition: harmless unless it conceals (8) or paints the text in the color of its ground. */
static bool harmless_style(toad_str params, toad__colors *colors) {
    toad__cur cur = toad__cur_of(params);
    bool conceals = false;
    do {
        uint32_t v = number(&cur);
        conceals = conceals || v == 8;
        set_color(colors, v, &cur);
    } while (!toad__cur_end(&cur));
    return !conceals && !look_alike(colors);
}

static bool harmless_csi(toad_str params, int final, toad__colors *colors) {
    switch (final) {
    case 'm': return (params.n && params.p[0] >= '<' && params.p[0] <= '?') || harmless_style(params, colors);
    case 'K':
        return !params.n ||
               toad__str_eq(params, TOAD__S("0")); /* erases nothing that was written on the line before it */
    case 'C': return true;
    case 'h':
    case 'l': return toad__str_eq(params, TOAD__S("?25")); /* the cursor of a progress bar */
    default: return false;
    }
}

static void take_csi(toad__cur *cur, toad__colors *colors, toad__sequence *ret) {
    size_t start = cur->at;
    while (toad__cur_peek(cur, 0) >= 0x30 && toad__cur_peek(cur, 0) <= 0x3F) cur->at++;
    toad_str params = toad__str_part(cur->s, start, cur->at);
    bool between = false;
    while (toad__cur_peek(cur, 0) >= 0x20 && toad__cur_peek(cur, 0) <= 0x2F) {
        cur->at++;
        between = true;
    }
    int final = toad__cur_peek(cur, 0);
    if (final < 0x40 || final > 0x7E) return;
    cur->at++;
    ret->harmless = !between && harmless_csi(params, final, colors);
}

/* ESC, intermediates, final. Selecting ASCII, saving the cursor and keypad modes are in every log. */
static void take_short(toad__cur *cur, int second, toad__sequence *ret) {
    while (second >= 0x20 && second <= 0x2F && toad__cur_peek(cur, 0) >= 0x20 && toad__cur_peek(cur, 0) <= 0x2F)
        cur->at++;
    int final = second;
    if (second <= 0x2F) {
        final = toad__cur_peek(cur, 0);
        if (final < 0x30 || final > 0x7E) return;
        cur->at++;
    }
    ret->harmless = second == '(' ? final == 'B'
                                  : second == '7' || second == '8' || second == '=' || second == '>' || second == '\\';
}

toad__sequence toad__terminal_sequence(toad_str s, size_t at, toad__colors *colors) {
    toad__sequence ret = { .n = 0 };
    toad__colors none = { 0, 0 };
    toad__cur cur = { s, at };
    size_t len;
    int kind = introducer(&cur, &len);
    if (!kind) return ret;
    bool c1 = toad__cur_peek(&cur, 0) != ESC;
    toad__cur_skip(&cur, len);
    if (kind == '[')
        take_csi(&cur, colors ? colors : &none, &ret);
    else if (is_string_start(kind))
        take_string(&cur, kind, &ret);
    else if (c1)
        return ret;
    else
        take_short(&cur, kind, &ret);
    ret.n = cur.at - at;
    return ret;
}
