/* attributes.h - what the extractor knows of each attribute. */
#ifndef TOAD_HTML_ATTRIBUTES_H
#define TOAD_HTML_ATTRIBUTES_H

#include "lib/html/elements.h"

enum {
    TOAD__ATTR_LINK = 1,
    TOAD__ATTR_FETCH = 2,
    TOAD__ATTR_TEXT = 4,
    TOAD__ATTR_SKIP = 8,
    TOAD__ATTR_SRCDOC = 16,
    TOAD__ATTR_STYLE = 32,
    TOAD__ATTR_CLASS = 64,
    TOAD__ATTR_ID = 128,
    TOAD__ATTR_MEDIA = 256,
    TOAD__ATTR_HIDDEN = 512,
    TOAD__ATTR_OPEN = 1024,
    TOAD__ATTR_TYPE = 2048,
    TOAD__ATTR_HREF = 4096,
    TOAD__ATTR_COLOR = 8192,
    TOAD__ATTR_GROUND = 16384
};

typedef struct toad__attribute {
    char name[16]; /* zeros to the end */
    unsigned short flags;
    unsigned char reason;
} toad__attribute;

/* What an attribute of this name is; what has no entry of its own by how it begins. */
const toad__attribute *toad__attribute_find(const toad__name *name);

#endif
