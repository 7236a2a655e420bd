/* rulefiles.c - see rulefiles.h. */
#include "face/cli/rulefiles.h"
#include "app/scan/rulebook.h"
#include "app/host/input.h"
#include "face/cli/out.h"

#include <string.h>

#define MODEL_MAX ((size_t)64 << 20)

static bool read_all(const char *name, bzr__rulefile *book, const char *const *paths, size_t n) {
    char message[512];
    for (size_t i = 0; i < n; i++) {
        if (!bzr__rulebook_read(book, paths[i], message, sizeof message)) continue;
        cli_error(name, "%s", cli_safe(message));
        return false;
    }
    return true;
}

bool cli_load_book(const char *name, const char *const *paths, size_t n, bzr__rulefile **ret_book, bzr_rules **ret) {
    char message[512];
    bzr__rulefile *book = bzr__rulefile_new();
    if (!book) {
        cli_status(name, "rules", BZR_E_NOMEM);
        return false;
    }
    bool ok = read_all(name, book, paths, n);
    if (ok && bzr__rulefile_compile(book, ret, message, sizeof message)) {
        cli_error(name, "%s", cli_safe(message));
        ok = false;
    }
    if (ok)
        *ret_book = book;
    else
        bzr__rulefile_free(book);
    return ok;
}

bool cli_load_rules(const char *name, const char *const *paths, size_t n, bzr_rules **ret) {
    bzr__rulefile *book;
    if (!n) return true;
    if (!cli_load_book(name, paths, n, &book, ret)) return false;
    bzr__rulefile_free(book);
    return true;
}

/* "none", or a file of weights. */
static bool use_model(const char *command, const char *path, bzr_engine *engine) {
    bzr__buf file;
    bzr__buf_init(&file, MODEL_MAX);
    int err = strcmp(path, "none") ? bzr__input_slurp(path, &file) : 0;
    bzr_status status = err ? BZR_OK : bzr_engine_use_model(engine, bzr__buf_str(&file));
    if (err) cli_error(command, "cannot read '%s': %s", cli_safe(path), strerror(err));
    else if (status == BZR_E_SYNTAX) cli_error(command, "'%s' is not a weights file of this version", cli_safe(path));
    else if (status) cli_status(command, path, status);
    bzr__buf_free(&file);
    return !err && !status;
}

bool cli_new_engine(const args *a, bzr_rules **ret_rules, bzr_engine **ret) {
    const char *command = a->command->name;
    bzr_rules *rules = NULL;
    bzr_engine *engine = NULL;
    if (!cli_load_rules(command, a->rules, a->rules_n, &rules)) return false;
    bzr_status status = bzr_engine_new(rules, &engine);
    if (status) cli_status(command, "starting", status);
    if (status || (a->model && !use_model(command, a->model, engine))) {
        bzr_engine_free(engine);
        bzr_rules_free(rules);
        return false;
    }
    *ret_rules = rules;
    *ret = engine;
    return true;
}
