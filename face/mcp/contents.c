/* contents.c - stored content: fetched and read by tools, listed and read as resources.
 *
 * What a model is given of it is always the envelope of app/records/contents.h, scanned again at each reading; blocked
 * content has no id for a model, is in no list, and a resource of that name does not exist. Of a page's address only
 * the domain stands in a list: the rest of a URL is text by a stranger. */
#include "app/records/contents.h"

#include "app/web/web.h"
#include "face/mcp/tools.h"

#define PREFIX TOAD__S("toadstone://contents/")
#define LISTED 10000 /* contents that a list goes through */
#define VALUES 100   /* of a completion: the protocol's most */

/* ---- web_fetch and read_fetched_content ---- */

static toad_status read_part(toad__host *host, toad_str id, uint64_t start, uint64_t max, toad__answer *answer) {
    toad_envelope envelope = TOAD_ENVELOPE_OPENCLAW;
    if (host->config)
        toad_envelope_parse(toad__str_z(toad__config_text(host->config, TOAD__CONFIG_ENVELOPE)), &envelope);
    return toad__contents_read_part(host, id, TOAD__FETCHED_TOADSTONE, envelope, (size_t)start, (size_t)max, answer);
}

toad_status mcp_read_content(toad__host *host, const toad__mcp_call *call, toad__answer *answer) {
    toad_str id = mcp_text(call, mcp_is_given(call, "id") ? "id" : "content_id");
    if (!id.n) return toad__host_fail(host, TOAD_E_ARG, "which content? give 'id', the id that a reference names");
    return read_part(host, id, mcp_count(call, "start"), mcp_count(call, "max"), answer);
}

toad_status mcp_web_fetch(toad__host *host, const toad__mcp_call *call, toad__answer *answer) {
    toad__web_options options = toad__web_defaults();
    toad_status status = toad__web_fetch(host, &options, mcp_text(call, "url"), TOAD__FETCHED_TOADSTONE, answer);
    bool part = mcp_is_given(call, "max_length") || mcp_is_given(call, "start_index");
    toad_str id = toad__json_get_text(&answer->root, "id");
    if (status || !part || !id.n) return status;
    /* The part that was asked for, in place of the reference. */
    return read_part(host, id, mcp_count(call, "start_index"), mcp_count(call, "max_length"), answer);
}

static void add_uri(toad__buf *b, toad_str id) {
    toad__buf_add_str(b, PREFIX);
    toad__buf_add_str(b, id);
}

/* A link to what was kept, for clients that show resources. */
static void write_link(toad_str id, toad__buf *b) {
    toad__buf_add_z(b, "{\"type\":\"resource_link\",\"uri\":\"");
    add_uri(b, id);
    toad__buf_add_z(b, "\",\"name\":\"");
    toad__buf_add_str(b, id);
    toad__buf_add_z(b, "\",\"mimeType\":\"text/plain\"}");
}

toad_status mcp_run_web_fetch(toad__mcp_call *call) {
    toad__answer answer;
    toad__buf link;
    if (!toad__mcp_progress(call, 0, 1, "fetching")) return TOAD_OK;
    toad_status status = mcp_run_act(call, mcp_web_fetch, true, &answer);
    toad_str id = status ? toad__str(NULL, 0) : toad__json_get_text(&answer.root, "id");
    toad__buf_init(&link, 4096);
    if (id.n && call->version >= TOAD__MCP_2025_06_18) write_link(id, &link);
    bool wanted = toad__mcp_progress(call, 1, 1, "screened");
    status = mcp_finish_act(call, status, &answer);
    if (wanted && !call->is_error && link.n && !link.status) toad__mcp_add_json(call, toad__buf_str(&link));
    toad__buf_free(&link);
    return status;
}

/* ---- resources ---- */

/* The contents that a model may know of, newest first. `answer` is to be ended with mcp_end_act. */
static toad_status list(mcp_tools *t, uint64_t limit, toad__answer *answer) {
    toad__answer_init(answer, TOAD__HOST_ANSWER_MAX);
    toad_status status = mcp_open_store(t, false);
    if (!status) status = toad__contents_list(&t->host, toad__str(NULL, 0), limit, answer);
    return status ? status : answer->status;
}

