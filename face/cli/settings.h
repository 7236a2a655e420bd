/* settings.h - the configuration of the command line. */
#ifndef TOAD_FACE_CLI_SETTINGS_H
#define TOAD_FACE_CLI_SETTINGS_H

#include "app/act/action.h"
#include "app/config/config.h"
#include "face/cli/args.h"

/* Read files and environment. False after messages: a mistake of the user's own must be mended before anything is
 * decided by it; one in a project's file is only told, since the file came with somebody's repository. Free with
 * toad__config_free. */
bool cli_load_config(const char *command, toad__config **ret);
/* Print the mistakes of all layers to standard error; returns how many of them are the user's own. */
size_t cli_print_mistakes(const char *command, const toad__config *c);
/* Let the configuration decide what no flag has: scan.scope, scan.fail_on, scan.rules and scan.model. It must outlive
 * `a`. False after a message. */
bool cli_apply_config(args *a, const toad__config *c);
/* The envelope of --envelope, else the configuration's. */
toad_envelope cli_envelope(const args *a, const toad__config *c);
/* What the configuration says of confirmations. */
toad__action_policy cli_action_policy(const toad__config *c);

#endif
