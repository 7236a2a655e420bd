/* authority.c - see authority.h. A log that cannot be written makes no permission: the refusal stands either way. */
#include "app/host/authority.h"

#include "lib/base/str.h"

#include <stdio.h>

void toad__refuse(toad__answer *answer, const char *error) {
    toad__answer_bool(answer, "success", false);
    toad__answer_z(answer, "error", error);
}

bool toad__refused_to_model(toad__host *host, const char *what, toad__answer *answer) {
    char error[128];
    if (host->by != TOAD__READER_MODEL) return false;
    snprintf(error, sizeof error, "only the user may %s; ask them to", what);
    toad__refuse(answer, error);
    toad__store_events_append(host->store,
                              &(toad__event){ .type = TOAD__S("refused"),
                                              .direction = TOAD__S("internal"),
                                              .channel = TOAD__S("model"),
                                              .content = toad__str_z(what),
                                              .action = TOAD__S("block"),
                                              .session_id = host->session },
                              1);
    return true;
}
