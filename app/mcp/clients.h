/* clients.h - the coding agents that are MCP clients: where each keeps its servers, and how an entry there is made to
 * go through the proxy and back.
 *
 * A configuration belongs to its user. Only the bytes of an entry that have to change are changed: comments, order,
 * spacing and everything that is not understood stay as they are. What cannot be read safely is left alone, with a
 * reason. Undoing takes the entry from the backup where wrapping it again would give exactly what stands in the file,
 * else from the entry itself, so that later edits survive. The functions on texts are pure. */
#ifndef TOAD_APP_CLIENTS_H
#define TOAD_APP_CLIENTS_H

#include "app/host/answer.h"

#define TOAD__CLIENT_NAMES "claude codex gemini cursor opencode qwen copilot vscode windsurf"
#define TOAD__CLIENT_FILE  ((size_t)16 << 20) /* bytes of a configuration */

/* How an entry is written: JSON with comments; the same with one array for command and arguments; TOML. */
typedef enum toad__client_shape { TOAD__CLIENT_JSON, TOAD__CLIENT_ARGV, TOAD__CLIENT_TOML } toad__client_shape;

typedef struct toad__client { /* rows and fields: clients.def */
    const char *name, *title;
    toad__client_shape shape;
    const char *root;
    const char *user[3], *project[3];
    const char *home, *stdio_type, *url_keys, *more, *remote, *token;
} toad__client;

/* The i-th, in the order of their names above; NULL behind the last. */
const toad__client *toad__client_at(size_t i);
/* NULL: there is none of this name. */
const toad__client *toad__client_find(const char *name);
/* Append a whole configuration with one server that is started by `argv`. */
void toad__client_print(const toad__client *client, const char *server, const char *const *argv, size_t n,
                        toad__buf *out);
/* The same with one that is reached at `url`; `token`: the client sends what is in its variable TOAD_TOKEN. */
void toad__client_print_remote(const toad__client *client, const char *server, const char *url, bool token,
                               toad__buf *out);
/* Append where that belongs: the project's file if the client has one of another name for it, else the user's. */
void toad__client_place(const toad__client *client, toad__buf *out);

/* Where an agent keeps its hooks, and how one of ours is written; rows and fields: hook_files.def. */
typedef struct toad__hook_file {
    const char *name, *title, *own, *user, *project, *home, *item, *head, *events;
    const char *const *lines; /* not NULL: the whole file is ours, and `item` and `head` are not looked at */
} toad__hook_file;

#define TOAD__HOOK_NAMES "claude codex gemini qwen copilot cursor windsurf opencode openclaw hermes"
/* An agent is here if it has a directory of its own. */
bool toad__hook_file_is_here(const toad__hook_file *h);
/* NULL: there is none of this name, or no i-th. A further file of an agent has a row without events behind its first.
 */
const toad__hook_file *toad__hook_file_find(const char *name);
const toad__hook_file *toad__hook_file_at(size_t i);

/* Append a word of a command, in single quotes where a shell would see more than one. */
void toad__client_add_word(toad__buf *b, toad_str word);

/* ---- texts ---- */

typedef enum toad__client_state {
    TOAD__SERVER_PLAIN,   /* not wrapped */
    TOAD__SERVER_WRAPPED, /* goes through the proxy */
    TOAD__SERVER_OTHER,   /* cannot be wrapped, `why` says why not */
} toad__client_state;

typedef struct toad__client_server {
    toad_str name;
    toad__client_state state; /* after the change */
    bool changed;
    const char *why;
    toad_str programs[2];   /* what the client starts, and what the proxy starts behind that; or empty */
    toad_str command;       /* for a shell, where it is ours: the hook's; the proxy's, up to the server it starts */
    toad_str before, after; /* the entry, where it changed; in the arena */
    struct toad__client_server *next;
} toad__client_server;

typedef struct toad__client_change {
    const toad__client *client;
    const toad__hook_file *hooks; /* not NULL: its hooks are meant, and `client` is not looked at */
    bool undo;
    bool look;                  /* only look */
    bool commands;              /* also tell the commands that are ours; they may hold values of variables */
    bool remote;                /* also servers over HTTP that are sent no header: they may log in with OAuth */
    const char *server;         /* NULL: all */
    const char *program;        /* its absolute path; NULL where nothing is wrapped */
    const char *const *options; /* for `toadstone proxy`, behind --name; for `toadstone hook`, behind --event */
    size_t options_n;
    toad_str backup; /* the file as it was before wrapping, or empty */
} toad__client_change;

/* Append the changed text to `out` and list the servers, in the order of the file. Errors: TOAD_E_SYNTAX (`*ret_why`
 * says what and *ret_at where), TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__client_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                 toad__client_server **ret, const char **ret_why, size_t *ret_at);

/* The same for hooks: each event of the agent is listed as a server is, installed or not, and only our own hooks are
 * added and taken out. What is added is cut out again to the byte, so there is no backup. An empty text becomes a whole
 * file, and the other way round. */
toad_status toad__hooks_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                toad__client_server **ret, const char **ret_why, size_t *ret_at);

/* ---- files ---- */

typedef struct toad__client_job {
    toad__client_change change; /* without backup */
    const char *file;           /* NULL: those of the client that there are */
    bool project;               /* hooks: in the project's file, not the user's */
    bool dry_run;
} toad__client_job;

/* Change the configuration on disk, each file in one step and with a backup below the user's state directory (until the
 * last entry is undone). Answer:
 * {"success","client","replaced" (hooks that were installed, by
 * others),"files":[{"file","changed","servers":[{"server","state","changed","why","broken"}], "diff"}],"text"}. Errors:
 * TOAD_E_NOT_FOUND (no file, no such server), TOAD_E_SYNTAX, TOAD_E_IO, TOAD_E_NOMEM; `message` says which file and
 * why. */
toad_status toad__clients_apply(const toad__client_job *job, toad__arena *arena, toad__answer *answer,
                                char message[512]);

/* Look at all clients that have a configuration here, and at all agents that could have hooks, and change nothing; one
 * that cannot be read is told with its error, and the next is looked at. Adds "clients":[{"client","title","files":[as
 * above]}] and "agents":[{"agent","title","files":[{"file","hooks":[{"event","installed"}]}]}]. Errors: TOAD_E_NOMEM.
 */
toad_status toad__clients_look(toad__arena *arena, toad__answer *answer);

#endif
