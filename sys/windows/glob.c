/* glob.c - '*' in the parts of a path, one part after the other. No part is looked at deeper than the pattern goes. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

static bool matches(const char *pattern, size_t n, const char *name) {
    size_t at = 0, star = n, resume = 0, i = 0;
    while (name[i]) {
        if (at < n && pattern[at] == '*')
            star = at++, resume = i;
        else if (at < n && pattern[at] == name[i])
            at++, i++;
        else if (star < n)
            at = star + 1, i = ++resume;
        else
            return false;
    }
    while (at < n && pattern[at] == '*') at++;
    return at == n && (*name != '.' || *pattern == '.');
}

static bool add(glob_t *all, const char *path) {
    char **more = realloc(all->gl_pathv, (all->gl_pathc + 1) * sizeof *more);
    if (more) all->gl_pathv = more;
    char *copy = more ? strdup(path) : NULL;
    if (copy) more[all->gl_pathc++] = copy;
    return copy;
}

/* The part of `pattern` at `rest` below the folder `base`. False: out of memory. Recursion is as deep as the pattern,
 * which is ours. */
static bool expand(const char *base, const char *rest, glob_t *all) {
    char path[PATH_BYTES];
    struct stat st;
    bool ok = true;
    size_t n = strcspn(rest, "/");
    if (!memchr(rest, '*', n)) {
        int length = snprintf(path, sizeof path, "%s%.*s%s", base, (int)n, rest, rest[n] ? "/" : "");
        if (length < 0 || length >= PATH_BYTES) return true;
        return rest[n] ? expand(path, rest + n + 1, all) : lstat(path, &st) || add(all, path);
    }
    DIR *d = opendir(*base ? base : ".");
    for (struct dirent *e; d && ok && (e = readdir(d));) {
        if (!matches(rest, n, e->d_name)) continue;
        int length = snprintf(path, sizeof path, "%s%s%s", base, e->d_name, rest[n] ? "/" : "");
        if (length > 0 && length < PATH_BYTES) ok = rest[n] ? expand(path, rest + n + 1, all) : add(all, path);
    }
    if (d) closedir(d);
    return ok;
}

static int compare(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

int glob(const char *pattern, int flags, int (*fails)(const char *, int), glob_t *ret) {
    (void)flags, (void)fails;
    *ret = (glob_t){ 0 };
    if (!expand("", pattern, ret)) return globfree(ret), GLOB_NOSPACE;
    if (ret->gl_pathc) qsort(ret->gl_pathv, ret->gl_pathc, sizeof *ret->gl_pathv, compare);
    return ret->gl_pathc ? 0 : GLOB_NOMATCH;
}

void globfree(glob_t *all) {
    for (size_t i = 0; i < all->gl_pathc; i++) free(all->gl_pathv[i]);
    free(all->gl_pathv);
    *all = (glob_t){ 0 };
}
