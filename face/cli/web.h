/* web.h - the options of commands that fetch. */
#ifndef TOAD_FACE_CLI_WEB_H
#define TOAD_FACE_CLI_WEB_H

#include "app/web/web.h"
#include "face/cli/args.h"

#define CLI_PORTS_MAX 64

/* What the command line says of a fetch; `ports` must live as long as `ret`. False after a message: an agent may not
 * widen what is fetched. */
bool cli_web_options(const args *a, uint16_t ports[CLI_PORTS_MAX], toad__web_options *ret);

#endif
