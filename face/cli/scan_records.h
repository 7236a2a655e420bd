/* scan_records.h - the files beside a scan: the baseline, and the record of suppressions. */
#ifndef TOAD_FACE_CLI_SCAN_RECORDS_H
#define TOAD_FACE_CLI_SCAN_RECORDS_H

#include "app/repository/baseline.h"
#include "app/repository/suppress.h"
#include "app/repository/tree.h"
#include "face/cli/args.h"

#include <sys/types.h>

typedef struct scan_records {
    toad__baseline *baseline;         /* NULL: none */
    toad__suppressions *suppressions; /* NULL: none */
    const char *standing;             /* path of the user's own file where it was taken, else NULL */
    char standing_path[4096];
    struct {
        dev_t device;
        ino_t inode;
    } named[3]; /* the files that flags name, as far as they exist */
    size_t named_n;
    char told[4096]; /* root of the tree that was last spoken of */
} scan_records;

/* Read what the flags name; without --suppressions the user's own file, if there is one. False after a message. Free it
 * either way. */
bool scan_records_read(const args *a, scan_records *ret);
void scan_records_free(scan_records *r);
/* Is `path` one of the files that the flags name? What they hold is the user's word, not the tree's. */
bool scan_records_are(const scan_records *r, const char *path);

/* Say what of a tree must not speak for it: the user's own file, if it lies in the tree, counts for nothing in it
 * (false), and a record that came with the tree is named. */
bool scan_records_for(const args *a, scan_records *r, const toad__tree *tree);

#endif
