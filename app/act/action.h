/* action.h - may an agent do this without asking its user?
 *
 * An act that follows from external content is asked about: a file change, a command, a disclosure, an outside message,
 * a purchase, or any act that is not known to be reading when the session holds a high finding or the arguments come
 * from what it has read. Plain questions, summaries and reading are not. The question binds tool, canonical arguments,
 * session, contents, nonce and expiry by hash; an approval is spent once, by a call that says the same byte for byte.
 * Where the user is heard, what was done so in a session is not asked about again in it: the same tool to the same
 * sinks, while nothing else speaks against it than what the question showed; but for purchases.
 * What decides is what the session has read and what is about to run, never what the agent says about it. */
#ifndef TOAD_APP_ACTION_H
#define TOAD_APP_ACTION_H

#include "app/act/deed.h"
#include "app/host/host.h"

#define TOAD__ACTION_ARGUMENTS ((size_t)4 << 20)  /* bytes of canonical arguments; more is denied */
#define TOAD__ACTION_TTL       INT64_C(900000000) /* 15 minutes */
#define TOAD__ACTION_PENDING   20                 /* open questions of a session; more are denied, not asked */

typedef struct toad__action_policy {
    bool require_confirmation;       /* false: never ask; the reasons are still told */
    bool auto_block_high_confidence; /* deny what comes from blocked content */
    bool only_overlap; /* having read something is no reason to ask: only what comes from it, or high findings */
    int64_t ttl;       /* microseconds a question, and its approval, lives */
} toad__action_policy;
#define TOAD__ACTION_POLICY_INIT \
    { true, true, false, TOAD__ACTION_TTL }

/* A proxy's session that ends with its process: "proxy_", the project, "_" and the run. What the user approved in one
 * run, another of the same project may spend. */
#define TOAD__ACTION_PROJECT     12 /* hex digits */
#define TOAD__ACTION_RUN_SESSION (6 + TOAD__ACTION_PROJECT + 1 + 12 + 1)
/* ... and that of an agent whose hooks name it: "hook_", the project, "_" and a name of ours for the agent's own. */
#define TOAD__ACTION_HOOK_SESSION 128
void toad__action_hook_session(toad_str project, toad_str name, char ret[TOAD__ACTION_HOOK_SESSION]);
/* The alias by which a proxy says that it judges the calls of a server for what `starter` started: hooks need not. */
#define TOAD__ACTION_PROXIED 192
void toad__action_proxied(const char *starter, toad_str server, char ret[TOAD__ACTION_PROXIED]);
/* `random`: 6 bytes. */
void toad__action_run_session(toad_str project, const unsigned char random[6], char ret[TOAD__ACTION_RUN_SESSION]);

/* `arguments` is the JSON the tool is about to be called with (empty: {}), host->session the agent's. Appends
 * {"decision":"allow"|"ask"|"deny","class":...,"reasons":[...],"confirmation":{...}|null}; ask and deny also have
 * "success":false and "error". On ask the confirmation is in the store; on allow by an approval it is spent. Errors:
 * TOAD_E_ARG (no session, no tool), TOAD_E_SYNTAX (arguments that are no JSON), those of the store: the caller must
 * then not act. */
toad_status toad__action_check(toad__host *host, toad_str tool, toad_str arguments, const toad__action_policy *policy,
                               toad__answer *answer);

/* Append what an "always" for this call covers: TOOL(NAMES), any call with arguments of these names, for a file change
 * and what is not known; for the rest TOOL#SHA256, this very call. Nothing where the names could be read another way.
 * `canonical` is the arguments' canonical JSON. */
toad_status toad__action_standing(toad_str tool, toad_str canonical, toad__deed deed, toad__buf *out);
/* How the note of a setting says what an "always" covers, more with "; " between; other notes cover all. */
#define TOAD__ACTION_ALWAYS "always: "

#endif
