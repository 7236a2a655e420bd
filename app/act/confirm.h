/* confirm.h - the questions to the user, and the user's answers.
 *
 * The question is written here, from what is bound: no word of it is the model's. `text` is the whole dialog, ready to
 * print, the same in every face. Only the user answers, and names the binding of the question that was shown. */
#ifndef BZR_APP_CONFIRM_H
#define BZR_APP_CONFIRM_H

#include "app/host/host.h"

typedef enum bzr__reply { BZR__REPLY_APPLY, BZR__REPLY_SKIP, BZR__REPLY_ALWAYS } bzr__reply;

/* `state`: pending (those that can still be answered), approved, denied, used, or empty for all. Newest first. Answer:
 * {"confirmations":[...]}. */
bzr_status bzr__confirmations_list(bzr__host *host, bzr_str state, uint64_t limit, bzr__buf *answer);
/* Answer:
 * {"id","tool","class","arguments","display":[{"name","text"}],"notes":[...],"sources":[...],"reasons":[...],"binding",...,"text"}.
 * A model gets no binding. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__confirmation_show(bzr__host *host, bzr_str id, bzr__buf *answer);
/* Characters of a binding that say which question was shown, and are too few to answer it with. */
#define BZR__CONFIRMATION_SEEN 16
/* The question for a dialog that the user sees and the model does not, whoever host->by is: `*ret_text` is that of
 * bzr__confirmation_show without the commands at its end (a form is the answer there), `*ret_binding` is longer than
 * BZR__CONFIRMATION_SEEN. Both live in `arena`. False: there is no such question, or it could not be read. */
bool bzr__confirmation_dialog(bzr__host *host, bzr_str id, bzr__arena *arena, bzr_str *ret_text, bzr_str *ret_binding);
/* `binding` is that of the question the user saw; empty is good for BZR__REPLY_SKIP only. BZR__REPLY_ALWAYS approves,
 * and stores for the domain of each content behind the question that this tool with arguments of these names needs no
 * question. */
bzr_status bzr__confirmation_reply(bzr__host *host, bzr_str id, bzr_str binding, bzr__reply reply, bzr__buf *answer);

#endif
