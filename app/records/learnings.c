/* learnings.c - see learnings.h. */
#include "app/records/learnings.h"

#include "lib/base/str.h"

#include <stdio.h>

#define RELEVANCE 0.95 /* of what was blocked; nanofolks' */

toad_status toad__learning_from_finding(toad__arena *arena, const toad_finding *finding, toad_str domain, toad_str url,
                                        toad__learning *ret) {
    char content[512];
    snprintf(content, sizeof content, "Blocked prompt injection from %.*s - rule %.64s (%.64s)",
             domain.n ? (int)(domain.n < 253 ? domain.n : 253) : 17, domain.n ? domain.p : "an unnamed source",
             finding->rule, finding->family);
    *ret = (toad__learning){ .category = TOAD__S("security"),
                             .content = toad__arena_dup(arena, toad__str_z(content)),
                             .source = TOAD__S("scanner"),
                             .pattern_type = toad__arena_dup(arena, toad__str_z(finding->rule)),
                             .domain = domain,
                             .url = url,
                             .relevance = RELEVANCE };
    return ret->content.p && ret->pattern_type.p ? TOAD_OK : TOAD_E_NOMEM;
}

typedef struct listing {
    const toad__host *host;
    toad__answer *answer;
} listing;

/* A model is not shown the URL: it is the one member that a stranger wrote freely. */
static bool list_one(void *ctx, const toad__learning *l) {
    const listing *to = ctx;
    toad__answer *answer = to->answer;
    toad__answer_object(answer, NULL);
    toad__answer_str(answer, "id", l->id);
    toad__answer_str(answer, "category", l->category);
    toad__answer_str(answer, "content", l->content);
    toad__answer_real(answer, "relevance", l->relevance);
    toad__answer_str(answer, "source", l->source);
    toad__answer_object(answer, "attributes");
    toad__answer_str(answer, "pattern_type", l->pattern_type);
    toad__answer_str(answer, "domain", l->domain);
    toad__answer_str(answer, "url", to->host->by == TOAD__READER_MODEL ? toad__str(NULL, 0) : l->url);
    toad__answer_time(answer, "timestamp", l->first_at);
    toad__answer_time(answer, "last_seen", l->last_at);
    toad__answer_int(answer, "reappeared_count", l->reappeared_count);
    toad__answer_end(answer);
    toad__answer_end(answer);
    return !answer->status;
}

toad_status toad__learnings_list(toad__host *host, toad_str domain, uint64_t limit, toad__answer *answer) {
    listing to = { host, answer };
    toad__answer_array(answer, "learnings");
    toad_status status =
        toad__host_store_failed(host, toad__store_learnings(host->store, domain, limit, list_one, &to));
    toad__answer_end(answer);
    return status;
}
