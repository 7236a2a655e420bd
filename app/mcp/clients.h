/* clients.h - the coding agents that are MCP clients: where each keeps its servers, and how an entry there is made to
 * go through the proxy and back.
 *
 * A configuration belongs to its user. Only the bytes of an entry that have to change are changed: comments, order,
 * spacing and everything that is not understood stay as they are. What cannot be read safely is left alone, with a
 * reason. Undoing takes the entry from the backup where wrapping it again would give exactly what stands in the file,
 * else from the entry itself, so that later edits survive. The functions on texts are pure. */
#ifndef BZR_APP_CLIENTS_H
#define BZR_APP_CLIENTS_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

#define BZR__CLIENT_NAMES "claude codex gemini cursor opencode qwen copilot vscode windsurf"
#define BZR__CLIENT_FILE  ((size_t)16 << 20) /* bytes of a configuration */

typedef enum bzr__client_format { BZR__CLIENT_JSON, BZR__CLIENT_TOML } bzr__client_format; /* JSON: with comments */

typedef struct bzr__client {
    const char *name, *title;
    bzr__client_format format;
    const char *root;                 /* the member (TOML: table) that holds the servers */
    const char *user[3], *project[3]; /* files, those of the user below the home directory */
    const char *home;                 /* the variable that names the first directory of `user` instead, or NULL */
    const char *stdio_type; /* what `type` says of a server that is started, or NULL where entries have none */
    const char *url_keys;   /* members that hold the address of a remote server */
    bool argv;              /* `command` is an array with the arguments in it */
    const char *more;       /* what else an entry needs */
    const char *remote;     /* an entry of a server over HTTP, up to its address */
    const char *token;      /* how an entry says that a token is in the variable BZR_TOKEN */
} bzr__client;

/* NULL: there is none of this name. */
const bzr__client *bzr__client_find(const char *name);
/* Append a whole configuration with one server that is started by `argv`. */
void bzr__client_print(const bzr__client *client, const char *server, const char *const *argv, size_t n, bzr__buf *out);
/* The same with one that is reached at `url`; `token`: the client sends what is in its variable BZR_TOKEN. */
void bzr__client_print_remote(const bzr__client *client, const char *server, const char *url, bool token,
                              bzr__buf *out);
/* Append where that belongs: the project's file if the client has one of another name for it, else the user's. */
void bzr__client_place(const bzr__client *client, bzr__buf *out);

/* ---- texts ---- */

typedef enum bzr__client_state {
    BZR__SERVER_PLAIN,   /* not wrapped */
    BZR__SERVER_WRAPPED, /* goes through the proxy */
    BZR__SERVER_OTHER,   /* cannot be wrapped, `why` says why not */
} bzr__client_state;

typedef struct bzr__client_server {
    bzr_str name;
    bzr__client_state state; /* after the change */
    bool changed;
    const char *why;
    bzr_str before, after; /* the entry, where it changed; in the arena */
    struct bzr__client_server *next;
} bzr__client_server;

typedef struct bzr__client_change {
    const bzr__client *client;
    bool undo;
    bool look;                  /* only look */
    const char *server;         /* NULL: all */
    const char *program;        /* "bezoar" */
    const char *const *options; /* for `bezoar proxy`, behind --name */
    size_t options_n;
    bzr_str backup; /* the file as it was before wrapping, or empty */
} bzr__client_change;

/* Append the changed text to `out` and list the servers, in the order of the file. Errors: BZR_E_SYNTAX (`*ret_why`
 * says what and *ret_at where), BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__client_rewrite(bzr_str text, const bzr__client_change *change, bzr__arena *arena, bzr__buf *out,
                               bzr__client_server **ret, const char **ret_why, size_t *ret_at);

/* ---- files ---- */

typedef struct bzr__client_job {
    bzr__client_change change; /* without backup */
    const char *file;          /* NULL: those of the client that there are */
    bool dry_run;
} bzr__client_job;

/* Change the configuration on disk, each file in one step and with a backup beside it (FILE.bezoar-backup, until the
 * last entry is undone). Answer:
 * {"success","client","files":[{"file","changed","servers":[{"server","state","changed","why"}], "diff"}],"text"}.
 * Errors: BZR_E_NOT_FOUND (no file, no such server), BZR_E_SYNTAX, BZR_E_IO, BZR_E_NOMEM; `message` says which file and
 * why. */
bzr_status bzr__clients_apply(const bzr__client_job *job, bzr__arena *arena, bzr__buf *answer, char message[512]);

#endif
