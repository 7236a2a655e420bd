/* style.h - the CSS that decides whether a person sees a text.
 *
 * Declarations are read after comments are removed and escapes decoded, as a browser reads them; each keeps at most 32
 * bytes of name and 160 of value. A declaration of interest sets one slot of a cascade, unless a weightier one has set
 * it: importance, then the style attribute, specificity and order. `<style>` sheets are kept as bounded tables of rules
 * found by a key of their last compound selector (sheet.c). Linear in the input; what does not fit the tables has no
 * effect. */
#ifndef TOAD_HTML_STYLE_H
#define TOAD_HTML_STYLE_H

#include "lib/html/html.h"

#define TOAD__NO_COLOR   1u          /* alpha 0, blue 1: no real color */
#define TOAD__TEXT_COLOR 2u          /* a ground of the color of its own text */
#define TOAD__ANY_GROUND 0xFF7F7F7Fu /* a picture or a gradient: nothing is like it */

/* X(name, why a text is hidden by it). Slots with NOT work together with others (toad__cascade_end). */
#define TOAD__SLOTS(X)          \
    X(DISPLAY, DISPLAY)         \
    X(VISIBILITY, VISIBILITY)   \
    X(CONTENT, VISIBILITY)      \
    X(OPACITY, OPACITY)         \
    X(FONT_SIZE, SIZE)          \
    X(LINE_HEIGHT, NOT)         \
    X(LETTER_SPACING, SIZE)     \
    X(COLOR, NOT)               \
    X(BACKGROUND, NOT)          \
    X(LEFT, OFFSCREEN)          \
    X(RIGHT, OFFSCREEN)         \
    X(TOP, OFFSCREEN)           \
    X(BOTTOM, OFFSCREEN)        \
    X(INSET, OFFSCREEN)         \
    X(MARGIN, OFFSCREEN)        \
    X(MARGIN_LEFT, OFFSCREEN)   \
    X(MARGIN_RIGHT, OFFSCREEN)  \
    X(MARGIN_TOP, OFFSCREEN)    \
    X(MARGIN_BOTTOM, OFFSCREEN) \
    X(INDENT, OFFSCREEN)        \
    X(TRANSFORM, TRANSFORM)     \
    X(MOVED, OFFSCREEN)         \
    X(TRANSLATE, OFFSCREEN)     \
    X(SCALE, TRANSFORM)         \
    X(CLIP, CLIP)               \
    X(CLIP_PATH, CLIP)          \
    X(WIDTH, NOT)               \
    X(HEIGHT, NOT)              \
    X(MAX_WIDTH, NOT)           \
    X(MAX_HEIGHT, NOT)          \
    X(OVERFLOW, NOT)            \
    X(OVERFLOW_X, NOT)          \
    X(OVERFLOW_Y, NOT)          \
    X(POSITION, NOT)            \
    X(Z_INDEX, INVISIBLE)       \
    X(FILTER, INVISIBLE)        \
    X(FADED, OPACITY)           \
    X(ZOOM, SIZE)               \
    X(MASK, INVISIBLE)          \
    X(BLEND, INVISIBLE)

typedef enum toad__slot {
#define X(name, reason) TOAD__SLOT_##name,
    TOAD__SLOTS(X)
#undef X
        TOAD__SLOTS_N
} toad__slot;

/* What a declaration sets its slot to. */
enum { TOAD__UNSET, TOAD__FINE, TOAD__HIDES };

typedef struct toad__decl {
    uint8_t slot, value;
    bool important;
    uint32_t color; /* of COLOR and BACKGROUND */
} toad__decl;

typedef struct toad__cascade {
    uint64_t weight[TOAD__SLOTS_N];
    uint8_t value[TOAD__SLOTS_N];
    uint32_t color, ground;
} toad__cascade;

/* What the cascade comes to for one element. */
typedef struct toad__style {
    unsigned char reason;             /* toad__hidden_reason it gives, or TOAD__HIDDEN_NOT */
    unsigned char seen, sized, shown; /* sets visibility, font-size, display to what is seen */
    uint32_t color, ground;           /* 0xAARRGGBB or TOAD__NO_COLOR */
} toad__style;

