/* wrap.h - envelopes: untrusted text, marked so that a model can tell where it begins and ends, and that cannot end it
 * itself.
 *
 * Whatever the content, no boundary marker and no template token of any known family is live inside its envelope
 * (docs/envelopes.md): what a folded matcher finds is replaced, in every spelling; the rest stays byte for byte. */
#ifndef TOADSTONE_WRAP_H
#define TOADSTONE_WRAP_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The families of envelopes. */
typedef enum toad_envelope {
    TOAD_ENVELOPE_OPENCLAW = 0,              /* <<<EXTERNAL_UNTRUSTED_CONTENT id="...">>> (OpenClaw) */
    TOAD_ENVELOPE_PTC = 1,                   /* <untrusted_ptc_output source="..."> (PtcRunner) */
    TOAD_ENVELOPE_EXTERNAL_CONTENT = 2,      /* <external_content> (outheis) */
    TOAD_ENVELOPE_UNTRUSTED_TOOL_RESULT = 3, /* <untrusted_tool_result source="..."> (hermes) */
    TOAD_ENVELOPE_MEMORIES = 4,              /* <memories><memory>, XML-escaped (docker agent) */
    TOAD_ENVELOPE_SPOTLIGHT = 5, /* random delimiters, a mark in every blank, or base64 (arXiv 2403.14720) */
} toad_envelope;

/* Names as on the command line: "openclaw", "ptc", "external_content", "untrusted_tool_result", "memories",
 * "spotlight"; and a line about each. Static, never NULL ("unknown" and "" for a value outside the list).
 * toad_envelope_parse returns false and leaves `*ret` untouched for a name it does not know. Thread rule: any thread.
 */
TOAD_API const char *toad_envelope_name(toad_envelope v);
TOAD_API const char *toad_envelope_title(toad_envelope v);
TOAD_API bool toad_envelope_parse(toad_str name, toad_envelope *ret);

/* The sentences before an envelope. */
typedef enum toad_notice {
    TOAD_NOTICE_DEFAULT = 0, /* openclaw: short, but none for the source web_search; spotlight, untrusted_tool_result
                              * and memories: their own; others none */
    TOAD_NOTICE_NONE = 1,
    TOAD_NOTICE_SHORT = 2,  /* OpenClaw since 2026-09, one sentence */
    TOAD_NOTICE_LONG = 3,   /* OpenClaw before that, ten lines */
    TOAD_NOTICE_SEARCH = 4, /* ddg-search's, four lines */
    TOAD_NOTICE_CUSTOM = 5, /* options.notice_text: the caller's own, trusted, written as it is */
} toad_notice;

/* What tells an envelope's ends from forged ones. */
typedef enum toad_marker_id {
    TOAD_ID_RANDOM = 0, /* 128 random bits as 32 hex digits, new for each call */
    TOAD_ID_GIVEN = 1, /* options.id: 1..128 of [A-Za-z0-9._-]; it must be unpredictable to the author of the content */
    TOAD_ID_NONE = 2,  /* no id, as ddg-search; content cannot end it, but a reader cannot check it either */
} toad_marker_id;

/* How a spotlight envelope marks its content. */
typedef enum toad_spotlight {
    TOAD_SPOTLIGHT_DELIMIT = 0,
    TOAD_SPOTLIGHT_DATAMARK = 1,
    TOAD_SPOTLIGHT_BASE64 = 2,
} toad_spotlight;

/* By name: "default", "none", "short", "long", "search"; "delimit", "datamark", "base64". False, and `*ret` untouched,
 * for a name that is none of these. Thread rule: any thread. */
TOAD_API bool toad_notice_parse(toad_str name, toad_notice *ret);
TOAD_API bool toad_spotlight_parse(toad_str name, toad_spotlight *ret);

/* Fill `p` with `n` unpredictable bytes; false when that is not possible. Called during toad_wrap, on its thread. */
typedef bool (*toad_random_fn)(void *ctx, void *p, size_t n);

