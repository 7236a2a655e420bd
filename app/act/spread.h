/* spread.h - the taint of what was read passes through the files that an agent writes.
 *
 * A file that was written with something of a content in it is remembered as come from that content; whoever reads the
 * file has read the content. A path is what the call said, without "./": the same file by another name is not known. */
#ifndef TOAD_APP_SPREAD_H
#define TOAD_APP_SPREAD_H

#include "app/act/taint.h"

/* A session of this name holds the references of a file, and is nobody's. */
#define TOAD__FILE_SESSION "file:"

/* host->session may write `path`: keep which of its contents stand in what it writes. */
toad_status toad__spread_to_file(toad__host *host, toad_str path, const toad__taint *taint);
/* host->session may read `path`: it has now read what the file came from. */
toad_status toad__spread_from_file(toad__host *host, toad__arena *arena, toad_str path);

#endif
