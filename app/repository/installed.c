/* installed.c - see installed.h. */
#include "app/repository/installed.h"

#include "lib/base/str.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "toadstone/toadstone.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SIGN_MAX ((size_t)32 << 20) /* bytes of what a digest is made of: some 100,000 files */

typedef struct place {
    const char *agent, *home, *own, *things;
} place;
static const place places[] = {
#define X(...) { __VA_ARGS__ },
#include "app/repository/installed.def"
#undef X
};

typedef struct search {
    toad__host *host;
    int64_t until;
    toad_str name; /* only what is called so; empty: all */
    size_t below;  /* bytes of the home directory in a path, with a '/' */
    toad__installed *ret;
} search;

/* ---- is it as it was? ---- */

typedef struct signing {
    toad__buf what;
    bool whole; /* all of it could be looked at */
} signing;

static void add_stat(signing *s, const char *path) {
    struct stat st;
    char line[160];
    if (lstat(path, &st)) {
        s->whole = false;
        return;
    }
    snprintf(line, sizeof line, "%llx %llx %llx %llx.%lx %llx.%lx\n", (unsigned long long)st.st_ino,
             (unsigned long long)st.st_mode, (unsigned long long)st.st_size, (unsigned long long)st.st_mtim.tv_sec,
             (unsigned long)st.st_mtim.tv_nsec, (unsigned long long)st.st_ctim.tv_sec,
             (unsigned long)st.st_ctim.tv_nsec);
    toad__buf_add(&s->what, path, strlen(path) + 1);
    toad__buf_add_z(&s->what, line);
}

static bool sign_file(void *ctx, const char *path) {
    signing *s = ctx;
    add_stat(s, path);
    return !s->what.status;
}

/* A link is what it is, and not what it leads to: that is not scanned. */
static void sign_skipped(void *ctx, const char *path, toad__walk_skip why, int err) {
    signing *s = ctx;
    (void)err;
    add_stat(s, path);
    if (why == TOAD__WALK_FAILED) s->whole = false;
}

/* The name by which a thing is remembered, with the rules that it was judged by; false: it cannot be. */
static toad_status sign(const char *path, char name[80], bool *ret) {
    const toad__walk_calls calls = { .file = sign_file, .skip = sign_skipped };
    signing s = { .whole = true };
    struct stat st;
    toad__tree tree;
    char digest[2 * TOAD__DIGEST + 1];
    toad_status status = TOAD_OK;
    toad__buf_init(&s.what, SIGN_MAX);
    toad__buf_add_z(&s.what, toad_version());
    toad__buf_add_z(&s.what, toad_catalogue_version());
    add_stat(&s, path);
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
        status = toad__tree_open(path, &tree);
        if (!status) status = toad__walk(path, &tree, true, &calls, &s);
        toad__tree_close(&tree);
    }
    *ret = s.whole && !s.what.status && !status;
    if (*ret) {
        toad__sha256_of(toad__buf_str(&s.what), digest);
        snprintf(name, 80, "installed_%s", digest);
    }
    if (s.what.status == TOAD_E_NOMEM) status = TOAD_E_NOMEM;
    toad__buf_free(&s.what);
    return status;
}

/* The store knows other names of sessions; what was looked at is one, of none, and is forgotten as they are. */
static bool is_known(toad__store *store, const char *name) {
    toad__arena arena;
    toad_str ignored;
    toad__arena_init(&arena, 1u << 16);
    bool known = !toad__store_alias_get(store, toad__str_z(name), &arena, &ignored);
    toad__arena_free(&arena);
    return known;
}

/* ---- what is it? ---- */

static void add_found(toad__installed *ret, const toad__agent_files *found) {
    toad__agent_files *all = &ret->files;
    const uint64_t files = all->files + found->files, flagged = all->flagged + found->flagged,
                   incomplete = all->incomplete + found->incomplete, closed = all->closed + found->closed;
    if (found->severity > all->severity) *all = *found;
    all->files = files;
    all->flagged = flagged;
    all->incomplete = incomplete;
    all->closed = closed;
}

