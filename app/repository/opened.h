/* opened.h - a container as one file: its parts scanned, each weighed by what it is by its own name, and what was found
 * in them as one verdict and one report.
 *
 * A part's key is "FILE!/inner/name", so that it is known again, suppressed and told where it stands. A finding's path
 * begins with the way to its part ("zip:inner/name"), its span is where the part lies packed in the file, its line and
 * column are those in the part. What stayed closed makes the verdict incomplete. */
#ifndef TOAD_APP_OPENED_H
#define TOAD_APP_OPENED_H

#include "app/repository/scan_tree.h"
#include "app/scan/parts.h"

typedef struct toad__opened {
    toad__merged merged;
    toad__report report;
    size_t rows_cap, closed_cap;
} toad__opened;

/* The rest of `in` is read behind what in->text holds. Free it either way. `file` gives path, key and root and takes
 * what a baseline is to remember. `weighing`: of the parts. Errors: TOAD_E_NOMEM, TOAD_E_IO (*err). */
toad_status toad__opened_make(toad_scanner *scanner, const toad__scan_tree_options *options,
                              const toad__report_options *weighing, toad__scanned *file, toad__input *in,
                              toad__opened *ret, int *err);
void toad__opened_free(toad__opened *o);

#endif