/* SIZED. Slices are borrowed for the time of the call. */
typedef struct toad_wrap_options {
    size_t size; /* sizeof(toad_wrap_options) */
    toad_envelope envelope;
    toad_str source; /* "web_fetch", "email", ..., a tool name, a URL, a category (memories). Untrusted, as are the next
                      * three: each becomes one neutralized line of at most 256 code points */
    toad_str sender; /* openclaw only, like the next two; empty: no line */
    toad_str subject;
    toad_str task;
    toad_notice notice;
    toad_str notice_text;
    toad_marker_id id_mode;
    toad_str id;
    bool preamble;    /* ptc: put the preamble in front; write it once before several blocks */
    bool keep_raw;    /* do not sanitize the content first (text.h): invisible characters and terminal sequences stay */
    bool quote_lines; /* put "| " before each line, so that an open fence, comment or quote in the content cannot
                       * swallow the end */
    toad_spotlight spotlight;
    uint64_t max_bytes; /* of the whole envelope; 0: no limit. Longer content is cut between characters, and a note says
                         * so inside */
    toad_random_fn random; /* NULL: getentropy(3) of the system */
    void *random_ctx;
} toad_wrap_options;
#define TOAD_WRAP_OPTIONS_INIT                                                                                 \
    {                                                                                                          \
        sizeof(toad_wrap_options), TOAD_ENVELOPE_OPENCLAW, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, { NULL, 0 }, \
            TOAD_NOTICE_DEFAULT, { NULL, 0 }, TOAD_ID_RANDOM, { NULL, 0 }, false, false, false,                \
            TOAD_SPOTLIGHT_DELIMIT, 0, NULL, NULL                                                              \
    }

/* Put `content` in an envelope.
 *
 * content  Any bytes. `p` NULL means there is none: where the family knows that (ptc), `*ret` is NULL and the status
 *          TOAD_OK; elsewhere it is empty.
 * options  NULL: the defaults (openclaw, short notice, random id, sanitized).
 * ret      The envelope, for toad_text_free.
 *
 * Linear in the content. Errors: TOAD_E_NOMEM; TOAD_E_ARG (also an id that is none); TOAD_E_LIMIT (max_bytes does not
 * even hold the empty envelope); TOAD_E_RANDOM (never a weak id instead). Thread rule: any thread.
 * Source: docs/envelopes.md, which has each family's exact form and where it comes from. */
TOAD_API toad_status toad_wrap(toad_str content, const toad_wrap_options *options, toad_text **ret);

/* Only the neutralizing: what toad_wrap writes between its own lines, for toad_text_free. Sanitizes first if
 * `sanitize`. Text without a marker comes out byte for byte; doing it again changes nothing. Errors: TOAD_E_NOMEM,
 * TOAD_E_ARG. Thread rule: any thread. */
TOAD_API toad_status toad_neutralize(toad_str content, bool sanitize, toad_text **ret);
/* Offset of the first live marker or template token of `text` in any spelling, or text.n: the matcher that toad_wrap
 * neutralizes with. Errors: TOAD_E_NOMEM, TOAD_E_ARG. Thread rule: any thread. */
TOAD_API toad_status toad_find_marker(toad_str text, size_t *ret);

typedef struct toad_unwrapped toad_unwrapped;
/* Find the first envelope in a text and take it apart.
 *
 * text  Any bytes that may hold an envelope of any family.
 * id    The id that it must bear, or empty when the caller does not know it; then it is never genuine.
 * ret   For toad_unwrapped_free (NULL is a no-op); it does not need `text` any longer.
 *
 * Errors: TOAD_E_NOMEM, TOAD_E_NOT_FOUND (no complete envelope), TOAD_E_ARG (also a `text` that is too long).
 * Thread rule: any thread. */
TOAD_API toad_status toad_unwrap(toad_str text, toad_str id, toad_unwrapped **ret);
TOAD_API void toad_unwrapped_free(toad_unwrapped *u);

/* What was inside; slices live as long as `u`, which must not be NULL.
 *
 * content   The neutralized content, as it was put in; XML escapes, base64 and datamarks undone.
 * source    The label, unescaped.
 * id        Of the marker; empty where the family or the marker has none.
 * envelope  Its family.
 * genuine   True only if an id was asked for and this envelope bears it, at both ends. Text that merely looks like an
 *           envelope is not genuine.
 *
 * Thread rule: any number of threads may read it. */
TOAD_API toad_str toad_unwrapped_content(const toad_unwrapped *u);
TOAD_API toad_str toad_unwrapped_source(const toad_unwrapped *u);
TOAD_API toad_str toad_unwrapped_id(const toad_unwrapped *u);
TOAD_API toad_envelope toad_unwrapped_envelope(const toad_unwrapped *u);
TOAD_API bool toad_unwrapped_genuine(const toad_unwrapped *u);

#ifdef __cplusplus
}
#endif
#endif
