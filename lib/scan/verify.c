/* verify.c - checks on a candidate span that no regular expression can make. A rule names its check; the rule compiler
 * refuses unknown names. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

/* Not preceded by a negation within its clause: "never ignore previous instructions" orders the opposite. */
static bool not_negated(toad_str t, toad_span at) {
    static const char *const negations[] = { "never ", "do not ", "don't ", "must not ", "should not ", "cannot ",
                                             "can't ", "not to ", "won't ", "will not ", "refuse to " };
    size_t from = at.start > 24 ? at.start - 24 : 0;
    toad_str before = toad__str_part(t, from, at.start);
    for (size_t i = 0; i < sizeof negations / sizeof *negations; i++) {
        toad_str n = toad__str_z(negations[i]);
        if (before.n >= n.n && !memcmp(before.p + before.n - n.n, n.p, n.n)) return false;
    }
    return true;
}

/* At least 10 different bytes and both letters and digits: a key, not a placeholder such as xxxxxxxx or
 * your-token-here. */
static bool random_looking(toad_str t, toad_span at) {
    bool seen[256] = { false };
    unsigned kinds = 0, digits = 0;
    for (size_t i = at.start; i < at.end; i++) {
        unsigned char c = (unsigned char)t.p[i];
        if (!seen[c]) kinds++;
        seen[c] = true;
        if (toad__is_digit(c)) digits++;
    }
    return kinds >= 10 && digits >= 2;
}

static const struct {
    const char *name;
    bool (*check)(toad_str folded, toad_span at);
} checks[] = {
    { "not_negated", not_negated },
    { "random_looking", random_looking },
};

bool toad__verify(const char *name, toad_str folded, toad_span at) {
    if (!name[0]) return true;
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!strcmp(checks[i].name, name)) return checks[i].check(folded, at);
    return true;
}

bool toad__verify_exists(const char *name) {
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++)
        if (!strcmp(checks[i].name, name)) return true;
    return false;
}
