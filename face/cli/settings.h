/* settings.h - the configuration of the command line. */
#ifndef BZR_FACE_CLI_SETTINGS_H
#define BZR_FACE_CLI_SETTINGS_H

#include "app/action.h"
#include "app/config.h"

/* Read files and environment. False after messages: a mistake of the user's own must be mended before anything is
 * decided by it; one in a project's file is only told, since the file came with somebody's repository. Free with
 * bzr__config_free. */
bool cli_load_config(const char *command, bzr__config **ret);
/* Print the mistakes of all layers to standard error; returns how many of them are the user's own. */
size_t cli_print_mistakes(const char *command, const bzr__config *c);
/* What the configuration says of confirmations. */
bzr__action_policy cli_action_policy(const bzr__config *c);

#endif
