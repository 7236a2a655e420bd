/* policy.h - from a verdict to an action: source x severity x completeness.
 *
 * One row a source, one column a case: none, low, medium, high for a whole scan, and incomplete, the least that is done
 * about a scan that did not look at everything. The table is part of the configuration (policy.web.high: block). */
#ifndef BZR_APP_POLICY_H
#define BZR_APP_POLICY_H

#include "app/config/config.h"

#define BZR__POLICY_SOURCES "web search mcp file email memory tool api"
#define BZR__POLICY_CASES   "none low medium high incomplete"
#define BZR__POLICY_ACTIONS "allow warn redact ask block" /* from loose to tight */
enum { BZR__POLICY_SOURCE_N = 8, BZR__POLICY_CASE_N = 5, BZR__POLICY_N = BZR__POLICY_SOURCE_N * BZR__POLICY_CASE_N };

typedef struct bzr__policy_answer {
    const char *action; /* one of BZR__POLICY_ACTIONS; static storage */
    const char *why;    /* one sentence of ours, static storage */
} bzr__policy_answer;

/* The built-in action of a cell: source * BZR__POLICY_CASE_N + case. */
const char *bzr__policy_builtin(size_t cell);
/* False: no such source. */
bool bzr__policy_source(const char *name, size_t *ret);
bzr__policy_answer bzr__policy_decide(const bzr__config *c, size_t source, bzr_severity severity,
                                      bzr_completeness completeness);
/* Append {"policy":[{"source","none",...,"incomplete"}]}. */
void bzr__policy_json(const bzr__config *c, bzr__buf *out);
/* The place of `word` among the words of a list separated by blanks, or -1; the word at a place, its length in *n. */
int bzr__word_index(const char *words, const char *word, size_t n);
const char *bzr__word_at(const char *words, size_t index, size_t *n);

#endif
