/* judge.h - a name for what a verdict depends on besides the text: the catalogue, the user's rules, the weights of the
 * model, the policy, and the program's version. A verdict is worth no more when its judge has another name. */
#ifndef TOAD_APP_JUDGE_H
#define TOAD_APP_JUDGE_H

#include "app/host/host.h"

/* 64 hex digits; lives as long as the host. Made once a host, in a few milliseconds. NULL: no memory. */
const char *toad__host_judge(toad__host *host);

#endif
