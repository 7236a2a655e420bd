/* overlap.h - does what an agent is about to do come from a text it has read?
 *
 * The arguments of the act are cut into things that can be taken over: phrases of four words and more, whole commands
 * and arguments of two or three words, URLs, paths, names with a dot, addresses. Each is kept as a hash; a content is
 * cut the same way and looked up. Both sides are compared folded (case, look-alikes, invisible characters) and with
 * what the decoders find in them (base64, hex, percent, ...), a page also as a person sees it. A word of a script
 * without blanks is one character, and counts half. Cost: linear in both texts, but for the sort of the arguments'
 * hashes. Thread rule: one thread at a time. */
#ifndef TOAD_APP_OVERLAP_H
#define TOAD_APP_OVERLAP_H

#include "toadstone/types.h"

typedef struct toad__overlap toad__overlap;

typedef enum toad__taken {
    TOAD__TAKEN_COMMAND, /* two or three words that are a whole command */
    TOAD__TAKEN_VALUE,   /* ... that are a whole argument, with marks between: a line of a file, a setting */
    TOAD__TAKEN_PHRASE,
    TOAD__TAKEN_URL,
    TOAD__TAKEN_PATH,
    TOAD__TAKEN_NAME,    /* of a host or file: words with dots between */
    TOAD__TAKEN_ADDRESS, /* e-mail, or a long word with digits: an account, a wallet, a key */
    TOAD__TAKEN_SORTS
} toad__taken;

typedef struct toad__taken_list {
    toad_str text[TOAD__TAKEN_SORTS]; /* as folded from the arguments, of each sort the longest; p NULL: none. Valid
                                       until the next add or free */
    size_t words;                     /* longest run of words in common */
    bool cut;                         /* the budget ended before the content did */
} toad__taken_list;

/* Errors of all: TOAD_E_NOMEM. */
toad_status toad__overlap_new(toad__overlap **ret);
void toad__overlap_free(toad__overlap *o); /* NULL is a no-op */
/* Add one text of the arguments. `command`: it is run by a shell. All must be added before the first look. */
toad_status toad__overlap_add(toad__overlap *o, toad_str text, bool command);
/* What of it stands in `content`. `*budget` is bytes of text, decoded ones included, that may still be read; it is
 * lowered. */
toad_status toad__overlap_look(toad__overlap *o, toad_str content, size_t *budget, toad__taken_list *ret);
/* "command", "phrase", "url", ... */
const char *toad__taken_name(toad__taken sort);
/* More than a coincidence: a long phrase, a URL with a path, an address. */
bool toad__taken_is_strong(const toad__taken_list *list);

#endif
