/* memory_gate.h - the one gate that entries of memory pass, written or read: scanned strict, and shown only if nothing
 * was found.
 *
 * Whoever shows a row asks here first, whatever the row says of itself: it may have been written behind our back. All
 * fields count, not only the content, because all of them reach a prompt or a table. What is found is remembered by the
 * host for texts it has seen, whole texts compared, so a server renders the same rows without scanning them again. */
#ifndef BZR_APP_MEMORY_GATE_H
#define BZR_APP_MEMORY_GATE_H

#include "app/host/host.h"
#include "lib/text/sanitize.h"

#define BZR__THREATS_MAX       24
#define BZR__THREAT_INCOMPLETE "incomplete_scan" /* the id of a text that could not be scanned to its end */
#define BZR__ROW_PREFIX        "row:"            /* begins the handle of a row whose own id may not be shown */

/* Ids of the rules that matched, sorted, each once; they live as long as the engine. More than fit are left out. */
typedef struct bzr__threats {
    const char *ids[BZR__THREATS_MAX];
    size_t n;
} bzr__threats;

/* Add what is found in `text`. The learned model alone is no threat here (seed 003 names patterns). */
bzr_status bzr__gate_text(bzr__host *host, bzr_str text, bzr__threats *threats);
/* What is found in any field of a row. */
bzr_status bzr__gate_row(bzr__host *host, const bzr__memory *row, bzr__threats *ret);
/* A row's provenance as far as it can be believed: external where the digest does not fit the content. */
bzr_provenance bzr__gate_provenance(const bzr__memory *row);

/* The name under which a row is shown and deleted: its id where that is a harmless word, else "row:" and 16 hex digits
 * of the id's digest. Errors: BZR_E_NOMEM. */
#define BZR__HANDLE_MAX 65
bzr_status bzr__gate_handle(bzr__host *host, bzr_str id, char ret[BZR__HANDLE_MAX]);
/* Is this a word that may be an id? 1 to 64 of [A-Za-z0-9._:-], and not a handle. */
bool bzr__gate_is_id(bzr_str id);

/* Why a text may not be written: the gravest finding, of those of one family that are as grave the plainest. */
typedef struct bzr__refusal {
    const char *rule; /* NULL: it may be written */
    const char *family;
    bzr_severity severity;
} bzr__refusal;
/* Text that is to be written: `clean` gets it sanitized and trimmed, unless it is refused. `removed` may be NULL. */
bzr_status bzr__gate_write(bzr__host *host, bzr_str text, bzr__buf *clean, bzr__census *removed, bzr__refusal *ret);

/* 64 hex digits of SHA-256 and a NUL. Errors: BZR_E_NOMEM. */
bzr_status bzr__gate_digest(bzr_str text, char ret[65]);

/* Forget what was found. Called when the host is closed. */
void bzr__gate_free(bzr__host *host);

#endif
