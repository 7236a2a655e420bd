/* scan.h - the operation `scan` on an input that is read piece by piece, and where in it the findings stand. */
#ifndef TOAD_APP_SCAN_H
#define TOAD_APP_SCAN_H

#include "app/host/input.h"
#include "toadstone/scan.h"

typedef struct toad__scan_outcome {
    const toad_verdict *verdict; /* the scanner's; NULL on an error or when the input is binary */
    bool binary;                 /* refused as no text; only when asked for */
    bool container;              /* it is to be opened; in->text holds its first bytes; only when asked for */
    int err;                     /* errno of the read, 0 */
} toad__scan_outcome;

enum {
    TOAD__LOOK_BINARY = 1,    /* what is no text in any encoding */
    TOAD__LOOK_CONTAINER = 2, /* archives, documents, mails, notebooks, PDF */
};

/* Scan all of `in`; in->text then holds all of it that was scanned, or nothing where that was TOAD__INPUT_KEEP bytes or
 * more. `look`: what the first piece is looked at for, and left unscanned. `threads` (1: only
 * this one) share what is large; the verdict is the same. Errors: those of toad_stream_*, TOAD_E_IO (with err). */
toad_status toad__scan_input(toad_scanner *scanner, toad__input *in, const toad_scan_options *options, unsigned look,
                             unsigned threads, toad__scan_outcome *ret);

/* Does this start of a file hold anything but text? UTF-16 and UTF-32 are text; a stray control byte does not make a
 * binary. */
bool toad__looks_binary(toad_str head);

/* Where an offset stands: lines and columns from 1, columns in code points (ill-formed bytes count one each), and in
 * units of UTF-16. 0 when it cannot be told. */
typedef struct toad__place {
    uint64_t line, column, utf16;
} toad__place;

/* Places of the `n` offsets, in in->text or by a second pass over `in`. Zeros when it cannot be read again. Errors:
 * TOAD_E_NOMEM, TOAD_E_IO. */
toad_status toad__locate(toad__input *in, const uint64_t *offsets, size_t n, toad__place *places);

#endif
