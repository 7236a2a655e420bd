/* servers.c - see servers.h. Everything is copied into the arena: slices of the reader have no NUL behind them. */
#include "face/proxy/servers.h"

#include "lib/base/str.h"

#include <stdio.h>

bool proxy_is_name(toad_str name) {
    for (size_t i = 0; i < name.n; i++)
        if (!toad__is_alnum((unsigned char)name.p[i]) && !memchr("._-", name.p[i], 3)) return false;
    return name.n && name.n <= 64;
}

static bool complain(char why[256], const char *name, const char *what) {
    snprintf(why, 256, "server '%s': %s", name, what);
    return false;
}

/* A copy with a NUL behind it and none within; NULL: not possible. */
static const char *text_of(proxy_servers *s, const toad__json *v) {
    if (!v || v->type != TOAD__JSON_STRING || memchr(v->text.n ? v->text.p : "", 0, v->text.n)) return NULL;
    return toad__arena_dup(&s->arena, v->text).p;
}

static size_t count(const toad__json *list) {
    size_t n = 0;
    for (const toad__json *v = list ? list->child : NULL; v; v = v->next) n++;
    return n;
}

static bool read_argv(proxy_servers *s, const toad__json *server, proxy_target *t) {
    const toad__json *list = toad__json_get(server, "args");
    size_t n = 0;
    char **argv = toad__arena_alloc(&s->arena, (count(list) + 2) * sizeof *argv);
    if (!argv || (list && list->type != TOAD__JSON_ARRAY)) return false;
    argv[n++] = (char *)(uintptr_t)text_of(s, toad__json_get(server, "command"));
    for (const toad__json *v = list ? list->child : NULL; v; v = v->next) {
        argv[n] = (char *)(uintptr_t)text_of(s, v);
        if (!argv[n++]) return false;
    }
    t->argv = argv;
    return argv[0] && *argv[0];
}

/* The members of an object as `NAME` `between` `value`, after `more`. */
static const char *const *read_pairs(proxy_servers *s, const toad__json *object, const char *between,
                                     const char *const *more, size_t more_n, size_t *ret_n) {
    const char **list = toad__arena_alloc(&s->arena, (count(object) + more_n + 1) * sizeof *list);
    toad__buf b;
    size_t n = 0;
    if (!list || (object && object->type != TOAD__JSON_OBJECT)) return NULL;
    for (size_t i = 0; i < more_n; i++) list[n++] = more[i];
    toad__buf_init(&b, 1u << 20);
    for (const toad__json *v = object ? object->child : NULL; v; v = v->next) {
        toad__buf_clear(&b);
        toad__buf_add_str(&b, v->key);
        toad__buf_add_z(&b, between);
        toad__buf_add_str(&b, v->text);
        bool good =
            v->type == TOAD__JSON_STRING && v->key.n && !b.status && !memchr(b.p, 0, b.n) && !memchr(b.p, '\n', b.n);
        list[n] = good ? toad__arena_dup(&s->arena, toad__buf_str(&b)).p : NULL;
        if (!list[n++]) n = SIZE_MAX / 2;
        if (n > SIZE_MAX / 4) break;
    }
    toad__buf_free(&b);
    *ret_n = n;
    return n < SIZE_MAX / 4 ? list : NULL;
}

static bool read_server(proxy_servers *s, const toad__json *server, const char *const *more, size_t more_n,
                        proxy_target *t, char why[256]) {
    const toad__json *url = toad__json_get(server, "url"), *cwd = toad__json_get(server, "cwd");
    t->name = toad__arena_dup(&s->arena, server->key).p;
    if (!t->name || !proxy_is_name(server->key)) return complain(why, "?", "a name is 1 to 64 letters, digits and ._-");
    if (server->type != TOAD__JSON_OBJECT) return complain(why, t->name, "must be an object");
    t->cwd = cwd ? text_of(s, cwd) : NULL;
    if (cwd && !t->cwd) return complain(why, t->name, "cwd must be a path");
    t->env = read_pairs(s, toad__json_get(server, "env"), "=", more, more_n, &t->env_n);
    if (!t->env) return complain(why, t->name, "env must be an object of strings");
    t->headers = read_pairs(s, toad__json_get(server, "headers"), ": ", NULL, 0, &t->headers_n);
    if (!t->headers) return complain(why, t->name, "headers must be an object of strings");
    if (url) t->url = text_of(s, url);
    if (url ? !t->url : !read_argv(s, server, t))
        return complain(why, t->name,
                        url ? "url must be a string" : "command must be a string and args an array of strings");
    return true;
}

bool proxy_servers_read(toad_str text, const char *const *more_env, size_t more_env_n, proxy_servers *ret,
                        char why[256]) {
    const toad__json *root = NULL;
    const char *expected = "";
    size_t at = 0;
    *ret = (proxy_servers){ .n = 0 };
    toad__arena_init(&ret->arena, TOAD__RPC_ARENA_MAX);
    snprintf(why, 256, "out of memory");
    toad_status status = toad__json_parse(text, &ret->arena, &root, &at, &expected);
    if (status) {
        snprintf(why, 256, "not valid JSON at byte %zu: %s", at, expected ? expected : "");
        return false;
    }
    const toad__json *list = toad__json_get(root, "mcpServers");
    if (!list) list = toad__json_get(root, "servers");
    if (!list || list->type != TOAD__JSON_OBJECT || !list->child) {
        snprintf(why, 256, "it has no servers under \"mcpServers\"");
        return false;
    }
    ret->targets = toad__arena_alloc(&ret->arena, count(list) * sizeof *ret->targets);
    for (const toad__json *v = ret->targets ? list->child : NULL; v; v = v->next)
        if (!read_server(ret, v, more_env, more_env_n, &ret->targets[ret->n++], why)) return false;
    return ret->targets != NULL;
}

void proxy_servers_free(proxy_servers *s) { toad__arena_free(&s->arena); }
