/* contents.c - stored content: fetched and read by tools, listed and read as resources.
 *
 * What a model is given of it is always the envelope of app/records/contents.h, scanned again at each reading; blocked content
 * has no id for a model, is in no list, and a resource of that name does not exist. Of a page's address only the domain
 * stands in a list: the rest of a URL is text by a stranger. */
#include "app/records/contents.h"

#include "app/web/web.h"
#include "face/mcp/tools.h"

#define PREFIX BZR__S("bezoar://contents/")
#define LISTED 10000 /* contents that a list goes through */
#define VALUES 100   /* of a completion: the protocol's most */

/* ---- the answers of the operations, taken apart ---- */

typedef struct parsed {
    bzr__arena arena;
    const bzr__json *root;
} parsed;

static bzr_status parse(bzr_str answer, parsed *ret) {
    const char *expected;
    size_t at;
    bzr__arena_init(&ret->arena, BZR__HOST_ANSWER_MAX);
    ret->root = NULL;
    bzr_status status = bzr__json_parse(answer, &ret->arena, &ret->root, &at, &expected);
    if (status) bzr__arena_free(&ret->arena);
    return status;
}

static void add_raw(bzr__buf *b, const bzr__json *member) {
    bzr__buf_add_c(b, b->p[b->n - 1] == '{' ? ' ' : ',');
    bzr__json_add_str(b, member->key);
    bzr__buf_add_c(b, ':');
    bzr__buf_add_str(b, member->raw);
}

/* All members of both; the second's win. */
static void merge(const bzr__json *a, const bzr__json *b, bzr__buf *out) {
    bzr__buf_add_c(out, '{');
    for (const bzr__json *m = a->child; m; m = m->next) {
        const bzr__json *other = b->child;
        while (other && !bzr__str_eq(other->key, m->key)) other = other->next;
        if (!other) add_raw(out, m);
    }
    for (const bzr__json *m = b->child; m; m = m->next) add_raw(out, m);
    bzr__buf_add_c(out, '}');
}

/* ---- web_fetch and read_fetched_content ---- */

static bzr_status read_part(bzr__host *host, bzr_str id, uint64_t start, uint64_t max, bzr__buf *answer) {
    bzr_envelope envelope = BZR_ENVELOPE_OPENCLAW;
    if (host->config) bzr_envelope_parse(bzr__str_z(bzr__config_text(host->config, BZR__CONFIG_ENVELOPE)), &envelope);
    return bzr__contents_read_part(host, id, BZR__FETCHED_BEZOAR, envelope, (size_t)start, (size_t)max, answer);
}

bzr_status mcp_read_content(bzr__host *host, const bzr__mcp_call *call, bzr__buf *answer) {
    return read_part(host, mcp_text(call, "id"), mcp_count(call, "start"), mcp_count(call, "max"), answer);
}

/* The part that was asked for, in place of the reference. */
static bzr_status add_part(bzr__host *host, const bzr__mcp_call *call, const bzr__json *fetched, bzr__buf *answer) {
    bzr__buf part;
    parsed p;
    bzr__buf_init(&part, BZR__HOST_ANSWER_MAX);
    bzr_status status = read_part(host, bzr__json_get_text(fetched, "id"), mcp_count(call, "start_index"),
                                  mcp_count(call, "max_length"), &part);
    if (!status) status = part.status ? part.status : parse(bzr__buf_str(&part), &p);
    if (!status) {
        merge(fetched, p.root, answer);
        bzr__arena_free(&p.arena);
    }
    bzr__buf_free(&part);
    return status;
}

