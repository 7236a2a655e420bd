/* wrap.h - envelopes: untrusted text, marked so that a model can tell where it begins and ends, and that cannot end it
 * itself.
 *
 * toad_wrap is the one to use. Whatever the content, no boundary marker and no template token of any known family is
 * live inside its envelope (docs/envelopes.md): what a folded matcher finds is replaced, in every spelling; the rest
 * stays byte for byte. The functions of the last section do exactly what the named upstream function does, holes
 * included; they are for drop-in replacement and for comparison, not for new code. */
#ifndef TOADSTONE_WRAP_H
#define TOADSTONE_WRAP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum toad_envelope {
    TOAD_ENVELOPE_OPENCLAW = 0,          /* <<<EXTERNAL_UNTRUSTED_CONTENT id="...">>> (OpenClaw) */
    TOAD_ENVELOPE_PTC,                   /* <untrusted_ptc_output source="..."> (PtcRunner) */
    TOAD_ENVELOPE_EXTERNAL_CONTENT,      /* <external_content> (outheis) */
    TOAD_ENVELOPE_UNTRUSTED_TOOL_RESULT, /* <untrusted_tool_result source="..."> (hermes) */
    TOAD_ENVELOPE_MEMORIES,              /* <memories><memory>, XML-escaped (docker agent) */
    TOAD_ENVELOPE_SPOTLIGHT,             /* random delimiters, a mark in every blank, or base64 (arXiv 2403.14720) */
} toad_envelope;

/* Names as on the command line: "openclaw", "ptc", "external_content", "untrusted_tool_result", "memories",
 * "spotlight". toad_envelope_parse returns false and leaves `*ret` untouched for a name it does not know. Thread rule:
 * any thread. */
TOAD_API const char *toad_envelope_name(toad_envelope v);
TOAD_API const char *toad_envelope_title(toad_envelope v);
TOAD_API bool toad_envelope_parse(toad_str name, toad_envelope *ret);

/* The sentences before an envelope. */
typedef enum toad_notice {
    TOAD_NOTICE_DEFAULT = 0, /* openclaw: short, but none for web_search; spotlight, untrusted_tool_result, memories:
                               theirs; others none */
    TOAD_NOTICE_NONE,
    TOAD_NOTICE_SHORT,  /* OpenClaw since 2026-09, one sentence */
    TOAD_NOTICE_LONG,   /* OpenClaw before that, ten lines */
    TOAD_NOTICE_SEARCH, /* ddg-search's, four lines */
    TOAD_NOTICE_CUSTOM, /* options.notice_text: the caller's own, trusted, written as it is */
} toad_notice;
TOAD_API bool toad_notice_parse(toad_str name, toad_notice *ret); /* "default", "none", "short", "long", "search" */

typedef enum toad_marker_id {
    TOAD_ID_RANDOM = 0, /* 128 random bits as 32 hex digits, new for each call */
    TOAD_ID_GIVEN, /* options.id: 1..128 of [A-Za-z0-9._-]; it must be unpredictable to the author of the content */
    TOAD_ID_NONE,  /* the marker of ddg-search, which has none; content cannot end it, but a reader cannot check it
                    * either
                    */
} toad_marker_id;

typedef enum toad_spotlight {
    TOAD_SPOTLIGHT_DELIMIT = 0,
    TOAD_SPOTLIGHT_DATAMARK,
    TOAD_SPOTLIGHT_BASE64
} toad_spotlight;
TOAD_API bool toad_spotlight_parse(toad_str name, toad_spotlight *ret); /* "delimit", "datamark", "base64" */

/* Fill `p` with `n` unpredictable bytes; false when that is not possible. */
typedef bool (*toad_random_fn)(void *ctx, void *p, size_t n);

