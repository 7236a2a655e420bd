/* wrap.h - envelopes: untrusted text, marked so that a model can tell where it begins and ends, and that cannot end it
 * itself.
 *
 * bzr_wrap is the one to use. Whatever the content, no boundary marker and no template token of any known family is
 * live inside its envelope (docs/envelopes.md): what a folded matcher finds is replaced, in every spelling; the rest
 * stays byte for byte. The functions of the last section do exactly what the named upstream function does, holes
 * included; they are for drop-in replacement and for comparison, not for new code. */
#ifndef BEZOAR_WRAP_H
#define BEZOAR_WRAP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bzr_envelope {
    BZR_ENVELOPE_OPENCLAW = 0,          /* <<<EXTERNAL_UNTRUSTED_CONTENT id="...">>> (seed 001) */
    BZR_ENVELOPE_PTC,                   /* <untrusted_ptc_output source="..."> (seed 002) */
    BZR_ENVELOPE_EXTERNAL_CONTENT,      /* <external_content> (seed 000) */
    BZR_ENVELOPE_UNTRUSTED_TOOL_RESULT, /* <untrusted_tool_result source="..."> (hermes, model of seed 003) */
    BZR_ENVELOPE_MEMORIES,              /* <memories><memory>, XML-escaped (docker agent) */
    BZR_ENVELOPE_SPOTLIGHT,             /* random delimiters, a mark in every blank, or base64 (arXiv 2403.14720) */
} bzr_envelope;

/* Names as on the command line: "openclaw", "ptc", "external_content", "untrusted_tool_result", "memories",
 * "spotlight". bzr_envelope_parse returns false and leaves `*ret` untouched for a name it does not know. Thread rule:
 * any thread. */
BZR_API const char *bzr_envelope_name(bzr_envelope v);
BZR_API const char *bzr_envelope_title(bzr_envelope v);
BZR_API bool bzr_envelope_parse(bzr_str name, bzr_envelope *ret);

/* The sentences before an envelope. */
typedef enum bzr_notice {
    BZR_NOTICE_DEFAULT = 0, /* openclaw: short, but none for web_search; spotlight, untrusted_tool_result, memories:
                               theirs; others none */
    BZR_NOTICE_NONE,
    BZR_NOTICE_SHORT,  /* OpenClaw since 2026-09, one sentence */
    BZR_NOTICE_LONG,   /* OpenClaw before that, ten lines */
    BZR_NOTICE_SEARCH, /* seed 001's, four lines */
    BZR_NOTICE_CUSTOM, /* options.notice_text: the caller's own, trusted, written as it is */
} bzr_notice;
BZR_API bool bzr_notice_parse(bzr_str name, bzr_notice *ret); /* "default", "none", "short", "long", "search" */

typedef enum bzr_marker_id {
    BZR_ID_RANDOM = 0, /* 128 random bits as 32 hex digits, new for each call */
    BZR_ID_GIVEN,      /* options.id: 1..128 of [A-Za-z0-9._-]; it must be unpredictable to the author of the content */
    BZR_ID_NONE, /* the marker of seed 001, which has none; content cannot end it, but a reader cannot check it either
                  */
} bzr_marker_id;

typedef enum bzr_spotlight { BZR_SPOTLIGHT_DELIMIT = 0, BZR_SPOTLIGHT_DATAMARK, BZR_SPOTLIGHT_BASE64 } bzr_spotlight;
BZR_API bool bzr_spotlight_parse(bzr_str name, bzr_spotlight *ret); /* "delimit", "datamark", "base64" */

/* Fill `p` with `n` unpredictable bytes; false when that is not possible. */
typedef bool (*bzr_random_fn)(void *ctx, void *p, size_t n);

