/* pins.h - tool pinning: what a server said its tools are, and whether that is still what was trusted.
 *
 * A tool is known by server and name, and pinned by the SHA-256 of the canonical JSON (RFC 8785) of its definition
 * (of _meta what a client may render), so that another order of members or white space is no change and another
 * description, schema or hint is. One that is seen for the first time is trusted, unless a scan objects, its name
 * passes for that of another tool, it speaks of another server's tools, or the pinning is strict. One that has changed
 * since is held: left out of tools/list, calls to it are answered with an error, until the user approves exactly this
 * definition. An approval is an event in the audit log and bound to the digest; no model can give it.
 *
 * The rows of the store are kept in memory; they are read again before each list, so that an approval takes effect with
 * the next list. Without a store the pins live as long as the process. Thread rule: one thread at a time. */
#ifndef TOAD_APP_PINS_H
#define TOAD_APP_PINS_H

#include "app/host/host.h"

#define TOAD__PINS_MAX 4096 /* tools of all servers; a server that brings more is told nothing, the tools are held */

typedef struct toad__pins toad__pins;

typedef struct toad__pin_ruling {
    bool held;
    char why[256]; /* ours, with names of tools escaped; also of a tool that is not held, where there is something to
                      know */
} toad__pin_ruling;

/* `host` is borrowed; its store may be NULL. Errors: TOAD_E_NOMEM. */
toad_status toad__pins_new(toad__host *host, bool strict, toad__pins **ret);
void toad__pins_free(toad__pins *p); /* NULL is a no-op */

/* One tools/list: begin with the array, weigh each of its items, end. `objection`: ids of the rules that matched, or
 * NULL. On an error the whole list must be withheld. Errors: TOAD_E_NOMEM, those of the store (in host->message). */
toad_status toad__pins_begin(toad__pins *p, toad_str server, const toad__json *tools);
toad_status toad__pins_weigh(toad__pins *p, const toad__json *tool, const char *objection, toad__pin_ruling *ret);
/* Keep what is new, in one transaction with its events. */
toad_status toad__pins_end(toad__pins *p);

/* May this tool be called? Looks into the store again before it says no. */
toad_status toad__pins_call(toad__pins *p, toad_str server, toad_str tool, toad__pin_ruling *ret);
/* The tool's outputSchema, or NULL; *known tells whether the tool is known at all. Valid until the next call. */
toad_status toad__pins_schema(toad__pins *p, toad_str server, toad_str tool, const toad__json **ret, bool *known);

/* ---- operations: `toadstone proxy status|tools|approve|diff` ---- */

/* Answer: {"servers":[{"server","tools","held","changed_at"}]} */
toad_status toad__pins_status(toad__host *host, toad__answer *answer);
/* `server` empty: of all. Answer:
 * {"tools":[{"server","tool","state","why","digest","approved","by_user","first_seen","changed_at"}]} */
toad_status toad__pins_list(toad__host *host, toad_str server, bool held_only, toad__answer *answer);
/* What was trusted and what is there now, with what changed between. Answer: {"server","tool","state","why","digest",
 * "approved","old","new","text"}; `text` is for a person: everything of theirs escaped. */
toad_status toad__pins_diff(toad__host *host, toad_str server, toad_str tool, toad__answer *answer);
/* The user's alone. `digest` is that of the definition they saw. Answer: {"success","server","tool","digest"} */
toad_status toad__pins_approve(toad__host *host, toad_str server, toad_str tool, toad_str digest, toad__answer *answer);
/* The user's alone: forget a tool, or all of a server (`tool` empty); they are new when seen again. Answer:
 * {"success","removed"} */
toad_status toad__pins_forget(toad__host *host, toad_str server, toad_str tool, toad__answer *answer);

#endif
