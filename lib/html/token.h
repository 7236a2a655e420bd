/* token.h - the parts of tags and comments, as they stand in the input. */
#ifndef TOAD_HTML_TOKEN_H
#define TOAD_HTML_TOKEN_H

#include "lib/html/elements.h"

/* An attribute as it stands in the input. */
typedef struct toad__attr_span {
    size_t name, name_end, from, to;
} toad__attr_span;

typedef enum toad__place_in_tag { TOAD__AT_ATTRIBUTE, TOAD__AT_END_OF_TAG, TOAD__AT_END_OF_INPUT } toad__place_in_tag;

/* Where the names of tags and attributes, and values without quotes, end; what makes markup of a '<' before it. */
enum { TOAD__ENDS_TAG_NAME = 1, TOAD__ENDS_NAME = 2, TOAD__ENDS_VALUE = 4, TOAD__BEGINS_MARKUP = 8 };
extern const unsigned char toad__ends[256];

/* What stands at *where inside a tag; *where is moved behind it. */
toad__place_in_tag toad__next_attribute(toad_str s, size_t *where, toad__attr_span *ret, bool *self_closing);
/* Does the tag whose attributes go on at `at` end in this input? */
bool toad__tag_ends(toad_str s, size_t at);
/* Where the comment text from `from` on ends, or s.n; *close is the length of the mark that ends it. */
size_t toad__comment_end(toad_str s, size_t from, size_t *close);

/* Read the name of a tag. Returns where it ends. Most have less than eight bytes: those are found and read as one
 * number. */
static inline size_t toad__read_name(toad_str s, size_t at, toad__name *ret) {
    if (at + 8 <= s.n) {
        uint64_t w = toad__name_load(s.p + at),
                 stops = TOAD__BYTES_EQUAL(w, '>') | TOAD__BYTES_EQUAL(w, '/') | TOAD__BYTES_BELOW(w, ' ' + 1);
        unsigned n = stops ? (unsigned)__builtin_ctzll(stops) / 8 : 0;
        if (stops && toad__ends[(unsigned char)s.p[at + n]] & TOAD__ENDS_TAG_NAME) {
            *ret = (toad__name){ { toad__lower_word(w & ((UINT64_C(1) << 8 * n) - 1)) }, n };
            return at + n;
        }
    }
    size_t end = at;
    while (end < s.n && !(toad__ends[(unsigned char)s.p[end]] & TOAD__ENDS_TAG_NAME)) end++;
    *ret = toad__name_at(s, at, end);
    return end;
}

#endif
