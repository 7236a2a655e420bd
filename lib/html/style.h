/* style.h - the CSS that decides whether a person sees a text.
 *
 * Declarations are read after comments are removed and escapes decoded, as a browser reads them; each keeps at most 32
 * bytes of name and 160 of value. A declaration of interest sets one slot of a cascade, unless a weightier one has set
 * it: importance, then the style attribute, specificity and order. `<style>` sheets are kept as bounded tables of rules
 * found by a key of their last compound selector (sheet.c). Linear in the input; what does not fit the tables has no
 * effect. */
#ifndef BZR_HTML_STYLE_H
#define BZR_HTML_STYLE_H

#include "lib/html/html.h"

#define BZR__NO_COLOR 1u      /* alpha 0, blue 1: no real color */
#define BZR__TEXT_COLOR 2u    /* a ground of the color of its own text */
#define BZR__ANY_GROUND 0xFF7F7F7Fu /* a picture or a gradient: nothing is like it */

/* X(name, why a text is hidden by it). Slots with NOT work together with others (bzr__cascade_end). */
#define BZR__SLOTS(X)                                                                                                  \
    X(DISPLAY, DISPLAY) X(VISIBILITY, VISIBILITY) X(CONTENT, VISIBILITY) X(OPACITY, OPACITY) X(FONT_SIZE, SIZE)         \
    X(LINE_HEIGHT, NOT) X(LETTER_SPACING, SIZE) X(COLOR, NOT) X(BACKGROUND, NOT) X(LEFT, OFFSCREEN)                    \
    X(RIGHT, OFFSCREEN) X(TOP, OFFSCREEN) X(BOTTOM, OFFSCREEN) X(INSET, OFFSCREEN) X(MARGIN, OFFSCREEN)                 \
    X(MARGIN_LEFT, OFFSCREEN) X(MARGIN_RIGHT, OFFSCREEN) X(MARGIN_TOP, OFFSCREEN) X(MARGIN_BOTTOM, OFFSCREEN)           \
    X(INDENT, OFFSCREEN) X(TRANSFORM, TRANSFORM) X(MOVED, OFFSCREEN) X(TRANSLATE, OFFSCREEN) X(SCALE, TRANSFORM)        \
    X(CLIP, CLIP) X(CLIP_PATH, CLIP) X(WIDTH, NOT) X(HEIGHT, NOT) X(MAX_WIDTH, NOT) X(MAX_HEIGHT, NOT)                  \
    X(OVERFLOW, NOT) X(OVERFLOW_X, NOT) X(OVERFLOW_Y, NOT) X(POSITION, NOT) X(Z_INDEX, INVISIBLE) X(FILTER, INVISIBLE)  \
    X(FADED, OPACITY) X(ZOOM, SIZE) X(MASK, INVISIBLE) X(BLEND, INVISIBLE)

typedef enum bzr__slot {
#define X(name, reason) BZR__SLOT_##name,
    BZR__SLOTS(X)
#undef X
    BZR__SLOTS_N
} bzr__slot;

/* What a declaration sets its slot to. */
enum { BZR__UNSET, BZR__FINE, BZR__HIDES };

typedef struct bzr__decl {
    uint8_t slot, value;
    bool important;
    uint32_t color; /* of COLOR and BACKGROUND */
} bzr__decl;

typedef struct bzr__cascade {
    uint64_t weight[BZR__SLOTS_N];
    uint8_t value[BZR__SLOTS_N];
    uint32_t color, ground;
} bzr__cascade;

/* What the cascade comes to for one element. */
typedef struct bzr__style {
    unsigned char reason;              /* bzr__hidden_reason it gives, or BZR__HIDDEN_NOT */
    unsigned char seen, sized, shown;  /* sets visibility, font-size, display to what is seen */
    uint32_t color, ground;            /* 0xAARRGGBB or BZR__NO_COLOR */
} bzr__style;

#define BZR__STYLE_INIT { 0, 0, 0, 0, BZR__NO_COLOR, BZR__NO_COLOR }

