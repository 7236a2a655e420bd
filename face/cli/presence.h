/* presence.h - what the system tells of who stands behind this process: what person.h is made from. */
#ifndef TOAD_FACE_CLI_PRESENCE_H
#define TOAD_FACE_CLI_PRESENCE_H

#include "toadstone/types.h"

/* True with `why`: an agent stands above; or nobody can say who does. */
bool cli_agent_above(char why[128]);
/* Is a word typed at the terminal that was shown there alone? False with `why`. See toad__person.agrees. */
bool cli_typed(const char *what, toad_str question, char why[160]);

#endif
