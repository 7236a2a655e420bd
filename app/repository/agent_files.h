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
    toad_severity severity;
    char worst[256]; /* path of the gravest, from the directory, printable; "" where nothing is flagged */
    char rule[64];   /* ... and its gravest rule */
} toad__agent_files;

/* A directory that cannot be read holds none. Errors: TOAD_E_NOMEM. */
toad_status toad__agent_files_scan(const toad_engine *engine, const char *directory, toad__agent_files *ret);

#endif
