/* render.h - a report as text, JSON or SARIF, appended to a buffer so that several threads can render at once. */
#ifndef TOAD_FACE_CLI_RENDER_H
#define TOAD_FACE_CLI_RENDER_H

#include "app/repository/report.h"
#include "app/scan/rules.h"
#include "lib/base/buf.h"

typedef struct rendering {
    const char *name; /* path as given, "-" for standard input */
    const char *uri;  /* path for SARIF: from the root of the tree where there is one */
    const toad__report *report;
    toad_severity show; /* places that weigh less are left out of the text */
    bool whole;         /* each place by itself; else those of one rule in one file as one */
    bool color,
        judged;    /* judged: the file is one of a repository, or there is a baseline or a record of suppressions */
    bool baseline; /* there is one */
    const toad__rule_list *rules; /* for SARIF */
} rendering;

/* Findings as a person reads them; nothing for a clean, full scan. For each place, shown or not, a tally_mark in
 * `marks`.
 */
void render_text(toad__buf *b, toad__buf *marks, const rendering *r);

/* One place: which rule of the list speaks for it, and how grave it is. */
typedef struct tally_mark {
    uint32_t rule;
    uint32_t severity;
} tally_mark;
/* The verdict object with "path" before its members; judged, with what the report adds. */
void render_json(toad__buf *b, const rendering *r);
/* SARIF results, one a line, without commas; for each its severity as a byte in `severities`. */
void render_sarif(toad__buf *b, toad__buf *severities, const rendering *r);

/* What is to be said of the run: how it ended, and sentences of ours about what is missing from it. */
typedef struct sarif_run {
    bool successful;
    toad_str notes; /* of sarif_note */
} sarif_run;

/* The document around the results. */
void render_sarif_open(toad__buf *b, const toad__rule_list *rules);
void render_sarif_close(toad__buf *b, const sarif_run *run);
/* One note: `level` is "warning" or "error"; `uri` may be NULL. */
void sarif_note(toad__buf *notes, const char *level, const char *text, const char *uri);

#endif
