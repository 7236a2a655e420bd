/* buf.h - a growable byte buffer that cannot exist without a ceiling.
 *
 * Errors are sticky: after a failed append every further one is a no-op, so a writer may append a whole document and
 * look at `status` once, at the end. What was appended before the failure stays readable and is never torn:
 * an append happens wholly or not at all. Cost: amortised O(1) a byte. Thread rule: one thread at a time. */
#ifndef BZR_BASE_BUF_H
#define BZR_BASE_BUF_H

#include "bezoar/types.h"

typedef struct bzr__buf {
    char *p;
    size_t n, cap, max;
    bzr_status status; /* BZR_OK, BZR_E_NOMEM or BZR_E_LIMIT */
} bzr__buf;

/* Start empty; `max` is the most bytes it will ever hold. Allocates nothing. */
void bzr__buf_init(bzr__buf *b, size_t max);
/* Release the memory; the buffer may be initialised again. */
void bzr__buf_free(bzr__buf *b);
/* Empty it and clear the status; the memory is kept for reuse. */
void bzr__buf_clear(bzr__buf *b);
/* Room for `n` more bytes at p + b->n, or NULL with the status set. The caller adds to b->n what it used. */
char *bzr__buf_room(bzr__buf *b, size_t n);
void bzr__buf_add(bzr__buf *b, const void *p, size_t n);
void bzr__buf_add_str(bzr__buf *b, bzr_str s);
void bzr__buf_add_z(bzr__buf *b, const char *z);
void bzr__buf_add_c(bzr__buf *b, char c);
/* Append code point `c` as UTF-8. */
void bzr__buf_add_cp(bzr__buf *b, uint32_t c);
void bzr__buf_add_u64(bzr__buf *b, uint64_t v);
bzr_str bzr__buf_str(const bzr__buf *b);

/* Turn the buffer's bytes into a text for the caller (the buffer is left empty), or return its sticky status. */
bzr_status bzr__buf_to_text(bzr__buf *b, bzr_text **ret);

#endif
