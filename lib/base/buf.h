/* buf.h - a growable byte buffer that cannot exist without a ceiling.
 *
 * Errors are sticky: after a failed append every further one is a no-op, so a writer may append a whole document and
 * look at `status` once, at the end. What was appended before the failure stays readable and is never torn:
 * an append happens wholly or not at all. Cost: amortised O(1) a byte. Thread rule: one thread at a time. */
#ifndef TOAD_BASE_BUF_H
#define TOAD_BASE_BUF_H

#include "toadstone/types.h"

typedef struct toad__buf {
    char *p;
    size_t n, cap, max;
    toad_status status; /* TOAD_OK, TOAD_E_NOMEM or TOAD_E_LIMIT */
} toad__buf;

/* Start empty; `max` is the most bytes it will ever hold. Allocates nothing. */
void toad__buf_init(toad__buf *b, size_t max);
/* Release the memory; the buffer may be initialised again. */
void toad__buf_free(toad__buf *b);
/* Empty it and clear the status; the memory is kept for reuse. */
void toad__buf_clear(toad__buf *b);
/* Room for `n` more bytes at p + b->n, or NULL with the status set. The caller adds to b->n what it used. */
char *toad__buf_room(toad__buf *b, size_t n);
void toad__buf_add(toad__buf *b, const void *p, size_t n);
void toad__buf_add_str(toad__buf *b, toad_str s);
void toad__buf_add_z(toad__buf *b, const char *z);
void toad__buf_add_c(toad__buf *b, char c);
/* Append code point `c` as UTF-8. */
void toad__buf_add_cp(toad__buf *b, uint32_t c);
void toad__buf_add_u64(toad__buf *b, uint64_t v);
toad_str toad__buf_str(const toad__buf *b);

/* Turn the buffer's bytes into a text for the caller (the buffer is left empty), or return its sticky status. */
toad_status toad__buf_to_text(toad__buf *b, toad_text **ret);
/* The same as the last step: the buffer is freed. */
toad_status toad__finish(toad__buf *b, toad_text **ret);

#endif
