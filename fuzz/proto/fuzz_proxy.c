/* Two random peers that talk through the proxy. Each line of the input is a step: "c..." and "s..." are messages of the
 * client and the server as they stand; a digit picks one of the usual ones, with ids that are in flight, so that whole
 * conversations come about; "t" lets time pass, "x" closes a stream, "!" ends the server. Whatever they do: each
 * message out is one line of valid JSON-RPC, no request is answered twice, a notification overtakes none before it,
 * nothing that screening blocks reaches the client, and when the server is gone nobody waits. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "tests/mcp/proxy_stub.h"
#include "tests/support/exact.h"

#define IDS 512

typedef struct talk {
    uint64_t to_server[IDS]; /* ids of requests the server has got, latest last */
    size_t to_server_n;
    uint64_t to_client[IDS];
    size_t to_client_n;
    char state[256];    /* the latest request state */
    unsigned open[IDS]; /* by id of the client: requests less answers */
    long seen;          /* number in the last notification that came through */
    unsigned sent;      /* requests and notifications of the client and server */
} talk;

static void look(stub *s, const toad__proxy_out *out) {
    talk *t = s->ctx;
    toad__arena arena;
    toad__rpc rpc;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    MUST(!memchr(out->message.p, '\n', out->message.n));
    MUST(!toad__rpc_read(out->message, &arena, &rpc) && rpc.kind != TOAD__RPC_BATCH);
    bool answer = rpc.kind == TOAD__RPC_RESULT || rpc.kind == TOAD__RPC_ERROR;
    MUST((out->kind == TOAD__MCP_ANSWER) == answer &&
         (out->kind == TOAD__MCP_REQUEST) == (rpc.kind == TOAD__RPC_REQUEST));
    uint64_t id = rpc.id && rpc.id->type == TOAD__JSON_NUMBER ? strtoull(rpc.id->raw.p, NULL, 10) : 0;
    if (out->to_server && rpc.kind == TOAD__RPC_REQUEST) {
        MUST(id == out->stream && id);
        t->to_server[t->to_server_n++ % IDS] = id;
    }
    if (!out->to_server) {
        MUST(toad__str_find(out->message, TOAD__S("EVIL"), 0) == out->message.n);
        if (rpc.kind == TOAD__RPC_REQUEST) t->to_client[t->to_client_n++ % IDS] = id;
        if (answer && id && id < IDS) {
            MUST(t->open[id]);
            t->open[id]--;
        }
        toad_str state = toad__json_get_text(rpc.result, "requestState");
        if (state.n && state.n < sizeof t->state && rpc.kind == TOAD__RPC_RESULT)
            snprintf(t->state, sizeof t->state, "%.*s", (int)state.n, state.p);
        const toad__json *number = rpc.kind == TOAD__RPC_NOTIFICATION ? toad__json_get(rpc.params, "seq") : NULL;
        if (number && toad__json_get(rpc.params, "ours")) {
            MUST(atol(number->raw.p) > t->seen);
            t->seen = atol(number->raw.p);
        }
    }
    toad__arena_free(&arena);
}

