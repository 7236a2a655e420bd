/* scan.h - any bytes to a verdict.
 *
 * An engine holds the rules; it is immutable and shared by any number of threads. A scanner is the scratch of one
 * thread.
 *
 *     toad_engine *engine;   toad_engine_new(NULL, &engine);
 *     toad_scanner *scanner; toad_scanner_new(engine, &scanner);
 *     const toad_verdict *verdict;
 *     toad_scan(scanner, text, NULL, &verdict);
 *     if (toad_verdict_action(verdict) == TOAD_BLOCK) ... */
#ifndef TOADSTONE_SCAN_H
#define TOADSTONE_SCAN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct toad_engine toad_engine;
typedef struct toad_scanner toad_scanner;
typedef struct toad_stream toad_stream;
typedef struct toad_verdict toad_verdict;
typedef struct toad_rules toad_rules; /* rules of one's own, see rules.h */

/* What an engine is made of. SIZED. Everything is copied, so that it may be released once the engine is made. */
typedef struct toad_engine_options {
    size_t size;             /* sizeof(toad_engine_options) */
    const toad_rules *rules; /* over the built-in catalogue: a rule of the same id stands in for the built-in one. NULL:
                              * the catalogue alone */
    toad_str weights;        /* of a learned model (docs/model-card.md); p NULL: the built-in ones; empty but not NULL:
                              * no model */
} toad_engine_options;
#define TOAD_ENGINE_OPTIONS_INIT                       \
    {                                                  \
        sizeof(toad_engine_options), NULL, { NULL, 0 } \
    }

/* Make an engine: once a process, as a rule. It costs well under a millisecond, since the catalogue is in the binary.
 *
 * options  NULL: the built-in catalogue and model.
 * ret      The engine, for toad_engine_free. It never changes; any number of threads may make scanners of it.
 *
 * Errors: TOAD_E_SYNTAX (`weights` is no weights file of this version, or damaged), TOAD_E_NOMEM, TOAD_E_ARG.
 * Thread rule: any thread. */
TOAD_API toad_status toad_engine_new(const toad_engine_options *options, toad_engine **ret);
/* Release it. Every scanner of the engine must have been freed before. NULL is a no-op. */
TOAD_API void toad_engine_free(toad_engine *engine);

/* Make a scanner: the working memory of one thread, about 3 MiB once it has worked, 6 where a text is full of escapes,
 * never more than 12. Make one a thread and keep it; making one for each text costs more than scanning a short one.
 *
 * engine  It must outlive the scanner.
 * ret     The scanner, for toad_scanner_free, which also ends its open stream and its last verdict (NULL is a no-op).
 *
 * Errors: TOAD_E_NOMEM, TOAD_E_ARG. Thread rule: any thread may make one; then one thread at a time. */
TOAD_API toad_status toad_scanner_new(const toad_engine *engine, toad_scanner **ret);
TOAD_API void toad_scanner_free(toad_scanner *scanner);

/* How a text is scanned. SIZED. */
typedef struct toad_scan_options {
    size_t size;        /* sizeof(toad_scan_options) */
    toad_scope scope;   /* TOAD_RELAXED (default); memory is always scanned TOAD_STRICT, whatever stands here */
    toad_kind kind;     /* TOAD_KIND_ANY (default) */
    uint64_t max_bytes; /* 0: no limit; what lies beyond is not scanned and completeness says size_limit */
} toad_scan_options;
#define TOAD_SCAN_OPTIONS_INIT \
    { sizeof(toad_scan_options), TOAD_RELAXED, TOAD_KIND_ANY, 0 }

/* Scan a text.
 *
 * text     Any bytes, any length: UTF-8, UTF-16 or UTF-32 (recognized by mark or by form), HTML, Markdown, ill-formed;
 *          NUL ends nothing. It is only read.
 * options  NULL: the defaults.
 * ret      The verdict. It belongs to the scanner and is valid until its next scan, stream or toad_scanner_free.
 *
 * The same bytes, options, catalogue and model give the same verdict on every machine. Time is linear in the text.
 * Errors: TOAD_E_NOMEM, TOAD_E_ARG, TOAD_E_STATE (a stream is open); a scan that could not look at everything is no
 * error but a completeness.
 * Thread rule: one thread at a time for one scanner. */
TOAD_API toad_status toad_scan(toad_scanner *scanner, toad_str text, const toad_scan_options *options,
                               const toad_verdict **ret);

/* The same and the verdict as JSON in one call: what `toadstone scan --jsonl --format jsonl` prints of a text, less its
 * id. For bindings that want no other type than text.
 *
 * ret_json  One line of JSON, ASCII, without a line feed (docs/verdict.md), for toad_text_free.
 *
 * Errors and thread rule: as toad_scan. */
