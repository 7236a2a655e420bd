/* authority.h - what only the user may do, and who is the user.
 *
 * An agent that could release content, change a setting or answer its own question would undo what the rest protects.
 * This is the one place that decides who a person is: who has an agent above him is none, whatever he says; else who
 * shows the token that the user made, or who types back a word that stood on his terminal and nowhere else. Each
 * refusal and each agreement is in the audit log. */
#ifndef TOAD_APP_AUTHORITY_H
#define TOAD_APP_AUTHORITY_H

#include "app/host/host.h"

#define TOAD__TOKEN_BYTES 32 /* of chance in a token; it is written in hex */

/* What a face knows of who stands behind a command. */
struct toad__person {
    const char *agent; /* an agent was seen: how, in words of ours; NULL: none */
    const char *how;   /* an agreement came this way, for the log: "terminal", "form" */
    toad_str token;    /* that was shown, or empty */
    bool in_person;    /* no token counts: what he agrees to lies outside the store, and a store is soon made */
    /* Ask, with `question` above: several lines, in which nothing can hide. False: no, with `why` in words of ours.
     * NULL: nobody can be asked. */
    bool (*agrees)(const char *what, toad_str question, char why[160]);
};

/* Does a model ask, by what it says or by the agent that was seen above it? */
bool toad__is_model(const toad__host *host);
/* Does somebody else than the user ask? Then append the refusal as the answer and an event `refused` to the log; else,
 * an event `agreed`. `what`: "release content"; `about`: what he agrees to, as lines "name = value" (toad__about), or
 * empty. */
bool toad__refused(toad__host *host, const char *what, toad_str about, toad__answer *answer);
/* The same of what is no model's, and needs no agreement of the user's. */
bool toad__refused_to_model(toad__host *host, const char *what, toad__answer *answer);
/* Is it a terminal that will be asked? Then the user sees what he agrees to, and need not name it by digest. */
bool toad__person_sees(const toad__host *host);
/* Append a line of what is agreed to; strangers may have written `value`. */
void toad__about(toad__buf *about, const char *name, toad_str value);
/* Append {"success":false,"error":...}: `error` is ours, with nothing in it that a stranger wrote. */
void toad__refuse(toad__answer *answer, const char *error);

/* Make the token that a script of the user's shows in place of a person; the one before is void. Only a terminal can
 * ask for one. "token". */
toad_status toad__token_make(toad__host *host, toad__answer *answer);
/* No token holds any more. */
toad_status toad__token_revoke(toad__host *host, toad__answer *answer);

#endif
