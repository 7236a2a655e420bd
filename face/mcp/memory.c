/* memory.c - the snapshot of memory over MCP: a tool that every client has, a prompt for those that show prompts to
 * people, and a resource for those that attach them. All three give the same bytes for the whole session. */
#include "app/memory/memory.h"

#include "face/mcp/tools.h"

toad_status mcp_render_memories(toad__host *host, const toad__mcp_call *call, toad__answer *answer) {
    toad__memory_wanted all = { .limit = 0 };
    (void)call;
    return toad__memory_render(host, &all, TOAD_ENVELOPE_EXTERNAL_CONTENT, answer);
}

/* `answer` is to be ended with mcp_end_act. */
static toad_status render(toad__mcp_call *call, toad__answer *answer, toad_str *ret) {
    toad_status status = mcp_run_act(call, mcp_render_memories, false, answer);
    toad_str text = status ? TOAD__S("") : toad__json_get_text(&answer->root, "text");
    *ret = text.n ? text : TOAD__S("Nothing is remembered yet.");
    return status;
}

toad_status mcp_memory_prompt(toad__mcp_call *call) {
    toad__answer answer;
    toad_str text;
    toad_status status = render(call, &answer, &text);
    if (!status) toad__mcp_add_message(call, "user", text);
    mcp_end_act(call->ctx, &answer);
    return status;
}

void mcp_list_memory(toad__mcp_call *call) {
    toad__mcp_add_resource(call, &(toad__mcp_resource){ MCP_MEMORY_URI, TOAD__S("memory"), TOAD__S("Memory"),
                                                        TOAD__S("What is remembered, as a section of a system prompt; "
                                                                "the same bytes for the whole session."),
                                                        TOAD__S("text/markdown") });
}

toad_status mcp_read_memory(toad__mcp_call *call) {
    toad__answer answer;
    toad_str text;
    toad_status status = render(call, &answer, &text);
    if (!status) toad__mcp_add_contents(call, "text/markdown", text);
    mcp_end_act(call->ctx, &answer);
    return status;
}
