/* guard.c - toad_guard: scan, decide, and make what the model may see.
 *
 * Nothing is given that was not scanned: what is redacted is scanned again as it then stands, and is withheld if there
 * is still something to redact. The notices are fixed texts, so no byte of a withheld text can be in them. */
#include "lib/base/buf.h"
#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/verdict/policy.h"

#include <assert.h>
#include <stdlib.h>

#define REMOVED  "[removed]"
#define WITHHELD "[Content withheld: it reads like an attack on its reader, or not all of it could be looked at.]"
#define WAITING  "[Content withheld until the user has answered whether it may be read.]"
enum { ROUNDS = 3 }; /* of redacting; what is left after so many is withheld */

struct toad_guarded {
    toad_text *text, *json;
    toad_action action;
    toad_severity severity;
    toad_completeness completeness;
};

/* One call. */
typedef struct guard {
    toad_scanner *scanner;
    toad_guard_options options;
    toad_policy policy;
    toad__buf text; /* what is left of the text; p NULL before anything was removed */
    toad__buf spare;
} guard;

static toad_status scan(guard *g, toad_str text, const toad_verdict **ret) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    options.scope = g->options.scope;
    options.kind = g->options.kind;
    options.max_bytes = g->options.max_bytes;
    return toad_scan(g->scanner, text, &options, ret);
}

static toad_action decide(const guard *g, const toad_verdict *v) {
    return toad__policy_action(&g->policy, toad_verdict_severity(v), toad_verdict_completeness(v));
}

static bool ends_sentence(toad_str s, size_t at) {
    bool stop = s.p[at] == '.' || s.p[at] == '!' || s.p[at] == '?';
    return s.p[at] == '\n' || (stop && (at + 1 == s.n || toad__is_space((unsigned char)s.p[at + 1])));
}

static bool asks(const guard *g, const toad_finding *f) {
    return toad__policy_action(&g->policy, f->severity, TOAD_FULL) >= TOAD_REDACT;
}

/* The text without the sentences that a finding touches which asks for it, into g->text; a guess, which marks a
 * passage, counts only where no rule asks. Findings come sorted by start, so one walk does. False: none asks. */
static bool redact(guard *g, toad_str s, const toad_verdict *v) {
    bool ruled = false;
    size_t at = 0, n = toad_verdict_count(v);
    for (size_t i = 0; i < n; i++)
        ruled |= asks(g, toad_verdict_finding(v, i)) && !toad__is_guess(toad_verdict_finding(v, i));
    toad__buf_clear(&g->spare);
    for (size_t i = 0; i < n; i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        size_t from = (size_t)f->span.start, to = (size_t)f->span.end;
        assert(from <= to && to <= s.n);
        if (!asks(g, f) || (ruled && toad__is_guess(f)) || (at && to <= at)) continue;
        while (from < to && (toad__is_space((unsigned char)s.p[from]) || ends_sentence(s, from))) from++;
        while (from > at && !ends_sentence(s, from - 1)) from--;
        if (from < at) from = at;
        while (from < to && toad__is_space((unsigned char)s.p[from])) from++;
        while (to < s.n && !(to && ends_sentence(s, to - 1))) to++;
        bool newline = to && s.p[to - 1] == '\n';
        toad__buf_add_str(&g->spare, toad__str_part(s, at, from));
        toad__buf_add_z(&g->spare, newline ? REMOVED "\n" : REMOVED);
        at = to;
    }
    bool any = g->spare.n > 0;
    toad__buf_add_str(&g->spare, toad__str_part(s, at, s.n));
    toad__buf swap = g->text;
    g->text = g->spare;
    g->spare = swap;
    return any;
}

/* Redact until the policy lets the rest pass: *ret is then the looser action, else TOAD_BLOCK. */
static toad_status redact_all(guard *g, toad_str text, const toad_verdict *v, toad_action *ret) {
    *ret = TOAD_BLOCK;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (toad_verdict_completeness(v) != TOAD_FULL || !redact(g, text, v)) return TOAD_OK;
        if (g->text.status) return g->text.status;
        toad_status status = scan(g, toad__buf_str(&g->text), &v);
        if (status) return status;
        if (toad_verdict_completeness(v) == TOAD_FULL && decide(g, v) < TOAD_REDACT) {
            *ret = TOAD_REDACT;
            return TOAD_OK;
        }
        text = toad__buf_str(&g->text); /* the next round writes the other buffer */
    }
    return TOAD_OK;
}

static toad_status copy(toad_str s, toad_text **ret) {
    toad__buf b;
    toad__buf_init(&b, SIZE_MAX / 4);
    toad__buf_add_str(&b, s);
    return toad__finish(&b, ret);
}

static toad_status give(const guard *g, toad_str text, toad_text **ret) {
    if (g->options.flags & TOAD_GUARD_BARE) return copy(text, ret);
    return toad_wrap(text.p ? text : TOAD__S(""), g->options.wrap, ret);
}

static bool is_action(toad_action a) { return (unsigned)a <= TOAD_BLOCK; }

static bool policy_ok(const toad_policy *p) {
    return is_action(p->none) && is_action(p->low) && is_action(p->medium) && is_action(p->high) &&
           is_action(p->incomplete);
}

TOAD__SIZED(toad_guard_options, flags);

toad_status toad_guard(toad_scanner *scanner, toad_str text, const toad_guard_options *options, toad_guarded **ret) {
    guard g = { .scanner = scanner, .options = TOAD_GUARD_OPTIONS_INIT };
    const toad_verdict *v;
    if (!ret || !toad__options_take(&g.options, sizeof g.options, options) || g.options.flags & ~TOAD_GUARD_BARE)
        return TOAD_E_ARG;
    g.policy = g.options.policy ? *g.options.policy : toad_policy_for(g.options.kind);
    if (!policy_ok(&g.policy)) return TOAD_E_ARG;
    toad_guarded *out = calloc(1, sizeof *out);
    if (!out) return TOAD_E_NOMEM;
    toad__buf_init(&g.text, SIZE_MAX / 4);
    toad__buf_init(&g.spare, SIZE_MAX / 4);
    toad_status status = scan(&g, text, &v);
    if (status) goto out;
    out->severity = toad_verdict_severity(v);
    out->completeness = toad_verdict_completeness(v);
    out->action = decide(&g, v);
    status = toad_verdict_json(v, &out->json);
    if (!status && out->action == TOAD_REDACT) {
        status = redact_all(&g, text, v, &out->action);
        text = toad__buf_str(&g.text);
    }
    if (status) goto out;
    assert(is_action(out->action));
    if (out->action > TOAD_REDACT)
        status = copy(out->action == TOAD_ASK ? TOAD__S(WAITING) : TOAD__S(WITHHELD), &out->text);
    else
        status = give(&g, text, &out->text);
out:
    toad__buf_free(&g.text);
    toad__buf_free(&g.spare);
    if (status)
        toad_guarded_free(out);
    else
        *ret = out;
    return status;
}

void toad_guarded_free(toad_guarded *guarded) {
    if (!guarded) return;
    toad_text_free(guarded->text);
    toad_text_free(guarded->json);
    free(guarded);
}

toad_str toad_guarded_text(const toad_guarded *guarded) { return toad_text_str(guarded->text); }
toad_action toad_guarded_action(const toad_guarded *guarded) { return guarded->action; }
toad_severity toad_guarded_severity(const toad_guarded *guarded) { return guarded->severity; }
toad_completeness toad_guarded_completeness(const toad_guarded *guarded) { return guarded->completeness; }
toad_str toad_guarded_json(const toad_guarded *guarded) { return toad_text_str(guarded->json); }
