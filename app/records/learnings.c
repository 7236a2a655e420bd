/* learnings.c - see learnings.h. */
#include "app/records/learnings.h"

#include "lib/base/str.h"

#include <stdio.h>

#define RELEVANCE 0.95 /* of what was blocked; the seed's */

bzr_status bzr__learning_from_finding(bzr__arena *arena, const bzr_finding *finding, bzr_str domain, bzr_str url,
                                      bzr__learning *ret) {
    char content[512];
    snprintf(content, sizeof content, "Blocked prompt injection from %.*s - rule %.64s (%.64s)",
             domain.n ? (int)(domain.n < 253 ? domain.n : 253) : 17, domain.n ? domain.p : "an unnamed source",
             finding->rule, finding->family);
    *ret = (bzr__learning){ .category = BZR__S("security"),
                            .content = bzr__arena_dup(arena, bzr__str_z(content)),
                            .source = BZR__S("scanner"),
                            .pattern_type = bzr__arena_dup(arena, bzr__str_z(finding->rule)),
                            .domain = domain,
                            .url = url,
                            .relevance = RELEVANCE };
    return ret->content.p && ret->pattern_type.p ? BZR_OK : BZR_E_NOMEM;
}

typedef struct listing {
    const bzr__host *host;
    bzr__buf *answer;
} listing;

/* A model is not shown the URL: it is the one member that a stranger wrote freely. */
static bool list_one(void *ctx, const bzr__learning *l) {
    const listing *to = ctx;
    bzr__buf *answer = to->answer;
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "id", l->id);
    bzr__answer_str(answer, "category", l->category);
    bzr__answer_str(answer, "content", l->content);
    bzr__answer_real(answer, "relevance", l->relevance);
    bzr__answer_str(answer, "source", l->source);
    bzr__json_add_key(answer, "attributes");
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "pattern_type", l->pattern_type);
    bzr__answer_str(answer, "domain", l->domain);
    bzr__answer_str(answer, "url", to->host->by == BZR__READER_MODEL ? bzr__str(NULL, 0) : l->url);
    bzr__answer_time(answer, "timestamp", l->first_at);
    bzr__answer_time(answer, "last_seen", l->last_at);
    bzr__answer_int(answer, "reappeared_count", l->reappeared_count);
    bzr__buf_add_z(answer, "}}");
    return !answer->status;
}

bzr_status bzr__learnings_list(bzr__host *host, bzr_str domain, uint64_t limit, bzr__buf *answer) {
    listing to = { host, answer };
    bzr__buf_add_z(answer, "{\"learnings\":[");
    bzr_status status = bzr__host_store_failed(host, bzr__store_learnings(host->store, domain, limit, list_one, &to));
    bzr__buf_add_z(answer, "]}");
    return status;
}
