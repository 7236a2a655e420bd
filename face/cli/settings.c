/* settings.c - see settings.h. */
#include "face/cli/settings.h"

#include "face/cli/out.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

size_t cli_print_mistakes(const char *command, const bzr__config *c) {
    size_t own = 0;
    for (size_t i = 0; i < bzr__config_mistakes(c); i++) {
        const bzr__mistake *m = bzr__config_mistake(c, i);
        char line[24] = "";
        if (m->line) snprintf(line, sizeof line, ":%zu", m->line);
        cli_error(command, "%s%s: %s%s%s", cli_safe(m->file), line, m->key, *m->key ? ": " : "", m->message);
        own += m->layer != BZR__LAYER_PROJECT;
    }
    return own;
}

bool cli_load_config(const char *command, bzr__config **ret) {
    bzr__config *c;
    bzr_status status = bzr__config_new(&c);
    if (!status) {
        status = bzr__config_load(c);
        if (status) bzr__config_free(c);
    }
    if (status) return cli_status(command, "configuration", status), false;
    if (cli_print_mistakes(command, c)) {
        cli_hint("'bezoar config check' lists what must be mended");
        bzr__config_free(c);
        return false;
    }
    *ret = c;
    return true;
}

bzr__action_policy cli_action_policy(const bzr__config *c) {
    bzr__action_policy policy = BZR__ACTION_POLICY_INIT;
    policy.require_confirmation = bzr__config_flag(c, BZR__CONFIG_CONFIRM);
    policy.auto_block_high_confidence = bzr__config_flag(c, BZR__CONFIG_AUTO_BLOCK);
    policy.only_overlap = bzr__config_number(c, BZR__CONFIG_CONFIRM_ON) == 0;
    policy.ttl = bzr__config_number(c, BZR__CONFIG_CONFIRM_TTL);
    return policy;
}

/* Rules of the command line stand for those of the configuration, they are not added to them. */
static bool apply_rules(args *a, const bzr__config *c) {
    const char *const *files;
    size_t n = bzr__config_list(c, BZR__CONFIG_RULES, &files);
    if (a->rules_n || !n) return true;
    a->rules = malloc(n * sizeof *a->rules);
    if (!a->rules) return cli_status(a->command->name, "configuration", BZR_E_NOMEM), false;
    for (size_t i = 0; i < n; i++) a->rules[a->rules_n++] = files[i];
    return true;
}

bool cli_apply_config(args *a, const bzr__config *c) {
    const char *model = bzr__config_text(c, BZR__CONFIG_MODEL);
    if (!a->has_scope) bzr_scope_parse(bzr__str_z(bzr__config_text(c, BZR__CONFIG_SCOPE)), &a->scope);
    if (!a->has_fail_on) bzr_severity_parse(bzr__str_z(bzr__config_text(c, BZR__CONFIG_FAIL_ON)), &a->fail_on);
    if (!a->model && *model) a->model = model;
    return apply_rules(a, c);
}

bzr_envelope cli_envelope(const args *a, const bzr__config *c) {
    bzr_envelope envelope = BZR_ENVELOPE_OPENCLAW;
    if (a->has_envelope) return a->envelope;
    if (c) bzr_envelope_parse(bzr__str_z(bzr__config_text(c, BZR__CONFIG_ENVELOPE)), &envelope);
    return envelope;
}
