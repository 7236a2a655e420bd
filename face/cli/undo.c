/* undo.c - see undo.h. The store, where it is noted down, may fail; a person can still be asked. No token counts: it is
 * one of a store, and --store or the environment may name one that an agent made. */
#include "face/cli/undo.h"

#include "face/cli/out.h"
#include "face/cli/person.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

static bool agrees(const args *a, const char *what, const char *whom, toad__host *host) {
    toad__answer answer;
    toad__buf about;
    toad__answer_init(&answer, 1u << 20);
    toad__buf_init(&about, 1u << 16);
    toad__about(&about, "of", toad__str_z(whom));
    if (a->server) toad__about(&about, "server", toad__str_z(a->server));
    if (a->file) toad__about(&about, "in", toad__str_z(a->file));
    static toad__person user;
    user = *cli_person();
    user.in_person = true;
    host->person = &user;
    bool refused = toad__refused(host, what, toad__buf_str(&about), &answer);
    toad_str why = toad__json_get_text(&answer.root, "error");
    if (refused) cli_error(a->command->name, "%.*s", (int)why.n, why.p ? why.p : "");
    toad__buf_free(&about);
    toad__answer_free(&answer);
    return !refused;
}

bool cli_may_undo(const args *a, const char *what, const char *whom) {
    toad__config *config;
    toad_engine *engine = NULL;
    toad__host host;
    bool agreed = false;
    if (!cli_load_config(a->command->name, &config)) return false;
    toad_status status = toad_engine_new(NULL, &engine);
    if (!status) status = toad__host_open_or_degrade(engine, config, a->store, &host);
    if (status) {
        cli_status(a->command->name, "store", status);
    } else {
        agreed = agrees(a, what, whom, &host);
        toad__host_close(&host);
    }
    toad_engine_free(engine);
    toad__config_free(config);
    return agreed;
}