static const char *const of_client[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{\"elicitation\":{}}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"a\",\"_meta\":{\"progressToken\":%u}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"server/discover\",\"params\":{"
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
    "clientCapabilities\":{\"elicitation\":{},\"roots\":{}}}"
    "}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"doubtful\",\"n\":1,\"_meta\":{\"io.modelcontextprotocol/"
    "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
    "clientCapabilities\":{\"elicitation\":{},\"roots\":{}}}}}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/list\"}",
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"subscriptions/"
    "listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true},\"_meta\":{\"io.modelcontextprotocol/"
    "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}",
};

static unsigned new_id(talk *t) {
    t->sent++;
    return 1 + t->sent % (IDS - 1);
}

static void push_client(stub *s, const char *text) {
    talk *t = s->ctx;
    toad__arena arena;
    toad__rpc rpc;
    if (strstr(text, "EVIL")) return;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    toad_status status = toad__rpc_read(toad__str_z(text), &arena, &rpc);
    const toad__json *id = rpc.id;
    uint64_t n = id && id->type == TOAD__JSON_NUMBER ? strtoull(id->raw.p, NULL, 10) : 0;
    bool batch = !status && rpc.kind == TOAD__RPC_BATCH;
    if (n && n < IDS && (status || rpc.kind == TOAD__RPC_REQUEST)) t->open[n]++;
    toad__arena_free(&arena);
    if (batch) return; /* whose ids are not counted here */
    stub_client(s, text);
}

static uint64_t latest(const uint64_t *ids, size_t n, unsigned back) {
    return n ? ids[(n - 1 - back % (n < IDS ? n : IDS)) % IDS] : 0;
}

/* One of the usual messages. */
static void usual(stub *s, unsigned digit, unsigned more) {
    talk *t = s->ctx;
    char text[1024];
    unsigned long long id = latest(t->to_server, t->to_server_n, more);
    switch (digit) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 4:
    case 5: {
        unsigned own = new_id(t);
        snprintf(text, sizeof text, of_client[digit], own, own);
        push_client(s, text);
        return;
    }
    case 6: {
        unsigned own = new_id(t);
        snprintf(text, sizeof text,
                 "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/"
                 "call\",\"params\":{\"name\":\"doubtful\",\"n\":1,\"requestState\":\"%s\",\"inputResponses\":{\"toad_"
                 "confirm\":"
                 "{\"action\":\"accept\"},\"toad_1\":{},\"toad_2\":{}},\"_meta\":{\"io.modelcontextprotocol/"
                 "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
                 "clientCapabilities\":{\"elicitation\":{},\"roots\":{}}}}}",
                 own, t->state);
        push_client(s, text);
        return;
    }
    case 7: {
        static const char *const results[] = {
            "{}",
            "{\"content\":[],\"x\":\"EVIL\"}",
            "{\"content\":\"ASK\"}",
            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{}}",
            "{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":\"elicitation/"
            "create\",\"params\":{}}},\"requestState\":\"q\"}",
            "{\"resultType\":\"complete\",\"capabilities\":{},\"_meta\":{\"io.modelcontextprotocol/"
            "subscriptionId\":1}}",
            "BROKEN"
        };
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":%s}", id, results[more % 7]);
        break;
    }
    case 8: {
        static const char *const errors[] = { "-32601", "-32022", "-32000", "-32002" };
        snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"error\":{\"code\":%s,\"message\":\"%s\"}}", id,
                 errors[more % 4], more % 3 ? "no" : "EVIL");
        break;
    }
    default:
        if (more % 3 == 0)
            snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"id\":\"s%u\",\"method\":\"%s\",\"params\":{\"message\":\"%s\"}}",
                     ++t->sent, more % 2 ? "elicitation/create" : "roots/list", more % 5 ? "hi" : "EVIL");
        else if (more % 3 == 1)
            snprintf(text, sizeof text,
                     "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                     "%s\",\"params\":{\"ours\":1,\"seq\":%u,\"progressToken\":%u}}",
                     more % 2 ? "progress" : "x", ++t->sent + 1, more);
        else
            snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":%llu,\"result\":{\"action\":\"%s\"}}",
                     (unsigned long long)latest(t->to_client, t->to_client_n, more), more % 2 ? "accept" : "cancel");
        if (more % 3 == 2) {
            push_client(s, text);
            return;
        }
    }
    stub_server(s, text);
}

static void step(stub *s, toad_str line) {
    char *text = malloc(line.n + 1);
    if (!text) return;
    if (line.n) memcpy(text, line.p, line.n);
    text[line.n] = 0;
    unsigned more = line.n > 1 ? (unsigned char)text[1] : 0;
    switch (line.n ? *text : 0) {
    case 'c': push_client(s, text + 1); break;
    case 's': stub_server(s, text + 1); break;
    case 't':
        s->now += (int64_t)more * 1000;
        toad__proxy_tick(s->proxy);
        break;
    case 'x':
        toad__proxy_cancel_stream(s->proxy, 1);
        memset(((talk *)s->ctx)->open, 0x7f, sizeof((talk *)s->ctx)->open);
        break;
    case '!': toad__proxy_server_gone(s->proxy, "gone"); break;
    case 'f': toad__proxy_failed(s->proxy, more, "failed"); break;
    case 'o': toad__proxy_server_oversize(s->proxy, 0, toad__str(text + 1, line.n - 1)); break;
    default:
        if (line.n && toad__is_digit((unsigned char)*text)) usual(s, (unsigned)(*text - '0'), more);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    talk *t = calloc(1, sizeof *t);
    stub s = { .ctx = t, .look = look, .quiet = true };
    const toad__proxy_options options = { .timeout = 60000, .same_era = size % 7 == 6, .shared = size % 5 == 4 };
    toad_str in = toad__str(data, size);
    MUST(t && !stub_open(&s, &options));
    for (size_t at = 0, end; at < in.n; at = end + 1) {
        end = toad__str_find(in, TOAD__S("\n"), at);
        step(&s, toad__str_part(in, at, end));
    }
    toad__proxy_server_gone(s.proxy, "gone");
    MUST(!toad__proxy_in_flight(s.proxy));
    stub_close(&s);
    free(t);
    return 0;
}
