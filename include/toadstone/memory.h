/* memory.h - the text forms of memory: provenance, the Markdown line, the prompt section, refusals and placeholders.
 *
 * Only text in and text out; where entries are kept is another layer's matter. The line format is outheis',
 * written so that provenance cannot be forged from inside the text; the refusal and the placeholder are those that
 * memory tools answer with. */
#ifndef TOADSTONE_MEMORY_H
#define TOADSTONE_MEMORY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who authored an entry, from most to least trusted. */
typedef enum toad_provenance { TOAD_USER = 0, TOAD_AGENT = 1, TOAD_EXTERNAL = 2 } toad_provenance;
TOAD_API const char *toad_provenance_name(toad_provenance v); /* "user", "agent", "external" */
TOAD_API bool toad_provenance_parse(toad_str name, toad_provenance *ret);
/* The provenance of something made from both: the less trusted one. */
TOAD_API toad_provenance toad_provenance_join(toad_provenance a, toad_provenance b);

/* One entry as a Markdown list line without line feed: `- TEXT <!-- YYYY-MM-DD source:external -->`; `source:` is
 * written for user and external. `date` is "YYYY-MM-DD". Line breaks, comment openers and closers in the text are
 * written as character references, which toad_memory_parse_line undoes; other kinds of line break become line feeds.
 * Errors: TOAD_E_NOMEM, TOAD_E_ARG (a date that is none). */
TOAD_API toad_status toad_memory_line(toad_str text, toad_provenance provenance, toad_str date, toad_text **ret);

typedef struct toad_memory_entry toad_memory_entry;
/* Read one line, ours or upstream's. Only the last date comment counts. A source that is not known is read as external.
 * Errors: TOAD_E_NOMEM, TOAD_E_NOT_FOUND (no entry stands on this line). Release with toad_memory_entry_free. */
TOAD_API toad_status toad_memory_parse_line(toad_str line, toad_memory_entry **ret);
TOAD_API void toad_memory_entry_free(toad_memory_entry *entry); /* NULL is a no-op */
TOAD_API toad_str toad_memory_entry_text(const toad_memory_entry *entry);
TOAD_API toad_provenance toad_memory_entry_provenance(const toad_memory_entry *entry);
/* The source as it stands in the comment ("agent" where there is none). */
TOAD_API toad_str toad_memory_entry_source(const toad_memory_entry *entry);
/* "YYYY-MM-DD", or empty where the line has no date or an impossible one. */
TOAD_API toad_str toad_memory_entry_date(const toad_memory_entry *entry);

/* The refusal of a write: {"success":false,"error":"Content blocked: matched prompt-injection pattern 'ID'.
 * Rephrase the entry."} */
TOAD_API toad_status toad_memory_refusal(toad_str rule_id, toad_text **ret);
/* What stands in a snapshot for a blocked entry. `ids` are sorted and each is shown once, whatever their order. Errors:
 * TOAD_E_NOMEM.
 */
TOAD_API toad_status toad_memory_placeholder(const toad_str *ids, size_t n, toad_str entry_id, toad_text **ret);

/* outheis' `_sanitize`: its class of invisible characters deleted, white space trimmed at both ends. For what to store,
 * use the sanitizer (toad_neutralize, or the scanner's): this one destroys emoji and Persian, and misses much. */
TOAD_API toad_status toad_memory_outheis_sanitize(toad_str text, toad_text **ret);
/* outheis' to_line: two blanks before the comment, a line feed at the end, nothing escaped. `source` is written unless
 * "agent". */
TOAD_API toad_status toad_memory_outheis_line(toad_str text, toad_str source, toad_str date, toad_text **ret);
/* outheis' `! text` marker. `*content` is a slice of `text`, p NULL where there is none; `*type` "user", "feedback",
 * "context" or NULL;
 * `*remaining` the trimmed text where there is none. No errors. */
TOAD_API void toad_memory_explicit(toad_str text, toad_str *content, const char **type, toad_str *remaining);

typedef struct toad_memory_view {
    toad_str text, source; /* source: "user", "agent", "external" */
    toad_str type;         /* "user", "feedback", "context"; or the category in XML */
} toad_memory_view;
/* Entries for a prompt, in outheis' sections (# Memory, ## About the user, ...), external ones in <external_content>.
 * One line each; with `exact` as upstream writes them, else neutralized. Empty when there is no entry. Errors:
 * TOAD_E_NOMEM. */
TOAD_API toad_status toad_memory_prompt(const toad_memory_view *entries, size_t n, bool exact, toad_text **ret);
/* One such line, `- text` or `- <external_content>text</external_content>`. */
TOAD_API toad_status toad_memory_prompt_line(toad_str text, toad_str source, bool exact, toad_text **ret);
/* outheis' wrap_external_content: the tag around the text, nothing escaped. */
TOAD_API toad_status toad_memory_outheis_wrap(toad_str text, toad_text **ret);
/* outheis' news block: `## NAME` and one line per headline, or on failure `## NAME (Error)` and `_error_`. */
TOAD_API toad_status toad_memory_agenda(toad_str name, bool success, const toad_str *headlines, size_t n,
                                        toad_str error, toad_text **ret);
/* docker agent's block of memories: XML-escaped, nothing else. */
TOAD_API toad_status toad_memories_xml(const toad_memory_view *entries, size_t n, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
