/* clients_file.c - configurations on disk: found, read, changed in one step, with a backup beside them.
 *
 * The backup is the file as it would be if nothing were wrapped, so it is written anew with each wrapping; it goes when
 * nothing is wrapped any more. A symbolic link is followed once, to a file of the user's own. */
#include "app/mcp/clients.h"
#include "app/host/host.h"
#include "app/memory/memory_disk.h"
#include "lib/base/str.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUP ".bezoar-backup"
enum { FILES = 8 };

typedef struct job {
    const bzr__client_job *in;
    bzr__arena *arena;
    bzr__buf *answer, text;
    char *message;
    size_t servers, changed; /* that were meant */
} job;

static bzr_status fail(job *j, bzr_status status, const char *file, const char *why) {
    bzr__buf name;
    bzr__buf_init(&name, 1u << 16);
    bzr__json_add_str(&name, bzr__str_z(file));
    snprintf(j->message, 512, "%.*s: %s; nothing in it was changed",
             name.status ? 0 : (int)(name.n < 300 ? name.n : 300), name.status ? "" : name.p, why);
    bzr__buf_free(&name);
    return status;
}

static bzr_status fail_errno(job *j, const char *file, int err) {
    if (err == ENOMEM) return fail(j, BZR_E_NOMEM, file, "out of memory");
    return fail(j, BZR_E_IO, file,
                err == ESTALE   ? "it was changed by somebody else meanwhile"
                : err == EAGAIN ? "somebody else holds its lock"
                                : strerror(err));
}

/* ---- what a person reads ---- */

static void add_safe(bzr__buf *b, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        char escape[8];
        if ((c >= ' ' && c < 0x7f) || c == '\t') {
            bzr__buf_add_c(b, (char)c);
        } else {
            snprintf(escape, sizeof escape, "\\x%02x", c);
            bzr__buf_add_z(b, escape);
        }
    }
}

static void add_lines(bzr__buf *b, const char *mark, bzr_str s) {
    for (size_t at = 0, end; at < s.n; at = end + 1) {
        end = bzr__str_find(s, BZR__S("\n"), at);
        bzr__buf_add_z(b, mark);
        add_safe(b, bzr__str_part(s, at, end > at && s.p[end - 1] == '\r' ? end - 1 : end));
        bzr__buf_add_c(b, '\n');
    }
}

static const char *state_name(const bzr__client_server *s) {
    return s->state == BZR__SERVER_WRAPPED ? "wrapped" : s->state == BZR__SERVER_PLAIN ? "plain" : "left alone";
}

static void add_server(const bzr__client_server *s, bzr__buf *answer, bzr__buf *text) {
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "server", s->name);
    bzr__answer_z(answer, "state", state_name(s));
    bzr__answer_bool(answer, "changed", s->changed);
    bzr__answer_z(answer, "why", s->why);
    bzr__buf_add_c(answer, '}');
    bzr__buf_add_z(text, "  ");
    add_safe(text, s->name);
    bzr__buf_add_z(text, ": ");
    bzr__buf_add_z(text, s->changed && s->state == BZR__SERVER_PLAIN ? "unwrapped" : state_name(s));
    if (s->changed && s->state == BZR__SERVER_WRAPPED) bzr__buf_add_z(text, " now");
    if (s->why) bzr__buf_add_z(text, ", since ");
    if (s->why) bzr__buf_add_z(text, s->why);
    bzr__buf_add_c(text, '\n');
}

static void add_file(job *j, const char *file, const bzr__client_server *first, bool changed) {
    bzr__buf diff;
    bzr__buf_init(&diff, 4 * BZR__CLIENT_FILE);
    add_safe(&j->text, bzr__str_z(file));
    bzr__buf_add_z(&j->text, changed && j->in->dry_run ? " (dry run, nothing is written)\n" : "\n");
    bzr__json_add_key(j->answer, NULL);
    bzr__buf_add_c(j->answer, '{');
    bzr__answer_z(j->answer, "file", file);
    bzr__answer_bool(j->answer, "changed", changed && !j->in->dry_run);
    bzr__json_add_key(j->answer, "servers");
    bzr__buf_add_c(j->answer, '[');
    for (const bzr__client_server *s = first; s; s = s->next) {
        add_server(s, j->answer, &j->text);
        if (s->changed) add_lines(&diff, "- ", s->before);
        if (s->changed) add_lines(&diff, "+ ", s->after);
    }
    bzr__buf_add_c(j->answer, ']');
    bzr__answer_str(j->answer, "diff", diff.n ? bzr__buf_str(&diff) : BZR__S(""));
    bzr__buf_add_c(j->answer, '}');
    if (j->in->dry_run && diff.n) bzr__buf_add_str(&j->text, bzr__buf_str(&diff));
    if (diff.status) j->text.status = diff.status;
    bzr__buf_free(&diff);
}

