/* memory_gate.h - the one gate that entries of memory pass, written or read: scanned strict, and shown only if nothing
 * was found.
 *
 * Whoever shows a row asks here first, whatever the row says of itself: it may have been written behind our back. All
 * fields count, not only the content, because all of them reach a prompt or a table. What is found is remembered by the
 * host for texts it has seen, whole texts compared, so a server renders the same rows without scanning them again. */
#ifndef TOAD_APP_MEMORY_GATE_H
#define TOAD_APP_MEMORY_GATE_H

#include "app/host/host.h"
#include "lib/text/sanitize.h"

#define TOAD__THREATS_MAX       24
#define TOAD__THREAT_INCOMPLETE "incomplete_scan" /* the id of a text that could not be scanned to its end */
#define TOAD__ROW_PREFIX        "row:"            /* begins the handle of a row whose own id may not be shown */

/* Ids of the rules that matched, sorted, each once; they live as long as the engine. More than fit are left out. */
typedef struct toad__threats {
    const char *ids[TOAD__THREATS_MAX];
    size_t n;
} toad__threats;

/* Add what is found in `text`. The learned model alone is no threat here (memory is refused by patterns). */
toad_status toad__gate_text(toad__host *host, toad_str text, toad__threats *threats);
/* What is found in any field of a row. */
toad_status toad__gate_row(toad__host *host, const toad__memory *row, toad__threats *ret);
/* A row's provenance as far as it can be believed: external where the digest does not fit the content. */
toad_provenance toad__gate_provenance(const toad__memory *row);

/* The name under which a row is shown and deleted: its id where that is a harmless word, else "row:" and 16 hex digits
 * of the id's digest. Errors: TOAD_E_NOMEM. */
#define TOAD__HANDLE_MAX 65
toad_status toad__gate_handle(toad__host *host, toad_str id, char ret[TOAD__HANDLE_MAX]);
/* Is this a word that may be an id (toad__store_is_memory_id), and no handle? */
bool toad__gate_is_id(toad_str id);

#define TOAD__REFUSAL_MAX 256

/* Why a text may not be written: the gravest finding, of those of one family that are as grave the plainest. */
typedef struct toad__refusal {
    const char *rule; /* NULL: it may be written */
    const char *family;
    toad_severity severity;
    bool encoded;                  /* it was found in what the text decodes to */
    const char *why;               /* one sentence of ours, or NULL */
    char words[TOAD__REFUSAL_MAX]; /* which, escaped to printable ASCII; empty where the text as a whole is meant */
} toad__refusal;
/* Text that is to be written: `clean` gets it sanitized and trimmed, unless it is refused. What was clean before (the
 * category and session of a batch, a row that was read) is not scanned again. `removed` may be NULL. */
toad_status toad__gate_write(toad__host *host, toad_str text, toad__buf *clean, toad__census *removed,
                             toad__refusal *ret);

/* "Content blocked: ...", as agents know it; no word of the text is in it. */
void toad__refusal_message(const toad__refusal *r, char ret[TOAD__REFUSAL_MAX]);
/* The members that say more: "rule", "words", "why", "hint". */
void toad__refusal_members(const toad__refusal *r, toad__answer *answer);

/* Forget what was found. Called when the host is closed. */
void toad__gate_free(toad__host *host);

#endif
