/* render.h - a verdict as text, JSON or SARIF, appended to a buffer so that several threads can render at once. */
#ifndef BZR_FACE_CLI_RENDER_H
#define BZR_FACE_CLI_RENDER_H

#include "app/rules.h"
#include "app/scan.h"
#include "lib/base/buf.h"

typedef struct rendering {
    const char *name; /* path as given, "-" for standard input */
    const bzr_verdict *verdict;
    const bzr__place *places; /* of finding i: [2 * i] its start, [2 * i + 1] its end */
    bool color;
    const bzr__rule_list *rules; /* for SARIF */
} rendering;

/* Findings as a person reads them; nothing for a clean, full scan. */
void render_text(bzr__buf *b, const rendering *r);
/* The verdict object with "path" before its members. */
void render_json(bzr__buf *b, const rendering *r);
/* SARIF results, each followed by ",\n". */
void render_sarif(bzr__buf *b, const rendering *r);
/* The document around them: everything up to the results, and from there on. `complete` false: not everything was
 * scanned. */
void render_sarif_open(bzr__buf *b, const bzr__rule_list *rules);
void render_sarif_close(bzr__buf *b, bool complete);

#endif
