/* act.c - a tool's call as an operation on the store.
 *
 * An operation answers with one JSON value; it becomes the structured half of the result and, for clients that read
 * only that, its text. A refusal ("success":false) is an isError result with the same value, so that the model reads
 * why. What an operation fails with is a sentence of ours. The store is opened by the first tool that needs it. */
#include "face/mcp/tools.h"

toad_status mcp_open_store(mcp_tools *t, bool degrades) {
    if (t->opened) return TOAD_OK;
    toad_status status = (degrades ? toad__host_open_or_degrade : toad__host_open)(
        t->settings.engine, t->settings.config, t->settings.store, &t->host);
    t->opened = !status;
    t->host.by = TOAD__READER_MODEL;
    t->host.session = t->settings.session;
    return status;
}

static toad_status tool_failed(toad__mcp_call *call, const mcp_tools *t, toad_status status) {
    const char *why = *t->host.message ? t->host.message : toad_status_message(status);
    return toad__mcp_tool_error(call, toad__str_z(why));
}

static bool is_refusal(toad_str answer) {
    toad__arena arena;
    const toad__json *root, *success = NULL;
    const char *expected;
    size_t at;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    if (!toad__json_parse(answer, &arena, &root, &at, &expected)) success = toad__json_get(root, "success");
    bool refused = success && success->type == TOAD__JSON_FALSE;
    toad__arena_free(&arena);
    return refused;
}

toad_status mcp_run_act(toad__mcp_call *call, mcp_operation *act, bool degrades, toad__buf *answer) {
    mcp_tools *t = call->ctx;
    toad_status status = mcp_open_store(t, degrades);
    toad__buf_init(answer, TOAD__HOST_ANSWER_MAX / 4);
    if (status) return status;
    if (t->host.store) *t->host.message = 0;
    status = act(&t->host, call, answer);
    return status ? status : answer->status;
}

void mcp_end_act(mcp_tools *t, toad__buf *answer) {
    toad__buf_free(answer);
    if (t->opened && !t->host.store) { /* the next call tries the store again */
        toad__host_close(&t->host);
        t->opened = false;
    }
    if (!t->opened) return;
    toad__arena_free(&t->host.arena); /* a server lives long: what one operation read is not kept for the next */
    toad__arena_init(&t->host.arena, TOAD__HOST_ANSWER_MAX);
}

toad_status mcp_finish_act(toad__mcp_call *call, toad_status status, toad__buf *answer) {
    mcp_tools *t = call->ctx;
    if (status) {
        tool_failed(call, t, status);
    } else {
        toad__mcp_set_structured(call, toad__buf_str(answer));
        call->is_error = is_refusal(toad__buf_str(answer));
    }
    mcp_end_act(t, answer);
    return TOAD_OK;
}

static toad_status on_store(toad__mcp_call *call, bool degrades) {
    toad__buf answer;
    toad_status status = mcp_run_act(call, mcp_row_of(call)->act, degrades, &answer);
    return mcp_finish_act(call, status, &answer);
}

toad_status mcp_on_store(toad__mcp_call *call) { return on_store(call, false); }
toad_status mcp_on_store_or_not(toad__mcp_call *call) { return on_store(call, true); }
