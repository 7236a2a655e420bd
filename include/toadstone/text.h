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

/* One sort of thing that was removed or replaced. */
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

typedef struct toad_sanitize_options {
    size_t size;        /* sizeof(toad_sanitize_options): lets the struct grow without breaking callers */
    uint64_t max_bytes; /* longest output in bytes; 0: 1 GiB */
} toad_sanitize_options;
#define TOAD_SANITIZE_OPTIONS_INIT \
    { sizeof(toad_sanitize_options), 0 }

/* Sanitize `in` (any bytes, read as UTF-8; ill-formed ones become U+FFFD) into a new text at `*ret`, and count into
 * `removed` (NULL: not wanted). `options` NULL means the defaults. Sanitizing the result again changes nothing. The
 * caller frees `*ret` with toad_text_free. Errors: TOAD_E_NOMEM; TOAD_E_LIMIT when the output is longer than max_bytes;
 * TOAD_E_ARG for a `ret` that is NULL. On an error `*ret` and `*removed` are untouched. Thread rule: any thread.
 * Source: docs/sanitize.md; Unicode 15 (UAX #9, #31, UTS #51), ECMA-48. */
TOAD_API toad_status toad_sanitize(toad_str in, const toad_sanitize_options *options, toad_text **ret,
                                   toad_removed *removed);

/* True if toad_sanitize would return `in` unchanged and there is nothing to report about it: one quick pass. Thread
 * rule: any thread. */
TOAD_API bool toad_is_clean(toad_str in);

#ifdef __cplusplus
}
#endif
#endif
