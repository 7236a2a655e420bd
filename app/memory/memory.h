/* memory.h - the operations on memory: add_memory, update_memory, delete_memory, get_memories, search_memories,
 * render_memories.
 *
 * Two layers: what is written is sanitized and scanned strict, and one finding refuses it; what is read is
 * scanned again, and a bad row is shown as a placeholder, listed as blocked, and can be deleted. Provenance is
 * outheis': a model's entry is never more than "agent", a derived one never more than its parents, and what came from
 * outside is shown in an envelope.
 *
 * A user sees rows as they stand (as JSON escapes them). A model never does: blocked content is its placeholder,
 * external content is in <external_content>, other content is neutralized, and so is every word of a row in a message
 * of ours. Errors of all: those of the store, with host->message. */
#ifndef TOAD_APP_MEMORY_H
#define TOAD_APP_MEMORY_H

#include "app/host/host.h"
#include "lib/base/json.h"
#include "toadstone/wrap.h"

#define TOAD__MEMORY_BATCH_MAX   10000
#define TOAD__MEMORY_SESSION_MAX 128
#define TOAD__MEMORY_REFUSED_MAX 100 /* told one by one, and logged */

/* What is to be written. */
typedef struct toad__memory_draft {
    toad_str id; /* add: p NULL for a new one; update: which */
    toad_str content;
    toad_str category; /* p NULL: none; update: as it is */
    toad_str source;   /* where it came from, a URL or a tool; p NULL as above */
    bool has_provenance;
    toad_provenance provenance; /* what the writer claims; else external with a URL as source, else user or agent;
                                  update: as it is */
    const toad_str *parents;    /* add: ids of what this was made from */
    size_t parents_n;
    int64_t at;  /* add: made then, microseconds; 0: now */
    size_t line; /* of a file or a batch, for messages; 0: none */
} toad__memory_draft;

typedef struct toad__memory_wanted {
    toad_str category;
    bool has_provenance;
    toad_provenance provenance; /* exactly this one */
    uint64_t limit;             /* 0: all */
} toad__memory_wanted;

/* Write one. {"success":true,"message","id","provenance"[,"removed"]}, or the refusal and nothing is written:
 * {"success":false,"error", and which words, why and what to change: "rule","words","why","hint"}. */
toad_status toad__memory_add(toad__host *host, const toad__memory_draft *draft, toad__answer *answer);
/* Write all or none: {"success":true,"added","ids"}, or the refusal with "operation", the number of the first bad one,
 * from 1. `some`: write the good ones; the answer says of the others "refused":[{"line","error", and why}], at most
 * TOAD__MEMORY_REFUSED_MAX, and "refused_total". */
toad_status toad__memory_add_all(toad__host *host, const toad__memory_draft *drafts, size_t n, bool some,
                                 toad__answer *answer);
/* The same of JSON lines: objects with "content" and optionally "id", "category", "source", "provenance", "parents"
 * (ids). Errors: TOAD_E_SYNTAX. */
toad_status toad__memory_add_lines(toad__host *host, toad_str lines, toad__answer *answer);
/* Read one such object. Errors: TOAD_E_SYNTAX, with host->message. Everything points into `value` or `arena`. */
toad_status toad__memory_read_draft(toad__host *host, const toad__json *value, toad__arena *arena,
                                    toad__memory_draft *ret);
/* Replace the content. A refusal leaves the entry as it was. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__memory_update(toad__host *host, const toad__memory_draft *draft, toad__answer *answer);
/* Delete all, in one transaction. {"success":true,"message","deleted":[ids],"unknown":[ids]}; an id that is not there
 * is no error. */
toad_status toad__memory_delete(toad__host *host, const toad_str *ids, size_t n, toad__answer *answer);

/* {"memories":[{"id","content",...}],"total","blocked"}; bad entries have "blocked":true and "block_reason":[rule ids].
 */
toad_status toad__memory_list(toad__host *host, const toad__memory_wanted *wanted, toad__answer *answer);
/* One such object. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__memory_show(toad__host *host, toad_str id, toad__answer *answer);

typedef struct toad__memory_query {
    toad_str text;
    bool all_words;
    uint64_t limit;        /* 0: 10 */
    bool include_security; /* add "memory", the hits as a prompt, and "security" */
} toad__memory_query;
/* {"memories":[... with "score"],"total","blocked"}, best first; with include_security also "memory" and
 * "security":{"recent_blocks" (24 hours), "trusted_sources","suspicious_domains","security_learnings"}. */
toad_status toad__memory_search(toad__host *host, const toad__memory_query *query, toad__answer *answer);

/* The snapshot for a prompt: {"text","entries","external","blocked","sha256"}. The Content Safety section first, then
 * the entries in outheis' sections, external ones in `envelope`. The same rows give the same bytes: markers that other
 * families draw by chance come from the rows here. A session is given the bytes that it was given first, whatever is
 * remembered meanwhile, until the user deletes a memory; and it counts as having read the external entries. */
toad_status toad__memory_render(toad__host *host, const toad__memory_wanted *wanted, toad_envelope envelope,
                                toad__answer *answer);

/* ---- for app/memory*.c ---- */

/* The whole row of an id or a handle, copied into `arena`. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__memory_find(toad__host *host, toad_str id, toad__arena *arena, toad__memory *ret);
/* All rows wanted, copied into `arena`, in the order of their making. */
toad_status toad__memory_collect(toad__host *host, const toad__memory_wanted *wanted, toad__arena *arena,
                                 toad__memory **ret, size_t *ret_n);

/* host->session is about to be shown these rows: the external ones taint it (app/act/taint.h). Known ones are no write.
 */
toad_status toad__memory_seen(toad__host *host, const toad__memory *rows, size_t n, toad__arena *arena);

typedef struct toad__memory_shown {
    size_t entries, external, blocked;
} toad__memory_shown;
/* Append rows as toad__memory_render does; nothing for no rows. */
toad_status toad__memory_prompt_of(toad__host *host, const toad__memory *rows, size_t n, toad_envelope envelope,
                                   toad__buf *text, toad__memory_shown *ret);
/* The placeholder of a bad row. */
struct toad__threats;
toad_status toad__memory_placeholder_of(toad__host *host, toad_str id, const struct toad__threats *threats,
                                        toad__buf *text);
/* `s` as printable ASCII, for messages. */
void toad__memory_add_printable(toad__buf *b, toad_str s);

#endif
