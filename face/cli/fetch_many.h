/* fetch_many.h - `toadstone fetch` of more URLs than one. */
#ifndef TOAD_FACE_CLI_FETCH_MANY_H
#define TOAD_FACE_CLI_FETCH_MANY_H

#include "app/web/web.h"
#include "face/cli/args.h"

/* Fetch all operands, several at once, and print their answers in order: with --json one a line, else what a model is
 * told. Returns the exit status: the gravest of any page. */
int cli_fetch_many(args *a, const toad__web_options *options, toad__fetched_style style);

#endif
