/* hook.h - one question of a coding agent's hook: a payload in, the agent's own answer out.
 *
 * What an agent's tool gave is screened as what a server sends through the proxy is, and kept as what the session has
 * read; a call is judged by check_action; instruction files are scanned when a session begins. Nothing that a stranger
 * wrote stands in a reason, a note or a context. What cannot be done - a payload that is no JSON, a store that fails, a
 * deadline that has passed - is answered with what blocks at this event, unless the user chose otherwise.
 *
 * Thread rule: one thread; the deadline interrupts it. */
#ifndef TOAD_FACE_HOOKS_HOOK_H
#define TOAD_FACE_HOOKS_HOOK_H

#include "app/mcp/screen.h"
#include "face/hooks/agents.h"

#define HOOK_PAYLOAD ((size_t)64 << 20) /* bytes of a payload; more is blocked unread */

typedef struct hook_settings {
    const hook_agent *agent;
    const char *event;   /* --event, or NULL: the payload says */
    const char *session; /* --session, or NULL: the agent's own */
    toad__host *host;
    toad__screen *screen;
} hook_settings;

typedef struct hook_answer {
    toad__buf out, err; /* standard output and error */
    int code;           /* exit status */
} hook_answer;

/* Answer one payload. False: it could not be judged; `why` says so, and the caller gives hook_fail's answer. Errors of
 * `answer->out` are the caller's to look at. */
bool hook_run(const hook_settings *settings, toad_str payload, hook_answer *answer, char why[256]);

/* The answer where nothing could be decided: what blocks at this event (NULL: at any) and says `why`, one sentence of
 * ours; with `open`, what lets it pass and tells the user. What the user says is never blocked for that. `answer` is
 * empty. */
void hook_fail(const hook_agent *agent, const hook_event *event, const char *why, bool open, hook_answer *answer);

#endif
