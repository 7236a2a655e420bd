/* verbs.h - do these words speak of an act of this kind?
 *
 * Tools are named in English nearly everywhere, so a tool's name is read with a small table of general verbs; a text is
 * compared with the same table, or, if none of the commonest English words is in it, with that of thirteen other
 * languages, too: for what users say. Where they put an order in a sentence differs, so what a stranger says without
 * one of these English words cannot be compared, and who asks must take that for what is graver. */
#ifndef TOAD_APP_VERBS_H
#define TOAD_APP_VERBS_H

#include "lib/base/buf.h"

enum { TOAD__VERBS_OWN = 8 };

typedef struct toad__verbs {
    uint32_t kinds;   /* rows of the table */
    uint32_t letters; /* a word that begins with another letter than one of these is none of its words */
    bool step;        /* a step of any act: to log in, to verify */
    size_t own_n;     /* if no row speaks of it: the words of its name */
    char own[TOAD__VERBS_OWN][8];
} toad__verbs;

void toad__verbs_of(toad_str tool, toad__verbs *ret);
/* Does a folded word name such an act? In a script without blanks `word` goes on behind its first character, here and
 * below. `abroad`: it may be none of English. */
bool toad__verbs_name(const toad__verbs *verbs, toad_str word, bool abroad);
/* Does it say to do what is written elsewhere, of whatever kind? */
bool toad__verbs_delegate(toad_str word, bool abroad);
/* Does it say to install or to run something? */
bool toad__verbs_run(toad_str word, bool abroad);
/* Is it one of the commonest English words? */
bool toad__is_function_word(toad_str word);

#endif
