/* memory.h - the text forms of memory: provenance, the Markdown line, the line for a prompt, refusals and placeholders.
 *
 * Only text in and text out; where entries are kept is another layer's matter. The line format is outheis', written so
 * that provenance cannot be forged from inside the text. */
#ifndef TOADSTONE_MEMORY_H
#define TOADSTONE_MEMORY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who authored an entry, from most to least trusted. */
typedef enum toad_provenance { TOAD_USER = 0, TOAD_AGENT = 1, TOAD_EXTERNAL = 2 } toad_provenance;

/* name   "user", "agent", "external"; static, never NULL, and "external" for a value outside the list.
 * parse  The other way; false, and `*ret` untouched, for a name that is none of these.
 * join   The provenance of something made from both: the less trusted one.
 *
 * Thread rule: any thread. */
TOAD_API const char *toad_provenance_name(toad_provenance v);
TOAD_API bool toad_provenance_parse(toad_str name, toad_provenance *ret);
TOAD_API toad_provenance toad_provenance_join(toad_provenance a, toad_provenance b);

/* One entry as a Markdown list line without line feed: `- TEXT <!-- YYYY-MM-DD source:external -->`.
 *
 * text  Any bytes; white space at both ends is left out. Line breaks, comment openers and closers in it are written as
 *       character references, which toad_memory_parse_line undoes; other kinds of line break become line feeds.
 * date  "YYYY-MM-DD", a day that exists.
 * ret   The line, for toad_text_free. `source:` is written for user and external; none means agent.
 *
 * Errors: TOAD_E_NOMEM, TOAD_E_ARG (also a date that is none). Thread rule: any thread. */
TOAD_API toad_status toad_memory_line(toad_str text, toad_provenance provenance, toad_str date, toad_text **ret);

typedef struct toad_memory_entry toad_memory_entry;
/* Read one line, ours or outheis': only the last date comment counts, and a source that is not known is read as
 * external.
 *
 * parse_line  The entry, for toad_memory_entry_free (NULL is a no-op). Errors: TOAD_E_NOMEM, TOAD_E_NOT_FOUND (no entry
 *             stands on this line), TOAD_E_ARG.
 * text        What the entry says.
 * provenance  Who authored it.
 * source      The source as it stands in the comment ("agent" where there is none).
 * date        "YYYY-MM-DD", or empty where the line has no date or an impossible one.
 *
 * Slices live as long as the entry. Thread rule: any thread. */
TOAD_API toad_status toad_memory_parse_line(toad_str line, toad_memory_entry **ret);
TOAD_API void toad_memory_entry_free(toad_memory_entry *entry);
TOAD_API toad_str toad_memory_entry_text(const toad_memory_entry *entry);
TOAD_API toad_provenance toad_memory_entry_provenance(const toad_memory_entry *entry);
TOAD_API toad_str toad_memory_entry_source(const toad_memory_entry *entry);
TOAD_API toad_str toad_memory_entry_date(const toad_memory_entry *entry);

/* What agents are told and shown, each for toad_text_free.
 *
 * prompt_line  An entry as one line of a system prompt: `- text`, or `- <external_content>text</external_content>`;
 *              sanitized and neutralized, line breaks as blanks. Errors: TOAD_E_NOMEM, TOAD_E_ARG.
 * refusal      The answer to a write that is refused: {"success":false,"error":"Content blocked: matched
 * prompt-injection pattern 'ID'. Rephrase the entry."}, the id escaped as JSON. Errors: TOAD_E_NOMEM, TOAD_E_ARG.
 * placeholder  What stands in a snapshot for a blocked entry: [BLOCKED: entry contained threat pattern(s): ID, ID. Use
 *              delete_memory(id=...) to remove it.]; the `n` ids are sorted and each is shown once, so that the same
 *              entry gives the same bytes. Errors: TOAD_E_NOMEM, TOAD_E_ARG.
 *
 * Thread rule: any thread. */
TOAD_API toad_status toad_memory_prompt_line(toad_str text, toad_provenance provenance, toad_text **ret);
TOAD_API toad_status toad_memory_refusal(toad_str rule_id, toad_text **ret);
TOAD_API toad_status toad_memory_placeholder(const toad_str *ids, size_t n, toad_str entry_id, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
