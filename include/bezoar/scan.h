/* scan.h - any bytes to a verdict.
 *
 * An engine holds the rules; it is immutable and shared by any number of threads. A scanner is the scratch of one thread.
 *
 *     bzr_engine *engine;   bzr_engine_new(NULL, &engine);
 *     bzr_scanner *scanner; bzr_scanner_new(engine, &scanner);
 *     const bzr_verdict *verdict;
 *     bzr_scan(scanner, text, NULL, &verdict);
 *     if (bzr_verdict_action(verdict) == BZR_BLOCK) ... */
#ifndef BEZOAR_SCAN_H
#define BEZOAR_SCAN_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bzr_engine bzr_engine;
typedef struct bzr_scanner bzr_scanner;
typedef struct bzr_stream bzr_stream;
typedef struct bzr_verdict bzr_verdict;
typedef struct bzr_rules bzr_rules; /* user rules, see rules.h */

/* Make an engine from the built-in catalogue and, if `rules` is not NULL, user rules over it (a user rule replaces the built-in one of the same id).
 * The rules are copied. Errors: BZR_E_NOMEM, BZR_E_RULE. Thread rule: any thread. */
BZR_API bzr_status bzr_engine_new(const bzr_rules *rules, bzr_engine **ret);
/* Use these weights of a learned model (docs/model-card.md) instead of the built-in ones; an empty slice: none. They are copied. To be called before a
 * scanner of the engine is made. Errors: BZR_E_SYNTAX (no weights file, or damaged), BZR_E_NOMEM, BZR_E_ARG; the engine is then as it was. */
BZR_API bzr_status bzr_engine_use_model(bzr_engine *engine, bzr_str weights);
/* NULL is a no-op. Every scanner of the engine must have been freed. */
BZR_API void bzr_engine_free(bzr_engine *engine);

/* Make a scanner (about 3 MiB once it has worked, never more than 4 MiB). Errors: BZR_E_NOMEM. */
BZR_API bzr_status bzr_scanner_new(const bzr_engine *engine, bzr_scanner **ret);
BZR_API void bzr_scanner_free(bzr_scanner *scanner);

typedef struct bzr_scan_options {
    size_t size;      /* sizeof(bzr_scan_options): lets the struct grow without breaking callers */
    bzr_scope scope;  /* BZR_RELAXED (default); memory is always scanned BZR_STRICT, whatever stands here */
    bzr_kind kind;    /* BZR_KIND_ANY (default) */
    uint64_t max_bytes; /* 0: no limit; what lies beyond is not scanned and completeness says size_limit */
} bzr_scan_options;
#define BZR_SCAN_OPTIONS_INIT { sizeof(bzr_scan_options), BZR_RELAXED, BZR_KIND_ANY, 0 }

/* Scan `text`: any bytes, any length. `options` NULL means the defaults.
 * `*ret` is owned by the scanner and valid until its next scan or bzr_scanner_free. Errors: BZR_E_NOMEM, BZR_E_ARG; a partial scan is no error but a completeness. */
BZR_API bzr_status bzr_scan(bzr_scanner *scanner, bzr_str text, const bzr_scan_options *options, const bzr_verdict **ret);

/* The same in chunks: the findings are those of the whole text, whatever the chunking. One stream at a time per scanner. */
BZR_API bzr_status bzr_stream_open(bzr_scanner *scanner, const bzr_scan_options *options, bzr_stream **ret);
BZR_API bzr_status bzr_stream_write(bzr_stream *stream, bzr_str chunk);
/* Finish and give the verdict (owned by the scanner, as with bzr_scan). The stream is gone afterwards, also on error. */
BZR_API bzr_status bzr_stream_close(bzr_stream *stream, const bzr_verdict **ret);

typedef struct bzr_finding {
    const char *rule;          /* stable snake_case id */
    const char *family;
    bzr_severity severity;
    bzr_span span;             /* in the original input */
    const char *const *path;   /* views and decoders passed, outermost first */
    size_t path_n;
    bzr_str excerpt;           /* the original bytes, at most 160, escaped to ASCII: safe to print */
    bzr_str decoded;           /* the text that matched, escaped, where it differs from the original; else empty */
    const char *why;           /* one sentence of ours */
} bzr_finding;

BZR_API bzr_severity bzr_verdict_severity(const bzr_verdict *verdict);
/* high blocks, medium warns, low and none are allowed. A scan that is not full and has no finding warns: it is not clean. */
BZR_API bzr_action bzr_verdict_action(const bzr_verdict *verdict);
BZR_API bzr_completeness bzr_verdict_completeness(const bzr_verdict *verdict);
/* How much the text reads like an attack to the learned model, 0 to 1; from 0.5 on it is a finding, learned_injection. 0 without a model. */
BZR_API double bzr_verdict_score(const bzr_verdict *verdict);
/* Bytes of input. */
BZR_API uint64_t bzr_verdict_bytes(const bzr_verdict *verdict);
/* Findings kept, and findings counted in all. Sorted by start, then end, then rule. */
BZR_API size_t bzr_verdict_count(const bzr_verdict *verdict);
BZR_API uint64_t bzr_verdict_total(const bzr_verdict *verdict);
/* Finding `i` (< bzr_verdict_count), or NULL. Valid as long as the verdict. */
BZR_API const bzr_finding *bzr_verdict_finding(const bzr_verdict *verdict, size_t i);
/* The verdict as one line of JSON (docs/verdict.md). Errors: BZR_E_NOMEM. */
BZR_API bzr_status bzr_verdict_json(const bzr_verdict *verdict, bzr_text **ret);

/* Seed 003's ScanContent: the ids of the rules that matched, sorted, each once, separated by '\n'; empty when nothing did. */
BZR_API bzr_status bzr_scan_ids(bzr_scanner *scanner, bzr_str text, bzr_scope scope, bzr_text **ret);
/* Seed 003's FirstThreatMessage: "Content blocked: matched prompt-injection pattern '<id>'. Rephrase the entry." for the gravest finding (the first of them in the text), or an empty text. */
BZR_API bzr_status bzr_first_threat_message(bzr_scanner *scanner, bzr_str text, bzr_scope scope, bzr_text **ret);

#ifdef __cplusplus
}
#endif
#endif
