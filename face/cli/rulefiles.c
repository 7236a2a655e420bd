/* rulefiles.c - see rulefiles.h. */
#include "face/cli/rulefiles.h"
#include "app/host/input.h"
#include "app/scan/rulebook.h"
#include "face/cli/out.h"

#include <string.h>

#define MODEL_MAX ((size_t)64 << 20)

static bool read_all(const char *name, toad__rulefile *book, const char *const *paths, size_t n) {
    char message[512];
    for (size_t i = 0; i < n; i++) {
        if (!toad__rulebook_read(book, paths[i], message, sizeof message)) continue;
        cli_error(name, "%s", cli_safe(message));
        return false;
    }
    return true;
}

bool cli_load_book(const char *name, const char *const *paths, size_t n, toad__rulefile **ret_book, toad_rules **ret) {
    char message[512];
    toad__rulefile *book = toad__rulefile_new();
    if (!book) {
        cli_status(name, "rules", TOAD_E_NOMEM);
        return false;
    }
    bool ok = read_all(name, book, paths, n);
    if (ok && toad__rulefile_compile(book, ret, message, sizeof message)) {
        cli_error(name, "%s", cli_safe(message));
        ok = false;
    }
    if (ok)
        *ret_book = book;
    else
        toad__rulefile_free(book);
    return ok;
}

bool cli_load_rules(const char *name, const char *const *paths, size_t n, toad_rules **ret) {
    toad__rulefile *book;
    if (!n) return true;
    if (!cli_load_book(name, paths, n, &book, ret)) return false;
    toad__rulefile_free(book);
    return true;
}

/* "none", or a file of weights. */
static bool use_model(const char *command, const char *path, toad_engine *engine) {
    toad__buf file;
    toad__buf_init(&file, MODEL_MAX);
    int err = strcmp(path, "none") ? toad__input_slurp(path, &file) : 0;
    toad_status status = err ? TOAD_OK : toad_engine_use_model(engine, toad__buf_str(&file));
    if (err)
        cli_error(command, "cannot read '%s': %s", cli_safe(path), strerror(err));
    else if (status == TOAD_E_SYNTAX)
        cli_error(command, "'%s' is not a weights file of this version", cli_safe(path));
    else if (status)
        cli_status(command, path, status);
    toad__buf_free(&file);
    return !err && !status;
}

bool cli_new_engine(const args *a, toad_rules **ret_rules, toad_engine **ret) {
    const char *command = a->command->name;
    toad_rules *rules = NULL;
    toad_engine *engine = NULL;
    if (!cli_load_rules(command, a->rules, a->rules_n, &rules)) return false;
    toad_status status = toad_engine_new(rules, &engine);
    if (status) cli_status(command, "starting", status);
    if (status || (a->model && !use_model(command, a->model, engine))) {
        toad_engine_free(engine);
        toad_rules_free(rules);
        return false;
    }
    *ret_rules = rules;
    *ret = engine;
    return true;
}
