/* text.h - what the agent may read: text without what only serves to hide.
 *
 *     toad_text *text;
 *     toad_removed removed;
 *     toad_sanitize(in, NULL, &text, &removed);
 *
 * Look-alikes, styled letters and words are never changed. Which invisible characters stay (joiners in Persian and
 * Indic scripts, emoji sequences, flags, isolates in Hebrew and Arabic) is the table in docs/sanitize.md. */
#ifndef TOADSTONE_TEXT_H
#define TOADSTONE_TEXT_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TOAD_REMOVED_MAX 24

/* One sort of thing that was removed or replaced. FROZEN, as is toad_removed: there are at most 24 sorts. */
typedef struct toad_removed_class {
    const char *name; /* the rule id of the finding it makes: "invisible_tags", "bidi_control", ...; static storage */
    uint32_t count;   /* code points, or whole terminal sequences */
    toad_span first;  /* the first of them, with what directly follows it; bytes of the input */
    bool reported;    /* it deserves a finding by itself; false for what clean text has, such as a byte order mark */
} toad_removed_class;

typedef struct toad_removed {
    size_t n; /* entries used, in a fixed order of classes; 0: nothing was changed */
    toad_removed_class list[TOAD_REMOVED_MAX];
} toad_removed;

/* SIZED. */
typedef struct toad_sanitize_options {
    size_t size;        /* sizeof(toad_sanitize_options) */
    uint64_t max_bytes; /* longest output in bytes; 0: 1 GiB */
} toad_sanitize_options;
#define TOAD_SANITIZE_OPTIONS_INIT \
    { sizeof(toad_sanitize_options), 0 }

/* Take out of a text what only serves to hide.
 *
 * in       Any bytes, read as UTF-8; ill-formed ones become U+FFFD.
 * options  NULL: the defaults.
 * ret      A new text, for toad_text_free. Sanitizing it again changes nothing.
 * removed  NULL, or where to count what was removed; untouched on an error, as is `*ret`.
 *
 * Linear in the input. Errors: TOAD_E_NOMEM; TOAD_E_LIMIT (the output is longer than max_bytes); TOAD_E_ARG.
 * Thread rule: any thread. Source: docs/sanitize.md; Unicode 15 (UAX #9, #31, UTS #51), ECMA-48. */
TOAD_API toad_status toad_sanitize(toad_str in, const toad_sanitize_options *options, toad_text **ret,
                                   toad_removed *removed);

/* True if toad_sanitize would return `in` unchanged and there is nothing to report about it: one quick pass without
 * allocation. Thread rule: any thread. */
TOAD_API bool toad_is_clean(toad_str in);

#ifdef __cplusplus
}
#endif
#endif
