/* scan_tree.h - the operation `scan` on files and directories: what is named, or stands in a directory that is named,
 * is scanned, weighed by what it is, and handed back in the order of the names.
 *
 * Several threads scan, one file each, or all of them one large file; the caller's thread alone walks and hands back,
 * so what is printed is the same whatever the number of threads. */
#ifndef TOAD_APP_SCAN_TREE_H
#define TOAD_APP_SCAN_TREE_H

#include "app/repository/report.h"
#include "app/repository/tree.h"
#include "app/repository/walk.h"

typedef struct toad__scan_tree_options {
    const toad_engine *engine;
    toad_scan_options scan;
    bool has_kind, has_scope; /* those of `scan` hold for all inputs; else what a file is decides */
    bool recursive;           /* directories are walked; else they are an error */
    bool no_ignore;
    bool count;            /* the files first, for `total` */
    unsigned threads;      /* 0: one a processor */
    toad_severity fail_on; /* files at or above it are counted; TOAD_NONE: none */
    const char *within;    /* "a/b/": weighed as if they stood there in a repository; NULL: as they stand */
    toad__report_options report;
    toad__buf *entries;       /* what a baseline is to remember is appended; NULL: not wanted */
    const char *const *names; /* files, directories, "-"; none: the directory here with `recursive`, else "-" */
    size_t names_n;
} toad__scan_tree_options;

/* One input. */
typedef struct toad__scanned {
    const char *path, *key, *root; /* as given; from the root of its tree; that root */
    bool in_repository;
    toad_status status; /* TOAD_E_IO: see err */
    int err;
    bool binary;            /* not scanned */
    uint64_t binaries;      /* parts of it that were not */
    toad_severity severity; /* the worst of what is fresh */
    toad_action action;
    toad_completeness completeness;
    bool minified; /* see report.h */
    uint64_t bytes, unlisted, known, suppressed, places[4];
    toad__buf out, marks;     /* what `render` made of it */
    toad__buf names, entries; /* what path, key and root point into; what a baseline is to remember */
    bool walked, suppressible;
    toad__artifact artifact;
} toad__scanned;

typedef struct toad__scan_totals {
    uint64_t files, bytes, places[4], with_places, incomplete, minified; /* minified: of those that are incomplete */
    uint64_t unlisted;   /* findings that no place stands for: there were too many of one rule */
    uint64_t total;      /* files that were counted before, with `count` */
    const char *current; /* the path last walked to; only for `tick` */
    bool stopped;        /* by `stop`, before all was done */
    toad_action action;  /* the gravest */
    uint64_t binary, ignored, links, special, git, errors, over; /* over: inputs at or above fail_on */
    uint64_t agents, known, suppressed, records; /* agents: files that agents obey; records: see is_record */
} toad__scan_totals;

typedef struct toad__scan_tree_calls {
    /* Append to file->out and file->marks what is to be kept of the report. On some thread; NULL: nothing. */
    void (*render)(void *ctx, toad__scanned *file, const toad__report *report);
    /* A file is done, or could not be: see status. In order. */
    void (*done)(void *ctx, const toad__scanned *file);
    /* What a walk passed over, see walk.h. */
    void (*skip)(void *ctx, const char *path, toad__walk_skip why, int err);
    /* A tree is entered: may findings in it be suppressed? */
    bool (*enter)(void *ctx, const toad__tree *tree);
    /* Is this file of a walk one of the user's records, which are not scanned? */
    bool (*is_record)(void *ctx, const char *path);
    bool (*stop)(void *ctx);                               /* no further file, please; NULL: never */
    void (*tick)(void *ctx, const toad__scan_totals *sum); /* after each file, and some ten times a second */
} toad__scan_tree_calls;

/* How a text is scanned that is this: what the user has said of all inputs holds; else what it is decides. */
toad_scan_options toad__scan_options_for(const toad__scan_tree_options *o, toad__artifact artifact);

/* Errors: TOAD_E_NOMEM where nothing could be begun; what happens to one file is told by `done`. */
toad_status toad__scan_tree(const toad__scan_tree_options *options, const toad__scan_tree_calls *calls, void *ctx,
                            toad__scan_totals *ret);

#endif
