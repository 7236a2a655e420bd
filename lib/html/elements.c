#include "lib/html/elements.h"
#include "lib/base/str.h"

/* In the order that `slots` counts. A name that is not here makes no page: code is full of <int>. */
static const bzr__element elements[] = {
    { "a", BZR__EL_FORMAT, 0, 0 }, { "abbr", 0, 0, 0 }, { "address", BZR__EL_BLOCK, 0, 0 }, { "area", BZR__EL_VOID, 0, 0 }, { "article", BZR__EL_BLOCK, 0, 0 },
    { "aside", BZR__EL_BLOCK, 0, 0 }, { "audio", 0, 0, BZR__HIDDEN_FALLBACK }, { "b", BZR__EL_FORMAT, 0, 0 }, { "base", BZR__EL_VOID, 0, 0 }, { "bdi", 0, 0, 0 },
    { "bdo", 0, 0, 0 }, { "big", BZR__EL_FORMAT, 0, 0 }, { "blockquote", BZR__EL_BLOCK, 0, 0 }, { "body", BZR__EL_BLOCK, 0, 0 },
    { "br", BZR__EL_VOID | BZR__EL_BLOCK, 0, 0 }, { "button", 0, 0, 0 }, { "canvas", 0, 0, BZR__HIDDEN_FALLBACK }, { "caption", BZR__EL_BLOCK, 0, 0 },
    { "center", BZR__EL_BLOCK, 0, 0 }, { "cite", 0, 0, 0 }, { "code", BZR__EL_FORMAT, 0, 0 }, { "col", BZR__EL_VOID, 0, 0 }, { "datalist", 0, 0, BZR__HIDDEN_FORM },
    { "dd", BZR__EL_BLOCK, 5, 0 }, { "del", 0, 0, 0 }, { "desc", 0, 0, BZR__HIDDEN_SVG }, { "details", BZR__EL_BLOCK, 0, 0 },
    { "dialog", BZR__EL_BLOCK, 0, BZR__HIDDEN_DISPLAY }, { "div", BZR__EL_BLOCK, 0, 0 }, { "dl", BZR__EL_BLOCK, 0, 0 }, { "dt", BZR__EL_BLOCK, 5, 0 },
    { "em", BZR__EL_FORMAT, 0, 0 }, { "embed", BZR__EL_VOID, 0, 0 }, { "fieldset", BZR__EL_BLOCK, 0, 0 }, { "figcaption", BZR__EL_BLOCK, 0, 0 },
    { "figure", BZR__EL_BLOCK, 0, 0 }, { "font", BZR__EL_FORMAT, 0, 0 }, { "footer", BZR__EL_BLOCK, 0, 0 }, { "form", BZR__EL_BLOCK, 0, 0 }, { "frame", 0, 0, 0 },
    { "frameset", 0, 0, 0 }, { "h1", BZR__EL_BLOCK, 0, 0 }, { "h2", BZR__EL_BLOCK, 0, 0 }, { "h3", BZR__EL_BLOCK, 0, 0 },
    { "h4", BZR__EL_BLOCK, 0, 0 }, { "h5", BZR__EL_BLOCK, 0, 0 }, { "h6", BZR__EL_BLOCK, 0, 0 }, { "head", BZR__EL_BLOCK, 0, 0 },
    { "header", BZR__EL_BLOCK, 0, 0 }, { "hr", BZR__EL_VOID | BZR__EL_BLOCK, 0, 0 }, { "html", BZR__EL_BLOCK, 0, 0 }, { "i", BZR__EL_FORMAT, 0, 0 },
    { "iframe", BZR__EL_RAW, 0, BZR__HIDDEN_FALLBACK }, { "img", BZR__EL_VOID, 0, 0 }, { "input", BZR__EL_VOID, 0, 0 }, { "ins", 0, 0, 0 },
    { "kbd", 0, 0, 0 }, { "label", 0, 0, 0 }, { "legend", BZR__EL_BLOCK, 0, 0 }, { "li", BZR__EL_BLOCK, 2, 0 }, { "link", BZR__EL_VOID, 0, 0 },
    { "listing", BZR__EL_BLOCK, 0, 0 }, { "main", BZR__EL_BLOCK, 0, 0 }, { "map", 0, 0, 0 }, { "mark", 0, 0, 0 }, { "marquee", 0, 0, 0 },
    { "math", BZR__EL_FOREIGN, 0, 0 }, { "menu", BZR__EL_BLOCK, 0, 0 }, { "meta", BZR__EL_VOID, 0, 0 }, { "metadata", 0, 0, BZR__HIDDEN_SVG },
    { "meter", 0, 0, 0 }, { "nav", BZR__EL_BLOCK, 0, 0 }, { "nobr", BZR__EL_FORMAT, 0, 0 }, { "noembed", BZR__EL_RAW, 0, BZR__HIDDEN_FALLBACK },
    { "noframes", BZR__EL_RAW, 0, BZR__HIDDEN_FALLBACK }, { "noscript", 0, 0, BZR__HIDDEN_NOSCRIPT }, { "object", 0, 0, BZR__HIDDEN_FALLBACK },
    { "ol", BZR__EL_BLOCK, 0, 0 }, { "optgroup", BZR__EL_BLOCK, 0, 0 }, { "option", BZR__EL_BLOCK | BZR__EL_CELL, 6, 0 }, { "output", 0, 0, 0 },
    { "p", BZR__EL_BLOCK, 1, 0 }, { "param", BZR__EL_VOID, 0, 0 }, { "picture", 0, 0, 0 }, { "plaintext", BZR__EL_BLOCK | BZR__EL_RAW, 0, 0 },
    { "pre", BZR__EL_BLOCK, 0, 0 }, { "progress", 0, 0, 0 }, { "q", 0, 0, 0 }, { "rp", 0, 0, BZR__HIDDEN_FALLBACK },
    { "rt", 0, 0, BZR__HIDDEN_MARKUP }, { "ruby", 0, 0, 0 }, { "s", BZR__EL_FORMAT, 0, 0 }, { "samp", 0, 0, 0 }, { "script", BZR__EL_RAW, 0, BZR__HIDDEN_SCRIPT },
    { "section", BZR__EL_BLOCK, 0, 0 }, { "select", 0, 0, 0 }, { "slot", 0, 0, 0 }, { "small", BZR__EL_FORMAT, 0, 0 }, { "source", BZR__EL_VOID, 0, 0 },
    { "span", 0, 0, 0 }, { "strike", BZR__EL_FORMAT, 0, 0 }, { "strong", BZR__EL_FORMAT, 0, 0 }, { "style", BZR__EL_RAW, 0, BZR__HIDDEN_STYLE }, { "sub", 0, 0, 0 },
    { "summary", BZR__EL_BLOCK, 0, 0 }, { "sup", 0, 0, 0 }, { "svg", BZR__EL_FOREIGN, 0, 0 }, { "table", BZR__EL_BLOCK, 0, 0 },
    { "tbody", BZR__EL_BLOCK, 0, 0 }, { "td", BZR__EL_CELL, 3, 0 }, { "template", 0, 0, BZR__HIDDEN_TEMPLATE }, { "textarea", BZR__EL_RCDATA, 0, 0 },
    { "tfoot", BZR__EL_BLOCK, 0, 0 }, { "th", BZR__EL_CELL, 3, 0 }, { "thead", BZR__EL_BLOCK, 0, 0 }, { "time", 0, 0, 0 },
    { "title", BZR__EL_RCDATA, 0, BZR__HIDDEN_TITLE }, { "tr", BZR__EL_BLOCK, 4, 0 }, { "track", BZR__EL_VOID, 0, 0 }, { "tt", BZR__EL_FORMAT, 0, 0 },
    { "u", BZR__EL_FORMAT, 0, 0 }, { "ul", BZR__EL_BLOCK, 0, 0 }, { "var", 0, 0, 0 }, { "video", 0, 0, BZR__HIDDEN_FALLBACK }, { "wbr", BZR__EL_VOID, 0, 0 },
    { "xmp", BZR__EL_BLOCK | BZR__EL_RAW, 0, 0 },
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "SPREAD is of names read as little-endian numbers");

