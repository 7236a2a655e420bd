/* overlap.h - does what an agent is about to do come from a text it has read?
 *
 * The arguments of the act are cut into things that can be taken over: phrases of four words and more, whole commands
 * of two or three words, URLs, paths, names with a dot, addresses. Each is kept as a hash; a content is cut the same
 * way and looked up. Both sides are compared folded (case, look-alikes, invisible characters) and with what the
 * decoders find in them (base64, hex, percent, ...), a page also as a person sees it. A word of a script without blanks
 * is one character, and counts half. Cost: linear in both texts, but for the sort of the arguments' hashes. Thread
 * rule: one thread at a time. */
#ifndef BZR_APP_OVERLAP_H
#define BZR_APP_OVERLAP_H

#include "bezoar/types.h"

typedef struct bzr__overlap bzr__overlap;

typedef enum bzr__taken {
    BZR__TAKEN_COMMAND, /* two or three words that are a whole command */
    BZR__TAKEN_PHRASE,
    BZR__TAKEN_URL,
    BZR__TAKEN_PATH,
    BZR__TAKEN_NAME,    /* of a host or file: words with dots between */
    BZR__TAKEN_ADDRESS, /* e-mail, or a long word with digits: an account, a wallet, a key */
    BZR__TAKEN_SORTS
} bzr__taken;

typedef struct bzr__taken_list {
    bzr_str text[BZR__TAKEN_SORTS]; /* as folded from the arguments, of each sort the longest; p NULL: none. Valid until
                                       the next add or free */
    size_t words;                   /* longest run of words in common */
    bool cut;                       /* the budget ended before the content did */
} bzr__taken_list;

/* Errors of all: BZR_E_NOMEM. */
bzr_status bzr__overlap_new(bzr__overlap **ret);
void bzr__overlap_free(bzr__overlap *o); /* NULL is a no-op */
/* Add one text of the arguments. `command`: it is run by a shell. All must be added before the first look. */
bzr_status bzr__overlap_add(bzr__overlap *o, bzr_str text, bool command);
/* What of it stands in `content`. `*budget` is bytes of text, decoded ones included, that may still be read; it is
 * lowered. */
bzr_status bzr__overlap_look(bzr__overlap *o, bzr_str content, size_t *budget, bzr__taken_list *ret);
/* "command", "phrase", "url", ... */
const char *bzr__taken_name(bzr__taken sort);
/* More than a coincidence: a long phrase, a URL with a path, an address. */
bool bzr__taken_is_strong(const bzr__taken_list *list);

#endif
