/* text.h - what the agent may read: text without what only serves to hide.
 *
 *     bzr_text *text;
 *     bzr_removed removed;
 *     bzr_sanitize(in, NULL, &text, &removed);
 *
 * Look-alikes, styled letters and words are never changed. Which invisible characters stay (joiners in Persian and
 * Indic scripts, emoji sequences, flags, isolates in Hebrew and Arabic) is the table in docs/sanitize.md. */
#ifndef BEZOAR_TEXT_H
#define BEZOAR_TEXT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BZR_REMOVED_MAX 24

/* One sort of thing that was removed or replaced. */
typedef struct bzr_removed_class {
    const char *name; /* the rule id of the finding it makes: "invisible_tags", "bidi_control", ...; static storage */
    uint32_t count;   /* code points, or whole terminal sequences */
    bzr_span first;   /* the first of them, with what directly follows it; bytes of the input */
    bool reported;    /* it deserves a finding by itself; false for what clean text has, such as a byte order mark */
} bzr_removed_class;

typedef struct bzr_removed {
    size_t n; /* entries used, in a fixed order of classes; 0: nothing was changed */
    bzr_removed_class list[BZR_REMOVED_MAX];
} bzr_removed;

typedef struct bzr_sanitize_options {
    size_t size;        /* sizeof(bzr_sanitize_options): lets the struct grow without breaking callers */
    uint64_t max_bytes; /* longest output in bytes; 0: 1 GiB */
} bzr_sanitize_options;
#define BZR_SANITIZE_OPTIONS_INIT \
    { sizeof(bzr_sanitize_options), 0 }

/* Sanitize `in` (any bytes, read as UTF-8; ill-formed ones become U+FFFD) into a new text at `*ret`, and count into
 * `removed` (NULL: not wanted). `options` NULL means the defaults. Sanitizing the result again changes nothing. The
 * caller frees `*ret` with bzr_text_free. Errors: BZR_E_NOMEM; BZR_E_LIMIT when the output is longer than max_bytes;
 * BZR_E_ARG for a `ret` that is NULL. On an error `*ret` and `*removed` are untouched. Thread rule: any thread. Source:
 * docs/sanitize.md; Unicode 15 (UAX #9, #31, UTS #51), ECMA-48. */
BZR_API bzr_status bzr_sanitize(bzr_str in, const bzr_sanitize_options *options, bzr_text **ret, bzr_removed *removed);

/* True if bzr_sanitize would return `in` unchanged and there is nothing to report about it: one quick pass. Thread
 * rule: any thread. */
BZR_API bool bzr_is_clean(bzr_str in);

#ifdef __cplusplus
}
#endif
#endif
