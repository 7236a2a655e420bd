/* act.c - a tool's call as an operation on the store.
 *
 * An operation answers with one JSON value; it becomes the structured half of the result and, for clients that read
 * only that, its text. A refusal ("success":false) is an isError result with the same value, so that the model reads
 * why. What an operation fails with is a sentence of ours. The store is opened by the first tool that needs it. */
#include "face/mcp/tools.h"

bzr_status mcp_open_store(mcp_tools *t, bool degrades) {
    if (t->opened) return BZR_OK;
    bzr_status status = (degrades ? bzr__host_open_or_degrade : bzr__host_open)(t->settings.engine, t->settings.config,
                                                                                t->settings.store, &t->host);
    t->opened = !status;
    t->host.by = BZR__READER_MODEL;
    t->host.session = t->settings.session;
    return status;
}

static bzr_status tool_failed(bzr__mcp_call *call, const mcp_tools *t, bzr_status status) {
    const char *why = *t->host.message ? t->host.message : bzr_status_message(status);
    return bzr__mcp_tool_error(call, bzr__str_z(why));
}

static bool is_refusal(bzr_str answer) {
    bzr__arena arena;
    const bzr__json *root, *success = NULL;
    const char *expected;
    size_t at;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    if (!bzr__json_parse(answer, &arena, &root, &at, &expected)) success = bzr__json_get(root, "success");
    bool refused = success && success->type == BZR__JSON_FALSE;
    bzr__arena_free(&arena);
    return refused;
}

bzr_status mcp_run_act(bzr__mcp_call *call, mcp_operation *act, bool degrades, bzr__buf *answer) {
    mcp_tools *t = call->ctx;
    bzr_status status = mcp_open_store(t, degrades);
    bzr__buf_init(answer, BZR__HOST_ANSWER_MAX / 4);
    if (status) return status;
    if (t->host.store) *t->host.message = 0;
    status = act(&t->host, call, answer);
    return status ? status : answer->status;
}

void mcp_end_act(mcp_tools *t, bzr__buf *answer) {
    bzr__buf_free(answer);
    if (t->opened && !t->host.store) { /* the next call tries the store again */
        bzr__host_close(&t->host);
        t->opened = false;
    }
    if (!t->opened) return;
    bzr__arena_free(&t->host.arena); /* a server lives long: what one operation read is not kept for the next */
    bzr__arena_init(&t->host.arena, BZR__HOST_ANSWER_MAX);
}

bzr_status mcp_finish_act(bzr__mcp_call *call, bzr_status status, bzr__buf *answer) {
    mcp_tools *t = call->ctx;
    if (status) {
        tool_failed(call, t, status);
    } else {
        bzr__mcp_set_structured(call, bzr__buf_str(answer));
        call->is_error = is_refusal(bzr__buf_str(answer));
    }
    mcp_end_act(t, answer);
    return BZR_OK;
}

static bzr_status on_store(bzr__mcp_call *call, bool degrades) {
    bzr__buf answer;
    bzr_status status = mcp_run_act(call, mcp_row_of(call)->act, degrades, &answer);
    return mcp_finish_act(call, status, &answer);
}

bzr_status mcp_on_store(bzr__mcp_call *call) { return on_store(call, false); }
bzr_status mcp_on_store_or_not(bzr__mcp_call *call) { return on_store(call, true); }
