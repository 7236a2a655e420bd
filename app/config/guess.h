/* guess.h - which of several names was meant by one that is none of them. */
#ifndef TOAD_APP_GUESS_H
#define TOAD_APP_GUESS_H

#include "toadstone/types.h"

typedef struct toad__guess {
    toad_str typed, best; /* best: p NULL while nothing is near enough */
    unsigned least;       /* distance that the next must stay below */
} toad__guess;

toad__guess toad__guess_of(toad_str typed);
void toad__guess_try(toad__guess *g, toad_str name); /* borrows `name` */

#endif
