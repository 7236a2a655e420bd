/* authority.c - see authority.h. A log that cannot be written makes no permission: the refusal stands either way. */
#include "app/host/authority.h"

#include "lib/base/str.h"

#include <stdio.h>

void bzr__refuse(bzr__buf *answer, const char *error) {
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_z(answer, "error", error);
    bzr__buf_add_c(answer, '}');
}

bool bzr__refused_to_model(bzr__host *host, const char *what, bzr__buf *answer) {
    char error[128];
    if (host->by != BZR__READER_MODEL) return false;
    snprintf(error, sizeof error, "only the user may %s; ask them to", what);
    bzr__refuse(answer, error);
    bzr__store_events_append(host->store,
                             &(bzr__event){ .type = BZR__S("refused"),
                                            .direction = BZR__S("internal"),
                                            .channel = BZR__S("model"),
                                            .content = bzr__str_z(what),
                                            .action = BZR__S("block"),
                                            .session_id = host->session },
                             1);
    return true;
}
