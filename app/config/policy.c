/* policy.c - see policy.h. */
#include "app/config/policy.h"

#include "app/config/config_internal.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/verdict/policy.h"

#include <assert.h>

enum { CASE_INCOMPLETE = 4, SOURCE_MEMORY = 5 };

int toad__word_index(const char *words, const char *word, size_t n) {
    for (int i = 0; *words; i++) {
        size_t length = strcspn(words, " ");
        if (length == n && !memcmp(words, word, n)) return i;
        words += length + (words[length] == ' ');
    }
    return -1;
}

const char *toad__word_at(const char *words, size_t index, size_t *n) {
    for (; index-- && *words; words += *words == ' ') words += strcspn(words, " ");
    *n = strcspn(words, " ");
    return words;
}

const char *toad__policy_builtin(size_t cell) {
    toad_policy p = toad_policy_for(cell / TOAD__POLICY_CASE_N == SOURCE_MEMORY ? TOAD_KIND_MEMORY : TOAD_KIND_ANY);
    const toad_action row[] = { p.none, p.low, p.medium, p.high, p.incomplete };
    return toad_action_name(row[cell % TOAD__POLICY_CASE_N]);
}

bool toad__policy_source(const char *name, size_t *ret) {
    int i = toad__word_index(TOAD__POLICY_SOURCES, name, strlen(name));
    if (i >= 0) *ret = (size_t)i;
    return i >= 0;
}

static toad_action action_at(const toad__config *c, size_t source, size_t k) {
    return (toad_action)c->slots[TOAD__CONFIG_POLICY + source * TOAD__POLICY_CASE_N + k].number;
}

const char *toad__policy_words(size_t cell) {
    return cell / TOAD__POLICY_CASE_N == SOURCE_MEMORY ? toad__policy_builtin(cell) : TOAD__POLICY_ACTIONS;
}

toad_policy toad__policy_row(const toad__config *c, size_t source) {
    if (source == SOURCE_MEMORY) return toad_policy_for(TOAD_KIND_MEMORY);
    bool ours = !c->slots[TOAD__CONFIG_POLICY + source * TOAD__POLICY_CASE_N + TOAD_HIGH].origin;
    toad_policy p = { action_at(c, source, TOAD_NONE), action_at(c, source, TOAD_LOW),
                      action_at(c, source, TOAD_MEDIUM), action_at(c, source, TOAD_HIGH),
                      action_at(c, source, CASE_INCOMPLETE) };
    if (ours && p.high > TOAD_WARN && !toad__config_flag(c, TOAD__CONFIG_AUTO_BLOCK)) p.high = TOAD_WARN;
    return p;
}

toad__policy_answer toad__policy_decide(const toad__config *c, size_t source, toad_severity severity,
                                        toad_completeness completeness) {
    toad_policy p = toad__policy_row(c, source);
    const char *why = "the policy's action for this source and severity";
    if (severity == TOAD_HIGH && source != SOURCE_MEMORY && p.high != action_at(c, source, TOAD_HIGH))
        why = "security.auto_block_high_confidence is false, so a high finding only warns";
    toad_action action = toad__policy_action(&p, severity, completeness);
    if (action != toad__policy_action(&p, severity, TOAD_FULL))
        why = "not everything was looked at, so what was not found may be there";
    return (toad__policy_answer){ toad_action_name(action), why };
}

const char *toad__policy_cell(const toad__config *c, size_t source, size_t k) {
    assert(source < TOAD__POLICY_SOURCE_N && k < TOAD__POLICY_CASE_N);
    return k == CASE_INCOMPLETE ? toad_action_name(toad__policy_row(c, source).incomplete)
                                : toad__policy_decide(c, source, (toad_severity)k, TOAD_FULL).action;
}

/* A page has parts, so it can be redacted; nobody can be asked while it is kept, so what the policy asks about waits
 * for the user, as what is blocked does. An entry of a list, or of memory, is there or not. */
static const toad__policy_surface surfaces[TOAD__SURFACE_N] = {
    [TOAD__ON_PAGE] = { "page", "fetch, read, contents, web_fetch, read_fetched_content", TOAD_REDACT, TOAD_BLOCK },
    [TOAD__ON_LIST] = { "list", "search, feed, web_search", TOAD_BLOCK, TOAD_BLOCK },
    [TOAD__ON_MESSAGE] = { "message", "proxy, hook", TOAD_REDACT, TOAD_ASK },
};

const toad__policy_surface *toad__policy_surface_at(toad__surface surface) { return &surfaces[surface]; }

toad_action toad__policy_on(toad__surface surface, toad_action action) {
    assert(surface < TOAD__SURFACE_N);
    return action == TOAD_REDACT ? surfaces[surface].redact : action == TOAD_ASK ? surfaces[surface].ask : action;
}

static void add_name(toad__buf *out, const char *words, size_t i) {
    size_t n;
    const char *word = toad__word_at(words, i, &n);
    toad__json_add_str(out, toad__str(word, n));
}

void toad__policy_json(const toad__config *c, toad__buf *out) {
    toad__buf_add_z(out, "{\"policy\":[");
    for (size_t s = 0; s < TOAD__POLICY_SOURCE_N; s++) {
        toad__buf_add_z(out, s ? ",\n{\"source\":" : "\n{\"source\":");
        add_name(out, TOAD__POLICY_SOURCES, s);
        for (size_t k = 0; k < TOAD__POLICY_CASE_N; k++) {
            toad__buf_add_c(out, ',');
            add_name(out, TOAD__POLICY_CASES, k);
            toad__buf_add_c(out, ':');
            toad__json_add_str(out, toad__str_z(toad__policy_cell(c, s, k)));
        }
        toad__buf_add_c(out, '}');
    }
    toad__buf_add_z(out, "\n],\"surfaces\":[");
    for (size_t i = 0; i < TOAD__SURFACE_N; i++) {
        toad__buf_add_z(out, i ? ",\n{\"surface\":" : "\n{\"surface\":");
        toad__json_add_str(out, toad__str_z(surfaces[i].name));
        toad__json_add_key(out, "redact");
        toad__json_add_str(out, toad__str_z(toad_action_name(surfaces[i].redact)));
        toad__json_add_key(out, "ask");
        toad__json_add_str(out, toad__str_z(toad_action_name(surfaces[i].ask)));
        toad__json_add_key(out, "where");
        toad__json_add_str(out, toad__str_z(surfaces[i].where));
        toad__buf_add_c(out, '}');
    }
    toad__buf_add_z(out, "\n]}");
}
