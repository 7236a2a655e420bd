#include "lib/html/attributes.h"

/* By the length of their names. */
#define A(name, flags, reason) \
    { name, flags, TOAD__HIDDEN_##reason }
static const toad__attribute of_1[] = { A("d", TOAD__ATTR_SKIP, NOT) }, of_2[] = { A("id", TOAD__ATTR_ID, NOT) };
static const toad__attribute of_3[] = { A("src", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                        A("rel", TOAD__ATTR_SKIP, NOT), A("alt", TOAD__ATTR_TEXT, ALT) };
static const toad__attribute of_4[] = { A("href", TOAD__ATTR_LINK | TOAD__ATTR_HREF, NOT),
                                        A("type", TOAD__ATTR_SKIP | TOAD__ATTR_TYPE, NOT),
                                        A("data", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                        A("ping", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                        A("cite", TOAD__ATTR_LINK, NOT),
                                        A("open", TOAD__ATTR_TEXT | TOAD__ATTR_OPEN, ATTRIBUTE),
                                        A("text", TOAD__ATTR_TEXT | TOAD__ATTR_COLOR, ATTRIBUTE) };
static const toad__attribute of_5[] = { A("class", TOAD__ATTR_CLASS, NOT),
                                        A("style", TOAD__ATTR_STYLE, NOT),
                                        A("title", TOAD__ATTR_TEXT, TITLE),
                                        A("value", TOAD__ATTR_TEXT, FORM),
                                        A("media", TOAD__ATTR_SKIP | TOAD__ATTR_MEDIA, NOT),
                                        A("sizes", TOAD__ATTR_SKIP, NOT),
                                        A("label", TOAD__ATTR_TEXT, FORM),
                                        A("color", TOAD__ATTR_TEXT | TOAD__ATTR_COLOR, ATTRIBUTE) };
static const toad__attribute of_6[] = { A("srcset", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                        A("action", TOAD__ATTR_LINK, NOT),
                                        A("poster", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                        A("srcdoc", TOAD__ATTR_SRCDOC, IFRAME),
                                        A("points", TOAD__ATTR_SKIP, NOT),
                                        A("hidden", TOAD__ATTR_TEXT | TOAD__ATTR_HIDDEN, ATTRIBUTE) };
static const toad__attribute of_7[] = { A("content", TOAD__ATTR_TEXT, META), A("viewbox", TOAD__ATTR_SKIP, NOT),
                                        A("popover", TOAD__ATTR_TEXT | TOAD__ATTR_HIDDEN, ATTRIBUTE),
                                        A("bgcolor", TOAD__ATTR_TEXT | TOAD__ATTR_GROUND, ATTRIBUTE) };
static const toad__attribute of_8[] = { A("longdesc", TOAD__ATTR_LINK, NOT),
                                        A("manifest", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT) };
static const toad__attribute of_9[] = { A("transform", TOAD__ATTR_SKIP, NOT), A("integrity", TOAD__ATTR_SKIP, NOT) };
static const toad__attribute of_10[] = { A("xlink:href", TOAD__ATTR_LINK | TOAD__ATTR_FETCH, NOT),
                                         A("formaction", TOAD__ATTR_LINK, NOT),
                                         A("background", TOAD__ATTR_LINK | TOAD__ATTR_FETCH | TOAD__ATTR_GROUND, NOT) };
static const toad__attribute of_11[] = { A("placeholder", TOAD__ATTR_TEXT, PLACEHOLDER) };
static const toad__attribute of_prefix[] = { A("data-", TOAD__ATTR_TEXT, DATA), A("aria-", TOAD__ATTR_TEXT, ARIA),
                                             A("on", TOAD__ATTR_TEXT, SCRIPT), A("", TOAD__ATTR_TEXT, ATTRIBUTE) };
#undef A

static const struct {
    const toad__attribute *list;
    size_t n;
} attributes[] = {
#define L(list) \
    { list, sizeof list / sizeof *list }
    { NULL, 0 }, L(of_1), L(of_2), L(of_3), L(of_4), L(of_5), L(of_6), L(of_7), L(of_8), L(of_9), L(of_10), L(of_11),
#undef L
};

const toad__attribute *toad__attribute_find(const toad__name *name) {
    if (name->n < sizeof attributes / sizeof *attributes)
        for (const toad__attribute *a = attributes[name->n].list, *end = a + attributes[name->n].n; a < end; a++)
            if (toad__name_eq(name, a->name)) return a;
    uint64_t five = name->n > 5 ? name->word[0] & 0xFFFFFFFFFF : 0;
    if (five == toad__name_load(of_prefix[0].name)) return &of_prefix[0];
    if (five == toad__name_load(of_prefix[1].name)) return &of_prefix[1];
    return name->n > 2 && (name->word[0] & 0xFFFF) == toad__name_load(of_prefix[2].name) ? &of_prefix[2]
                                                                                         : &of_prefix[3];
}
