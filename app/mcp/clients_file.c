/* clients_file.c - configurations on disk: found, read, changed in one step, with a backup in the user's state.
 *
 * The backup is the file as it would be if nothing were wrapped, so it is written anew with each wrapping; it goes when
 * nothing is wrapped any more. It holds the secrets of the entries, so it stands where no version control takes it
 * along; one that an older version left beside the file is still read. A symbolic link is followed once, to a file of
 * the user's own. */
#include "app/host/host.h"
#include "app/mcp/clients.h"
#include "app/memory/memory_disk.h"
#include "lib/base/str.h"
#include "sys/digest.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKUP ".toadstone-backup"
enum { FILES = 8 };

typedef struct job {
    const toad__client_job *in;
    toad__arena *arena;
    toad__answer *answer;
    toad__buf text;
    char *message;
    size_t servers, changed; /* that were meant */
    size_t replaced;         /* hooks that were installed, by others */
} job;

static toad_status fail(job *j, toad_status status, const char *file, const char *why) {
    toad__buf name;
    toad__buf_init(&name, 1u << 16);
    toad__json_add_str(&name, toad__str_z(file));
    snprintf(j->message, 512, "%.*s: %s; nothing in it was changed",
             name.status ? 0 : (int)(name.n < 300 ? name.n : 300), name.status ? "" : name.p, why);
    toad__buf_free(&name);
    return status;
}

static toad_status fail_errno(job *j, const char *file, int err) {
    if (err == ENOMEM) return fail(j, TOAD_E_NOMEM, file, "out of memory");
    return fail(j, TOAD_E_IO, file,
                err == ESTALE   ? "it was changed by somebody else meanwhile"
                : err == EAGAIN ? "somebody else holds its lock"
                                : strerror(err));
}

/* ---- what a person reads ---- */

static void add_safe(toad__buf *b, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        char escape[8];
        if ((c >= ' ' && c < 0x7f) || c == '\t') {
            toad__buf_add_c(b, (char)c);
        } else {
            snprintf(escape, sizeof escape, "\\x%02x", c);
            toad__buf_add_z(b, escape);
        }
    }
}

static void add_lines(toad__buf *b, const char *mark, toad_str s) {
    for (size_t at = 0, end; at < s.n; at = end + 1) {
        end = toad__str_find(s, TOAD__S("\n"), at);
        toad__buf_add_z(b, mark);
        add_safe(b, toad__str_part(s, at, end > at && s.p[end - 1] == '\r' ? end - 1 : end));
        toad__buf_add_c(b, '\n');
    }
}

static const char *state_name(const toad__client_server *s) {
    return s->state == TOAD__SERVER_WRAPPED ? "wrapped" : s->state == TOAD__SERVER_PLAIN ? "plain" : "left alone";
}

/* Would a shell find it? What names a variable, or stands in a directory that only the client knows, is not judged. */
static bool is_missing(toad_str program) {
    char path[PATH_MAX];
    const char *all = getenv("PATH");
    bool named = toad__str_find(program, TOAD__S("/"), 0) == program.n;
    if (!program.n || program.n >= PATH_MAX / 2 || memchr(program.p, 0, program.n)) return false;
    if (strchr("$~%", *program.p) || toad__str_find(program, TOAD__S("${"), 0) < program.n) return false;
    if (!named && *program.p != '/') return false;
    if (!named) {
        toad__str_copy_to(path, sizeof path, program);
        return access(path, X_OK) != 0;
    }
    for (size_t n; all && *all; all += n + (all[n] == ':')) {
        n = strcspn(all, ":");
        if (snprintf(path, sizeof path, "%.*s/%.*s", n ? (int)n : 1, n ? all : ".", (int)program.n, program.p) <
                PATH_MAX &&
            !access(path, X_OK))
            return false;
    }
    return true;
}

/* Which of its programs is not there; or an empty slice. */
static toad_str missing_of(const toad__client_server *s) {
    for (size_t i = 0; i < 2; i++)
        if (is_missing(s->programs[i])) return s->programs[i];
    return toad__str(NULL, 0);
}

