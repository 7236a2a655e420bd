/* contents.h - the operations on stored contents: keep one, look at it, let a model read it, release it, remove it
 * (seed 004).
 *
 * The body is kept as it came and scanned; a model gets a reference, and the text in an envelope when it asks for it.
 * Blocked content is kept for the user: a model gets no id for it and cannot read it, whatever id it gives, until a
 * user who has seen it releases it, bound to its digest. When a model reads, the body is scanned again, so that a row
 * written behind our back, or an attack that a new rule knows, is caught. Learnings are made here from blocked
 * findings, in words of ours. Errors common to all: those of the store, in host->message. */
#ifndef BZR_APP_CONTENTS_H
#define BZR_APP_CONTENTS_H

#include "app/records/fetched.h"
#include "app/host/host.h"

typedef struct bzr__content_in {
    bzr_str source; /* URL or name, untrusted */
    bzr_str body;
    bzr_kind kind;
    bzr__fetched_style style; /* of the reference */
    const bzr__stored_page *page; /* the fetch it came by, kept with it; or NULL */
    bzr_str as_came;          /* judged in place of `body` where that is only the visible part; p NULL: body is all */
    bzr_str title;            /* as the page has it, untrusted; empty: the first heading of a Markdown body */
} bzr__content_in;

/* Scan, keep, count the source, make learnings. Answer: {"id","url","domain","scan",...,"reference","text"}; `text` is
 * for the model. What the store fails to keep and `on_store_error` lets pass is answered with "id" and "reference"
 * null, "stored" false, "note", and as `text` the content in the configured envelope; blocked content never. */
bzr_status bzr__contents_store(bzr__host *host, const bzr__content_in *in, bzr__buf *answer);
/* The same answer for what was stored before. Errors: those of the store. */
bzr_status bzr__contents_answer(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr__buf *answer);
/* Newest first. `source` a URL or domain to look for, or empty. `limit` 0: 1000. Answer: {"contents":[...]} */
bzr_status bzr__contents_list(bzr__host *host, bzr_str source, uint64_t limit, bzr__buf *answer);
/* All of it, for the user's eyes, without a trace. */
bzr_status bzr__contents_show(bzr__host *host, bzr_str id, bzr__buf *answer);
/* Seed 004's read_fetched_content: the part of the text that begins at byte `start` (moved back to where it may be cut)
 * and has at most `max` bytes (0: all that follows). Answer: {"id","url","scan","accessed_at","start","end","total",
 * "next_start","text"}, with `text` for the model and next_start null at the end; or a refusal. Bytes are those of the
 * text as it is read, sanitized and neutralized. */
bzr_status bzr__contents_read_part(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr_envelope envelope,
                                   size_t start, size_t max, bzr__buf *answer);
/* The same, all of it. */
bzr_status bzr__contents_read(bzr__host *host, bzr_str id, bzr__fetched_style style, bzr_envelope envelope,
                              bzr__buf *answer);
/* The user's alone. `digest` is that of what they saw. */
bzr_status bzr__contents_release(bzr__host *host, bzr_str id, bzr_str digest, bzr__buf *answer);
bzr_status bzr__contents_delete(bzr__host *host, bzr_str id, bzr__buf *answer);
/* Remove what has expired. */
bzr_status bzr__contents_purge(bzr__host *host, bzr__buf *answer);

#endif