void bzr__cascade_begin(bzr__cascade *c);
void bzr__cascade_set(bzr__cascade *c, const bzr__decl *d, uint64_t weight);
/* The style attribute: stronger than any sheet. */
void bzr__cascade_inline(bzr__cascade *c, bzr_str css);
/* What an attribute like bgcolor says of COLOR or BACKGROUND: weaker than any sheet. */
void bzr__cascade_attribute(bzr__cascade *c, bzr__slot slot, bzr_str value);
bzr__style bzr__cascade_end(const bzr__cascade *c);

/* Call `on_decl` for each declaration of interest in `css`. */
void bzr__style_read(bzr_str css, void (*on_decl)(void *ctx, const bzr__decl *d), void *ctx);
/* True if text of color `front` can hardly be told from `ground` (WCAG contrast below 1.5), or is transparent. */
bool bzr__style_same_color(uint32_t front, uint32_t ground);

/* ---- sheets ---- */

enum {
    BZR__SHEET_RULES = 2048,
    BZR__SHEET_PARTS = 8192,
    BZR__SHEET_DECLS = 6144,
    BZR__SHEET_TEXT = 4096,
    BZR__SHEET_HEADS = 512,
    BZR__KEYS = 22
};

typedef struct bzr__sheet_part {
    uint32_t key;
    uint16_t a, b; /* of a value: where it stands in `text` and its length; of nth-child: step and offset */
    char kind, op;
} bzr__sheet_part;

typedef struct bzr__sheet_rule {
    uint64_t weight;
    uint32_t key;
    uint16_t part, parts_n, decl, decls_n, next; /* next: 1 + index of the next in the bucket */
} bzr__sheet_rule;

typedef struct bzr__sheet {
    unsigned n, parts_n, decls_n, text_n;
    bool attributes; /* a rule asks for one */
    unsigned muted; /* braces open inside a block that a screen ignores; for sheets that come in pieces */
    uint16_t heads[BZR__SHEET_HEADS];
    bzr__sheet_rule rules[BZR__SHEET_RULES];
    bzr__sheet_part parts[BZR__SHEET_PARTS];
    bzr__decl decls[BZR__SHEET_DECLS];
    char text[BZR__SHEET_TEXT];
} bzr__sheet;

/* What selectors ask of an element. */
typedef struct bzr__keys {
    uint32_t key[BZR__KEYS]; /* of its tag (first), id, classes, names of attributes, and name=value */
    uint16_t n, child;       /* child: which of its parent's it is, from 1 */
    uint16_t children;       /* so far */
} bzr__keys;

void bzr__keys_begin(bzr__keys *k, bzr_str tag);
/* An attribute; the value counts for id, class and [name=value]. */
void bzr__keys_add(bzr__keys *k, bzr_str name, bzr_str value);

void bzr__sheet_reset(bzr__sheet *sheet);
void bzr__sheet_copy(bzr__sheet *to, const bzr__sheet *from);
/* Read a sheet (`inert`: it styles nothing); `on_text` is called for every comment and every content: string. */
void bzr__sheet_read(bzr_str css, bool inert, bzr__sheet *sheet, void (*on_text)(void *ctx, bzr_str text), void *ctx);
/* Does a screen apply what stands under this media query list? */
bool bzr__media_applies(bzr_str list);

/* An attribute of the element itself, for [name^=value] and the like. */
typedef struct bzr__attr {
    bzr_str name, value;
} bzr__attr;

/* The element and those around it: keys of `depth` ancestors, `stride` bytes apart, outermost first. */
typedef struct bzr__place {
    const bzr__keys *self;
    const bzr__attr *attrs;
    size_t attrs_n;
    const char *ancestors;
    size_t depth, stride;
} bzr__place;

/* Let every rule that matches set its slots. `*steps` is counted up; from `most` on nothing more is matched. */
void bzr__sheet_apply(const bzr__sheet *sheet, const bzr__place *at, bzr__cascade *c, uint64_t *steps, uint64_t most);

#endif
