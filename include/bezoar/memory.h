/* memory.h - the text forms of memory: provenance, the Markdown line, the prompt section, refusals and placeholders.
 *
 * Only text in and text out; where entries are kept is another layer's matter. The line format is outheis' (seed 000),
 * written so that provenance cannot be forged from inside the text; the refusal and the placeholder are seed 003's. */
#ifndef BEZOAR_MEMORY_H
#define BEZOAR_MEMORY_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Who authored an entry, from most to least trusted. */
typedef enum bzr_provenance { BZR_USER = 0, BZR_AGENT = 1, BZR_EXTERNAL = 2 } bzr_provenance;
BZR_API const char *bzr_provenance_name(bzr_provenance v); /* "user", "agent", "external" */
BZR_API bool bzr_provenance_parse(bzr_str name, bzr_provenance *ret);
/* The provenance of something made from both: the less trusted one. */
BZR_API bzr_provenance bzr_provenance_join(bzr_provenance a, bzr_provenance b);

/* One entry as a Markdown list line without line feed: `- TEXT <!-- YYYY-MM-DD source:external -->`; `source:` is
 * written for user and external. `date` is "YYYY-MM-DD". Line breaks, comment openers and closers in the text are
 * written as character references, which bzr_memory_parse_line undoes; other kinds of line break become line feeds.
 * Errors: BZR_E_NOMEM, BZR_E_ARG (a date that is none). */
BZR_API bzr_status bzr_memory_line(bzr_str text, bzr_provenance provenance, bzr_str date, bzr_text **ret);

typedef struct bzr_memory_entry bzr_memory_entry;
/* Read one line, ours or upstream's. Only the last date comment counts. A source that is not known is read as external.
 * Errors: BZR_E_NOMEM, BZR_E_NOT_FOUND (no entry stands on this line). Release with bzr_memory_entry_free. */
BZR_API bzr_status bzr_memory_parse_line(bzr_str line, bzr_memory_entry **ret);
BZR_API void bzr_memory_entry_free(bzr_memory_entry *entry); /* NULL is a no-op */
BZR_API bzr_str bzr_memory_entry_text(const bzr_memory_entry *entry);
BZR_API bzr_provenance bzr_memory_entry_provenance(const bzr_memory_entry *entry);
/* The source as it stands in the comment ("agent" where there is none). */
BZR_API bzr_str bzr_memory_entry_source(const bzr_memory_entry *entry);
/* "YYYY-MM-DD", or empty where the line has no date or an impossible one. */
BZR_API bzr_str bzr_memory_entry_date(const bzr_memory_entry *entry);

/* Seed 003's refusal of a write: {"success":false,"error":"Content blocked: matched prompt-injection pattern 'ID'.
 * Rephrase the entry."} */
BZR_API bzr_status bzr_memory_refusal(bzr_str rule_id, bzr_text **ret);
/* Seed 003's snapshot placeholder. `ids` are sorted and each is shown once, whatever their order. Errors: BZR_E_NOMEM.
 */
BZR_API bzr_status bzr_memory_placeholder(const bzr_str *ids, size_t n, bzr_str entry_id, bzr_text **ret);

/* outheis' `_sanitize`: its class of invisible characters deleted, white space trimmed at both ends. For what to store,
 * use the sanitizer (bzr_neutralize, or the scanner's): this one destroys emoji and Persian, and misses much. */
BZR_API bzr_status bzr_memory_outheis_sanitize(bzr_str text, bzr_text **ret);
/* outheis' to_line: two blanks before the comment, a line feed at the end, nothing escaped. `source` is written unless
 * "agent". */
BZR_API bzr_status bzr_memory_outheis_line(bzr_str text, bzr_str source, bzr_str date, bzr_text **ret);
/* outheis' `! text` marker. `*content` is a slice of `text`, p NULL where there is none; `*type` "user", "feedback",
 * "context" or NULL;
 * `*remaining` the trimmed text where there is none. No errors. */
BZR_API void bzr_memory_explicit(bzr_str text, bzr_str *content, const char **type, bzr_str *remaining);

typedef struct bzr_memory_view {
    bzr_str text, source; /* source: "user", "agent", "external" */
    bzr_str type;         /* "user", "feedback", "context"; or the category in XML */
} bzr_memory_view;
/* Entries for a prompt, in outheis' sections (# Memory, ## About the user, ...), external ones in <external_content>.
 * One line each; with `exact` as upstream writes them, else neutralized. Empty when there is no entry. Errors:
 * BZR_E_NOMEM. */
BZR_API bzr_status bzr_memory_prompt(const bzr_memory_view *entries, size_t n, bool exact, bzr_text **ret);
/* One such line, `- text` or `- <external_content>text</external_content>`. */
BZR_API bzr_status bzr_memory_prompt_line(bzr_str text, bzr_str source, bool exact, bzr_text **ret);
/* outheis' wrap_external_content: the tag around the text, nothing escaped. */
BZR_API bzr_status bzr_memory_outheis_wrap(bzr_str text, bzr_text **ret);
/* outheis' news block: `## NAME` and one line per headline, or on failure `## NAME (Error)` and `_error_`. */
BZR_API bzr_status bzr_memory_agenda(bzr_str name, bool success, const bzr_str *headlines, size_t n, bzr_str error,
                                     bzr_text **ret);
/* docker agent's block of memories: XML-escaped, nothing else. */
BZR_API bzr_status bzr_memories_xml(const bzr_memory_view *entries, size_t n, bzr_text **ret);

#ifdef __cplusplus
}
#endif
#endif
