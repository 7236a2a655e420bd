/* memory.h - the operations on memory: add_memory, update_memory, delete_memory, get_memories, search_memories,
 * render_memories.
 *
 * Seed 003's two layers: what is written is sanitized and scanned strict, and one finding refuses it; what is read is
 * scanned again, and a bad row is shown as a placeholder, listed as blocked, and can be deleted. Seed 000's provenance:
 * a model's entry is never more than "agent", a derived one never more than its parents, and what came from outside is
 * shown in an envelope.
 *
 * A user sees rows as they stand (as JSON escapes them). A model never does: blocked content is its placeholder,
 * external content is in <external_content>, other content is neutralized, and so is every word of a row in a message
 * of ours. Errors of all: those of the store, with host->message. */
#ifndef BZR_APP_MEMORY_H
#define BZR_APP_MEMORY_H

#include "app/host/host.h"
#include "bezoar/wrap.h"
#include "lib/base/json.h"

#define BZR__MEMORY_BATCH_MAX 10000

/* What is to be written. */
typedef struct bzr__memory_draft {
    bzr_str id; /* add: p NULL for a new one; update: which */
    bzr_str content;
    bzr_str category; /* p NULL: none; update: as it is */
    bzr_str source;   /* where it came from, a URL or a tool; p NULL as above */
    bool has_provenance;
    bzr_provenance provenance; /* what the writer claims; else external with a URL as source, else user or agent;
                                  update: as it is */
    const bzr_str *parents;    /* add: ids of what this was made from */
    size_t parents_n;
    int64_t at;  /* add: made then, microseconds; 0: now */
    size_t line; /* of a file or a batch, for messages; 0: none */
} bzr__memory_draft;

typedef struct bzr__memory_wanted {
    bzr_str category;
    bool has_provenance;
    bzr_provenance provenance; /* exactly this one */
    uint64_t limit;            /* 0: all */
} bzr__memory_wanted;

/* Write one. {"success":true,"message","id","provenance"[,"removed"]}, or seed 003's refusal and nothing is written. */
bzr_status bzr__memory_add(bzr__host *host, const bzr__memory_draft *draft, bzr__buf *answer);
/* Write all or none. {"success":true,"added","ids"}, or {"success":false,"error","operation"} with the number of the
 * first bad one, from 1. */
bzr_status bzr__memory_add_all(bzr__host *host, const bzr__memory_draft *drafts, size_t n, bzr__buf *answer);
/* The same of JSON lines: objects with "content" and optionally "id", "category", "source", "provenance", "parents"
 * (ids). Errors: BZR_E_SYNTAX. */
bzr_status bzr__memory_add_lines(bzr__host *host, bzr_str lines, bzr__buf *answer);
/* Read one such object. Errors: BZR_E_SYNTAX, with host->message. Everything points into `value` or `arena`. */
bzr_status bzr__memory_read_draft(bzr__host *host, const bzr__json *value, bzr__arena *arena, bzr__memory_draft *ret);
/* Replace the content. A refusal leaves the entry as it was. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__memory_update(bzr__host *host, const bzr__memory_draft *draft, bzr__buf *answer);
/* Delete all, in one transaction. {"success":true,"message","deleted":[ids],"unknown":[ids]}; an id that is not there
 * is no error. */
bzr_status bzr__memory_delete(bzr__host *host, const bzr_str *ids, size_t n, bzr__buf *answer);

/* {"memories":[{"id","content",...}],"total","blocked"}; bad entries have "blocked":true and "block_reason":[rule ids].
 */
bzr_status bzr__memory_list(bzr__host *host, const bzr__memory_wanted *wanted, bzr__buf *answer);
/* One such object. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__memory_show(bzr__host *host, bzr_str id, bzr__buf *answer);

typedef struct bzr__memory_query {
    bzr_str text;
    bool all_words;
    uint64_t limit;        /* 0: 10 */
    bool include_security; /* add "memory", the hits as a prompt, and "security" (seed 004) */
} bzr__memory_query;
/* {"memories":[... with "score"],"total","blocked"}, best first; with include_security also "memory" and
 * "security":{"recent_blocks" (24 hours), "trusted_sources","suspicious_domains","security_learnings"}. */
bzr_status bzr__memory_search(bzr__host *host, const bzr__memory_query *query, bzr__buf *answer);

/* The snapshot for a prompt: {"text","entries","external","blocked","sha256"}. The Content Safety section first, then
 * the entries in outheis' sections, external ones in `envelope`. The same rows give the same bytes: markers that other
 * families draw by chance come from the rows here. */
bzr_status bzr__memory_render(bzr__host *host, const bzr__memory_wanted *wanted, bzr_envelope envelope,
                              bzr__buf *answer);

/* ---- for app/memory*.c ---- */

/* The whole row of an id or a handle, copied into `arena`. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__memory_find(bzr__host *host, bzr_str id, bzr__arena *arena, bzr__memory *ret);
/* All rows wanted, copied into `arena`, in the order of their making. */
bzr_status bzr__memory_collect(bzr__host *host, const bzr__memory_wanted *wanted, bzr__arena *arena, bzr__memory **ret,
                               size_t *ret_n);

typedef struct bzr__memory_shown {
    size_t entries, external, blocked;
} bzr__memory_shown;
/* Append rows as bzr__memory_render does; nothing for no rows. */
bzr_status bzr__memory_prompt_of(bzr__host *host, const bzr__memory *rows, size_t n, bzr_envelope envelope,
                                 bzr__buf *text, bzr__memory_shown *ret);
/* The placeholder of a bad row. */
struct bzr__threats;
bzr_status bzr__memory_placeholder_of(bzr__host *host, bzr_str id, const struct bzr__threats *threats, bzr__buf *text);
/* `s` as printable ASCII, for messages. */
void bzr__memory_add_printable(bzr__buf *b, bzr_str s);

#endif
