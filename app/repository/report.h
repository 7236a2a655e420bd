/* report.h - a verdict as the findings of one file of a repository: where each stands, what it weighs there, by what it
 * is known again, and whether somebody has answered for it.
 *
 * What the library says of a text stays as it is (rendering a verdict alone needs none of this). A report weighs it
 * once more by what the file is: in agents' settings and MCP configurations quotation marks are no excuse, since every
 * value stands in them; what a fixture, a detection rule, a string of a program or a code block of a paper shows is a
 * warning at most. Findings are never dropped for their place.
 *
 * Several rules often see one attack: rows that begin in the same words are one place, of which the gravest speaks.
 * Minified code is full of what looks encoded; that the budget did not suffice for it is no warning by itself, but it
 * stays incomplete. What decodes to findings, or nests too deep, is no such code. */
#ifndef TOAD_APP_REPORT_H
#define TOAD_APP_REPORT_H

#include "app/repository/artifact.h"
#include "app/repository/baseline.h"
#include "app/repository/standing.h"
#include "app/repository/suppress.h"
#include "app/scan/rules.h"
#include "app/scan/scan.h"

#define TOAD__FINGERPRINT 48 /* bytes of "32 hexadecimal digits:N" */

typedef struct toad__report_options {
    bool repository; /* weigh by what the file is */
    const toad__rule_list *rules;
    const toad__baseline *baseline; /* NULL: none */
    const toad__suppressions *suppressions;
} toad__report_options;

typedef struct toad__reported {
    const toad_finding *finding;
    toad_severity severity; /* here */
    toad__standing standing;
    toad__place from, to;
    char fingerprint[TOAD__FINGERPRINT];
    bool known; /* in the baseline */
    const toad__suppression *suppression;
    const char *part;        /* of a container: the name of what it stands in, a stranger's; else NULL */
    toad__artifact artifact; /* what the file or the part is */
    size_t lead;             /* the row that speaks for its place; SIZE_MAX: it is not fresh */
} toad__reported;

/* What of a container stayed closed, and why. */
typedef struct toad__closed {
    const char *part, *why; /* a stranger's name, empty for the file itself; a sentence of ours */
} toad__closed;

typedef struct toad__report {
    const toad_verdict *verdict; /* borrowed; the scanner's */
    const char *key;             /* borrowed */
    toad__artifact artifact;
    toad__reported *rows; /* one for each finding of the verdict, in its order */
    size_t n, fresh, known, suppressed;
    uint64_t unlisted; /* findings that are only counted */
    bool more,
        more_known; /* a rule has as many as are listed of one: there may be others; known while the file is the same */
    char more_fingerprint[TOAD__FINGERPRINT];
    uint64_t places[4]; /* of what is fresh, by what the speaking row weighs */
    bool minified; /* the decoder's budget was spent on program code in very long lines, and nothing else is wrong */
    toad__closed *closed;   /* of a container; see opened.h */
    size_t closed_n;        /* all; the first thousand are listed */
    uint64_t binary;        /* parts that are no text */
    toad_severity severity; /* of what is fresh */
    toad_action action;
} toad__report;

/* `key` is the file's path seen from its tree, `root` the tree. `in` was scanned by toad__scan_input. Free it either
 * way. Errors: TOAD_E_NOMEM, TOAD_E_IO. */
toad_status toad__report_make(const toad__report_options *options, const toad_verdict *verdict, toad__input *in,
                              const char *root, const char *key, toad__report *ret);
void toad__report_free(toad__report *r);
/* Neither in the baseline nor suppressed. */
bool toad__is_fresh(const toad__reported *row);
/* Append what a baseline is to remember of this file. */
void toad__report_baseline(const toad__report *r, toad__buf *entries);

#endif