typedef struct toad_wrap_options {
    size_t size; /* sizeof(toad_wrap_options): lets the struct grow without breaking callers */
    toad_envelope envelope;
    toad_str source; /* "web_fetch", "email", ..., a tool name, a URL, a category (memories); untrusted, as all metadata
                       here */
    toad_str
        sender; /* openclaw only, like the next two; empty: no line. Each becomes one line of at most 256 code points */
    toad_str subject;
    toad_str task;
    toad_notice notice;
    toad_str notice_text;
    toad_marker_id id_mode;
    toad_str id;
    bool preamble; /* ptc: put the preamble in front; write it once before several blocks */
    bool
        keep_raw; /* do not sanitize the content first (sanitize.h): invisible characters and terminal sequences stay */
    bool quote_lines; /* put "| " before each line, so that an open fence, comment or quote in the content cannot
                         swallow the end */
    toad_spotlight spotlight;
    uint64_t max_bytes; /* of the whole envelope; 0: no limit. Longer content is cut between characters, and a note says
                           so inside */
    toad_random_fn random; /* NULL: getentropy(3) of the system */
    void *random_ctx;
} toad_wrap_options;
#define TOAD_WRAP_OPTIONS_INIT \
    { .size = sizeof(toad_wrap_options) }

/* Put `content` in an envelope. `options` NULL means the defaults (openclaw, short notice, random id, sanitized).
 * `content.p` NULL means there is none: where the family knows that (ptc), `*ret` is NULL and the status TOAD_OK;
 * elsewhere it is empty. The text is released with toad_text_free. Errors: TOAD_E_NOMEM; TOAD_E_ARG (an id that is
 * none, an unknown enum value); TOAD_E_LIMIT (max_bytes does not even hold the empty envelope); TOAD_E_RANDOM (never a
 * weak id instead). Thread rule: any thread. */
TOAD_API toad_status toad_wrap(toad_str content, const toad_wrap_options *options, toad_text **ret);

/* Only the neutralizing: what toad_wrap writes between its own lines. Sanitizes first if `sanitize`. Errors:
 * TOAD_E_NOMEM. */
TOAD_API toad_status toad_neutralize(toad_str content, bool sanitize, toad_text **ret);
/* Offset of the first live marker or template token of `text` in any spelling, or text.n. Errors: TOAD_E_NOMEM. */
TOAD_API toad_status toad_find_marker(toad_str text, size_t *ret);

typedef struct toad_unwrapped toad_unwrapped;
/* Find the first envelope in `text` and take it apart. `id`: the id it must bear, or empty when the caller does not
 * know it. Errors: TOAD_E_NOMEM, TOAD_E_NOT_FOUND (no complete envelope), TOAD_E_ARG (`text` too long). Release with
 * toad_unwrapped_free. */
TOAD_API toad_status toad_unwrap(toad_str text, toad_str id, toad_unwrapped **ret);
TOAD_API void toad_unwrapped_free(toad_unwrapped *u); /* NULL is a no-op */
/* The neutralized content, as it was put in; XML escapes, base64 and datamarks undone. Slices live as long as `u`. */
TOAD_API toad_str toad_unwrapped_content(const toad_unwrapped *u);
TOAD_API toad_str toad_unwrapped_source(const toad_unwrapped *u);
TOAD_API toad_str toad_unwrapped_id(const toad_unwrapped *u); /* empty where the family or the marker has none */
TOAD_API toad_envelope toad_unwrapped_envelope(const toad_unwrapped *u);
/* True only if an id was asked for and this envelope bears it, at both ends. Text that merely looks like an envelope is
 * not genuine. */
TOAD_API bool toad_unwrapped_genuine(const toad_unwrapped *u);

/* ---- By the names that other projects gave them. Safe: they neutralize as toad_wrap does, and never sanitize. ---- */

/* PtcRunner's. nil (content.p NULL) gives *ret = NULL, an empty content an empty text, and TOAD_OK both times. */
TOAD_API toad_status toad_ptc_wrap(toad_str content, toad_str source, toad_text **ret);
TOAD_API toad_status toad_ptc_wrap_with_preamble(toad_str content, toad_str source, toad_text **ret);
TOAD_API const char *toad_ptc_preamble(void);
/* outheis': <external_content>text</external_content>, on one line with the text. */
TOAD_API toad_status toad_wrap_external_content(toad_str text, toad_text **ret);
/* OpenClaw's: `source` "web_search" (also when empty; no notice) or "web_fetch" (notice). Random id. */
TOAD_API toad_status toad_wrap_web_content(toad_str content, toad_str source, toad_text **ret);

