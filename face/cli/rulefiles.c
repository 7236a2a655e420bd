/* rulefiles.c - see rulefiles.h. */
#include "face/cli/rulefiles.h"
#include "app/rulebook.h"
#include "face/cli/out.h"

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
