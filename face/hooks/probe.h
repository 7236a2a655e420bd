/* probe.h - what an agent would send to its hook about something harmless, and about a marked attack: for `toadstone
 * doctor`, which sends it through the hooks as they are installed and looks at what comes back. Pure functions. */
#ifndef TOAD_FACE_HOOKS_PROBE_H
#define TOAD_FACE_HOOKS_PROBE_H

#include "face/hooks/agents.h"

/* Stands in what is sent and must not come back. */
#define HOOK_MARK "TOADSTONE-DOCTOR-MARK"
/* Append words that try to steer their reader to something harmless, with the mark. */
void hook_probe_attack(toad__buf *out);

/* Append the payload of this event. `directory`: where the agent works. `marked`: the tool gave the attack, or is
 * about to do what follows from it. */
void hook_probe_payload(const hook_agent *agent, const hook_event *event, const char *session, const char *directory,
                        bool marked, toad__buf *out);
/* Can this agent be kept from anything at this event? */
bool hook_probe_blocks(const hook_event *event);
/* NULL: this answer is the one that is expected; else what is wrong with it, one sentence of ours. */
const char *hook_probe_judge(const hook_event *event, bool marked, toad_str answer, toad_str errors, int code);

#endif
