/* policy.c - see policy.h. */
#include "app/config/policy.h"

#include "app/config/config_internal.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

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
    static const char *const usual[] = { "allow", "allow", "warn", "block", "warn" }, *const memory[] = {
        "allow", "block", "block", "block", "block"
    };
    return (cell / TOAD__POLICY_CASE_N == SOURCE_MEMORY ? memory : usual)[cell % TOAD__POLICY_CASE_N];
}

bool toad__policy_source(const char *name, size_t *ret) {
    int i = toad__word_index(TOAD__POLICY_SOURCES, name, strlen(name));
    if (i >= 0) *ret = (size_t)i;
    return i >= 0;
}

static const char *action_name(int64_t action) {
    static const char *const names[] = { "allow", "warn", "redact", "ask", "block" };
    return names[action];
}

toad__policy_answer toad__policy_decide(const toad__config *c, size_t source, toad_severity severity,
                                        toad_completeness completeness) {
    size_t row = TOAD__CONFIG_POLICY + source * TOAD__POLICY_CASE_N, cell = row + (size_t)severity;
    int64_t action = c->slots[cell].number, least = c->slots[row + CASE_INCOMPLETE].number;
    const char *why = "the policy's action for this source and severity";
    if (severity == TOAD_HIGH && !toad__config_flag(c, TOAD__CONFIG_AUTO_BLOCK) && !c->slots[cell].origin &&
        action > 1) {
        action = 1;
        why = "security.auto_block_high_confidence is false, so a high finding only warns";
    }
    if (completeness != TOAD_FULL && least > action) {
        action = least;
        why = "not everything was looked at, so what was not found may be there";
    }
    return (toad__policy_answer){ action_name(action), why };
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
            toad_severity severity = k == CASE_INCOMPLETE ? TOAD_NONE : (toad_severity)k;
            toad__buf_add_c(out, ',');
            add_name(out, TOAD__POLICY_CASES, k);
            toad__buf_add_c(out, ':');
            const char *action = k == CASE_INCOMPLETE
                                     ? action_name(c->slots[TOAD__CONFIG_POLICY + s * TOAD__POLICY_CASE_N + k].number)
                                     : toad__policy_decide(c, s, severity, TOAD_FULL).action;
            toad__json_add_str(out, toad__str_z(action));
        }
        toad__buf_add_c(out, '}');
    }
    toad__buf_add_z(out, "\n]}");
}