bzr_status mcp_web_fetch(bzr__host *host, const bzr__mcp_call *call, bzr__buf *answer) {
    bzr__web_options options = bzr__web_defaults();
    bzr__buf fetched;
    parsed p;
    if (!mcp_is_given(call, "max_length") && !mcp_is_given(call, "start_index"))
        return bzr__web_fetch(host, &options, mcp_text(call, "url"), BZR__FETCHED_BEZOAR, answer);
    bzr__buf_init(&fetched, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__web_fetch(host, &options, mcp_text(call, "url"), BZR__FETCHED_BEZOAR, &fetched);
    if (!status) status = fetched.status ? fetched.status : parse(bzr__buf_str(&fetched), &p);
    if (!status) {
        if (bzr__json_get_text(p.root, "id").n)
            status = add_part(host, call, p.root, answer);
        else
            bzr__buf_add_str(answer, bzr__buf_str(&fetched));
        bzr__arena_free(&p.arena);
    }
    bzr__buf_free(&fetched);
    return status;
}

static void add_uri(bzr__buf *b, bzr_str id) {
    bzr__buf_add_str(b, PREFIX);
    bzr__buf_add_str(b, id);
}

/* A link to what was kept, for clients that show resources. */
static void add_link(bzr__mcp_call *call, bzr_str answer) {
    bzr__buf b;
    parsed p;
    if (call->version < BZR__MCP_2025_06_18 || parse(answer, &p)) return;
    bzr_str id = bzr__json_get_text(p.root, "id");
    bzr__buf_init(&b, 4096);
    bzr__buf_add_z(&b, "{\"type\":\"resource_link\",\"uri\":\"");
    add_uri(&b, id);
    bzr__buf_add_z(&b, "\",\"name\":\"");
    bzr__buf_add_str(&b, id);
    bzr__buf_add_z(&b, "\",\"mimeType\":\"text/plain\"}");
    if (id.n && !b.status) bzr__mcp_add_json(call, bzr__buf_str(&b));
    bzr__buf_free(&b);
    bzr__arena_free(&p.arena);
}

bzr_status mcp_run_web_fetch(bzr__mcp_call *call) {
    bzr__buf answer, copy;
    if (!bzr__mcp_progress(call, 0, 1, "fetching")) return BZR_OK;
    bzr_status status = mcp_run_act(call, mcp_web_fetch, true, &answer);
    bzr__buf_init(&copy, BZR__HOST_ANSWER_MAX);
    if (!status) bzr__buf_add_str(&copy, bzr__buf_str(&answer));
    bool wanted = bzr__mcp_progress(call, 1, 1, "screened");
    status = mcp_finish_act(call, status, &answer);
    if (wanted && !call->is_error && copy.n && !copy.status) add_link(call, bzr__buf_str(&copy));
    bzr__buf_free(&copy);
    return status;
}

/* ---- resources ---- */

/* The contents that a model may know of, newest first. `answer` is to be ended with mcp_end_act. */
static bzr_status list(mcp_tools *t, uint64_t limit, bzr__buf *answer, parsed *ret) {
    bzr__buf_init(answer, BZR__HOST_ANSWER_MAX);
    bzr_status status = mcp_open_store(t, false);
    if (!status) status = bzr__contents_list(&t->host, bzr__str(NULL, 0), limit, answer);
    return status ? status : answer->status ? answer->status : parse(bzr__buf_str(answer), ret);
}

static void add_resource(bzr__mcp_call *call, const bzr__json *c) {
    bzr__buf uri, text;
    bzr_str id = bzr__json_get_text(c, "id"), domain = bzr__json_get_text(c, "domain");
    bzr__buf_init(&uri, 4096);
    bzr__buf_init(&text, 4096);
    add_uri(&uri, id);
    bzr__buf_add_str(&text, bzr__json_get_text(c, "kind"));
    bzr__buf_add_z(&text, ", scan: ");
    bzr__buf_add_str(&text, bzr__json_get_text(c, "scan"));
    bzr__buf_add_z(&text, ", ");
    bzr__buf_add_str(&text, bzr__json_get_text(c, "scanned_at"));
    bzr__mcp_resource resource = { bzr__buf_str(&uri), id, domain.n && domain.n < 256 ? domain : bzr__str(NULL, 0),
                                   bzr__buf_str(&text), BZR__S("text/plain") };
    if (!uri.status && !text.status) bzr__mcp_add_resource(call, &resource);
    bzr__buf_free(&uri);
    bzr__buf_free(&text);
}

bzr_status mcp_list_resources(bzr__mcp_call *call) {
    mcp_tools *t = call->ctx;
    bzr__buf answer;
    parsed p;
    if (call->from >= LISTED) return bzr__mcp_fail(call, BZR__RPC_PARAMS, "the cursor is none of ours");
    bzr_status status = list(t, call->from + call->most + 1, &answer, &p);
    if (!status) {
        const bzr__json *c = bzr__json_get(p.root, "contents")->child;
        for (uint64_t i = 0; c && i < call->from; i++) c = c->next;
        for (size_t i = 0; c && i < call->most; i++, c = c->next)
            if (bzr__json_get_text(c, "id").n) add_resource(call, c);
        call->more = c != NULL && call->from + call->most < LISTED;
        bzr__arena_free(&p.arena);
    }
    mcp_end_act(t, &answer);
    return status;
}

bzr_status mcp_read_resource(bzr__mcp_call *call) {
    mcp_tools *t = call->ctx;
    bzr__buf answer;
    parsed p;
    if (!bzr__str_starts(call->name, PREFIX)) return BZR_E_NOT_FOUND;
    bzr__buf_init(&answer, BZR__HOST_ANSWER_MAX);
    bzr_status status = mcp_open_store(t, false);
    if (!status) status = read_part(&t->host, bzr__str_part(call->name, PREFIX.n, call->name.n), 0, 0, &answer);
    if (!status) status = answer.status ? answer.status : parse(bzr__buf_str(&answer), &p);
    if (!status) {
        const bzr__json *refused = bzr__json_get(p.root, "success");
        if (refused && refused->type == BZR__JSON_FALSE)
            status = BZR_E_NOT_FOUND;
        else
            bzr__mcp_add_contents(call, "text/plain", bzr__json_get_text(p.root, "text"));
        bzr__arena_free(&p.arena);
    }
    mcp_end_act(t, &answer);
    return status;
}

/* Ids of the template's variable that begin as what was typed. */
bzr_status mcp_complete(bzr__mcp_call *call) {
    mcp_tools *t = call->ctx;
    bzr__buf answer, id;
    parsed p;
    size_t n = 0;
    bzr_str typed = mcp_text(call, "value"), uri = bzr__json_get_text(bzr__json_get(call->params, "ref"), "uri");
    if (!bzr__str_eq(uri, BZR__S("bezoar://contents/{id}")) || !bzr__str_eq(mcp_text(call, "name"), BZR__S("id")))
        return BZR_OK;
    bzr_status status = list(t, LISTED, &answer, &p);
    if (!status) {
        bzr__buf_init(&id, 4096);
        for (const bzr__json *c = bzr__json_get(p.root, "contents")->child; c && !call->more; c = c->next) {
            bzr_str text = bzr__json_get_text(c, "id");
            if (!text.n || !bzr__str_starts(text, typed)) continue;
            call->more = n == VALUES;
            bzr__buf_clear(&id);
            bzr__json_add_str(&id, text);
            if (n++ < VALUES) bzr__mcp_add_json(call, bzr__buf_str(&id));
        }
        bzr__buf_free(&id);
        bzr__arena_free(&p.arena);
    }
    mcp_end_act(t, &answer);
    return status;
}
