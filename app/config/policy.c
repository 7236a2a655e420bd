/* policy.c - see policy.h. */
#include "app/config/policy.h"

#include "app/config/config_internal.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

enum { CASE_INCOMPLETE = 4, SOURCE_MEMORY = 5 };

int bzr__word_index(const char *words, const char *word, size_t n) {
    for (int i = 0; *words; i++) {
        size_t length = strcspn(words, " ");
        if (length == n && !memcmp(words, word, n)) return i;
        words += length + (words[length] == ' ');
    }
    return -1;
}

const char *bzr__word_at(const char *words, size_t index, size_t *n) {
    for (; index-- && *words; words += *words == ' ') words += strcspn(words, " ");
    *n = strcspn(words, " ");
    return words;
}

const char *bzr__policy_builtin(size_t cell) {
    static const char *const usual[] = { "allow", "allow", "warn", "block", "warn" }, *const memory[] = {
        "allow", "block", "block", "block", "block"
    };
    return (cell / BZR__POLICY_CASE_N == SOURCE_MEMORY ? memory : usual)[cell % BZR__POLICY_CASE_N];
}

bool bzr__policy_source(const char *name, size_t *ret) {
    int i = bzr__word_index(BZR__POLICY_SOURCES, name, strlen(name));
    if (i >= 0) *ret = (size_t)i;
    return i >= 0;
}

static const char *action_name(int64_t action) {
    static const char *const names[] = { "allow", "warn", "redact", "ask", "block" };
    return names[action];
}

bzr__policy_answer bzr__policy_decide(const bzr__config *c, size_t source, bzr_severity severity,
                                      bzr_completeness completeness) {
    size_t row = BZR__CONFIG_POLICY + source * BZR__POLICY_CASE_N, cell = row + (size_t)severity;
    int64_t action = c->slots[cell].number, least = c->slots[row + CASE_INCOMPLETE].number;
    const char *why = "the policy's action for this source and severity";
    if (severity == BZR_HIGH && !bzr__config_flag(c, BZR__CONFIG_AUTO_BLOCK) && !c->slots[cell].origin && action > 1) {
        action = 1;
        why = "security.auto_block_high_confidence is false, so a high finding only warns";
    }
    if (completeness != BZR_FULL && least > action) {
        action = least;
        why = "not everything was looked at, so what was not found may be there";
    }
    return (bzr__policy_answer){ action_name(action), why };
}

static void add_name(bzr__buf *out, const char *words, size_t i) {
    size_t n;
    const char *word = bzr__word_at(words, i, &n);
    bzr__json_add_str(out, bzr__str(word, n));
}

void bzr__policy_json(const bzr__config *c, bzr__buf *out) {
    bzr__buf_add_z(out, "{\"policy\":[");
    for (size_t s = 0; s < BZR__POLICY_SOURCE_N; s++) {
        bzr__buf_add_z(out, s ? ",\n{\"source\":" : "\n{\"source\":");
        add_name(out, BZR__POLICY_SOURCES, s);
        for (size_t k = 0; k < BZR__POLICY_CASE_N; k++) {
            bzr_severity severity = k == CASE_INCOMPLETE ? BZR_NONE : (bzr_severity)k;
            bzr__buf_add_c(out, ',');
            add_name(out, BZR__POLICY_CASES, k);
            bzr__buf_add_c(out, ':');
            const char *action = k == CASE_INCOMPLETE
                                     ? action_name(c->slots[BZR__CONFIG_POLICY + s * BZR__POLICY_CASE_N + k].number)
                                     : bzr__policy_decide(c, s, severity, BZR_FULL).action;
            bzr__json_add_str(out, bzr__str_z(action));
        }
        bzr__buf_add_c(out, '}');
    }
    bzr__buf_add_z(out, "\n]}");
}
