/* rulefiles.c - see rulefiles.h. */
#include "face/cli/rulefiles.h"
#include "app/host/input.h"
#include "app/scan/rulebook.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

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

/* What --model names: "none", or a file of weights. False after a message. */
static bool read_model(const char *command, const char *path, toad__buf *file, toad_str *ret) {
    *ret = TOAD__S("");
    if (!strcmp(path, "none")) return true;
    int err = toad__input_slurp(path, file);
    if (err) cli_error(command, "cannot read '%s': %s", cli_safe(path), strerror(err));
    if (file->n) *ret = toad__buf_str(file);
    return !err;
}

bool cli_new_engine(const args *a, toad_rules **ret_rules, toad_engine **ret) {
    const char *command = a->command->name;
    toad_engine_options options = TOAD_ENGINE_OPTIONS_INIT;
    toad_rules *rules = NULL;
    toad_status status = TOAD_E_IO;
    toad__buf model;
    toad__buf_init(&model, MODEL_MAX);
    if (!cli_load_rules(command, a->rules, a->rules_n, &rules)) return false;
    if (a->model && !read_model(command, a->model, &model, &options.weights)) goto out;
    options.rules = rules;
    status = toad_engine_new(&options, ret);
    if (status == TOAD_E_SYNTAX)
        cli_error(command, "'%s' is not a weights file of this version", cli_safe(a->model));
    else if (status)
        cli_status(command, "starting", status);
out:
    toad__buf_free(&model);
    if (status)
        toad_rules_free(rules);
    else
        *ret_rules = rules;
    return !status;
}
