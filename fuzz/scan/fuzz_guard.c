/* Any bytes through toad_guard, under any policy: nothing of a text that is withheld is given, what is given stands in
 * an unbroken envelope, and what was redacted is found no more. The first two bytes choose the policy and the options.
 */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "toadstone/toadstone.h"

static toad_engine *engine;
static toad_scanner *scanner;

static bool draw(void *ctx, void *p, size_t n) {
    (void)ctx;
    memset(p, 0x5A, n);
    return true;
}

/* The notices are the same whatever was withheld. */
static void must_be_a_notice(toad_action action, toad_str got) {
    toad_policy all = { action, action, action, action, action };
    toad_guard_options o = TOAD_GUARD_OPTIONS_INIT;
    toad_guarded *g;
    o.policy = &all;
    MUST(!toad_guard(scanner, TOAD__S("x"), &o, &g));
    MUST(toad__str_eq(toad_guarded_text(g), got));
    toad_guarded_free(g);
}

static void must_be_enveloped(toad_str got) {
    char id[33];
    toad_unwrapped *u;
    size_t at;
    for (size_t i = 0; i < 32; i++) id[i] = i % 2 ? 'a' : '5';
    MUST(!toad_unwrap(got, toad__str(id, 32), &u));
    MUST(toad_unwrapped_genuine(u));
    MUST(!toad_find_marker(toad_unwrapped_content(u), &at) && at == toad_unwrapped_content(u).n);
    toad_unwrapped_free(u);
}

static void must_be_bare(const toad_guard_options *o, toad_action action, toad_str in, toad_str got) {
    toad_guard_options again = *o;
    toad_guarded *g;
    if (action != TOAD_REDACT) {
        MUST(toad__str_eq(in, got));
        return;
    }
    again.max_bytes = 0;
    MUST(!toad_guard(scanner, got, &again, &g));
    MUST(toad_guarded_action(g) < TOAD_REDACT);
    toad_guarded_free(g);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_guard_options o = TOAD_GUARD_OPTIONS_INIT;
    toad_wrap_options wrap = TOAD_WRAP_OPTIONS_INIT;
    toad_policy policy;
    toad_guarded *g;
    if (size < 2) return 0;
    if (!engine && (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner))) return 0;
    toad_str in = toad__str(data + 2, size - 2);
    policy = (toad_policy){ TOAD_ALLOW, (toad_action)(data[0] % 5), (toad_action)(data[0] / 5 % 5),
                            (toad_action)(data[0] / 25 % 5), (toad_action)(data[1] % 5) };
    o.kind = (toad_kind)(data[1] / 5 % 9);
    o.max_bytes = data[1] & 0x40 ? 64 : 0;
    o.flags = data[1] & 0x80 ? TOAD_GUARD_BARE : 0;
    o.policy = data[0] == 255 ? NULL : &policy;
    o.wrap = &wrap;
    wrap.random = draw;
    MUST(!toad_guard(scanner, in, &o, &g));
    toad_str got = toad_guarded_text(g);
    toad_action action = toad_guarded_action(g);
    if (action > TOAD_REDACT)
        must_be_a_notice(action, got);
    else if (o.flags & TOAD_GUARD_BARE)
        must_be_bare(&o, action, in, got);
    else
        must_be_enveloped(got);
    toad_guarded_free(g);
    return 0;
}
