/* episode.h - an act and all that led to it, as one line of JSON, without a store or a session:
 *
 *     {"id":any, "user":"...", "trusted":["..."], "reads":[{"source":"...","args":{},"text":"..."}],
 *      "act":{"tool":"...","args":{}}}
 *
 * All but "act" may be absent, members of other names are passed over. Thread rule: as the scanner. */
#ifndef TOAD_APP_EPISODE_H
#define TOAD_APP_EPISODE_H

#include "app/act/deed.h"
#include "app/act/trace.h"
#include "lib/base/buf.h"

typedef struct toad__episode {
    toad_str id; /* the JSON value as it came; p NULL: none */
    const toad__json *root;
    toad__trace_act act;
    toad__trace_read *reads; /* those of `act`, whose orders are not known yet */
    toad__deed deed;
    char error[256]; /* why it is none, one line of ASCII */
} toad__episode;

#define TOAD__EPISODE_ARENA ((size_t)1 << 30)

/* TOAD_E_SYNTAX: it is no episode, `error` says why, and `id` is kept where it could be read. Everything points into
 * the line or the arena. */
toad_status toad__episode_read(toad_str line, toad__arena *arena, toad__episode *ret);
/* Find the passages of what was read that order something. What could not be wholly scanned may, all of it. */
toad_status toad__episode_scan(toad_scanner *scanner, toad__trace_read *read, toad__arena *arena);
/* Scan what was read, and trace the act. Errors: those of toad_scan, TOAD_E_NOMEM. */
toad_status toad__episode_judge(toad_scanner *scanner, toad__episode *episode, toad__arena *arena, toad__trace *ret);
/* Append the members "decision":"allow"|"ask","class":...,"why":...,"traced":[...]. */
void toad__episode_tell(const toad__episode *episode, const toad__trace *trace, toad__buf *out);

#endif
