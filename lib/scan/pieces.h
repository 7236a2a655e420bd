/* pieces.h - the pieces of one text, scanned by several scanners at once.
 *
 * What a piece says depends on its bytes, and on the page that it is a part of. So the stream cuts pieces and reads
 * their markup in order; several scanners look at them at once; and their verdicts are merged in order again, by the
 * code that merges them when one scanner does it all: the verdict is the same, byte for byte.
 *
 * lib/ knows no threads: whoever has some lends the stream a crew. */
#ifndef TOAD_SCAN_PIECES_H
#define TOAD_SCAN_PIECES_H

#include "toadstone/scan.h"

typedef struct toad__crew {
    void *ctx;
    /* A scanner without a piece, for the next one. */
    toad_scanner *(*next)(void *ctx);
    /* Have toad__piece_scan called for it, on any thread; then toad__piece_merge, on the caller's, in the order of
     * these calls. */
    void (*scan)(void *ctx, toad_scanner *s);
    /* Return when all are merged. */
    void (*wait)(void *ctx);
} toad__crew;

/* Another scanner for the pieces of `stream`; free it with toad_scanner_free. Errors: TOAD_E_NOMEM. */
toad_status toad__stream_helper(const toad_stream *stream, toad_scanner **ret);
/* Scan what is written to `stream` from now on with a crew, which must outlive the close. */
void toad__stream_lend(toad_stream *stream, const toad__crew *crew);
void toad__piece_scan(toad_scanner *s);
void toad__piece_merge(toad_stream *stream, toad_scanner *s);

#endif
