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
typedef struct toad_rules toad_rules; /* user rules, see rules.h */

/* Make an engine from the built-in catalogue and, if `rules` is not NULL, user rules over it (a user rule replaces the
 * built-in one of the same id). The rules are copied. Errors: TOAD_E_NOMEM, TOAD_E_RULE. Thread rule: any thread. */
TOAD_API toad_status toad_engine_new(const toad_rules *rules, toad_engine **ret);
/* Use these weights of a learned model (docs/model-card.md) instead of the built-in ones; an empty slice: none. They
 * are copied. To be called before a scanner of the engine is made. Errors: TOAD_E_SYNTAX (no weights file, or damaged),
 * TOAD_E_NOMEM, TOAD_E_ARG; the engine is then as it was. */
TOAD_API toad_status toad_engine_use_model(toad_engine *engine, toad_str weights);
/* NULL is a no-op. Every scanner of the engine must have been freed. */
TOAD_API void toad_engine_free(toad_engine *engine);

/* Make a scanner (about 3 MiB once it has worked, never more than 4 MiB). Errors: TOAD_E_NOMEM. */
TOAD_API toad_status toad_scanner_new(const toad_engine *engine, toad_scanner **ret);
TOAD_API void toad_scanner_free(toad_scanner *scanner);

typedef struct toad_scan_options {
    size_t size;        /* sizeof(toad_scan_options): lets the struct grow without breaking callers */
    toad_scope scope;   /* TOAD_RELAXED (default); memory is always scanned TOAD_STRICT, whatever stands here */
    toad_kind kind;     /* TOAD_KIND_ANY (default) */
    uint64_t max_bytes; /* 0: no limit; what lies beyond is not scanned and completeness says size_limit */
} toad_scan_options;
#define TOAD_SCAN_OPTIONS_INIT \
    { sizeof(toad_scan_options), TOAD_RELAXED, TOAD_KIND_ANY, 0 }

/* Scan `text`: any bytes, any length. `options` NULL means the defaults.
 * `*ret` is owned by the scanner and valid until its next scan or toad_scanner_free. Errors: TOAD_E_NOMEM, TOAD_E_ARG;
 * a partial scan is no error but a completeness. */
TOAD_API toad_status toad_scan(toad_scanner *scanner, toad_str text, const toad_scan_options *options,
                               const toad_verdict **ret);

/* The same in chunks: the findings are those of the whole text, whatever the chunking. One stream at a time per
 * scanner. */
TOAD_API toad_status toad_stream_open(toad_scanner *scanner, const toad_scan_options *options, toad_stream **ret);
TOAD_API toad_status toad_stream_write(toad_stream *stream, toad_str chunk);
/* Finish and give the verdict (owned by the scanner, as with toad_scan). The stream is gone afterwards, also on error.
 */
TOAD_API toad_status toad_stream_close(toad_stream *stream, const toad_verdict **ret);

typedef struct toad_finding {
    const char *rule; /* stable snake_case id */
    const char *family;
    toad_severity severity;
    toad_span span;          /* in the original input */
    const char *const *path; /* views and decoders passed, outermost first */
    size_t path_n;
    toad_str excerpt; /* the original bytes, at most 160, escaped to ASCII: safe to print */
    toad_str decoded; /* the text that matched, escaped, where it differs from the original; else empty */
    const char *why;  /* one sentence of ours */
} toad_finding;

TOAD_API toad_severity toad_verdict_severity(const toad_verdict *verdict);
/* high blocks, medium warns, low and none are allowed. A scan that is not full and has no finding warns: it is not
 * clean. */
TOAD_API toad_action toad_verdict_action(const toad_verdict *verdict);
TOAD_API toad_completeness toad_verdict_completeness(const toad_verdict *verdict);
/* How much the text reads like an attack to the learned model, 0 to 1; from 0.5 on it is a finding, learned_injection.
 * 0 without a model. */
TOAD_API double toad_verdict_score(const toad_verdict *verdict);
/* Bytes of input. */
TOAD_API uint64_t toad_verdict_bytes(const toad_verdict *verdict);
/* Findings kept, and findings counted in all. Sorted by start, then end, then rule. */
TOAD_API size_t toad_verdict_count(const toad_verdict *verdict);
TOAD_API uint64_t toad_verdict_total(const toad_verdict *verdict);
/* Finding `i` (< toad_verdict_count), or NULL. Valid as long as the verdict. */
TOAD_API const toad_finding *toad_verdict_finding(const toad_verdict *verdict, size_t i);
/* The verdict as one line of JSON (docs/verdict.md). Errors: TOAD_E_NOMEM. */
TOAD_API toad_status toad_verdict_json(const toad_verdict *verdict, toad_text **ret);

/* The ids of the rules that matched, sorted, each once, separated by '\n'; empty when nothing
 * did. */
TOAD_API toad_status toad_scan_ids(toad_scanner *scanner, toad_str text, toad_scope scope, toad_text **ret);
/* "Content blocked: matched prompt-injection pattern '<id>'. Rephrase the entry." for
 * the gravest finding (the first of them in the text), or an empty text. */
TOAD_API toad_status toad_first_threat_message(toad_scanner *scanner, toad_str text, toad_scope scope, toad_text **ret);

#ifdef __cplusplus
}
#endif
#endif