static void add_resource(toad__mcp_call *call, const toad__json *c) {
    toad__buf uri, text;
    toad_str id = toad__json_get_text(c, "id"), domain = toad__json_get_text(c, "domain");
    toad__buf_init(&uri, 4096);
    toad__buf_init(&text, 4096);
    add_uri(&uri, id);
    toad__buf_add_str(&text, toad__json_get_text(c, "kind"));
    toad__buf_add_z(&text, ", scan: ");
    toad__buf_add_str(&text, toad__json_get_text(c, "scan"));
    toad__buf_add_z(&text, ", ");
    toad__buf_add_str(&text, toad__json_get_text(c, "scanned_at"));
    toad__mcp_resource resource = { toad__buf_str(&uri), id, domain.n && domain.n < 256 ? domain : toad__str(NULL, 0),
                                    toad__buf_str(&text), TOAD__S("text/plain") };
    if (!uri.status && !text.status) toad__mcp_add_resource(call, &resource);
    toad__buf_free(&uri);
    toad__buf_free(&text);
}

toad_status mcp_list_resources(toad__mcp_call *call) {
    mcp_tools *t = call->ctx;
    toad__answer answer;
    if (call->from >= LISTED) return toad__mcp_fail(call, TOAD__RPC_PARAMS, "the cursor is none of ours");
    toad_status status = list(t, call->from + call->most + 1, &answer);
    if (!status) { /* the first of all is the memory */
        const toad__json *c = toad__json_get(&answer.root, "contents")->child;
        if (!call->from) mcp_list_memory(call);
        for (uint64_t i = 1; c && i < call->from; i++) c = c->next;
        for (size_t i = call->from ? 0 : 1; c && i < call->most; i++, c = c->next)
            if (toad__json_get_text(c, "id").n) add_resource(call, c);
        call->more = c != NULL && call->from + call->most < LISTED;
    }
    mcp_end_act(t, &answer);
    return status;
}

toad_status mcp_read_resource(toad__mcp_call *call) {
    mcp_tools *t = call->ctx;
    toad__answer answer;
    if (toad__str_eq(call->name, MCP_MEMORY_URI)) return mcp_read_memory(call);
    if (!toad__str_starts(call->name, PREFIX)) return TOAD_E_NOT_FOUND;
    toad__answer_init(&answer, TOAD__HOST_ANSWER_MAX);
    toad_status status = mcp_open_store(t, false);
    if (!status) status = read_part(&t->host, toad__str_part(call->name, PREFIX.n, call->name.n), 0, 0, &answer);
    if (!status) status = answer.status;
    if (!status && toad__answer_refused(&answer)) status = TOAD_E_NOT_FOUND;
    if (!status) toad__mcp_add_contents(call, "text/plain", toad__json_get_text(&answer.root, "text"));
    mcp_end_act(t, &answer);
    return status;
}

/* Ids of the template's variable that begin as what was typed. */
toad_status mcp_complete(toad__mcp_call *call) {
    mcp_tools *t = call->ctx;
    toad__answer answer;
    toad__buf id;
    size_t n = 0;
    toad_str typed = mcp_text(call, "value"), uri = toad__json_get_text(toad__json_get(call->params, "ref"), "uri");
    if (!toad__str_eq(uri, TOAD__S("toadstone://contents/{id}")) ||
        !toad__str_eq(mcp_text(call, "name"), TOAD__S("id")))
        return TOAD_OK;
    toad_status status = list(t, LISTED, &answer);
    if (!status) {
        toad__buf_init(&id, 4096);
        for (const toad__json *c = toad__json_get(&answer.root, "contents")->child; c && !call->more; c = c->next) {
            toad_str text = toad__json_get_text(c, "id");
            if (!text.n || !toad__str_starts(text, typed)) continue;
            call->more = n == VALUES;
            toad__buf_clear(&id);
            toad__json_add_str(&id, text);
            if (n++ < VALUES) toad__mcp_add_json(call, toad__buf_str(&id));
        }
        toad__buf_free(&id);
    }
    mcp_end_act(t, &answer);
    return status;
}
