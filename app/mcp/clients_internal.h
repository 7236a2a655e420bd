/* clients_internal.h - an entry of a client's configuration as spans of its text, whatever the format. */
#ifndef TOAD_APP_CLIENTS_INTERNAL_H
#define TOAD_APP_CLIENTS_INTERNAL_H

#include "app/mcp/clients.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#define TOAD__CLIENT_ITEMS 256 /* arguments, variables and headers of one entry */

typedef struct toad__stretch {
    size_t from, to; /* 0, 0: there is none */
} toad__stretch;

typedef struct toad__client_item {
    toad__stretch at; /* as it stands, with its quotes */
    toad_str text;
} toad__client_item;

typedef struct toad__client_entry {
    toad_str name;
    toad__stretch at;      /* all that may change */
    size_t command_name;   /* where the member `command` begins */
    toad__stretch command; /* the string */
    toad_str command_text;
    toad__stretch args; /* the array; of a client with one array for both the command is its first item, ... */
    toad__client_item items[TOAD__CLIENT_ITEMS]; /* ... and not in these */
    size_t items_n;
    toad__stretch url, url_member, type;           /* values, and the member with its name */
    toad__stretch headers_cut;                     /* the member with one comma */
    toad__client_item headers[TOAD__CLIENT_ITEMS]; /* text: "NAME: VALUE" */
    size_t headers_n;
    toad__stretch env_cut;                     /* the member with the comma before it */
    toad__client_item env[TOAD__CLIENT_ITEMS]; /* text: the name; at: the value, in JSON */
    size_t env_n;
    const char *why; /* not NULL: leave it alone */
    struct toad__client_entry *next;
} toad__client_entry;

typedef struct toad__client_reading {
    toad_str text;
    const toad__client *client;
    toad__arena *arena;
    toad__client_entry *first, **last;
    const char *why; /* of a mistake, ... */
    size_t at;       /* ... and where */
} toad__client_reading;

/* What stands around the parts of an entry. */
typedef struct toad__client_words {
    const char *command;      /* before the program */
    const char *args;         /* between it and the arguments */
    const char *env;          /* before variables */
    const char *remote_type;  /* of a server over HTTP */
    const char *name, *value; /* around the name of a member */
} toad__client_words;
extern const toad__client_words toad__client_words_of[];

/* Read JSON with comments and trailing commas: `*ret_copy` is the text with those blanked, so that what `*ret` points
 * to stands at the same place of `text`. On TOAD_E_SYNTAX *ret_why and *ret_at say what and where. */
toad_status toad__client_parse_json(toad_str text, toad__arena *arena, toad_str *ret_copy, const toad__json **ret,
                                    const char **ret_why, size_t *ret_at);

/* Find the entries. `r->last` must point to `r->first`. Errors: TOAD_E_SYNTAX, TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__client_read_json(toad__client_reading *r);
toad_status toad__client_read_toml(toad__client_reading *r);

/* The lines of files that setup writes for agents that load code: plugins.gen.c. */
extern const char *const toad__plugin_opencode[],
    *const toad__plugin_openclaw[], *const toad__plugin_openclaw_manifest[],
                                        *const toad__plugin_openclaw_package[],
                                            *const toad__plugin_hermes[], *const toad__plugin_hermes_manifest[];

/* toad__hooks_rewrite where the whole file is ours. A file that is not ours is left alone. */
toad_status toad__plugin_rewrite(toad_str text, const toad__client_change *change, toad__arena *arena, toad__buf *out,
                                 toad__client_server **ret, const char **ret_why);

toad__client_entry *toad__client_add_entry(toad__client_reading *r, toad_str name);

#endif
