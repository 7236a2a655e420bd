/* contents.h - the operations on stored contents: keep one, look at it, let a model read it, release it, remove it.
 *
 * The body is kept as it came and scanned; a model gets a reference, and the text in an envelope when it asks for it.
 * Blocked content is kept for the user: a model gets no id for it and cannot read it, whatever id it gives, until a
 * user who has seen it releases it, bound to its digest; what the policy asks about is blocked in this sense, and of
 * what it redacts a model gets what toad_guard leaves. When a model reads, the body is scanned and the settings are
 * asked again, so that a row written behind our back, or an attack that a new rule knows, is caught. Learnings are made
 * here from blocked findings, in words of ours. Errors common to all: those of the store, in host->message. */
#ifndef TOAD_APP_CONTENTS_H
#define TOAD_APP_CONTENTS_H

#include "app/host/host.h"
#include "app/records/fetched.h"

typedef struct toad__content_in {
    toad_str source; /* URL or name, untrusted */
    toad_str body;
    toad_kind kind;
    toad__fetched_style style;     /* of the reference */
    const toad__stored_page *page; /* the fetch it came by, kept with it; or NULL */
    toad_str as_came; /* judged in place of `body` where that is only the visible part; p NULL: body is all */
    const toad_verdict *verdict; /* the judgement where it was made already; NULL: it is made here */
    toad_str title;              /* as the page has it, untrusted; empty: the first heading of a Markdown body */
} toad__content_in;

/* Scan, keep, count the source, make learnings. Answer: {"id","url","domain","scan",...,"reference","text"}; `text` is
 * for the model. What the store fails to keep and `on_store_error` lets pass is answered with "id" and "reference"
 * null, "stored" false, "note", and as `text` the content in the configured envelope; blocked content never. */
toad_status toad__contents_store(toad__host *host, const toad__content_in *in, toad__answer *answer);
/* The same answer for what was stored before. Errors: those of the store. */
toad_status toad__contents_answer(toad__host *host, toad_str id, toad__fetched_style style, toad__answer *answer);
/* Newest first. `source` a URL or domain to look for, or empty. `limit` 0: 1000. Answer: {"contents":[...]} */
toad_status toad__contents_list(toad__host *host, toad_str source, uint64_t limit, toad__answer *answer);
/* All of it, for the user's eyes, without a trace. */
toad_status toad__contents_show(toad__host *host, toad_str id, toad__answer *answer);
/* The tool read_fetched_content: the part of the text that begins at byte `start` (moved back to where it may be cut)
 * and has at most `max` bytes (0: all that follows). Answer: {"id","url","scan","accessed_at","start","end","total",
 * "next_start","text"}, with `text` for the model and next_start null at the end; or a refusal. Bytes are those of the
 * text as it is read, sanitized and neutralized. */
toad_status toad__contents_read_part(toad__host *host, toad_str id, toad__fetched_style style, toad_envelope envelope,
                                     size_t start, size_t max, toad__answer *answer);
/* The same, all of it. */
toad_status toad__contents_read(toad__host *host, toad_str id, toad__fetched_style style, toad_envelope envelope,
                                toad__answer *answer);
/* The user's alone. `digest` is that of what they saw. */
toad_status toad__contents_release(toad__host *host, toad_str id, toad_str digest, toad__answer *answer);
toad_status toad__contents_delete(toad__host *host, toad_str id, toad__answer *answer);
/* Remove what has expired. */
toad_status toad__contents_purge(toad__host *host, toad__answer *answer);

#endif
