/* client_options.c - see client_options.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "face/cli/client_options.h"

#include "face/cli/out.h"
#include "sys/path.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void add(const char **options, size_t *n, const char *name, const char *value) {
    if (!value || *n + 2 > CLI_CLIENT_OPTIONS) return;
    options[(*n)++] = name;
    options[(*n)++] = value;
}

/* An agent starts its servers and hooks elsewhere. The paths live as long as the program, which holds on to them. */
static const char *whole(const char *file) {
    static char *kept[4 * CLI_CLIENT_OPTIONS]; /* for hooks, and for the proxy */
    static size_t n;
    char *path = n < sizeof kept / sizeof *kept ? realpath(file, NULL) : NULL;
    if (path) kept[n++] = path;
    return path ? path : file;
}

static void add_files(const args *a, const char **options, size_t *n) {
    for (size_t i = 0; i < a->rules_n && *n + 2 <= CLI_CLIENT_OPTIONS; i++)
        add(options, n, "--rules", whole(a->rules[i]));
    if (a->model) add(options, n, "--model", whole(a->model));
}

const char *cli_client_store(const args *a, char out[PATH_MAX]) {
    const char *store = getenv("TOADSTONE_STORE");
    char here[PATH_MAX];
    if (a->store || !store || !*store) return a->store;
    if (strstr(store, "://")) {
        cli_hint("TOADSTONE_STORE is a URL and is not written down: the client must pass it on to its servers");
        return NULL;
    }
    if (toad__path_is_absolute(store)) return store;
    if (!getcwd(here, sizeof here)) return NULL;
    int n = snprintf(out, PATH_MAX, "%s/%s", here, store);
    return n > 0 && n < PATH_MAX ? out : NULL;
}

size_t cli_proxy_options(const args *a, const char *store, const char *options[CLI_CLIENT_OPTIONS]) {
    size_t n = 0;
    add(options, &n, "--store", store);
    add(options, &n, "--session", a->session);
    add(options, &n, "--pin", a->pin == PIN_STRICT ? "strict" : a->pin == PIN_OFF ? "off" : NULL);
    add_files(a, options, &n);
    if (a->wrap_all && n < CLI_CLIENT_OPTIONS) options[n++] = "--wrap-all";
    return n;
}

size_t cli_hook_options(const args *a, const char *store, const char *options[CLI_CLIENT_OPTIONS]) {
    size_t n = 0;
    add(options, &n, "--store", store);
    add_files(a, options, &n);
    add(options, &n, "--fail", a->fail);
    return n;
}
