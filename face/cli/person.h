/* person.h - who stands behind this process: an agent above it, a token, a person at a terminal.
 *
 * Everything that the decision (app/host/authority.h) is made from is found here. A terminal is what /dev/tty opens,
 * whatever standard input and output are: a word is shown there and nowhere else, and typing it back is what a program
 * cannot do that only captures output. One that makes a terminal of its own can, so processes above this one are
 * looked at, up to the first: their programs, and the variables that agents set for what they run, which `env -i` does
 * not take away from them. THREAT-MODEL.md says what remains. */
#ifndef TOAD_FACE_CLI_PERSON_H
#define TOAD_FACE_CLI_PERSON_H

#include "app/host/authority.h"

#include <sys/types.h>

/* Take the user's token out of the environment, so that no child and no later reader sees it. Call first. */
void cli_take_token(void);
/* Static storage; the processes are looked at when it is called. */
const toad__person *cli_person(void);
/* Which variable that agents set for what they run is in `environ`'s form in `block` (NUL-separated)? NULL: none. */
const char *cli_agent_variable(const char *block, size_t n);
/* Which agent is this program, by its name and the words it was started with (NUL-separated)? NULL: none. */
const char *cli_agent_program(const char *name, const char *words, size_t n);

/* Which of these variables is set for this process? NULL: none. */
const char *cli_own_agent(void);

#endif
