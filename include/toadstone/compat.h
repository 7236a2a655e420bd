/* compat.h - other projects' functions on untrusted text, byte for byte: for drop-in replacement and for comparison.
 *
 * A library of its own, libtoadstone-compat (pkg-config toadstone-compat). Two sorts stand here, each under its
 * project: EXACT functions return what the project's own code returns, its gaps included, so new code should call
 * wrap.h and memory.h instead; SAFE ones have the project's form, and neutralize the content as toad_wrap does.
 *
 * What holds for all: content is any bytes and is only read; `*ret` is for toad_text_free; the error is TOAD_E_NOMEM,
 * of SAFE functions also those of toad_wrap; pointers are not checked. Linear in the input, but toad_openclaw_truncate,
 * which takes a logarithm longer. Thread rule: any thread. Structs are FROZEN. */
#ifndef TOADSTONE_COMPAT_H
#define TOADSTONE_COMPAT_H

#include "memory.h"
#include "scan.h"
#include "wrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- OpenClaw, src/security/external-content.ts (2026-08). Lengths are UTF-16 units, as JavaScript counts. ---- */

/* What wrapExternalContent and buildSafeExternalPrompt are told. */
typedef struct toad_openclaw_params {
    toad_str source, sender, subject, task; /* empty: absent */
    toad_str job_id, timestamp;             /* buildSafeExternalPrompt only */
    toad_notice notice;                     /* SHORT, LONG, or NONE for includeWarning: false */
    toad_str id;                            /* of the marker, as it is; empty: none */
} toad_openclaw_params;

/* EXACT, but wrap_web_content.
 *
 * - sanitize: sanitizeExternalContentText: markers, in the spellings that OpenClaw folds, as [[MARKER_SANITIZED]], and
 *   then strip_tokens.
 * - strip_tokens: sanitizeModelSpecialTokens: chat template tokens as [REMOVED_SPECIAL_TOKEN].
 * - truncate: truncateSanitizedExternalContent: the longest sanitized prefix of at most `max_units`. `*truncated` and
 *   `*retained` (units of the content kept) may be NULL.
 * - fold_char: foldMarkerChar: the code point that `c` folds to, `c` itself, or 0 when it is dropped.
 * - wrap: wrapExternalContent: the envelope around the sanitized content.
 * - prompt: buildSafeExternalPrompt: the same behind a line with job and time.
 * - suspicious: detectSuspiciousPatterns: the sources of the expressions that match, each on a line of its own.
 * - hook_type: getHookType: "email", "webhook" or "unknown", static; isExternalHookSession is: not "unknown". It
 *   believes what a session key says, so nothing about trust may be decided by it.
 * - strip_for_display: stripExternalContentForDisplay: the text without envelopes and notices.
 * - wrap_web_content: SAFE. wrapWebContent: `source` "web_search" (also when empty; no notice) or "web_fetch" (notice),
 *   and a random id. */
TOAD_API toad_status toad_openclaw_sanitize(toad_str content, toad_text **ret);
TOAD_API toad_status toad_openclaw_strip_tokens(toad_str content, toad_text **ret);
TOAD_API toad_status toad_openclaw_truncate(toad_str content, uint64_t max_units, toad_text **ret, bool *truncated,
                                            uint64_t *retained);
TOAD_API uint32_t toad_openclaw_fold_char(uint32_t c);
TOAD_API toad_status toad_openclaw_wrap(toad_str content, const toad_openclaw_params *params, toad_text **ret);
TOAD_API toad_status toad_openclaw_prompt(toad_str content, const toad_openclaw_params *params, toad_text **ret);
TOAD_API toad_status toad_openclaw_suspicious(toad_str content, toad_text **ret);
TOAD_API const char *toad_openclaw_hook_type(toad_str session_key);
TOAD_API toad_status toad_openclaw_strip_for_display(toad_str text, toad_text **ret);
TOAD_API toad_status toad_wrap_web_content(toad_str content, toad_str source, toad_text **ret);

/* ---- ddg-search of the agent-skills collection: web search results for a model. ---- */

typedef struct toad_search_result {
    toad_str title, url, snippet;
} toad_search_result;

/* EXACT.
 *
 * sanitize_markers  sanitizeMarkers: OpenClaw's first markers, without id, as [[MARKER_SANITIZED]].
 * wrap              wrapExternalContent: notice, marker, "Source: Web Search", the sanitized content, marker.
 * format_text       Results as numbered text in that envelope.
 * format_json       Results as indented JSON in that envelope. `results` may be NULL if `n` is 0. */
TOAD_API toad_status toad_ddg_sanitize_markers(toad_str content, toad_text **ret);
TOAD_API toad_status toad_ddg_wrap(toad_str content, toad_text **ret);
TOAD_API toad_status toad_ddg_format_text(toad_str query, const toad_search_result *results, size_t n, toad_text **ret);
TOAD_API toad_status toad_ddg_format_json(toad_str query, const toad_search_result *results, size_t n, toad_text **ret);

/* ---- PtcRunner, UntrustedRenderer (v0.11.0) and where it is called. nil is a slice with p NULL, in and out: *ret =
 * NULL and TOAD_OK. ---- */