TOAD_API toad_status toad_scan_json(toad_scanner *scanner, toad_str text, const toad_scan_options *options,
                                    toad_text **ret_json);

/* The same into memory of the caller's: one call and nothing to release, for languages where each call into C costs.
 *
 * room   Where the line is written, of `room_n` bytes; no NUL follows it.
 * ret_n  Bytes of the line. A verdict without findings takes under 200; with the most findings, 8 MiB at most.
 *
 * Errors: as toad_scan_json; TOAD_E_LIMIT where `room` is too small: nothing is written, and toad_scan_json gives it.
 * Thread rule: as toad_scan. */
TOAD_API toad_status toad_scan_json_into(toad_scanner *scanner, toad_str text, const toad_scan_options *options,
                                         char *room, size_t room_n, size_t *ret_n);

/* The same in chunks: the verdict is that of the whole text, byte for byte, whatever the chunking.
 *
 * toad_stream_open   One stream at a time per scanner, and no other scan until it is closed. Errors: TOAD_E_STATE (one
 *                    is open), TOAD_E_ARG.
 * toad_stream_write  The chunk is copied as far as it is still needed; it may be empty. An error is sticky: further
 *                    writes and the close return it. Errors: TOAD_E_NOMEM, TOAD_E_ARG, TOAD_E_STATE (closed).
 * toad_stream_close  Give the verdict, which belongs to the scanner as with toad_scan. The stream is gone afterwards,
 *                    also on error. Errors: TOAD_E_NOMEM, TOAD_E_ARG, TOAD_E_STATE.
 *
 * The stream is the scanner's: there is nothing to free. Thread rule: one thread at a time. */
TOAD_API toad_status toad_stream_open(toad_scanner *scanner, const toad_scan_options *options, toad_stream **ret);
TOAD_API toad_status toad_stream_write(toad_stream *stream, toad_str chunk);
TOAD_API toad_status toad_stream_close(toad_stream *stream, const toad_verdict **ret);

/* One match of one rule. LENT; it and all it points to live as long as the verdict, `rule`, `family` and `why` as long
 * as the engine. */
typedef struct toad_finding {
    const char *rule; /* stable snake_case id */
    const char *family;
    toad_severity severity;
    toad_span span;          /* in the original input */
    const char *const *path; /* views and decoders passed, outermost first: "html:hidden(display:none)", "base64" */
    size_t path_n;
    toad_str excerpt; /* the original bytes, at most 160, escaped to ASCII: safe to print */
    toad_str decoded; /* the text that matched, escaped, where it differs from the original; else empty */
    const char *why;  /* one sentence of ours */
} toad_finding;

/* What a verdict says. `verdict` must not be NULL; all are cheap look-ups.
 *
 * severity      The worst finding's, or TOAD_NONE.
 * action        What to do by the usual policy: high blocks, medium warns, low and none are allowed; a scan that is not
 *               full warns at least. Never TOAD_REDACT or TOAD_ASK.
 * completeness  How much was looked at; not full and without finding is not clean.
 * score         How much the text reads like an attack to the learned model, 0 to 1; from 0.5 on it is a finding,
 *               learned_injection. 0 without a model.
 * bytes         Bytes of input, also where a limit cut the scan short.
 * count, total  Findings kept, and findings counted in all.
 * finding       Finding `i`, sorted by start, then end, then rule; NULL from count on.
 * worst         The finding that speaks for the verdict, where one has to be named: of those that rules made the
 *               gravest; among equals the first in the text, or, of that one's family, the one that stands first in the
 *               catalogue, which is the plainest. The learned model's only where no rule matched. NULL: no finding.
 *
 * Thread rule: as the scanner that the verdict belongs to. */
TOAD_API toad_severity toad_verdict_severity(const toad_verdict *verdict);
TOAD_API toad_action toad_verdict_action(const toad_verdict *verdict);
TOAD_API toad_completeness toad_verdict_completeness(const toad_verdict *verdict);
TOAD_API double toad_verdict_score(const toad_verdict *verdict);
TOAD_API uint64_t toad_verdict_bytes(const toad_verdict *verdict);
TOAD_API size_t toad_verdict_count(const toad_verdict *verdict);
TOAD_API uint64_t toad_verdict_total(const toad_verdict *verdict);
TOAD_API const toad_finding *toad_verdict_finding(const toad_verdict *verdict, size_t i);
TOAD_API const toad_finding *toad_verdict_worst(const toad_verdict *verdict);

/* The verdict as one line of JSON (docs/verdict.md), for toad_text_free; it no longer depends on the scanner.
 * Errors: TOAD_E_NOMEM, TOAD_E_ARG. */
TOAD_API toad_status toad_verdict_json(const toad_verdict *verdict, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
