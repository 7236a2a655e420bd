/* settings.c - see settings.h. */
#include "face/cli/settings.h"

#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

size_t cli_print_mistakes(const char *command, const toad__config *c) {
    size_t own = 0;
    for (size_t i = 0; i < toad__config_mistakes(c); i++) {
        const toad__mistake *m = toad__config_mistake(c, i);
        char line[24] = "";
        if (m->line) snprintf(line, sizeof line, ":%zu", m->line);
        cli_error(command, "%s%s: %s%s%s", cli_safe(m->file), line, m->key, *m->key ? ": " : "", m->message);
        own += m->layer != TOAD__LAYER_PROJECT;
    }
    return own;
}

bool cli_load_config(const char *command, toad__config **ret) {
    toad__config *c;
    toad_status status = toad__config_new(&c);
    if (!status) {
        status = toad__config_load(c);
        if (status) toad__config_free(c);
    }
    if (status) return cli_status(command, "configuration", status), false;
    if (cli_print_mistakes(command, c)) {
        cli_hint("'toadstone config check' lists what must be mended");
        toad__config_free(c);
        return false;
    }
    *ret = c;
    return true;
}

toad__action_policy cli_action_policy(const toad__config *c) {
    toad__action_policy policy = TOAD__ACTION_POLICY_INIT;
    policy.require_confirmation = toad__config_flag(c, TOAD__CONFIG_CONFIRM);
    policy.auto_block_high_confidence = toad__config_flag(c, TOAD__CONFIG_AUTO_BLOCK);
    policy.only_overlap = toad__config_number(c, TOAD__CONFIG_CONFIRM_ON) == 0;
    policy.ttl = toad__config_number(c, TOAD__CONFIG_CONFIRM_TTL);
    return policy;
}

/* Rules of the command line stand for those of the configuration, they are not added to them. */
static bool apply_rules(args *a, const toad__config *c) {
    const char *const *files;
    size_t n = toad__config_list(c, TOAD__CONFIG_RULES, &files);
    if (a->rules_n || !n) return true;
    a->rules = malloc(n * sizeof *a->rules);
    if (!a->rules) return cli_status(a->command->name, "configuration", TOAD_E_NOMEM), false;
    for (size_t i = 0; i < n; i++) a->rules[a->rules_n++] = files[i];
    return true;
}

bool cli_apply_config(args *a, const toad__config *c) {
    const char *model = toad__config_text(c, TOAD__CONFIG_MODEL);
    if (!a->has_scope) toad_scope_parse(toad__str_z(toad__config_text(c, TOAD__CONFIG_SCOPE)), &a->scope);
    if (!a->has_fail_on) toad_severity_parse(toad__str_z(toad__config_text(c, TOAD__CONFIG_FAIL_ON)), &a->fail_on);
    if (!a->model && *model) a->model = model;
    return apply_rules(a, c);
}

toad_envelope cli_envelope(const args *a, const toad__config *c) {
    toad_envelope envelope = TOAD_ENVELOPE_OPENCLAW;
    if (a->has_envelope) return a->envelope;
    if (c) toad_envelope_parse(toad__str_z(toad__config_text(c, TOAD__CONFIG_ENVELOPE)), &envelope);
    return envelope;
}
