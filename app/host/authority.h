/* authority.h - what only the user may do. An agent that could release content, change a setting or delete what it has
 * read would undo what the rest protects; it is told so, and the attempt is in the audit log. */
#ifndef TOAD_APP_AUTHORITY_H
#define TOAD_APP_AUTHORITY_H

#include "app/host/host.h"

/* Does a model ask? Then append the refusal as the answer and an event `refused` to the log. `what`: "release content".
 */
bool toad__refused_to_model(toad__host *host, const char *what, toad__answer *answer);
/* Append {"success":false,"error":...}: `error` is ours, with nothing in it that a stranger wrote. */
void toad__refuse(toad__answer *answer, const char *error);

#endif
