/* pager.h - a long text on a terminal, a screen at a time. */
#ifndef TOAD_FACE_CLI_PAGER_H
#define TOAD_FACE_CLI_PAGER_H

#include "toadstone/types.h"

/* Print `s`. Where standard input and output are a terminal and it is longer than that, wait for Enter after each
 * screen; q ends it. No program of the environment is started: what is printed may be hostile. */
void cli_page(toad_str s);

#endif
