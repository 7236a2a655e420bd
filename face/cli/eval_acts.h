/* eval_acts.h - `toadstone eval --acts FILE`: judge labelled acts and print how many were asked about. */
#ifndef TOAD_FACE_CLI_EVAL_ACTS_H
#define TOAD_FACE_CLI_EVAL_ACTS_H

#include "face/cli/args.h"
#include "toadstone/scan.h"

/* The exit status. */
int eval_acts(const args *a, toad_engine *engine);

#endif