static void add_server(const toad__client_server *s, bool commands, toad__answer *answer, toad__buf *text) {
    toad_str missing = missing_of(s);
    toad__answer_object(answer, NULL);
    toad__answer_str(answer, "server", s->name);
    toad__answer_z(answer, "state", state_name(s));
    toad__answer_bool(answer, "changed", s->changed);
    toad__answer_z(answer, "why", s->why);
    toad__answer_str(answer, "broken", missing);
    if (commands) toad__answer_str(answer, "command", s->command);
    toad__answer_end(answer);
    toad__buf_add_z(text, "  ");
    add_safe(text, s->name);
    toad__buf_add_z(text, ": ");
    toad__buf_add_z(text, s->changed && s->state == TOAD__SERVER_PLAIN ? "unwrapped" : state_name(s));
    if (s->changed && s->state == TOAD__SERVER_WRAPPED) toad__buf_add_z(text, " now");
    if (s->why) toad__buf_add_z(text, ", since ");
    if (s->why) toad__buf_add_z(text, s->why);
    if (missing.n) toad__buf_add_z(text, "; broken: there is no program ");
    add_safe(text, missing);
    toad__buf_add_c(text, '\n');
}

static void add_hook(const toad__client_server *s, bool commands, toad__answer *answer, toad__buf *text) {
    bool there = s->state == TOAD__SERVER_WRAPPED;
    toad__answer_object(answer, NULL);
    toad__answer_str(answer, "event", s->name);
    toad__answer_bool(answer, "installed", there);
    toad__answer_bool(answer, "changed", s->changed);
    if (commands) toad__answer_str(answer, "command", s->command);
    toad__answer_end(answer);
    toad__buf_add_z(text, "  ");
    add_safe(text, s->name);
    toad__buf_add_z(text, there ? ": hook" : ": no hook");
    if (s->changed) toad__buf_add_z(text, there ? " now" : " any more");
    toad__buf_add_c(text, '\n');
}

static void add_file(job *j, const char *file, const toad__client_server *first, bool changed) {
    toad__buf diff;
    toad__buf_init(&diff, 4 * TOAD__CLIENT_FILE);
    add_safe(&j->text, toad__str_z(file));
    toad__buf_add_z(&j->text, changed && j->in->dry_run ? " (not written)\n" : "\n");
    toad__answer_object(j->answer, NULL);
    toad__answer_z(j->answer, "file", file);
    toad__answer_bool(j->answer, "changed", changed && !j->in->dry_run);
    toad__answer_array(j->answer, j->in->change.hooks ? "hooks" : "servers");
    for (const toad__client_server *s = first; s; s = s->next) {
        if (j->in->change.hooks)
            add_hook(s, j->in->change.commands, j->answer, &j->text);
        else
            add_server(s, j->in->change.commands, j->answer, &j->text);
        if (s->changed) add_lines(&diff, "- ", s->before);
        if (s->changed) add_lines(&diff, "+ ", s->after);
    }
    toad__answer_end(j->answer);
    toad__answer_str(j->answer, "diff", diff.n ? toad__buf_str(&diff) : TOAD__S(""));
    toad__answer_end(j->answer);
    if (j->in->dry_run && diff.n) toad__buf_add_str(&j->text, toad__buf_str(&diff));
    if (diff.status) j->text.status = diff.status;
    toad__buf_free(&diff);
}

/* ---- one file ---- */

typedef struct file {
    const char *name, *real;                           /* as it was named; without links */
    char backup[PATH_MAX + 32], beside[PATH_MAX + 32]; /* beside: where older versions left it */
    bool is_beside;                                    /* it was found there */
    toad__buf before, after, old, plain; /* the file, what becomes of it, the backup, what becomes of that */
    toad__client_server *servers, *undone;
    bool has_backup, changed, wrapped; /* wrapped: something is, afterwards */
    bool absent;                       /* there was no file: hooks make one */
} file;

static toad_status rewrite(job *j, file *f, const toad__client_change *change, toad_str text, toad__buf *out,
                           toad__client_server **ret) {
    const char *why = "it is too long";
    size_t at = 0;
    char where[200];
    toad_status status = change->hooks ? toad__hooks_rewrite(text, change, j->arena, out, ret, &why, &at)
                                       : toad__client_rewrite(text, change, j->arena, out, ret, &why, &at);
    if (!status || status == TOAD_E_NOMEM) return status ? fail(j, status, f->name, "out of memory") : TOAD_OK;
    snprintf(where, sizeof where, status == TOAD_E_SYNTAX && at ? "at byte %zu %s was expected" : "%.0zu%s", at, why);
    return fail(j, status, f->name, where);
}

