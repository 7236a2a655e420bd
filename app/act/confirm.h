/* confirm.h - the questions to the user, and the user's answers.
 *
 * The question is written here, from what is bound: no word of it is the model's. `text` is the whole dialog, ready to
 * print, the same in every face. Only the user answers, and names the binding of the question that was shown. */
#ifndef TOAD_APP_CONFIRM_H
#define TOAD_APP_CONFIRM_H

#include "app/host/host.h"

typedef enum toad__reply { TOAD__REPLY_APPLY, TOAD__REPLY_SKIP, TOAD__REPLY_ALWAYS } toad__reply;

/* `state`: pending (those that can still be answered), approved, denied, used, or empty for all. Newest first. Answer:
 * {"confirmations":[...]}. */
toad_status toad__confirmations_list(toad__host *host, toad_str state, uint64_t limit, toad__answer *answer);
/* Answer:
 * {"id","tool","class","arguments","display":[{"name","text"}],"notes":[...],"sources":[...],"reasons":[...],
 *  "binding",...,"text"}.
 * A model gets no binding. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__confirmation_show(toad__host *host, toad_str id, toad__answer *answer);
/* Characters of a binding that say which question was shown, and are too few to answer it with. */
#define TOAD__CONFIRMATION_SEEN 16
/* The question for a dialog that the user sees and the model does not, whoever host->by is: `*ret_text` is that of
 * toad__confirmation_show without the commands at its end (a form is the answer there), `*ret_binding` is longer than
 * TOAD__CONFIRMATION_SEEN. Both live in `arena`. False: there is no such question, or it could not be read. */
bool toad__confirmation_dialog(toad__host *host, toad_str id, toad__arena *arena, toad_str *ret_text,
                               toad_str *ret_binding);
/* A decline that comes faster than a person can read the question was given by the client itself. */
#define TOAD__CONFIRMATION_READ_MS 1000
/* What a client's reply to such a dialog says, `waited_ms` after it was sent: an accepted form that says apply, or
 * skip, and a form that was declined by a person. False: none of these, and the question stays open. */
bool toad__confirmation_read(const toad__json *reply, int64_t waited_ms, toad__reply *ret);
/* `binding` is that of the question the user saw; empty is good for TOAD__REPLY_SKIP only. TOAD__REPLY_ALWAYS approves,
 * and stores for the domain of each content behind the question that this tool with arguments of these names needs no
 * question. */
toad_status toad__confirmation_reply(toad__host *host, toad_str id, toad_str binding, toad__reply reply,
                                     toad__answer *answer);

#endif