typedef struct bzr_wrap_options {
    size_t size; /* sizeof(bzr_wrap_options): lets the struct grow without breaking callers */
    bzr_envelope envelope;
    bzr_str source; /* "web_fetch", "email", ..., a tool name, a URL, a category (memories); untrusted, as all metadata
                       here */
    bzr_str
        sender; /* openclaw only, like the next two; empty: no line. Each becomes one line of at most 256 code points */
    bzr_str subject;
    bzr_str task;
    bzr_notice notice;
    bzr_str notice_text;
    bzr_marker_id id_mode;
    bzr_str id;
    bool preamble; /* ptc: put the preamble in front; write it once before several blocks */
    bool
        keep_raw; /* do not sanitize the content first (sanitize.h): invisible characters and terminal sequences stay */
    bool quote_lines; /* put "| " before each line, so that an open fence, comment or quote in the content cannot
                         swallow the end */
    bzr_spotlight spotlight;
    uint64_t max_bytes; /* of the whole envelope; 0: no limit. Longer content is cut between characters, and a note says
                           so inside */
    bzr_random_fn random; /* NULL: getentropy(3) of the system */
    void *random_ctx;
} bzr_wrap_options;
#define BZR_WRAP_OPTIONS_INIT \
    { .size = sizeof(bzr_wrap_options) }

/* Put `content` in an envelope. `options` NULL means the defaults (openclaw, short notice, random id, sanitized).
 * `content.p` NULL means there is none: where the family knows that (ptc), `*ret` is NULL and the status BZR_OK;
 * elsewhere it is empty. The text is released with bzr_text_free. Errors: BZR_E_NOMEM; BZR_E_ARG (an id that is none,
 * an unknown enum value); BZR_E_LIMIT (max_bytes does not even hold the empty envelope); BZR_E_RANDOM (never a weak id
 * instead). Thread rule: any thread. */
BZR_API bzr_status bzr_wrap(bzr_str content, const bzr_wrap_options *options, bzr_text **ret);

/* Only the neutralizing: what bzr_wrap writes between its own lines. Sanitizes first if `sanitize`. Errors:
 * BZR_E_NOMEM. */
BZR_API bzr_status bzr_neutralize(bzr_str content, bool sanitize, bzr_text **ret);
/* Offset of the first live marker or template token of `text` in any spelling, or text.n. Errors: BZR_E_NOMEM. */
BZR_API bzr_status bzr_find_marker(bzr_str text, size_t *ret);

typedef struct bzr_unwrapped bzr_unwrapped;
/* Find the first envelope in `text` and take it apart. `id`: the id it must bear, or empty when the caller does not
 * know it. Errors: BZR_E_NOMEM, BZR_E_NOT_FOUND (no complete envelope), BZR_E_ARG (`text` too long). Release with
 * bzr_unwrapped_free. */
BZR_API bzr_status bzr_unwrap(bzr_str text, bzr_str id, bzr_unwrapped **ret);
BZR_API void bzr_unwrapped_free(bzr_unwrapped *u); /* NULL is a no-op */
/* The neutralized content, as it was put in; XML escapes, base64 and datamarks undone. Slices live as long as `u`. */
BZR_API bzr_str bzr_unwrapped_content(const bzr_unwrapped *u);
BZR_API bzr_str bzr_unwrapped_source(const bzr_unwrapped *u);
BZR_API bzr_str bzr_unwrapped_id(const bzr_unwrapped *u); /* empty where the family or the marker has none */
BZR_API bzr_envelope bzr_unwrapped_envelope(const bzr_unwrapped *u);
/* True only if an id was asked for and this envelope bears it, at both ends. Text that merely looks like an envelope is
 * not genuine. */
BZR_API bool bzr_unwrapped_genuine(const bzr_unwrapped *u);

/* ---- By the seeds' names. Safe: they neutralize as bzr_wrap does, and never sanitize. ---- */

/* Seed 002. nil (content.p NULL) gives *ret = NULL, an empty content an empty text, and BZR_OK both times. */
BZR_API bzr_status bzr_ptc_wrap(bzr_str content, bzr_str source, bzr_text **ret);
BZR_API bzr_status bzr_ptc_wrap_with_preamble(bzr_str content, bzr_str source, bzr_text **ret);
BZR_API const char *bzr_ptc_preamble(void);
/* Seed 000: <external_content>text</external_content>, on one line with the text. */
BZR_API bzr_status bzr_wrap_external_content(bzr_str text, bzr_text **ret);
/* Seed 001's model: `source` "web_search" (also when empty; no notice) or "web_fetch" (notice). Random id. */
BZR_API bzr_status bzr_wrap_web_content(bzr_str content, bzr_str source, bzr_text **ret);

