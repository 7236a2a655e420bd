/* act.h - commands that work on the store: a table of acts, one function that opens, runs and prints. */
#ifndef TOAD_FACE_CLI_ACT_H
#define TOAD_FACE_CLI_ACT_H

#include "app/host/host.h"
#include "face/cli/args.h"
#include "face/cli/table.h"

/* An act of a command, as in `toadstone memory add TEXT`. `operands` names what follows, for messages. */
typedef struct cli_act {
    const char *name, *operands;
    size_t least, most; /* operands after the name */
    /* On an error host->message says why. */
    toad_status (*run)(toad__host *host, const args *a, toad__answer *answer);
    /* How a person reads the answer: columns of a table (of the array `rows` in the answer) or of a record; without
     * columns `print`, and without that the answer's member "text" as it stands. */
    const cli_column *columns;
    size_t columns_n;
    const char *rows; /* NULL: the answer is one record */
    void (*print)(const toad__json *answer);
    bool degrades;   /* `run` can do without a store that fails, see toad__host_open_or_degrade */
    bool reads;      /* it prints untrusted text: who reads it without a terminal is taken for a model, see asker.h */
    const char *bad; /* an array of the answer: with anything in it the exit status is 1 */
    bool prints;     /* `run` prints its lines itself, as many as there are, and answers nothing */
} cli_act;

/* Print the answer as JSON, on a line of its own. Returns a failure of the answer. */
toad_status cli_print_answer(const toad__answer *answer);

/* Run the act that the first operand names. `acts` ends with name NULL. Returns the exit status: 0; 1 where the answer
 * says "success":false; 2 after a message. */
int cli_run_act(args *a, const cli_act *acts);
/* Run the only act of a command. */
int cli_run_one(args *a, const cli_act *act);

#endif
