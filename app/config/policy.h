/* policy.h - from a verdict to an action: source x severity x completeness x surface. Nothing else decides.
 *
 * One row a source, one column a case: none, low, medium, high for a whole scan, and incomplete, the least that is done
 * about a scan that did not look at everything. The table is part of the configuration (policy.web.high: block). */
#ifndef TOAD_APP_POLICY_H
#define TOAD_APP_POLICY_H

#include "app/config/config.h"
#include "toadstone/guard.h"

#define TOAD__POLICY_SOURCES "web search mcp file email memory tool api"
#define TOAD__POLICY_CASES   "none low medium high incomplete"
#define TOAD__POLICY_ACTIONS "allow warn redact ask block" /* from loose to tight */
enum {
    TOAD__POLICY_SOURCE_N = 8,
    TOAD__POLICY_CASE_N = 5,
    TOAD__POLICY_N = TOAD__POLICY_SOURCE_N * TOAD__POLICY_CASE_N
};

typedef struct toad__policy_answer {
    const char *action; /* one of TOAD__POLICY_ACTIONS; static storage */
    const char *why;    /* one sentence of ours, static storage */
} toad__policy_answer;

/* Where an action is carried out. What a surface cannot do, it does more tightly. */
typedef enum toad__surface { TOAD__ON_PAGE, TOAD__ON_LIST, TOAD__ON_MESSAGE, TOAD__SURFACE_N } toad__surface;

typedef struct toad__policy_surface {
    const char *name, *where; /* where: commands and tools of an MCP server */
    toad_action redact, ask;  /* what these two come to */
} toad__policy_surface;

const toad__policy_surface *toad__policy_surface_at(toad__surface surface);
/* What is done there where the table says `action`. */
toad_action toad__policy_on(toad__surface surface, toad_action action);

/* The words that a cell may hold: memory refuses whatever is found, so that row is what it is. */
const char *toad__policy_words(size_t cell);
/* The built-in action of a cell: source * TOAD__POLICY_CASE_N + case. */
const char *toad__policy_builtin(size_t cell);
/* False: no such source. */
bool toad__policy_source(const char *name, size_t *ret);
toad__policy_answer toad__policy_decide(const toad__config *c, size_t source, toad_severity severity,
                                        toad_completeness completeness);
/* The row of a source as a whole, with what auto_block_high_confidence says. */
toad_policy toad__policy_row(const toad__config *c, size_t source);
/* What the table says at a place, a source and a case. */
const char *toad__policy_cell(const toad__config *c, size_t source, size_t k);
/* Append {"policy":[{"source","none",...,"incomplete"}],"surfaces":[{"surface","redact","ask","where"}]}. */
void toad__policy_json(const toad__config *c, toad__buf *out);
/* The place of `word` among the words of a list separated by blanks, or -1; the word at a place, its length in *n. */
int toad__word_index(const char *words, const char *word, size_t n);
const char *toad__word_at(const char *words, size_t index, size_t *n);

#endif
