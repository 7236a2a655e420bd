/* style.h - the few CSS properties that hide text.
 *
 * Declarations are read after comments are removed and escapes decoded, as a browser reads them; each keeps at most 32 bytes of name and 160 of value. `<style>` sheets are kept as
 * a bounded table keyed by the last compound selector's id, class, attribute or tag. Linear in the input. */
#ifndef BZR_HTML_STYLE_H
#define BZR_HTML_STYLE_H

#include "lib/html/html.h"

#define BZR__NO_COLOR 1u /* alpha 0, blue 1: no real color */

typedef struct bzr__style {
    unsigned char reason;          /* bzr__hidden_reason this style gives, or BZR__HIDDEN_NOT */
    unsigned char seen, sized, shaped; /* undoes an inherited visibility, font-size; internal: bits of box properties */
    uint32_t color, ground;        /* 0xAARRGGBB or BZR__NO_COLOR */
} bzr__style;

#define BZR__STYLE_INIT { 0, 0, 0, 0, BZR__NO_COLOR, BZR__NO_COLOR }

/* Add the declarations of `css` to `style`. */
void bzr__style_read(bzr_str css, bzr__style *style);
/* True if text of color `front` can hardly be told from `ground` (WCAG contrast below 1.5, or transparent). */
bool bzr__style_same_color(uint32_t front, uint32_t ground);

#define BZR__SHEET_SLOTS 1024u
typedef struct bzr__sheet {
    struct bzr__sheet_rule { uint64_t key; bzr__style style; } slots[BZR__SHEET_SLOTS];
    unsigned n;
} bzr__sheet;

uint64_t bzr__sheet_key(char kind, bzr_str name); /* kind: '#', '.', '[', or 't' */
/* Read a sheet; `on_text` is called for every comment and every content: string. */
void bzr__sheet_read(bzr_str css, bzr__sheet *sheet, void (*on_text)(void *ctx, bzr_str text), void *ctx);
/* Add what the sheet says of this key to `style`. */
void bzr__sheet_apply(const bzr__sheet *sheet, uint64_t key, bzr__style *style);

#endif
