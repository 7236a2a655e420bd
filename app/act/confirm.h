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
 * {"id","tool","class","arguments","display":[{"name","text","marks":[{"start","end"}]}],"notes":[...],"sources":[...],
 *  "reasons":[...],"binding",...,"text"}. `marks` are bytes of the argument that stand in what was read; `text` has
 * them between marks.
 * A model gets no binding. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__confirmation_show(toad__host *host, toad_str id, toad__answer *answer);
/* What the contents behind it say, escaped. For the user alone. Answer:
 * {"id","contents":[{"content_id","source","scan","text"}],"text"}. */
toad_status toad__confirmation_contents(toad__host *host, toad_str id, toad__answer *answer);
/* `binding` is that of the question the user saw; empty is good for TOAD__REPLY_SKIP only. TOAD__REPLY_ALWAYS approves,
 * and stores for the domain of each content behind the question that this tool with arguments of these names needs no
 * question. */
toad_status toad__confirmation_reply(toad__host *host, toad_str id, toad_str binding, toad__reply reply,
                                     toad__answer *answer);
/* What was answered with "always" and holds. Answer: {"always":[{"source","covers"}]}. */
toad_status toad__confirmations_always(toad__host *host, toad__answer *answer);
/* `what` is the id of a question, or what an "always" covers. An approval, spent or not, becomes a no; an "always"
 * holds no longer, for any source. Errors: TOAD_E_NOT_FOUND, TOAD_E_STATE (nothing to take back). */
toad_status toad__confirmation_revoke(toad__host *host, toad_str what, toad__answer *answer);

/* ---- through a client's form (elicitation) ---- */

#define TOAD__CONFIRMATION_TAG 64
/* Append the params of elicitation/create that put the question to the user, whoever host->by is; `tag` names it as it
 * was shown, for the reply. `with_contents`: the user wanted to see them first, and is asked again. False: there is no
 * such open question, it could not be read, or a client has sent it back: a question is put to a client once. */
bool toad__confirmation_form(toad__host *host, toad_str id, bool with_contents, toad__buf *out,
                             char tag[TOAD__CONFIRMATION_TAG]);
/* Take the client's reply. Only a form that was filled in is an answer. All else (declined, canceled, an error) also
 * comes from clients that ask nobody, at once or after a while, so nobody is said to have said no: the question is sent
 * back, and stays open for toad__confirmation_reply. True: ask again, with the contents. */
bool toad__confirmation_hear(toad__host *host, const char *tag, const toad__json *reply);

#endif