/* ---- Exactly as upstream: research/upstream.md sections 1 to 4 and 7.4. Errors of all: BZR_E_NOMEM. ---- */

/* OpenClaw. Lengths are UTF-16 units where upstream counts those. */
BZR_API bzr_status bzr_openclaw_sanitize(bzr_str content, bzr_text **ret);     /* sanitizeExternalContentText */
BZR_API bzr_status bzr_openclaw_strip_tokens(bzr_str content, bzr_text **ret); /* sanitizeModelSpecialTokens */
/* truncateSanitizedExternalContent. `*truncated` and `*retained` (UTF-16 units of `content` kept) may be NULL. */
BZR_API bzr_status bzr_openclaw_truncate(bzr_str content, uint64_t max_units, bzr_text **ret, bool *truncated,
                                         uint64_t *retained);
/* foldMarkerChar: the code point `c` folds to, `c` itself, or 0 when it is dropped. */
BZR_API uint32_t bzr_openclaw_fold_char(uint32_t c);
typedef struct bzr_openclaw_params {
    bzr_str source, sender, subject, task; /* empty: absent */
    bzr_str job_id, timestamp;             /* buildSafeExternalPrompt only */
    bzr_notice notice;                     /* SHORT, LONG, or NONE for includeWarning: false */
    bzr_str id;                            /* of the marker, as it is; empty: none */
} bzr_openclaw_params;
BZR_API bzr_status bzr_openclaw_wrap(bzr_str content, const bzr_openclaw_params *params,
                                     bzr_text **ret); /* wrapExternalContent */
BZR_API bzr_status bzr_openclaw_prompt(bzr_str content, const bzr_openclaw_params *params,
                                       bzr_text **ret); /* buildSafeExternalPrompt */
/* detectSuspiciousPatterns: the sources of the patterns that match, each on a line of its own. */
BZR_API bzr_status bzr_openclaw_suspicious(bzr_str content, bzr_text **ret);
/* getHookType: "email", "webhook" or "unknown"; isExternalHookSession is: not "unknown". Never decide about trust by
 * it. */
BZR_API const char *bzr_openclaw_hook_type(bzr_str session_key);
BZR_API bzr_status bzr_openclaw_strip_for_display(bzr_str text, bzr_text **ret); /* stripExternalContentForDisplay */

/* agent-skills ddg-search (seed 001). */
typedef struct bzr_search_result {
    bzr_str title, url, snippet;
} bzr_search_result;
BZR_API bzr_status bzr_ddg_sanitize_markers(bzr_str content, bzr_text **ret);
BZR_API bzr_status bzr_ddg_wrap(bzr_str content, bzr_text **ret);
BZR_API bzr_status bzr_ddg_format_text(bzr_str query, const bzr_search_result *results, size_t n, bzr_text **ret);
BZR_API bzr_status bzr_ddg_format_json(bzr_str query, const bzr_search_result *results, size_t n, bzr_text **ret);

/* PtcRunner (seed 002). nil is a slice with p NULL, in and out (*ret = NULL). */
BZR_API bzr_status bzr_ptc_exact_wrap(bzr_str content, bzr_str source, bool preamble, bzr_text **ret);
BZR_API bzr_status bzr_ptc_tool_failure(bzr_str name, bzr_str inspected, bzr_text **ret);
BZR_API bzr_status bzr_ptc_execution_feedback(bzr_str result, bzr_str println, bzr_str memory, bzr_text **ret);
BZR_API bzr_status bzr_ptc_render_output(const bzr_str *prints, size_t n, size_t limit, bool has_println,
                                         bzr_text **ret);
BZR_API bzr_status bzr_ptc_error_feedback(bzr_str error, size_t max_chars, bzr_text **ret);
BZR_API bzr_status bzr_ptc_agent_feedback(bzr_str observation, size_t max_chars, bzr_text **ret);

/* hermes: whether a tool's result is untrusted by its name, and maybe_wrap_untrusted for one string. */
BZR_API bool bzr_hermes_is_untrusted_tool(bzr_str name);
BZR_API bzr_status bzr_hermes_maybe_wrap(bzr_str name, bzr_str content, bzr_text **ret);

#ifdef __cplusplus
}
#endif
#endif
