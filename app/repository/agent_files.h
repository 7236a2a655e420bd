/* agent_files.h - what an agent that starts in a directory loads and obeys: instructions, memory, settings and MCP
 * configurations that lie there, and the directories that agents keep for themselves.
 *
 * Only names that an agent looks for are opened, so it costs milliseconds where scanning the repository would cost
 * seconds. Files are weighed as `scan -r` weighs them. */
#ifndef TOAD_APP_AGENT_FILES_H
#define TOAD_APP_AGENT_FILES_H

#include "app/repository/scan_tree.h"

typedef struct toad__agent_files {
    uint64_t files, flagged, incomplete; /* flagged: medium or graver */
    uint64_t closed;                     /* binary, or a link, or not to be read: not looked into */
    toad_severity severity;
    char worst[256]; /* path of the gravest, from the directory, printable; "" where nothing is flagged */
    char rule[64];   /* ... and its gravest rule */
} toad__agent_files;

/* A directory that cannot be read holds none. Errors: TOAD_E_NOMEM. */
toad_status toad__agent_files_scan(const toad_engine *engine, const char *directory, toad__agent_files *ret);

typedef struct toad__agent_look {
    const toad_engine *engine;
    const char *const *names; /* files and directories */
    size_t names_n, below;    /* `worst` is a path without its first `below` bytes */
    const char *within;       /* see scan_tree.h */
    int64_t until;            /* toad__now_ms(): no further file; 0: never */
} toad__agent_look;

/* The same of what is named. `*ret_stopped`: time was up. Errors: TOAD_E_NOMEM. */
toad_status toad__agent_files_look(const toad__agent_look *look, toad__agent_files *ret, bool *ret_stopped);

#endif