/* ---- Exactly as upstream, holes included. Errors of all: TOAD_E_NOMEM. ---- */

/* OpenClaw. Lengths are UTF-16 units where upstream counts those. */
TOAD_API toad_status toad_openclaw_sanitize(toad_str content, toad_text **ret);     /* sanitizeExternalContentText */
TOAD_API toad_status toad_openclaw_strip_tokens(toad_str content, toad_text **ret); /* sanitizeModelSpecialTokens */
/* truncateSanitizedExternalContent. `*truncated` and `*retained` (UTF-16 units of `content` kept) may be NULL. */
TOAD_API toad_status toad_openclaw_truncate(toad_str content, uint64_t max_units, toad_text **ret, bool *truncated,
                                            uint64_t *retained);
/* foldMarkerChar: the code point `c` folds to, `c` itself, or 0 when it is dropped. */
TOAD_API uint32_t toad_openclaw_fold_char(uint32_t c);
typedef struct toad_openclaw_params {
    toad_str source, sender, subject, task; /* empty: absent */
    toad_str job_id, timestamp;             /* buildSafeExternalPrompt only */
    toad_notice notice;                     /* SHORT, LONG, or NONE for includeWarning: false */
    toad_str id;                            /* of the marker, as it is; empty: none */
} toad_openclaw_params;
TOAD_API toad_status toad_openclaw_wrap(toad_str content, const toad_openclaw_params *params,
                                        toad_text **ret); /* wrapExternalContent */
TOAD_API toad_status toad_openclaw_prompt(toad_str content, const toad_openclaw_params *params,
                                          toad_text **ret); /* buildSafeExternalPrompt */
/* detectSuspiciousPatterns: the sources of the patterns that match, each on a line of its own. */
TOAD_API toad_status toad_openclaw_suspicious(toad_str content, toad_text **ret);
/* getHookType: "email", "webhook" or "unknown"; isExternalHookSession is: not "unknown". Never decide about trust by
 * it. */
TOAD_API const char *toad_openclaw_hook_type(toad_str session_key);
TOAD_API toad_status toad_openclaw_strip_for_display(toad_str text,
                                                     toad_text **ret); /* stripExternalContentForDisplay */

/* agent-skills ddg-search. */
typedef struct toad_search_result {
    toad_str title, url, snippet;
} toad_search_result;
TOAD_API toad_status toad_ddg_sanitize_markers(toad_str content, toad_text **ret);
TOAD_API toad_status toad_ddg_wrap(toad_str content, toad_text **ret);
TOAD_API toad_status toad_ddg_format_text(toad_str query, const toad_search_result *results, size_t n, toad_text **ret);
TOAD_API toad_status toad_ddg_format_json(toad_str query, const toad_search_result *results, size_t n, toad_text **ret);

/* PtcRunner. nil is a slice with p NULL, in and out (*ret = NULL). */
TOAD_API toad_status toad_ptc_exact_wrap(toad_str content, toad_str source, bool preamble, toad_text **ret);
TOAD_API toad_status toad_ptc_tool_failure(toad_str name, toad_str inspected, toad_text **ret);
TOAD_API toad_status toad_ptc_execution_feedback(toad_str result, toad_str println, toad_str memory, toad_text **ret);
TOAD_API toad_status toad_ptc_render_output(const toad_str *prints, size_t n, size_t limit, bool has_println,
                                            toad_text **ret);
TOAD_API toad_status toad_ptc_error_feedback(toad_str error, size_t max_chars, toad_text **ret);
TOAD_API toad_status toad_ptc_agent_feedback(toad_str observation, size_t max_chars, toad_text **ret);

/* hermes: whether a tool's result is untrusted by its name, and maybe_wrap_untrusted for one string. */
TOAD_API bool toad_hermes_is_untrusted_tool(toad_str name);
TOAD_API toad_status toad_hermes_maybe_wrap(toad_str name, toad_str content, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