#define SPREAD UINT64_C(0x987780D90B8467DF) /* found by trial: it gives the first eight bytes of each name a slot of their own */
#define SLOT_BITS 9

/* 1 + index of the element whose name falls here, 0: none. A new name needs a new trial. */
static const unsigned char slots[1u << SLOT_BITS] = {
    0, 0, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0, 0, 0, 90, 0, 0, 0, 0, 0, 0, 0, 4,
    25, 0, 0, 0, 76, 0, 0, 96, 0, 0, 0, 0, 0, 0, 0, 101, 0, 122, 0, 14, 84, 0, 0, 0, 0, 0, 0, 0, 0, 3, 97, 0,
    0, 111, 0, 0, 0, 22, 0, 94, 0, 0, 0, 47, 0, 0, 0, 50, 0, 9, 0, 0, 0, 36, 34, 0, 0, 0, 0, 89, 0, 0, 72, 0,
    0, 0, 0, 0, 0, 49, 0, 0, 0, 0, 115, 71, 0, 45, 75, 0, 0, 12, 0, 28, 0, 0, 0, 0, 0, 120, 24, 0, 0, 0, 0, 124,
    41, 0, 0, 0, 54, 0, 0, 0, 0, 0, 0, 0, 0, 37, 0, 43, 0, 0, 38, 77, 0, 0, 65, 0, 0, 88, 0, 118, 73, 63, 0, 0,
    0, 0, 0, 87, 0, 0, 0, 81, 19, 0, 0, 23, 60, 0, 0, 0, 0, 0, 102, 0, 0, 0, 39, 0, 0, 35, 0, 8, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 107, 58, 61, 85, 0, 91, 0, 0, 0, 104, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 106, 0, 0, 0, 0, 33, 92, 17, 2, 0, 0,
    0, 0, 83, 0, 0, 0, 0, 0, 51, 0, 26, 0, 78, 0, 0, 0, 0, 0, 52, 0, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 64, 0, 27, 0, 0, 0, 95, 15, 0, 0, 93, 0, 116, 117, 0, 0, 0, 16, 0, 0, 0, 0, 59, 0, 0, 0, 98, 0, 0,
    68, 6, 0, 0, 114, 0, 0, 0, 0, 0, 0, 0, 0, 103, 0, 0, 0, 0, 0, 0, 0, 0, 0, 55, 0, 0, 79, 0, 46, 121, 80, 5,
    69, 0, 48, 0, 0, 0, 0, 0, 82, 0, 31, 0, 0, 0, 0, 0, 0, 126, 0, 0, 18, 0, 0, 0, 7, 0, 21, 0, 40, 0, 44, 0,
    0, 0, 86, 67, 0, 0, 0, 56, 110, 0, 1, 0, 0, 0, 0, 0, 112, 0, 0, 0, 0, 0, 0, 0, 0, 74, 108, 105, 57, 0, 0, 0,
    42, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 66, 0, 0, 0, 0, 0, 119,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 113, 0, 0, 0, 0, 0, 53, 0, 0, 11, 0, 0, 70, 0, 0, 0, 109, 0, 0, 0, 123,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 29, 0, 0, 0, 0, 30, 62, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 125,
};

