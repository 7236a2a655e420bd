/* feed.h - headlines of feeds as a Markdown file that an agent may read.
 *
 * Each feed is one content of its URL, kept and judged like a fetched page; each headline is judged alone as well, so
 * that one bad headline does not take the others with it. What is written is upstream's form, each headline within
 * <external_content>. */
#ifndef TOAD_APP_FEED_H
#define TOAD_APP_FEED_H

#include "app/host/host.h"
#include "app/web/web.h"

typedef struct toad__feed_source {
    toad_str name; /* of the section; empty: the host */
    toad_str url;
} toad__feed_source;

/* Fetch the feeds, one after the other, and write them to `path` in one step (NULL: nowhere); at most `most` headlines
 * of each (0: 20). Answer: {"success","file","headlines","blocked","failed","feeds":[{"name","url","format","id",
 * "headlines","blocked","error"}],"text"}; success is false where every feed failed. A model may not write a file.
 * Errors: those of toad__contents_store, TOAD_E_IO (no libcurl; the file could not be written). */
toad_status toad__feed_write(toad__host *host, const toad__web_options *options, const toad__feed_source *feeds,
                             size_t n, size_t most, const char *path, toad__answer *answer);

#endif
