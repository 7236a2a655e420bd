/* memory_file.h - memory as Markdown files in outheis' format, and the check of agents' own memory and
 * instruction files.
 *
 * A file is only replaced where it holds what Toadstone last read from it or wrote to it, as the audit log has it;
 * whatever else stands there was put there behind our back and is left alone. Files are the user's: a model may neither
 * import nor export. */
#ifndef TOAD_APP_MEMORY_FILE_H
#define TOAD_APP_MEMORY_FILE_H

#include "app/memory/memory.h"

/* Add the entries of a file that are good, or with `all_or_nothing` none where one is bad; those that are there already
 * (same category and content) are counted, not added again. What stands whole in <external_content>, as the snapshot
 * and the file of feeds have it, is an external entry of what is inside; a tag anywhere else is refused.
 * {"success":true,"added","ids","duplicates","other_lines"[,"refused","refused_total"]}, or
 * {"success":false,"error",...}. `wanted->category` (p NULL: from the file's headings, else its name) and
 * `wanted->provenance` (at most so trusted) hold for all of them. */
toad_status toad__memory_import(toad__host *host, const char *path, const toad__memory_wanted *wanted,
                                bool all_or_nothing, toad__answer *answer);

/* Write the entries wanted to a file. {"success":true,"file","entries","blocked","sha256","written"}; bad rows are left
 * out and counted.
 * {"success":false,"error"} where the file was changed behind our back, holds lines that would be lost, or is a
 * symbolic link. */
toad_status toad__memory_export(toad__host *host, const char *path, const toad__memory_wanted *wanted,
                                toad__answer *answer);
/* The same as {"text","entries","blocked"}, for standard output. */
toad_status toad__memory_export_text(toad__host *host, const toad__memory_wanted *wanted, toad__answer *answer);

/* Scan agents' own files where they stand; nothing is changed. Needs no store. A directory stands for the files in it
 * that are known by name (MEMORY.md, CLAUDE.md, AGENTS.md, SOUL.md, .cursorrules, ...).
 * {"files":[{"file","kind","action","severity","completeness","findings":[{"rule","severity","line","column",
 * "start","end","path","excerpt","why"}]} or {"file","error"}],"checked","bad","failed"}; bad: medium or high. */
toad_status toad__memory_check(toad__host *host, const char *const *paths, size_t n, toad__answer *answer);

#endif