const bzr__element *bzr__element_find(const bzr__name *name) {
    unsigned at = slots[name->word[0] * SPREAD >> (64 - SLOT_BITS)];
    const bzr__element *e = &elements[at ? at - 1 : 0];
    return at && bzr__name_eq(name, e->name) ? e : NULL;
}

bzr__role bzr__element_role(const bzr__element *e) {
    static const struct {
        const char *name;
        bzr__role role;
    } roles[] = {
        { "a", BZR__ROLE_LINK },       { "b", BZR__ROLE_STRONG },      { "blockquote", BZR__ROLE_QUOTE },
        { "br", BZR__ROLE_BREAK },     { "cite", BZR__ROLE_EM },       { "code", BZR__ROLE_CODE },
        { "del", BZR__ROLE_DELETED },  { "em", BZR__ROLE_EM },         { "hr", BZR__ROLE_RULE },
        { "i", BZR__ROLE_EM },         { "kbd", BZR__ROLE_CODE },      { "li", BZR__ROLE_ITEM },
        { "listing", BZR__ROLE_PRE },  { "menu", BZR__ROLE_LIST },     { "ol", BZR__ROLE_NUMBERED },
        { "p", BZR__ROLE_PARAGRAPH },  { "pre", BZR__ROLE_PRE },       { "s", BZR__ROLE_DELETED },
        { "samp", BZR__ROLE_CODE },    { "strike", BZR__ROLE_DELETED }, { "strong", BZR__ROLE_STRONG },
        { "table", BZR__ROLE_TABLE },  { "td", BZR__ROLE_CELL },       { "th", BZR__ROLE_CELL },
        { "tr", BZR__ROLE_ROW },       { "tt", BZR__ROLE_CODE },       { "ul", BZR__ROLE_LIST },
    };
    if (!e) return BZR__ROLE_NONE;
    if (e->name[0] == 'h' && e->name[1] >= '1' && e->name[1] <= '6') return (bzr__role)(BZR__ROLE_HEADING + e->name[1] - '1');
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (!strncmp(e->name, roles[i].name, sizeof e->name)) return roles[i].role;
    return e->flags & BZR__EL_BLOCK ? BZR__ROLE_BLOCK : BZR__ROLE_NONE;
}
