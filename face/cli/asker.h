/* asker.h - who asks, where --as does not say: a person or an agent.
 *
 * What an agent's shell runs must not do more than the agent may, and nobody remembers an option. So an environment
 * that an agent makes for its commands counts as a model's word, in every command that takes --as, whatever that says;
 * and where untrusted text is read, so does an output that is no terminal, since a person reads at one, unless --as
 * user is said. Neither opens what is the user's alone: app/host/authority.h decides that. */
#ifndef TOAD_FACE_CLI_ASKER_H
#define TOAD_FACE_CLI_ASKER_H

#include "face/cli/args.h"

/* Set a->as_model where --as was not given. `reads`: the command prints untrusted text as a model reads it. */
void cli_decide_asker(args *a, bool reads);

#endif