/* ---- one file ---- */

typedef struct file {
    const char *name, *real; /* as it was named; without links */
    char backup[PATH_MAX + 32];
    bzr__buf before, after, old, plain; /* the file, what becomes of it, the backup, what becomes of that */
    bzr__client_server *servers, *undone;
    bool has_backup, changed, wrapped; /* wrapped: something is, afterwards */
} file;

static bzr_status rewrite(job *j, file *f, const bzr__client_change *change, bzr_str text, bzr__buf *out,
                          bzr__client_server **ret) {
    const char *why = "it is too long";
    size_t at = 0;
    char where[200];
    bzr_status status = bzr__client_rewrite(text, change, j->arena, out, ret, &why, &at);
    if (!status || status == BZR_E_NOMEM) return status ? fail(j, status, f->name, "out of memory") : BZR_OK;
    snprintf(where, sizeof where, status == BZR_E_SYNTAX && at ? "at byte %zu %s was expected" : "%.0zu%s", at, why);
    return fail(j, status, f->name, where);
}

static bzr_status read_file(job *j, file *f) {
    int err = bzr__memory_disk_read(f->real, &f->before);
    if (err) return fail_errno(j, f->name, err);
    err = bzr__memory_disk_read(f->backup, &f->old);
    f->has_backup = !err;
    return !err || err == ENOENT ? BZR_OK : fail_errno(j, f->backup, err);
}

static bzr_str of(const bzr__buf *b) { return b->n ? bzr__buf_str(b) : BZR__S(""); }

static bzr_status plan(job *j, file *f) {
    bzr__client_change change = j->in->change, undo = j->in->change;
    change.backup = undo.backup = of(&f->old);
    undo.undo = true;
    undo.look = false;
    undo.server = NULL;
    bzr_status status = rewrite(j, f, &change, of(&f->before), &f->after, &f->servers);
    if (!status) status = rewrite(j, f, &undo, of(&f->before), &f->plain, &f->undone);
    for (const bzr__client_server *s = f->servers; s && !status; s = s->next) {
        bool meant = !change.server || bzr__str_eq(s->name, bzr__str_z(change.server));
        j->servers += meant;
        j->changed += s->changed;
        f->changed |= s->changed;
        f->wrapped |= s->state == BZR__SERVER_WRAPPED;
    }
    return status;
}

/* Put `text` in the place of what was read, if that still stands there. */
static int replace(const char *path, bzr_str before, bzr_str text) {
    char lock[PATH_MAX + 64];
    bzr__memory_disk disk;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash + 1 - path) : 0;
    int err = bzr__memory_disk_open(path, &disk);
    if (err) return err;
    err = bzr__memory_disk_replace(&disk, before, text);
    snprintf(lock, sizeof lock, "%.*s.%s.lock", (int)n, path, path + n);
    unlink(lock); /* it is not ours to leave things there */
    bzr__memory_disk_close(&disk);
    return err;
}

/* First the backup, then the file: whatever fails between, nothing is lost. */
static int write_file(const file *f) {
    int err = 0;
    bool stale = !f->has_backup || !bzr__str_eq(of(&f->old), of(&f->plain));
    if (f->wrapped && stale) err = replace(f->backup, f->has_backup ? of(&f->old) : bzr__str(NULL, 0), of(&f->plain));
    if (!err) err = replace(f->real, of(&f->before), of(&f->after));
    if (!err && !f->wrapped && f->has_backup) unlink(f->backup);
    return err;
}

static bzr_status work_on(job *j, file *f) {
    bzr_status status = read_file(j, f);
    if (!status) status = plan(j, f);
    if (status) return status;
    if (f->changed && !j->in->dry_run) {
        int err = write_file(f);
        if (err) return fail_errno(j, f->name, err);
    }
    add_file(j, f->name, f->servers, f->changed);
    return BZR_OK;
}

