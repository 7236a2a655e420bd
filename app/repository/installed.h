/* installed.h - what is installed for an agent in the user's own directories: skills, plugins, extensions, commands. A
 * stranger wrote most of it, and the agent obeys it wherever it works, so it is scanned when it is first seen, and
 * again when one of its files has changed.
 *
 * What was looked at and found harmless is remembered in the store by a digest of its files' names, sizes, times and
 * inodes: nobody but root sets the time at which an inode changed, so bytes are read only where they are new, and the
 * start of a session costs a few system calls a file. What is flagged is not remembered, and told each time. Containers
 * are opened as `scan` does; what stays closed is counted, and told once. */
#ifndef TOAD_APP_INSTALLED_H
#define TOAD_APP_INSTALLED_H

#include "app/host/host.h"
#include "app/repository/agent_files.h"

typedef struct toad__installed {
    toad__agent_files files; /* of what was looked at now; `worst` from the home directory on, or absolute */
    uint64_t things, fresh;  /* skills, plugins, ...; looked at now */
    uint64_t later;          /* for which there was no time */
} toad__installed;

/* Of the agent of this name; one that is not in the table has nothing. Nothing is begun after `until` (toad__now_ms).
 * Without a store all of it is looked at. Errors: TOAD_E_NOMEM; what the store cannot remember is looked at again. */
toad_status toad__installed_scan(toad__host *host, const char *agent, int64_t until, toad__installed *ret);
/* Of the thing of this name alone, among those and among what stands in the same places of the project. */
toad_status toad__installed_named(toad__host *host, const char *agent, const char *directory, toad_str name,
                                  int64_t until, toad__installed *ret);

#endif
