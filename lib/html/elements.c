#include "lib/html/elements.h"
#include "lib/base/str.h"

/* Sorted by name: looked up by binary search. A name that is not here makes no page: code is full of <int>. */
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

#define NAME sizeof elements->name

/* The first eight bytes of a name as a number that orders as the bytes do. */
static uint64_t head_of(const char name[NAME]) {
    const unsigned char *c = (const unsigned char *)name; /* compilers make one load of this */
    return (uint64_t)c[0] << 56 | (uint64_t)c[1] << 48 | (uint64_t)c[2] << 40 | (uint64_t)c[3] << 32 | (uint64_t)c[4] << 24 | (uint64_t)c[5] << 16 |
           (uint64_t)c[6] << 8 | c[7];
}

const bzr__element *bzr__element_find(bzr_str lower) {
    char name[NAME] = { 0 };
    if (lower.n >= NAME) return NULL;
    if (lower.n) memcpy(name, lower.p, lower.n);
    uint64_t want = head_of(name);
    size_t lo = 0, hi = sizeof elements / sizeof *elements;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        uint64_t head = head_of(elements[mid].name);
        int order = head != want ? (head < want ? -1 : 1) : memcmp(elements[mid].name + 8, name + 8, NAME - 8);
        if (!order) return &elements[mid];
        if (order < 0) lo = mid + 1;
        else hi = mid;
    }
    return NULL;
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