#define TOAD__STYLE_INIT \
    { 0, 0, 0, 0, TOAD__NO_COLOR, TOAD__NO_COLOR }

void toad__cascade_begin(toad__cascade *c);
void toad__cascade_set(toad__cascade *c, const toad__decl *d, uint64_t weight);
/* The style attribute: stronger than any sheet. */
void toad__cascade_inline(toad__cascade *c, toad_str css);
/* What an attribute like bgcolor says of COLOR or BACKGROUND: weaker than any sheet. */
void toad__cascade_attribute(toad__cascade *c, toad__slot slot, toad_str value);
toad__style toad__cascade_end(const toad__cascade *c);

/* Call `on_decl` for each declaration of interest in `css`. */
void toad__style_read(toad_str css, void (*on_decl)(void *ctx, const toad__decl *d), void *ctx);
/* True if text of color `front` can hardly be told from `ground` (WCAG contrast below 1.5), or is transparent. */
bool toad__style_same_color(uint32_t front, uint32_t ground);

/* ---- sheets ---- */

enum {
    TOAD__SHEET_RULES = 2048,
    TOAD__SHEET_PARTS = 8192,
    TOAD__SHEET_DECLS = 6144,
    TOAD__SHEET_TEXT = 4096,
    TOAD__SHEET_HEADS = 512,
    TOAD__KEYS = 22
};

typedef struct toad__sheet_part {
    uint32_t key;
    uint16_t a, b; /* of a value: where it stands in `text` and its length; of nth-child: step and offset */
    char kind, op;
} toad__sheet_part;

typedef struct toad__sheet_rule {
    uint64_t weight;
    uint32_t key;
    uint16_t part, parts_n, decl, decls_n, next; /* next: 1 + index of the next in the bucket */
} toad__sheet_rule;

typedef struct toad__sheet {
    unsigned n, parts_n, decls_n, text_n;
    bool attributes; /* a rule asks for one */
    unsigned muted;  /* braces open inside a block that a screen ignores; for sheets that come in pieces */
    uint16_t heads[TOAD__SHEET_HEADS];
    toad__sheet_rule rules[TOAD__SHEET_RULES];
    toad__sheet_part parts[TOAD__SHEET_PARTS];
    toad__decl decls[TOAD__SHEET_DECLS];
    char text[TOAD__SHEET_TEXT];
} toad__sheet;

/* What selectors ask of an element. */
typedef struct toad__keys {
    uint32_t key[TOAD__KEYS]; /* of its tag (first), id, classes, names of attributes, and name=value */
    uint16_t n, child;        /* child: which of its parent's it is, from 1 */
    uint16_t children;        /* so far */
} toad__keys;

void toad__keys_begin(toad__keys *k, toad_str tag);
/* An attribute; the value counts for id, class and [name=value]. */
void toad__keys_add(toad__keys *k, toad_str name, toad_str value);

void toad__sheet_reset(toad__sheet *sheet);
void toad__sheet_copy(toad__sheet *to, const toad__sheet *from);
/* Read a sheet (`inert`: it styles nothing); `on_text` is called for every comment and every content: string. */
void toad__sheet_read(toad_str css, bool inert, toad__sheet *sheet, void (*on_text)(void *ctx, toad_str text),
                      void *ctx);
/* Does a screen apply what stands under this media query list? */
bool toad__media_applies(toad_str list);

/* An attribute of the element itself, for [name^=value] and the like. */
typedef struct toad__attr {
    toad_str name, value;
} toad__attr;

/* The element and those around it: keys of `depth` ancestors, `stride` bytes apart, outermost first. */
typedef struct toad__place {
    const toad__keys *self;
    const toad__attr *attrs;
    size_t attrs_n;
    const char *ancestors;
    size_t depth, stride;
} toad__place;

/* Let every rule that matches set its slots. `*steps` is counted up; from `most` on nothing more is matched. */
void toad__sheet_apply(const toad__sheet *sheet, const toad__place *at, toad__cascade *c, uint64_t *steps,
                       uint64_t most);

#endif
