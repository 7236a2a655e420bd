/* settings.c - see settings.h. */
#include "face/cli/settings.h"

#include "face/cli/out.h"

#include <stdio.h>

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
