/* scan.h - the operation `scan` on an input that is read piece by piece, and where in it the findings stand. */
#ifndef BZR_APP_SCAN_H
#define BZR_APP_SCAN_H

#include "app/host/input.h"
#include "bezoar/scan.h"

typedef struct bzr__scan_outcome {
    const bzr_verdict *verdict; /* the scanner's; NULL on an error or when the input is binary */
    bool binary;                /* refused as no text; only when asked for */
    int err;                    /* errno of the read, 0 */
} bzr__scan_outcome;

/* Scan all of `in`. `skip_binary`: look at the first piece and leave what is no text in any encoding unscanned. Memory
 * does not grow with the input. Errors: those of bzr_stream_*, BZR_E_IO (with err). */
bzr_status bzr__scan_input(bzr_scanner *scanner, bzr__input *in, const bzr_scan_options *options, bool skip_binary,
                           bzr__scan_outcome *ret);

/* Does this start of a file hold anything but text? UTF-16 and UTF-32 are text; a stray control byte does not make a
 * binary. */
bool bzr__looks_binary(bzr_str head);

/* Where an offset stands: lines and columns from 1, columns in code points (ill-formed bytes count one each), and in units of UTF-16. 0 when it
 * cannot be told. */
typedef struct bzr__place {
    uint64_t line, column, utf16;
} bzr__place;

/* Places of the `n` offsets, by a second pass over `in`. Zeros when the input cannot be read again. Errors:
 * BZR_E_NOMEM, BZR_E_IO. */
bzr_status bzr__locate(bzr__input *in, const uint64_t *offsets, size_t n, bzr__place *places);

#endif
