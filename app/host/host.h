/* host.h - what the operations on the store share: an engine, a scanner, the open store, and who calls.
 *
 * An operation takes a host and gives its answer in an answer object (answer.h), which is the caller's: the command
 * line prints it as JSON or as a table, other faces pass it on. Times are RFC 3339 in UTC, absent values are null. A
 * refusal is an answer ("success":false,"error"), not an error. On an error nothing of the answer counts, and `message`
 * says in one sentence of ours what happened and what to do. Thread rule: a host belongs to one thread. */
#ifndef TOAD_APP_HOST_H
#define TOAD_APP_HOST_H

#include "app/config/config.h"
#include "app/config/policy.h"
#include "app/host/answer.h"
#include "app/host/times.h"
#include "store/store.h"
#include "toadstone/guard.h"
#include "toadstone/scan.h"

#define TOAD__HOST_MESSAGE    1024
#define TOAD__HOST_ANSWER_MAX ((size_t)256 << 20) /* bytes of an answer */

typedef struct toad__gate toad__gate;
typedef struct toad__person toad__person; /* authority.h */

typedef struct toad__host {
    const toad_engine *engine;  /* borrowed */
    const toad__config *config; /* borrowed; NULL: all is as built in */
    toad_scanner *scanner;
    toad__store *store;         /* NULL: only after toad__host_open_or_degrade */
    toad__arena arena;          /* what an operation reads; freed with the host */
    toad__reader by;            /* a model may not release, answer or set anything, nor raise a provenance */
    const toad__person *person; /* who can say that he is the user; NULL: nobody */
    toad_str session;           /* id, or empty */
    char judge[65];             /* who judges here, once asked for; see judge.h */
    toad__gate *gate;           /* what the gate of memory found before; NULL: nothing */
    void (*free_gate)(struct toad__host *host); /* set with `gate`: the host knows no area of the product */
    char message[TOAD__HOST_MESSAGE];
} toad__host;

/* Open the store at `where` (a path, postgresql://..., or NULL: what the configuration says, else the user's own).
 * `engine` and `config` (NULL: all is as built in) must outlive the host. On failure `ret->message` says why and
 * nothing is left open. Errors: those of toad__store_open, TOAD_E_NOMEM. */
toad_status toad__host_open(const toad_engine *engine, const toad__config *config, const char *where, toad__host *ret);
/* The same for toad__contents_store and toad__web_fetch, which can do without: where the store fails and
 * `on_store_error` is not block, the host has no store and `message` says why. */
toad_status toad__host_open_or_degrade(const toad_engine *engine, const toad__config *config, const char *where,
                                       toad__host *ret);
/* The same for a program that lives for milliseconds, see `brief` in store.h. */
toad_status toad__host_open_brief(const toad_engine *engine, const toad__config *config, const char *where,
                                  toad__host *ret);
void toad__host_close(toad__host *host);

/* Remember why the operation failed (printf; arguments that strangers wrote must be escaped before) and return
 * `status`. */
toad_status toad__host_fail(toad__host *host, toad_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same in the words of the status itself. TOAD_OK: nothing happens. */
toad_status toad__host_failed(toad__host *host, toad_status status);
/* The same in the words of the store, after one of its calls failed. */
toad_status toad__host_store_failed(toad__host *host, toad_status status);

/* What the store failed to keep, with `status` and the cause in host->message: does it go on without the store? The one
 * place that decides by `on_store_error`. TOAD_OK: it does, and `event`, which the store should have got, is a line of
 * JSON on standard error, with the cause as its details and seq 0, since it is in no chain. Else `status`, and nothing
 * of the content may be shown; `message` then says so, too. What is not the store's failure (TOAD_E_NOMEM, TOAD_E_ARG,
 * TOAD_E_LIMIT) never goes on. */
toad_status toad__host_on_store_error(toad__host *host, toad_status status, bool blocked, const toad__event *event);

/* Scan. `*ret` is valid until the next scan with this host. */
toad_status toad__host_scan(toad__host *host, toad_str text, toad_kind kind, const toad_verdict **ret);

/* The row of the table for a source (policy.h; any other counts as web). */
toad_policy toad__host_policy(const toad__host *host, toad_str source);
/* Does the action let the whole text pass to a model? What redacts or asks does not, where neither can be done. */
bool toad__action_passes(const char *action);
/* What is done on `surface` about content from `source` with this verdict; static storage. */
const char *toad__host_action(const toad__host *host, toad__surface surface, toad_str source,
                              const toad_verdict *verdict);
/* The same with what is left of a verdict. */
const char *toad__host_action_on(const toad__host *host, toad__surface surface, toad_str source, toad_severity severity,
                                 toad_completeness completeness);
/* The table's word for what several scans found together. */
const char *toad__host_action_for(const toad__host *host, toad_str source, toad_severity severity,
                                  toad_completeness completeness);

#endif