static bzr_status do_file(job *j, const char *name) {
    file f = { .name = name };
    struct stat st;
    char *real = realpath(name, NULL);
    if (!real) return fail_errno(j, name, errno);
    bzr_str kept = bzr__arena_dup(j->arena, bzr__str_z(real));
    free(real);
    if (!kept.p) return fail_errno(j, name, ENOMEM);
    f.real = kept.p;
    if (kept.n >= PATH_MAX) return fail_errno(j, name, ENAMETOOLONG);
    if (stat(f.real, &st)) return fail_errno(j, name, errno);
    if (!S_ISREG(st.st_mode)) return fail(j, BZR_E_IO, name, "it is no regular file");
    if (st.st_uid != geteuid()) return fail(j, BZR_E_IO, name, "it belongs to another user");
    snprintf(f.backup, sizeof f.backup, "%s" BACKUP, f.real);
    bzr__buf_init(&f.before, BZR__CLIENT_FILE);
    bzr__buf_init(&f.old, BZR__CLIENT_FILE);
    bzr__buf_init(&f.after, 4 * BZR__CLIENT_FILE);
    bzr__buf_init(&f.plain, 4 * BZR__CLIENT_FILE);
    bzr_status status = work_on(j, &f);
    bzr__buf *const all[] = { &f.before, &f.old, &f.after, &f.plain };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) bzr__buf_free(all[i]);
    return status;
}

/* ---- which files ---- */

static const char *join(job *j, const char *directory, const char *name) {
    bzr__buf b;
    bzr__buf_init(&b, 1u << 16);
    bzr__buf_add_z(&b, directory);
    bzr__buf_add_c(&b, '/');
    bzr__buf_add_z(&b, name);
    bzr_str path = b.status ? bzr__str(NULL, 0) : bzr__arena_dup(j->arena, bzr__buf_str(&b));
    bzr__buf_free(&b);
    return path.p;
}

/* The files that there are, the project's first. */
static bool find_files(job *j, const char *ret[FILES], size_t *n) {
    const bzr__client *c = j->in->change.client;
    const char *home = getenv("HOME"), *other = c->home ? getenv(c->home) : NULL;
    *n = 0;
    for (size_t i = 0; i < 3 && c->project[i]; i++)
        if (!access(c->project[i], F_OK)) ret[(*n)++] = c->project[i];
    for (size_t i = 0; i < 3 && c->user[i] && ((home && *home) || (other && *other)); i++) {
        bool elsewhere = other && *other;
        const char *path = elsewhere ? join(j, other, strchr(c->user[i], '/') + 1) : join(j, home, c->user[i]);
        if (!path) return false;
        if (!access(path, F_OK)) ret[(*n)++] = path;
    }
    return true;
}

static bzr_status do_all(job *j) {
    const char *files[FILES];
    size_t n = 0;
    bzr_status status = BZR_OK;
    if (j->in->file)
        files[n++] = j->in->file;
    else if (!find_files(j, files, &n))
        return BZR_E_NOMEM;
    if (!n) {
        snprintf(j->message, 512, "%s has no configuration here (looked for %s)", j->in->change.client->title,
                 j->in->change.client->user[0]);
        return BZR_E_NOT_FOUND;
    }
    for (size_t i = 0; i < n && !status; i++) status = do_file(j, files[i]);
    if (!status && j->in->change.server && !j->servers) {
        snprintf(j->message, 512, "no server of this name in the configuration of %s", j->in->change.client->title);
        return BZR_E_NOT_FOUND;
    }
    return status;
}

bzr_status bzr__clients_apply(const bzr__client_job *in, bzr__arena *arena, bzr__buf *answer, char message[512]) {
    job j = { .in = in, .arena = arena, .answer = answer, .message = message };
    *message = 0;
    bzr__buf_init(&j.text, 4 * BZR__CLIENT_FILE);
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_z(answer, "client", in->change.client->name);
    bzr__json_add_key(answer, "files");
    bzr__buf_add_c(answer, '[');
    bzr_status status = do_all(&j);
    bzr__buf_add_c(answer, ']');
    bzr__answer_int(answer, "changed", (int64_t)j.changed);
    bzr__answer_str(answer, "text", j.text.n ? bzr__buf_str(&j.text) : BZR__S(""));
    bzr__buf_add_c(answer, '}');
    if (!status) status = j.text.status ? j.text.status : answer->status;
    bzr__buf_free(&j.text);
    if (status && !*message) snprintf(message, 512, "%s", bzr_status_message(status));
    return status;
}
