/* environment.c - see environment.h. */
#include "face/proxy/environment.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static bool is_named(const char *entry, const char *name, size_t n, proxy_same *same) {
    return !same(entry, name, n) && entry[n] == '=';
}

static bool is_needed(const char *entry, const char *const *names, proxy_same *same) {
    for (; *names; names++) {
        size_t n = strlen(*names);
        if ((*names)[n - 1] == '_' ? !same(entry, *names, n) : is_named(entry, *names, n, same)) return true;
    }
    return false;
}

char **proxy_environment(const char *const *needed, const char *const *env, size_t env_n, proxy_same *same) {
    size_t have = 0, n = 0;
    while (environ[have]) have++;
    char **made = malloc((have + env_n + 1) * sizeof *made);
    if (!made) return NULL;
    for (size_t i = 0; i < have; i++) {
        bool wanted = is_needed(environ[i], needed, same), replaced = false;
        for (size_t j = 0; j < env_n; j++) {
            size_t name_n = strcspn(env[j], "=");
            bool named = is_named(environ[i], env[j], name_n, same);
            wanted = wanted || (named && !env[j][name_n]);
            replaced = replaced || (named && env[j][name_n]);
        }
        if (wanted && !replaced) made[n++] = environ[i];
    }
    for (size_t j = 0; j < env_n; j++)
        if (strchr(env[j], '=')) made[n++] = (char *)(uintptr_t)env[j];
    made[n] = NULL;
    return made;
}
