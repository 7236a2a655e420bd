/* scan_records.c - see scan_records.h. A file with a mistake is an error: half a record must not silence anything, nor
 * half a baseline alarm about everything. */
#include "face/cli/scan_records.h"
#include "app/host/input.h"
#include "face/cli/out.h"
#include "lib/base/str.h"
#include "sys/path.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

static bool slurp(const char *what, const char *path, toad__buf *out) {
    int err = toad__input_slurp(path, out);
    if (err) cli_error("scan", "cannot read the %s '%s': %s", what, cli_safe(path), strerror(err));
    return !err;
}

static bool complain(const char *path, toad_status status, const char *message) {
    if (status == TOAD_E_SYNTAX)
        cli_error("scan", "%s: %s", cli_safe(path), message);
    else if (status)
        cli_status("scan", path, status);
    return !status;
}

static bool read_baseline(const char *path, toad__baseline **ret) {
    char message[256] = "";
    toad__buf text;
    toad__buf_init(&text, TOAD__BASELINE_MAX);
    bool ok = slurp("baseline", path, &text) &&
              complain(path, toad__baseline_new(toad__buf_str(&text), ret, message, sizeof message), message);
    toad__buf_free(&text);
    return ok;
}

static void tell_expired(const char *path, const toad__suppressions *s) {
    size_t n = 0;
    for (size_t i = 0; i < toad__suppressions_count(s); i++) n += toad__suppressions_at(s, i)->expired;
    if (n)
        fprintf(stderr, "%s: %zu %s expired and no longer hold%s\n", cli_safe(path), n,
                n == 1 ? "suppression has" : "suppressions have", n == 1 ? "s" : "");
}

static bool read_suppressions(const char *path, bool standing, toad__suppressions **ret) {
    char message[256] = "", today[11];
    time_t now = time(NULL);
    struct tm day;
    toad__buf text;
    toad__buf_init(&text, TOAD__SUPPRESSIONS_MAX);
    bool ok =
        gmtime_r(&now, &day) && strftime(today, sizeof today, "%Y-%m-%d", &day) == 10 &&
        slurp("suppressions", path, &text) &&
        complain(path, toad__suppressions_new(toad__buf_str(&text), standing, today, ret, message, sizeof message),
                 message);
    toad__buf_free(&text);
    if (ok) tell_expired(path, *ret);
    return ok;
}

/* The user's own file, "" where there is none. */
static void find_standing(char out[4096]) {
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    struct stat st;
    int n = toad__path_is_absolute(config) ? snprintf(out, 4096, "%s/toadstone/suppressions.yaml", config)
            : toad__path_is_absolute(home) ? snprintf(out, 4096, "%s/.config/toadstone/suppressions.yaml", home)
                                           : 0;
    if (n <= 0 || n >= 4096 || stat(out, &st)) *out = 0;
}

static void name_file(scan_records *r, const char *path) {
    struct stat st;
    if (!path || stat(path, &st)) return;
    r->named[r->named_n].device = st.st_dev;
    r->named[r->named_n++].inode = st.st_ino;
}

bool scan_records_are(const scan_records *r, const char *path) {
    struct stat st;
    if (!r->named_n || lstat(path, &st)) return false;
    for (size_t i = 0; i < r->named_n; i++)
        if (r->named[i].device == st.st_dev && r->named[i].inode == st.st_ino) return true;
    return false;
}

bool scan_records_read(const args *a, scan_records *ret) {
    memset(ret, 0, sizeof *ret);
    name_file(ret, a->baseline);
    name_file(ret, a->write_baseline);
    name_file(ret, a->suppressions);
    if (a->baseline && !read_baseline(a->baseline, &ret->baseline)) return false;
    if (a->suppressions) return read_suppressions(a->suppressions, false, &ret->suppressions);
    if (!a->recursive && !a->repository) return true;
    find_standing(ret->standing_path);
    if (!*ret->standing_path) return true;
    ret->standing = ret->standing_path;
    return read_suppressions(ret->standing, true, &ret->suppressions);
}

void scan_records_free(scan_records *r) {
    toad__baseline_free(r->baseline);
    toad__suppressions_free(r->suppressions);
}

static void tell_unused(const toad__tree *tree, const char *name) {
    toad__buf path;
    struct stat st;
    toad__buf_init(&path, TOAD__PATHS_MAX);
    toad__buf_add_str(&path, toad__buf_str(&tree->root));
    toad__path_add(&path, name);
    if (!lstat(toad__path_z(&path), &st))
        fprintf(stderr,
                "%s came with the scanned tree and silences nothing; name it with --suppressions if you trust it\n",
                cli_safe(toad__path_z(&path)));
    toad__buf_free(&path);
}

/* Is this tree another one than the last? */
static bool is_new(scan_records *r, const toad__tree *tree) {
    toad_str root = toad__str_part(toad__buf_str(&tree->root), 0, sizeof r->told - 1);
    bool same = *r->told && toad__str_eq(root, toad__str_z(r->told));
    if (root.n) memcpy(r->told, root.p, root.n);
    r->told[root.n] = 0;
    return !same;
}

bool scan_records_for(const args *a, scan_records *r, const toad__tree *tree) {
    bool speak = is_new(r, tree), inside = r->standing && toad__tree_holds(tree, r->standing);
    if (speak && !a->suppressions) tell_unused(tree, ".toadstone-suppressions.yaml");
    if (speak && inside)
        fprintf(stderr,
                "%s lies in the scanned tree and silences nothing there; name it with --suppressions if you trust it\n",
                cli_safe(r->standing));
    return !inside;
}
