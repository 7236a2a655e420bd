/* report.h - a verdict as the findings of one file of a repository: where each stands, what it weighs there, by what it
 * is known again, and whether somebody has answered for it.
 *
 * What the library says of a text stays as it is (rendering a verdict alone needs none of this). A report weighs it
 * once more by what the file is: in agents' settings and MCP configurations quotation marks are no excuse, since every
 * value stands in them; what a fixture, a detection rule, a string of a program or a code block of a paper shows is a
 * warning at most. Findings are never dropped for their place. */
#ifndef BZR_APP_REPORT_H
#define BZR_APP_REPORT_H

#include "app/repository/artifact.h"
#include "app/repository/baseline.h"
#include "app/scan/rules.h"
#include "app/scan/scan.h"
#include "app/repository/standing.h"
#include "app/repository/suppress.h"

#define BZR__FINGERPRINT 48 /* bytes of "32 hexadecimal digits:N" */

typedef struct bzr__report_options {
    bool repository; /* weigh by what the file is */
    const bzr__rule_list *rules;
    const bzr__baseline *baseline; /* NULL: none */
    const bzr__suppressions *suppressions;
} bzr__report_options;

typedef struct bzr__reported {
    const bzr_finding *finding;
    bzr_severity severity; /* here */
    bzr__standing standing;
    bzr__place from, to;
    char fingerprint[BZR__FINGERPRINT];
    bool known; /* in the baseline */
    const bzr__suppression *suppression;
} bzr__reported;

typedef struct bzr__report {
    const bzr_verdict *verdict; /* borrowed; the scanner's */
    const char *key;            /* borrowed */
    bzr__artifact artifact;
    bzr__reported *rows; /* one for each finding of the verdict, in its order */
    size_t n, fresh, known, suppressed;
    uint64_t unlisted; /* findings that are only counted */
    bool more,
        more_known; /* a rule has as many as are listed of one: there may be others; known while the file is the same */
    char more_fingerprint[BZR__FINGERPRINT];
    bzr_severity severity; /* of what is fresh */
    bzr_action action;
} bzr__report;

/* `key` is the file's path seen from its tree, `root` the tree. Reads `in` again. Free it either way. Errors:
 * BZR_E_NOMEM, BZR_E_IO. */
bzr_status bzr__report_make(const bzr__report_options *options, const bzr_verdict *verdict, bzr__input *in,
                            const char *root, const char *key, bzr__report *ret);
void bzr__report_free(bzr__report *r);
/* Neither in the baseline nor suppressed. */
bool bzr__is_fresh(const bzr__reported *row);
/* Append what a baseline is to remember of this file. */
void bzr__report_baseline(const bzr__report *r, bzr__buf *entries);

#endif