static toad_status look_at(search *s, const char *path) {
    const toad__agent_look look = { .engine = s->host->engine,
                                    .names = &path,
                                    .names_n = 1,
                                    .below = s->below,
                                    .within = ".agents/",
                                    .until = s->until };
    toad__agent_files found = { .severity = TOAD_NONE };
    char name[80];
    bool signs = false, stopped = false;
    toad__store *store = s->host->store;
    toad_status status = sign(path, name, &signs);
    if (status) return status;
    s->ret->things++;
    if (signs && store && is_known(store, name)) return TOAD_OK;
    if (toad__now_ms() >= s->until) {
        s->ret->later++;
        return TOAD_OK;
    }
    status = toad__agent_files_look(&look, &found, &stopped);
    if (status) return status;
    s->ret->fresh++;
    s->ret->later += stopped;
    add_found(s->ret, &found);
    if (signs && store && !stopped && !found.flagged)
        (void)toad__store_alias_put(store, toad__str_z(name), TOAD__S("-"));
    return TOAD_OK;
}

/* "mail" is the name of the folder mail and of a file that is called so, whatever its ending. */
static bool is_called(const char *path, toad_str name) {
    toad_str last = toad__str_z(strrchr(path, '/') + 1);
    return toad__str_starts(last, name) && (last.n == name.n || last.p[name.n] == '.');
}

/* Skills are often links into another directory: those are followed, as the agent does. */
static toad_status look_through(search *s, const char *pattern) {
    glob_t all;
    toad_status status = TOAD_OK;
    int code = glob(pattern, GLOB_NOESCAPE, NULL, &all);
    if (code) return code == GLOB_NOSPACE ? TOAD_E_NOMEM : TOAD_OK;
    for (size_t i = 0; i < all.gl_pathc && !status; i++) {
        struct stat link;
        if (s->name.n && !is_called(all.gl_pathv[i], s->name)) continue;
        char *real = lstat(all.gl_pathv[i], &link) || !S_ISLNK(link.st_mode) ? NULL : realpath(all.gl_pathv[i], NULL);
        size_t below = s->below;
        if (real) s->below = 0;
        status = look_at(s, real ? real : all.gl_pathv[i]);
        s->below = below;
        free(real);
    }
    globfree(&all);
    return status;
}

/* All that stands in an agent's directory `base`. */
static toad_status look_in(search *s, const place *p, const char *base) {
    char pattern[2 * PATH_MAX];
    toad_status status = TOAD_OK;
    if (strpbrk(base, "*?[")) return TOAD_OK;
    for (const char *one = p->things; *one && !status;) {
        size_t length = strcspn(one, " ");
        snprintf(pattern, sizeof pattern, "%s/%.*s", base, (int)length, one);
        status = look_through(s, pattern);
        one += length + (one[length] == ' ');
    }
    return status;
}

static toad_status look_at_home(search *s, const place *p) {
    char base[PATH_MAX];
    const char *home = getenv("HOME"), *other = p->home ? getenv(p->home) : NULL, *slash = strchr(p->own, '/');
    bool elsewhere = other && *other;
    if (!elsewhere && (!home || !*home)) return TOAD_OK;
    int n = snprintf(base, sizeof base, "%s%s%s", elsewhere ? other : home, elsewhere ? "" : "/",
                     !elsewhere ? p->own
                     : slash    ? slash
                                : "");
    s->below = elsewhere ? 0 : strlen(home) + 1;
    return n < 0 || (size_t)n >= sizeof base ? TOAD_OK : look_in(s, p, base);
}

static toad_status look_at_project(search *s, const place *p, const char *directory) {
    char base[PATH_MAX];
    int n = snprintf(base, sizeof base, "%s/%s", directory, p->own);
    s->below = 0;
    return n < 0 || (size_t)n >= sizeof base ? TOAD_OK : look_in(s, p, base);
}

static toad_status look(search *s, const char *agent, const char *directory) {
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < sizeof places / sizeof *places && !status; i++) {
        if (strcmp(places[i].agent, agent) != 0) continue;
        status = look_at_home(s, &places[i]);
        if (!status && directory) status = look_at_project(s, &places[i], directory);
    }
    return status;
}

toad_status toad__installed_scan(toad__host *host, const char *agent, int64_t until, toad__installed *ret) {
    toad__installed found = { .files = { .severity = TOAD_NONE } };
    search s = { .host = host, .until = until, .ret = &found };
    toad_status status = look(&s, agent, NULL);
    if (!status) *ret = found;
    return status;
}

toad_status toad__installed_named(toad__host *host, const char *agent, const char *directory, toad_str name,
                                  int64_t until, toad__installed *ret) {
    toad__installed found = { .files = { .severity = TOAD_NONE } };
    search s = { .host = host, .until = until, .name = name, .ret = &found };
    toad_status status = name.n ? look(&s, agent, directory) : TOAD_OK;
    if (!status) *ret = found;
    return status;
}