/* wrap                SAFE. UntrustedRenderer.wrap: <untrusted_ptc_output source="...">; nil and "" as they are.
 * wrap_with_preamble  SAFE. The same behind the preamble.
 * preamble            The sentence that tells a model how to read the blocks; static.
 * exact_wrap          EXACT. wrap, or wrap_with_preamble: only the literal closing tag is escaped.
 * tool_failure        EXACT. "Tool 'NAME' failed:" and the error, which is text already ("inspected").
 * execution_feedback  EXACT. The blocks result, println and memory, those that are not nil, behind one preamble.
 * render_output       EXACT. What a program printed, the last `limit` of `n` lines; nil if it does not print.
 * error_feedback      EXACT. "Error:" and at most `max_chars` characters of it.
 * agent_feedback      EXACT. The observation of a step that succeeded, cut at `max_chars` characters. */
TOAD_API toad_status toad_ptc_wrap(toad_str content, toad_str source, toad_text **ret);
TOAD_API toad_status toad_ptc_wrap_with_preamble(toad_str content, toad_str source, toad_text **ret);
TOAD_API const char *toad_ptc_preamble(void);
TOAD_API toad_status toad_ptc_exact_wrap(toad_str content, toad_str source, bool preamble, toad_text **ret);
TOAD_API toad_status toad_ptc_tool_failure(toad_str name, toad_str inspected, toad_text **ret);
TOAD_API toad_status toad_ptc_execution_feedback(toad_str result, toad_str println, toad_str memory, toad_text **ret);
TOAD_API toad_status toad_ptc_render_output(const toad_str *prints, size_t n, size_t limit, bool has_println,
                                            toad_text **ret);
TOAD_API toad_status toad_ptc_error_feedback(toad_str error, size_t max_chars, toad_text **ret);
TOAD_API toad_status toad_ptc_agent_feedback(toad_str observation, size_t max_chars, toad_text **ret);

/* ---- outheis, memory of an assistant (Python). ---- */

/* One entry of a memory that is shown to a model. */
typedef struct toad_memory_view {
    toad_str text, source; /* source: "user", "agent", "external" */
    toad_str type;         /* outheis: "user", "feedback", "context"; docker agent: the category */
} toad_memory_view;

/* - sanitize: EXACT. `_sanitize`: its class of invisible characters deleted, white space trimmed at both ends. It
 *   destroys emoji and Persian, and misses much: to store text, use toad_sanitize.
 * - line: EXACT. to_line: `- TEXT  <!-- DATE source:S -->` and a line feed; nothing escaped. `source` is written unless
 *   "agent".
 * - explicit: EXACT. The `! text` marker by which a user says what to remember. `*content` is a slice of `text`, p NULL
 *   where there is none; `*type` "user", "feedback", "context" or NULL; `*remaining` the trimmed text where there is
 *   none. No errors.
 * - prompt_line: EXACT. An entry as a line, `- text` or `- <external_content>text</external_content>`.
 * - prompt: entries in sections (# Memory, ## About the user, ...); empty when there is none. EXACT with `exact`, else
 *   SAFE: lines as toad_memory_prompt_line has them.
 * - wrap: EXACT. wrap_external_content: the tag around the text, nothing escaped.
 * - agenda: EXACT. The news block: `## NAME` and one line per headline, or on failure `## NAME (Error)`.
 * - wrap_external_content: SAFE. wrap_external_content, neutralized. */
TOAD_API toad_status toad_outheis_sanitize(toad_str text, toad_text **ret);
TOAD_API toad_status toad_outheis_line(toad_str text, toad_str source, toad_str date, toad_text **ret);
TOAD_API void toad_outheis_explicit(toad_str text, toad_str *content, const char **type, toad_str *remaining);
TOAD_API toad_status toad_outheis_prompt_line(toad_str text, toad_str source, toad_text **ret);
TOAD_API toad_status toad_outheis_prompt(const toad_memory_view *entries, size_t n, bool exact, toad_text **ret);
TOAD_API toad_status toad_outheis_wrap(toad_str text, toad_text **ret);
TOAD_API toad_status toad_outheis_agenda(toad_str name, bool success, const toad_str *headlines, size_t n,
                                         toad_str error, toad_text **ret);
TOAD_API toad_status toad_wrap_external_content(toad_str text, toad_text **ret);

/* ---- docker agent, memory tool. ---- */

/* - scan_ids: ScanContent: the ids of the rules that matched, sorted, each once, separated by '\n'; empty when nothing
 *   did. The learned model's guess is no pattern and is left out.
 * - first_threat_message: FirstThreatMessage: "Content blocked: matched prompt-injection pattern '<id>'. Rephrase the
 *   entry." for the finding that toad_verdict_worst names, or an empty text.
 * - memories: EXACT. The block before a turn: <memories> with one XML-escaped <memory category="..."> each.
 *
 * Errors of the first two: as toad_scan, which they call; the scanner's last verdict is gone. */
TOAD_API toad_status toad_scan_ids(toad_scanner *scanner, toad_str text, toad_scope scope, toad_text **ret);
TOAD_API toad_status toad_first_threat_message(toad_scanner *scanner, toad_str text, toad_scope scope, toad_text **ret);
TOAD_API toad_status toad_docker_memories(const toad_memory_view *entries, size_t n, toad_text **ret);

/* ---- hermes, agent/tool results. ---- */

/* is_untrusted_tool  EXACT. Whether a tool's result is untrusted, by its name alone.
 * maybe_wrap         EXACT. maybe_wrap_untrusted for one string: <untrusted_tool_result> around what an untrusted tool
 *                    returned, from 32 characters on. */
TOAD_API bool toad_hermes_is_untrusted_tool(toad_str name);
TOAD_API toad_status toad_hermes_maybe_wrap(toad_str name, toad_str content, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
