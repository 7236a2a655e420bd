/* guard.h - a text in, what the model may see out: scan, decide, and withhold, redact or envelope, in one call.
 *
 *     toad_guard_options options = TOAD_GUARD_OPTIONS_INIT;
 *     options.kind = TOAD_KIND_WEB;
 *     toad_guarded *guarded;
 *     if (toad_guard(scanner, page, &options, &guarded)) ... not screened: nothing may pass ...
 *     toad_str give = toad_guarded_text(guarded); */
#ifndef TOADSTONE_GUARD_H
#define TOADSTONE_GUARD_H

#include "scan.h"
#include "wrap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From what was found to what is done. FROZEN. */
typedef struct toad_policy {
    toad_action none, low, medium, high; /* by the verdict's severity */
    toad_action incomplete;              /* the least that is done where the scan could not look at everything */
} toad_policy;

/* The built-in policy for a kind of text, the same table that the toadstone program decides by: none and low allow,
 * medium warns, high blocks, incomplete warns; memory blocks from low on and where incomplete. An unknown kind is read
 * as TOAD_KIND_ANY. Thread rule: any thread. */
TOAD_API toad_policy toad_policy_for(toad_kind kind);

enum { TOAD_GUARD_BARE = 1 }; /* flag: no envelope */

/* SIZED. */
typedef struct toad_guard_options {
    size_t size;      /* sizeof(toad_guard_options) */
    toad_scope scope; /* these three: as in toad_scan_options */
    toad_kind kind;
    uint64_t max_bytes;
    const toad_policy *policy;     /* NULL: toad_policy_for(kind) */
    const toad_wrap_options *wrap; /* the envelope; NULL: toad_wrap's defaults */
    uint64_t flags;                /* 0 or TOAD_GUARD_BARE */
} toad_guard_options;
#define TOAD_GUARD_OPTIONS_INIT \
    { sizeof(toad_guard_options), TOAD_RELAXED, TOAD_KIND_ANY, 0, NULL, NULL, 0 }

typedef struct toad_guarded toad_guarded;

/* Scan `text`, decide by the policy, and make what the model may see of it:
 *
 * - allow, warn: the whole text in the envelope: sanitized, and its markers neutralized, as toad_wrap does. With
 *   TOAD_GUARD_BARE the text byte for byte.
 * - redact: the same, with "[removed]" in the place of each line that a finding touches. The result is scanned again,
 *   and what is still found is removed, too; if that does not end, or not everything could be looked at, or the policy
 *   would still redact, the action becomes block. The unredacted text is never given.
 * - ask: a notice that the text waits for the user. When he agreed, call again with another policy.
 * - block: a notice that it is withheld. No byte of the text is in either notice.
 *
 * ret  For toad_guarded_free; it owns all it says and depends on neither scanner nor text. The scanner's last verdict
 * is gone.
 *
 * Errors: TOAD_E_NOMEM; TOAD_E_ARG (also an action or a flag that is none); those of toad_wrap. An error means that
 * nothing was decided: the text must not pass.
 * Cost: linear; one scan, and up to four when something is redacted. Thread rule: one thread at a time for one scanner.
 */
TOAD_API toad_status toad_guard(toad_scanner *scanner, toad_str text, const toad_guard_options *options,
                                toad_guarded **ret);
TOAD_API void toad_guarded_free(toad_guarded *guarded); /* NULL is a no-op */

/* What came of it; slices live as long as `guarded`, which must not be NULL.
 *
 * text          What the model may see. Empty at most where the text is.
 * action        What was decided: any toad_action.
 * severity      Of the text as it was handed in, as are the next two.
 * completeness
 * json          Its verdict, one line (docs/verdict.md); the "action" in it is that of the usual policy.
 *
 * Thread rule: any number of threads may read it. */
TOAD_API toad_str toad_guarded_text(const toad_guarded *guarded);
TOAD_API toad_action toad_guarded_action(const toad_guarded *guarded);
TOAD_API toad_severity toad_guarded_severity(const toad_guarded *guarded);
TOAD_API toad_completeness toad_guarded_completeness(const toad_guarded *guarded);
TOAD_API toad_str toad_guarded_json(const toad_guarded *guarded);

#ifdef __cplusplus
}
#endif
#endif
