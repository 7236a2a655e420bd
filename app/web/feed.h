/* feed.h - headlines of feeds as a Markdown file that an agent may read (seed 000).
 *
 * Each feed is one content of its URL, kept and judged like a fetched page; each headline is judged alone as well, so
 * that one bad headline does not take the others with it. What is written is upstream's form, each headline within
 * <external_content>. */
#ifndef BZR_APP_FEED_H
#define BZR_APP_FEED_H

#include "app/host/host.h"
#include "app/web/web.h"

typedef struct bzr__feed_source {
    bzr_str name; /* of the section; empty: the host */
    bzr_str url;
} bzr__feed_source;

/* Fetch the feeds, one after the other, and write them to `path` in one step (NULL: nowhere); at most `most` headlines
 * of each (0: 20). Answer: {"success","file","headlines","blocked","failed","feeds":[{"name","url","format","id",
 * "headlines","blocked","error"}],"text"}; success is false where every feed failed. A model may not write a file.
 * Errors: those of bzr__contents_store, BZR_E_IO (no libcurl; the file could not be written). */
bzr_status bzr__feed_write(bzr__host *host, const bzr__web_options *options, const bzr__feed_source *feeds, size_t n,
                           size_t most, const char *path, bzr__buf *answer);

#endif