static toad_status read_file(job *j, file *f) {
    int err = f->absent ? 0 : toad__memory_disk_read(f->real, &f->before);
    if (err) return fail_errno(j, f->name, err);
    if (j->in->change.hooks) return TOAD_OK; /* what is added is cut out again to the byte */
    err = toad__memory_disk_read(f->backup, &f->old);
    f->is_beside = err == ENOENT && !(err = toad__memory_disk_read(f->beside, &f->old));
    f->has_backup = !err;
    return !err || err == ENOENT ? TOAD_OK : fail_errno(j, f->backup, err);
}

static toad_str of(const toad__buf *b) { return b->n ? toad__buf_str(b) : TOAD__S(""); }

static toad_status plan(job *j, file *f) {
    toad__client_change change = j->in->change, undo = j->in->change;
    change.backup = undo.backup = of(&f->old);
    undo.undo = true;
    undo.look = false;
    undo.server = NULL;
    toad_status status = rewrite(j, f, &change, of(&f->before), &f->after, &f->servers);
    if (!status && !change.hooks) status = rewrite(j, f, &undo, of(&f->before), &f->plain, &f->undone);
    for (const toad__client_server *s = f->servers; s && !status; s = s->next) {
        bool meant = !change.server || toad__str_eq(s->name, toad__str_z(change.server));
        j->servers += meant;
        j->changed += s->changed;
        j->replaced += s->changed && change.hooks && !change.undo && s->before.n;
        f->changed |= s->changed;
        f->wrapped |= s->state == TOAD__SERVER_WRAPPED && !change.hooks;
    }
    return status;
}

/* Put `text` in the place of what was read, if that still stands there. */
static int replace(const char *path, toad_str before, toad_str text) {
    char lock[PATH_MAX + 64];
    toad__memory_disk disk;
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash + 1 - path) : 0;
    int err = toad__memory_disk_open(path, &disk);
    if (err) return err;
    err = toad__memory_disk_replace(&disk, before, text);
    snprintf(lock, sizeof lock, "%.*s.%s.lock", (int)n, path, path + n);
    unlink(lock); /* it is not ours to leave things there */
    toad__memory_disk_close(&disk);
    return err;
}

/* Those of the path, private. */
static int make_directories(const char *path) {
    char part[PATH_MAX + 32];
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        if (mkdir(part, 0700) && errno != EEXIST) return errno;
    }
    return 0;
}

/* A file that is ours is taken away, and its directory where that was made for it. */
static int take_away(const char *path) {
    char directory[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int err = unlink(path) ? errno : 0;
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 0, path);
    const char *name = strrchr(directory, '/');
    if (!err && name && !strcmp(name, "/toadstone")) rmdir(directory);
    return err;
}

static int write_hooks(const file *f) {
    if (f->changed && !f->after.n) return take_away(f->real);
    int err = f->absent ? make_directories(f->real) : 0;
    return err ? err : replace(f->real, f->absent ? toad__str(NULL, 0) : of(&f->before), of(&f->after));
}

/* First the backup, then the file: whatever fails between, nothing is lost. */
static int write_file(const job *j, const file *f) {
    int err = 0;
    if (j->in->change.hooks) return write_hooks(f);
    bool there = f->has_backup && !f->is_beside, stale = !there || !toad__str_eq(of(&f->old), of(&f->plain));
    if (f->wrapped && stale) err = make_directories(f->backup);
    if (f->wrapped && stale && !err) err = replace(f->backup, there ? of(&f->old) : toad__str(NULL, 0), of(&f->plain));
    if (!err) err = replace(f->real, of(&f->before), of(&f->after));
    if (!err && f->is_beside && strcmp(f->beside, f->backup)) unlink(f->beside);
    if (!err && !f->wrapped && f->has_backup) unlink(f->backup);
    return err;
}

static toad_status work_on(job *j, file *f) {
    toad_status status = read_file(j, f);
    if (!status) status = plan(j, f);
    if (status) return status;
    if (f->changed && !j->in->dry_run) {
        int err = write_file(j, f);
        if (err) return fail_errno(j, f->name, err);
    }
    add_file(j, f->name, f->servers, f->changed);
    if (f->changed && f->wrapped && !j->in->dry_run) {
        toad__buf_add_z(&j->text, "  kept for --undo: ");
        add_safe(&j->text, toad__str_z(f->backup));
        toad__buf_add_c(&j->text, '\n');
    }
    return TOAD_OK;
}

