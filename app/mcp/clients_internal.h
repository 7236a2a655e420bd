/* clients_internal.h - an entry of a client's configuration as spans of its text, whatever the format. */
#ifndef BZR_APP_CLIENTS_INTERNAL_H
#define BZR_APP_CLIENTS_INTERNAL_H

#include "app/mcp/clients.h"
#include "lib/base/str.h"

#define BZR__CLIENT_ITEMS 256 /* arguments, variables and headers of one entry */

typedef struct bzr__stretch {
    size_t from, to; /* 0, 0: there is none */
} bzr__stretch;

typedef struct bzr__client_item {
    bzr__stretch at; /* as it stands, with its quotes */
    bzr_str text;
} bzr__client_item;

typedef struct bzr__client_entry {
    bzr_str name;
    bzr__stretch at;      /* all that may change */
    size_t command_name;  /* where the member `command` begins */
    bzr__stretch command; /* the value, a string; of an argv client none */
    bzr_str command_text;
    bzr__stretch args; /* the array */
    bzr__client_item items[BZR__CLIENT_ITEMS];
    size_t items_n;
    bzr__stretch url, url_member, type; /* values, and the member with its name */
    bzr_str type_text;
    bzr__stretch headers_cut;                    /* the member with one comma */
    bzr__client_item headers[BZR__CLIENT_ITEMS]; /* text: "NAME: VALUE" */
    size_t headers_n;
    bzr__stretch env_cut; /* the member with the comma before it */
    bzr__client_item env[BZR__CLIENT_ITEMS]; /* text: the name; at: the value, in JSON */
    size_t env_n;
    const char *why; /* not NULL: leave it alone */
    struct bzr__client_entry *next;
} bzr__client_entry;

typedef struct bzr__client_reading {
    bzr_str text;
    const bzr__client *client;
    bzr__arena *arena;
    bzr__client_entry *first, **last;
    const char *why; /* of a mistake, ... */
    size_t at;       /* ... and where */
} bzr__client_reading;

/* Find the entries. `r->last` must point to `r->first`. Errors: BZR_E_SYNTAX, BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__client_read_json(bzr__client_reading *r);
bzr_status bzr__client_read_toml(bzr__client_reading *r);

bzr__client_entry *bzr__client_add_entry(bzr__client_reading *r, bzr_str name);

#endif
