/* act.c - a tool's call as an operation on the store.
 *
 * What an operation answers becomes the structured half of the result and, for clients that read
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

toad_status mcp_run_act(toad__mcp_call *call, mcp_operation *act, bool degrades, toad__answer *answer) {
    mcp_tools *t = call->ctx;
    toad_status status = mcp_open_store(t, degrades);
    toad__answer_init(answer, TOAD__HOST_ANSWER_MAX);
    if (status) return status;
    if (t->host.store) *t->host.message = 0;
    status = act(&t->host, call, answer);
    return status ? status : answer->status;
}

void mcp_end_act(mcp_tools *t, toad__answer *answer) {
    toad__answer_free(answer);
    if (t->opened && !t->host.store) { /* the next call tries the store again */
        toad__host_close(&t->host);
        t->opened = false;
    }
    if (!t->opened) return;
    toad__arena_free(&t->host.arena); /* a server lives long: what one operation read is not kept for the next */
    toad__arena_init(&t->host.arena, TOAD__HOST_ANSWER_MAX);
}

toad_status mcp_finish_act(toad__mcp_call *call, toad_status status, toad__answer *answer) {
    mcp_tools *t = call->ctx;
    toad__buf json;
    toad__buf_init(&json, TOAD__HOST_ANSWER_MAX / 4);
    if (!status) toad__answer_write(answer, &json);
    if (!status) status = json.status;
    if (status) {
        tool_failed(call, t, status);
    } else {
        toad__mcp_set_structured(call, toad__buf_str(&json));
        call->is_error = toad__answer_refused(answer);
    }
    toad__buf_free(&json);
    mcp_end_act(t, answer);
    return TOAD_OK;
}

static toad_status on_store(toad__mcp_call *call, bool degrades) {
    toad__answer answer;
    toad_status status = mcp_run_act(call, mcp_row_of(call)->act, degrades, &answer);
    return mcp_finish_act(call, status, &answer);
}

toad_status mcp_on_store(toad__mcp_call *call) { return on_store(call, false); }
toad_status mcp_on_store_or_not(toad__mcp_call *call) { return on_store(call, true); }