/* Below the user's state, by the file's whole path; beside the file where there is no such place. */
static bool name_backup(file *f) {
    char digest[2 * TOAD__DIGEST + 1];
    toad__buf state;
    toad__buf_init(&state, PATH_MAX);
    toad_status status = toad__store_default_path(&state);
    toad__sha256_of(toad__str_z(f->real), digest);
    int n = status ? snprintf(f->backup, sizeof f->backup, "%s", f->beside)
                   : snprintf(f->backup, sizeof f->backup, "%.*s/clients/%.32s" BACKUP,
                              (int)(state.n - sizeof "/store.db" + 1), state.p, digest);
    toad__buf_free(&state);
    return status != TOAD_E_NOMEM && n > 0 && (size_t)n < sizeof f->backup;
}

/* Where it is, without links: a regular file of this user, or none where hooks make one. */
static toad_status find_file(job *j, file *f) {
    struct stat st;
    char *real = realpath(f->name, NULL);
    f->absent = !real && errno == ENOENT && j->in->change.hooks;
    if (!real && !f->absent) return fail_errno(j, f->name, errno);
    toad_str kept = toad__arena_dup(j->arena, toad__str_z(real ? real : f->name));
    free(real);
    if (!kept.p) return fail_errno(j, f->name, ENOMEM);
    f->real = kept.p;
    if (kept.n >= PATH_MAX) return fail_errno(j, f->name, ENAMETOOLONG);
    if (f->absent) return TOAD_OK;
    if (stat(f->real, &st)) return fail_errno(j, f->name, errno);
    if (!S_ISREG(st.st_mode)) return fail(j, TOAD_E_IO, f->name, "it is no regular file");
    if (st.st_uid != geteuid()) return fail(j, TOAD_E_IO, f->name, "it belongs to another user");
    return TOAD_OK;
}

static toad_status do_file(job *j, const char *name) {
    file f = { .name = name };
    toad_status status = find_file(j, &f);
    if (status) return status;
    snprintf(f.beside, sizeof f.beside, "%s" BACKUP, f.real);
    if (!name_backup(&f)) return fail_errno(j, name, ENOMEM);
    toad__buf_init(&f.before, TOAD__CLIENT_FILE);
    toad__buf_init(&f.old, TOAD__CLIENT_FILE);
    toad__buf_init(&f.after, 4 * TOAD__CLIENT_FILE);
    toad__buf_init(&f.plain, 4 * TOAD__CLIENT_FILE);
    status = work_on(j, &f);
    toad__buf *const all[] = { &f.before, &f.old, &f.after, &f.plain };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) toad__buf_free(all[i]);
    return status;
}

/* ---- which files ---- */

static const char *join(job *j, const char *directory, const char *name) {
    toad__buf b;
    toad__buf_init(&b, 1u << 16);
    toad__buf_add_z(&b, directory);
    toad__buf_add_c(&b, '/');
    toad__buf_add_z(&b, name);
    toad_str path = b.status ? toad__str(NULL, 0) : toad__arena_dup(j->arena, toad__buf_str(&b));
    toad__buf_free(&b);
    return path.p;
}

bool toad__hook_file_is_here(const toad__hook_file *h) {
    char path[PATH_MAX];
    const char *home = getenv("HOME"), *other = h->home ? getenv(h->home) : NULL;
    bool elsewhere = other && *other;
    if (!elsewhere && (!home || !*home)) return false;
    const char *below = elsewhere ? strchr(h->own, '/') : h->own;
    int length =
        snprintf(path, sizeof path, "%s%s%s", elsewhere ? other : home, elsewhere ? "" : "/", below ? below : "");
    return length > 0 && (size_t)length < sizeof path && !access(path, F_OK);
}

static bool find_hooks(job *j, const char *ret[FILES], size_t *n) {
    const toad__hook_file *h = j->in->change.hooks;
    const char *home = getenv("HOME"), *other = h->home ? getenv(h->home) : NULL;
    bool elsewhere = other && *other;
    *n = 1;
    if (j->in->project && !h->project)
        *n = 0;
    else if (j->in->project)
        ret[0] = h->project;
    else if (elsewhere || (home && *home))
        ret[0] = elsewhere ? join(j, other, strchr(h->user, '/') + 1) : join(j, home, h->user);
    else
        *n = 0;
    return !*n || ret[0];
}

