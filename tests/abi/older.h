/* older.h - the interface as a program saw it that was compiled against an earlier version: the structs are shorter,
 * and nothing else is included. Not a released version; it stands for one, so that the promise of SIZED structs is
 * tested by a caller that cannot know today's. Grow no struct here. */
#ifndef TOAD_TESTS_ABI_OLDER_H
#define TOAD_TESTS_ABI_OLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct toad_str {
    const char *p;
    size_t n;
} toad_str;
typedef enum toad_status { TOAD_OK = 0, TOAD_E_ARG = -3 } toad_status;
typedef enum toad_action { TOAD_ALLOW = 0, TOAD_WARN = 1, TOAD_REDACT = 2, TOAD_ASK = 3, TOAD_BLOCK = 4 } toad_action;
typedef enum toad_scope { TOAD_RELAXED = 0, TOAD_STRICT = 1 } toad_scope;
typedef enum toad_kind { TOAD_KIND_ANY = 0, TOAD_KIND_WEB = 1 } toad_kind;
typedef enum toad_envelope { TOAD_ENVELOPE_OPENCLAW = 0, TOAD_ENVELOPE_PTC = 1 } toad_envelope;

typedef struct toad_text toad_text;
typedef struct toad_rules toad_rules;
typedef struct toad_engine toad_engine;
typedef struct toad_scanner toad_scanner;
typedef struct toad_verdict toad_verdict;
typedef struct toad_extracted toad_extracted;
typedef struct toad_guarded toad_guarded;

typedef struct toad_engine_options { /* later: weights */
    size_t size;
    const toad_rules *rules;
} toad_engine_options;
typedef struct toad_scan_options { /* later: max_bytes */
    size_t size;
    toad_scope scope;
    toad_kind kind;
} toad_scan_options;
typedef struct toad_sanitize_options { /* later: max_bytes */
    size_t size;
} toad_sanitize_options;
typedef struct toad_extract_options { /* later: format, render */
    size_t size;
} toad_extract_options;
typedef struct toad_wrap_options { /* later: sender and all that follows */
    size_t size;
    toad_envelope envelope;
    toad_str source;
} toad_wrap_options;
typedef struct toad_guard_options { /* later: max_bytes and all that follows */
    size_t size;
    toad_scope scope;
    toad_kind kind;
} toad_guard_options;

toad_str toad_text_str(const toad_text *text);
void toad_text_free(toad_text *text);
toad_status toad_engine_new(const toad_engine_options *options, toad_engine **ret);
void toad_engine_free(toad_engine *engine);
toad_status toad_scanner_new(const toad_engine *engine, toad_scanner **ret);
void toad_scanner_free(toad_scanner *scanner);
toad_status toad_scan(toad_scanner *scanner, toad_str text, const toad_scan_options *options, const toad_verdict **ret);
toad_action toad_verdict_action(const toad_verdict *verdict);
toad_status toad_sanitize(toad_str in, const toad_sanitize_options *options, toad_text **ret, void *removed);
toad_status toad_extract(toad_str in, const toad_extract_options *options, toad_extracted **ret);
toad_str toad_extracted_visible(const toad_extracted *e);
void toad_extracted_free(toad_extracted *e);
toad_status toad_wrap(toad_str content, const toad_wrap_options *options, toad_text **ret);
toad_status toad_guard(toad_scanner *scanner, toad_str text, const toad_guard_options *options, toad_guarded **ret);
toad_action toad_guarded_action(const toad_guarded *guarded);
void toad_guarded_free(toad_guarded *guarded);

#endif