/* The files that there are, the project's first. */
static bool find_files(job *j, const char *ret[FILES], size_t *n) {
    if (j->in->change.hooks) return find_hooks(j, ret, n);
    const toad__client *c = j->in->change.client;
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

static toad_status do_all(job *j) {
    const char *files[FILES];
    size_t n = 0;
    toad_status status = TOAD_OK;
    if (j->in->file)
        files[n++] = j->in->file;
    else if (!find_files(j, files, &n))
        return TOAD_E_NOMEM;
    if (!n) {
        const toad__hook_file *hooks = j->in->change.hooks;
        snprintf(j->message, 512, "%s has no configuration here (looked for %s)",
                 hooks ? hooks->title : j->in->change.client->title,
                 hooks ? hooks->user : j->in->change.client->user[0]);
        return TOAD_E_NOT_FOUND;
    }
    for (size_t i = 0; i < n && !status; i++) status = do_file(j, files[i]);
    if (!status && j->in->change.server && !j->servers) {
        snprintf(j->message, 512, "no server of this name in the configuration of %s", j->in->change.client->title);
        return TOAD_E_NOT_FOUND;
    }
    return status;
}

toad_status toad__clients_apply(const toad__client_job *in, toad__arena *arena, toad__answer *answer,
                                char message[512]) {
    job j = { .in = in, .arena = arena, .answer = answer, .message = message };
    *message = 0;
    toad__buf_init(&j.text, 4 * TOAD__CLIENT_FILE);
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "client", in->change.hooks ? in->change.hooks->name : in->change.client->name);
    toad__answer_array(answer, "files");
    toad_status status = do_all(&j);
    toad__answer_end(answer);
    toad__answer_int(answer, "changed", (int64_t)j.changed);
    toad__answer_int(answer, "replaced", (int64_t)j.replaced);
    toad__answer_str(answer, "text", j.text.n ? toad__buf_str(&j.text) : TOAD__S(""));
    if (!status) status = j.text.status ? j.text.status : answer->status;
    toad__buf_free(&j.text);
    if (status && !*message) snprintf(message, 512, "%s", toad_status_message(status));
    return status;
}

/* ---- all clients ---- */

static void look_at(job *j, const char *name) {
    *j->message = 0;
    if (!do_file(j, name)) return;
    toad__answer_object(j->answer, NULL);
    toad__answer_z(j->answer, "file", name);
    toad__answer_z(j->answer, "error", *j->message ? j->message : "it cannot be read");
    toad__answer_end(j->answer);
}

/* One agent: what its files say. */
static void look_through(job *j, const char *key, const char *name, const char *title, const char *const *files,
                         size_t n) {
    toad__buf_init(&j->text, 4 * TOAD__CLIENT_FILE);
    toad__answer_object(j->answer, NULL);
    toad__answer_z(j->answer, key, name);
    toad__answer_z(j->answer, "title", title);
    toad__answer_array(j->answer, "files");
    for (size_t k = 0; k < n; k++) look_at(j, files[k]);
    toad__answer_end(j->answer);
    toad__answer_end(j->answer);
    toad__buf_free(&j->text);
}

/* The user's file where the agent has a directory, though it may have no file yet, and the project's where it is. */
static bool find_both(job *j, const toad__hook_file *h, const char *ret[FILES], size_t *n) {
    if (!find_hooks(j, ret, n)) return false;
    if (!toad__hook_file_is_here(h)) *n = 0;
    if (h->project && !access(h->project, F_OK)) ret[(*n)++] = h->project;
    return true;
}

toad_status toad__clients_look(toad__arena *arena, toad__answer *answer) {
    char message[512];
    const char *files[FILES];
    size_t n;
    toad_status status = TOAD_OK;
    toad__answer_array(answer, "clients");
    for (size_t i = 0; toad__client_at(i) && !status; i++) {
        const toad__client_job in = { .change = { .client = toad__client_at(i), .look = true } };
        job j = { .in = &in, .arena = arena, .answer = answer, .message = message };
        if (!find_files(&j, files, &n)) status = TOAD_E_NOMEM;
        if (!status && n) look_through(&j, "client", in.change.client->name, in.change.client->title, files, n);
    }
    toad__answer_end(answer);
    toad__answer_array(answer, "agents");
    for (size_t i = 0; toad__hook_file_at(i) && !status; i++) {
        if (!*toad__hook_file_at(i)->events) continue;
        const toad__client_job in = { .change = { .hooks = toad__hook_file_at(i), .look = true } };
        job j = { .in = &in, .arena = arena, .answer = answer, .message = message };
        if (!find_both(&j, in.change.hooks, files, &n)) status = TOAD_E_NOMEM;
        if (!status && n) look_through(&j, "agent", in.change.hooks->name, in.change.hooks->title, files, n);
    }
    toad__answer_end(answer);
    return status ? status : answer->status;
}
