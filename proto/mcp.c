/* mcp.c - the queue of an MCP peer: what comes in, what waits, what is cancelled, what goes out.
 *
 * A push reads one message and decides by its _meta (or the transport's header) which era it speaks. Calls that cost
 * nothing are answered at once, the others are queued, so that they can still be cancelled and so that a face can hold
 * back input. What is queued keeps its message's bytes alive through the packet. Entries are found by walking the list:
 * it has at most TOAD__MCP_QUEUE queued, TOAD__MCP_LISTENERS waiting and as many listening.
 *
 * Invariant: no handler runs within a push. Cost: linear in the message. */
#include "lib/base/random.h"
#include "proto/mcp_internal.h"

#include <assert.h>
#include <stdlib.h>

/* ---- revisions ---- */

static const char *const version_names[] = { "", "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28" };

toad__mcp_version toad__mcp_version_of(toad_str name) {
    for (size_t i = 1; i < sizeof version_names / sizeof *version_names; i++)
        if (toad__str_eq(name, toad__str_z(version_names[i]))) return (toad__mcp_version)i;
    return TOAD__MCP_NO_VERSION;
}

const char *toad__mcp_version_name(toad__mcp_version version) { return version_names[version]; }

toad__mcp_version toad__mcp_agreed(const toad__mcp *mcp) { return mcp->version; }

int mcp_log_level(toad_str name) {
    static const char *const names[] = {
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    };
    for (int i = 0; i < 8; i++)
        if (toad__str_eq(name, toad__str_z(names[i]))) return i;
    return -1;
}

unsigned mcp_can_ask_of(const toad__json *capabilities) {
    const toad__json *elicitation = toad__json_get(capabilities, "elicitation");
    unsigned can = 0;
    if (elicitation && elicitation->type == TOAD__JSON_OBJECT) {
        if (toad__json_get(elicitation, "form") || !toad__json_get(elicitation, "url")) can |= 1u << TOAD__MCP_ASK_FORM;
        if (toad__json_get(elicitation, "url")) can |= 1u << TOAD__MCP_ASK_URL;
    }
    if (toad__json_get(capabilities, "sampling")) can |= 1u << TOAD__MCP_ASK_SAMPLING;
    if (toad__json_get(capabilities, "roots")) can |= 1u << TOAD__MCP_ASK_ROOTS;
    return can;
}

/* ---- life ---- */

toad_status toad__mcp_new(const toad__mcp_server *server, toad__mcp **ret) {
    toad__mcp *mcp = calloc(1, sizeof *mcp);
    if (!mcp) return TOAD_E_NOMEM;
    mcp->server = server;
    mcp->log_level = 1;
    toad__buf_init(&mcp->out, TOAD__MCP_OUT_MAX);
    if (server->key.n == sizeof mcp->key) {
        memcpy(mcp->key, server->key.p, sizeof mcp->key);
    } else if (!toad__random(mcp->key, sizeof mcp->key)) {
        free(mcp);
        return TOAD_E_RANDOM;
    }
    *ret = mcp;
    return TOAD_OK;
}

static void drop_packet(mcp_packet *packet) {
    if (!packet || --packet->refs) return;
    toad__arena_free(&packet->arena);
    toad__buf_free(&packet->out);
    free(packet->bytes);
    free(packet);
}

static mcp_packet *new_packet(uint64_t stream, toad_str bytes) {
    mcp_packet *packet = calloc(1, sizeof *packet);
    char *copy = malloc(bytes.n ? bytes.n : 1);
    if (!packet || !copy) {
        free(packet);
        free(copy);
        return NULL;
    }
    if (bytes.n) memcpy(copy, bytes.p, bytes.n);
    *packet = (mcp_packet){ .refs = 1, .stream = stream, .bytes = copy, .n = bytes.n };
    toad__arena_init(&packet->arena, TOAD__RPC_ARENA_MAX);
    toad__buf_init(&packet->out, TOAD__MCP_OUT_MAX);
    return packet;
}

static void end_listening(toad__mcp *mcp, mcp_entry *entry) {
    toad__buf *b = mcp_open_result(mcp, entry);
    mcp_close_result(mcp);
    if (!b->status) mcp_answer(mcp, entry);
}

void toad__mcp_free(toad__mcp *mcp) {
    if (!mcp) return;
    while (mcp->entries) {
        if (mcp->entries->state == MCP_LISTENING) end_listening(mcp, mcp->entries);
        mcp_finish(mcp, mcp->entries);
    }
    for (size_t i = 0; i < mcp->watched_n; i++) free((char *)(uintptr_t)mcp->watched[i].p);
    toad__buf_free(&mcp->out);
    free(mcp);
}

/* ---- out ---- */

void mcp_emit(toad__mcp *mcp, uint64_t stream, toad__mcp_out_kind kind, int http) {
    toad__mcp_out out = { stream, kind, http, toad__buf_str(&mcp->out) };
    if (!mcp->out.status) mcp->server->emit(mcp->server->wire, &out);
    toad__buf_clear(&mcp->out);
}

/* The answer in mcp->out goes out, or into the answer of its batch. */
static void send_answer(toad__mcp *mcp, mcp_packet *packet, int http) {
    if (!packet || !packet->batch) {
        mcp_emit(mcp, packet ? packet->stream : 0, TOAD__MCP_ANSWER, http);
        return;
    }
    toad__buf_add_c(&packet->out, packet->out.n ? ',' : '[');
    toad__buf_add_str(&packet->out, toad__buf_str(&mcp->out));
    toad__buf_clear(&mcp->out);
}

int mcp_http_of(int code, bool modern) {
    if (code == TOAD__RPC_PARSE || code == TOAD__RPC_REQUEST_INVALID) return 400;
    if (code <= TOAD__MCP_HEADER_MISMATCH && code >= TOAD__MCP_VERSION_UNKNOWN) return 400;
    return modern && code == TOAD__RPC_METHOD_UNKNOWN ? 404 : 200;
}

static void send_error(toad__mcp *mcp, mcp_packet *packet, const toad__json *id, int code, const char *message,
                       toad_str data, int http) {
    toad__buf_clear(&mcp->out);
    toad__rpc_add_error(&mcp->out, id, code, message, data);
    send_answer(mcp, packet, http);
}

static bool is_done(const mcp_entry *entry) { return entry->cancelled; }

void mcp_answer(toad__mcp *mcp, mcp_entry *entry) {
    if (is_done(entry))
        toad__buf_clear(&mcp->out);
    else if (mcp->out.status)
        mcp_answer_error(mcp, entry, TOAD__RPC_INTERNAL, "the result is too large", toad__str(NULL, 0));
    else
        send_answer(mcp, entry->packet, 200);
}

void mcp_answer_error(toad__mcp *mcp, mcp_entry *entry, int code, const char *message, toad_str data) {
    if (is_done(entry)) return;
    send_error(mcp, entry->packet, entry->rpc.id, code, message, data,
               mcp_http_of(code, mcp_is_modern(entry->version)));
}

/* The answer of a batch is sent with its last request. */
static void release_packet(toad__mcp *mcp, mcp_packet *packet) {
    if (packet->batch && packet->refs == 1 && packet->out.n) {
        toad__buf_clear(&mcp->out);
        toad__buf_add_str(&mcp->out, toad__buf_str(&packet->out));
        toad__buf_add_c(&mcp->out, ']');
        if (packet->out.status || mcp->out.status) {
            toad__buf_clear(&mcp->out);
            toad__rpc_add_error(&mcp->out, NULL, TOAD__RPC_INTERNAL, "the answers of the batch are too large",
                                toad__str(NULL, 0));
        }
        mcp_emit(mcp, packet->stream, TOAD__MCP_ANSWER, 200);
    }
    drop_packet(packet);
}

void mcp_finish(toad__mcp *mcp, mcp_entry *entry) {
    mcp_entry **at = &mcp->entries;
    while (*at && *at != entry) at = &(*at)->next;
    assert(*at); /* exactly once for each entry */
    *at = entry->next;
    release_packet(mcp, entry->packet);
    toad__arena_free(&entry->own);
    free(entry);
}

/* ---- the queue ---- */

static size_t count(const toad__mcp *mcp, mcp_state state, size_t *held) {
    size_t n = 0;
    for (const mcp_entry *e = mcp->entries; e; e = e->next) {
        if (e->state != state) continue;
        n++;
        if (held) *held += e->packet->arena.used + e->packet->n;
    }
    return n;
}

bool toad__mcp_full(const toad__mcp *mcp) {
    size_t held = 0;
    return count(mcp, MCP_QUEUED, &held) >= TOAD__MCP_QUEUE || held >= TOAD__MCP_HELD;
}

bool toad__mcp_busy(const toad__mcp *mcp) { return mcp->entries != NULL; }

static mcp_entry *new_entry(toad__mcp *mcp, mcp_packet *packet, const toad__rpc *rpc) {
    mcp_entry *entry = calloc(1, sizeof *entry), **at = &mcp->entries;
    if (!entry) return NULL;
    entry->packet = packet;
    entry->rpc = *rpc;
    packet->refs++;
    toad__arena_init(&entry->own, TOAD__RPC_ARENA_MAX);
    while (*at) at = &(*at)->next;
    return *at = entry;
}

bool toad__mcp_step(toad__mcp *mcp) {
    mcp_entry *entry = mcp->entries;
    while (entry && entry->state != MCP_QUEUED) entry = entry->next;
    if (!entry) return false;
    entry->state = MCP_RUNNING;
    entry->method->run(mcp, entry);
    if (entry->state == MCP_RUNNING || entry->cancelled) mcp_finish(mcp, entry);
    return true;
}

/* ---- requests ---- */

/* A request on its way in: what is known of it before it has an entry. */
typedef struct incoming {
    toad__mcp *mcp;
    mcp_packet *packet;
    toad__rpc rpc;
    const mcp_method *method;
    const toad__json *meta;
    toad_str header; /* the version that the transport's header names, or empty */
} incoming;

static void refuse(const incoming *in, int code, const char *message, int http) {
    send_error(in->mcp, in->packet, in->rpc.id, code, message, toad__str(NULL, 0), http);
}

static void refuse_version(const incoming *in, toad_str requested) {
    toad__buf data;
    toad__buf_init(&data, 4096);
    toad__buf_add_z(&data, "{\"supported\":[\"2026-07-28\"],\"requested\":");
    toad__json_add_str(&data, toad__str_part(requested, 0, 64));
    toad__buf_add_c(&data, '}');
    send_error(in->mcp, in->packet, in->rpc.id, TOAD__MCP_VERSION_UNKNOWN, "unsupported protocol version",
               toad__buf_str(&data), 400);
    toad__buf_free(&data);
}

static bool speaks_modern(const incoming *in) {
    return toad__json_get(in->meta, MCP_META_VERSION) || toad__json_get(in->meta, MCP_META_CAPABILITIES) ||
           in->mcp->server->shared || mcp_is_modern(toad__mcp_version_of(in->header)) ||
           (in->method && !(in->method->flags & MCP_LEGACY));
}

static bool is_offered(const incoming *in, unsigned era) {
    return in->method && (in->method->flags & era) && (!in->method->offered || in->method->offered(in->mcp->server));
}

/* What 2026-07-28 wants of each request. False: it was refused. */
static bool admit_modern(const incoming *in, mcp_entry *plan) {
    const toad__json *version = toad__json_get(in->meta, MCP_META_VERSION),
                     *can = toad__json_get(in->meta, MCP_META_CAPABILITIES);
    const toad__json *info = toad__json_get(in->meta, "io.modelcontextprotocol/clientInfo"),
                     *level = toad__json_get(in->meta, MCP_META_LOG_LEVEL);
    plan->version = version ? toad__mcp_version_of(version->text) : TOAD__MCP_NO_VERSION;
    plan->can_ask = mcp_can_ask_of(can);
    plan->log_level = level ? mcp_log_level(level->text) : MCP_LOG_NOTHING;
    if (!version || version->type != TOAD__JSON_STRING)
        refuse(in, TOAD__RPC_PARAMS, "params._meta must hold " MCP_META_VERSION, 400);
    else if ((in->header.n || in->mcp->server->shared) && !toad__str_eq(in->header, version->text))
        refuse(in, TOAD__MCP_HEADER_MISMATCH, "the MCP-Protocol-Version header must be the version in params._meta",
               400);
    else if (!mcp_is_modern(plan->version))
        refuse_version(in, version->text);
    else if (!can || can->type != TOAD__JSON_OBJECT)
        refuse(in, TOAD__RPC_PARAMS, "params._meta must hold " MCP_META_CAPABILITIES, 400);
    else if (info && info->type != TOAD__JSON_OBJECT)
        refuse(in, TOAD__RPC_PARAMS, "clientInfo must be an object", 400);
    else if (plan->log_level < 0)
        refuse(in, TOAD__RPC_PARAMS, MCP_META_LOG_LEVEL " is none of the levels", 400);
    else if (!is_offered(in, MCP_MODERN))
        refuse(in, TOAD__RPC_METHOD_UNKNOWN, "method not found", 404);
    else
        return true;
    return false;
}

/* What a session wants. */
static bool admit_legacy(const incoming *in, mcp_entry *plan) {
    bool hello = toad__str_eq(in->rpc.method, TOAD__S("initialize")),
         ping = toad__str_eq(in->rpc.method, TOAD__S("ping"));
    plan->version = in->mcp->version;
    plan->can_ask = in->mcp->can_ask;
    plan->log_level = in->mcp->server->logging ? in->mcp->log_level : MCP_LOG_NOTHING;
    if (in->header.n && toad__mcp_version_of(in->header) == TOAD__MCP_NO_VERSION)
        refuse_version(in, in->header);
    else if (!is_offered(in, MCP_LEGACY))
        refuse(in, TOAD__RPC_METHOD_UNKNOWN, "method not found", 200);
    else if (hello && (in->mcp->version || in->packet->batch))
        refuse(in, TOAD__RPC_REQUEST_INVALID, "initialize comes once, first and alone", 400);
    else if (!hello && !ping && !in->mcp->version)
        refuse(in, TOAD__RPC_REQUEST_INVALID, "initialize first, or send params._meta of 2026-07-28", 400);
    else
        return true;
    return false;
}

static void take_request(incoming *in) {
    toad__mcp *mcp = in->mcp;
    mcp_entry plan = { 0 };
    in->meta = toad__json_get(in->rpc.params, "_meta");
    in->method = mcp_find_method(in->rpc.method);
    if (!(speaks_modern(in) ? admit_modern : admit_legacy)(in, &plan)) return;
    bool now = in->method->flags & MCP_NOW;
    if (!now && toad__mcp_full(mcp)) {
        refuse(in, TOAD__RPC_INTERNAL, "too many requests in flight", 503);
        return;
    }
    mcp_entry *entry = new_entry(mcp, in->packet, &in->rpc);
    if (!entry) {
        refuse(in, TOAD__RPC_INTERNAL, "out of memory", 503);
        return;
    }
    const toad__json *token = toad__json_get(in->meta, "progressToken");
    entry->method = in->method;
    entry->version = plan.version;
    entry->can_ask = plan.can_ask;
    entry->log_level = plan.log_level;
    entry->token = token && (token->type == TOAD__JSON_STRING || token->type == TOAD__JSON_NUMBER) &&
                           token->raw.n <= TOAD__RPC_ID_MAX
                       ? token
                       : NULL;
    entry->state = now ? MCP_RUNNING : MCP_QUEUED;
    if (!now) return;
    entry->method->run(mcp, entry);
    if (entry->state == MCP_RUNNING) mcp_finish(mcp, entry);
}

/* ---- answers of the client ---- */

/* The number in an id of ours, "toadstone-N", or 0. */
static uint64_t number_of(const toad__json *id) {
    toad_str prefix = TOAD__S("toadstone-"), text = id && id->type == TOAD__JSON_STRING ? id->text : toad__str(NULL, 0);
    uint64_t n = 0;
    if (!toad__str_starts(text, prefix) || text.n > prefix.n + 18) return 0;
    for (size_t i = prefix.n; i < text.n; i++) {
        if (!toad__is_digit((unsigned char)text.p[i])) return 0;
        n = n * 10 + (uint64_t)(text.p[i] - '0');
    }
    return n;
}

static mcp_ask *find_ask(toad__mcp *mcp, uint64_t id, mcp_entry **ret_entry) {
    for (mcp_entry *e = mcp->entries; id && e; e = e->next)
        for (size_t i = 0; e->state == MCP_WAITING && i < e->asks_n; i++)
            if (e->asks[i].id == id && !e->asks[i].answered) {
                *ret_entry = e;
                return &e->asks[i];
            }
    return NULL;
}

/* Keep what the client answered; null where it refused. With the last answer the request is queued again. */
static void take_answer(toad__mcp *mcp, const toad__rpc *rpc) {
    mcp_entry *entry = NULL;
    mcp_ask *ask = find_ask(mcp, number_of(rpc->id), &entry);
    if (!ask) return;
    const char *expected;
    size_t at;
    toad_str raw = rpc->kind == TOAD__RPC_RESULT ? rpc->result->raw : TOAD__S("null");
    raw = toad__arena_dup(&entry->own, raw);
    if (!raw.p || toad__json_parse(raw, &entry->own, &ask->answer, &at, &expected)) ask->answer = NULL;
    ask->answered = true;
    for (size_t i = 0; i < entry->asks_n; i++)
        if (!entry->asks[i].answered) return;
    memcpy(entry->answers, entry->asks, sizeof entry->asks);
    entry->answers_n = entry->asks_n;
    entry->asks_n = 0;
    entry->kept = entry->keep;
    entry->keep = toad__str(NULL, 0);
    entry->state = MCP_QUEUED;
}

/* ---- cancellation and other notifications ---- */

/* The client is not to go on asking its user for a call that is gone. */
static void cancel_asks(toad__mcp *mcp, const mcp_entry *entry) {
    for (size_t i = 0; i < entry->asks_n; i++) {
        if (entry->asks[i].answered || !entry->asks[i].id) continue;
        toad__buf_clear(&mcp->out);
        toad__rpc_begin_notification(&mcp->out, "notifications/cancelled");
        toad__buf_add_z(&mcp->out, "{\"requestId\":\"toadstone-");
        toad__buf_add_u64(&mcp->out, entry->asks[i].id);
        toad__buf_add_z(&mcp->out, "\"}}");
        mcp_emit(mcp, entry->packet->stream, TOAD__MCP_NOTIFICATION, 200);
    }
}

static void cancel(toad__mcp *mcp, mcp_entry *entry) {
    entry->cancelled = true;
    if (entry->state == MCP_RUNNING) return;
    if (entry->state == MCP_WAITING) cancel_asks(mcp, entry);
    mcp_finish(mcp, entry);
}

void toad__mcp_cancel_stream(toad__mcp *mcp, uint64_t stream) {
    for (mcp_entry *e = mcp->entries, *next; e; e = next) {
        next = e->next;
        if (e->packet->stream == stream) cancel(mcp, e);
    }
}

static void take_notification(toad__mcp *mcp, const toad__rpc *rpc) {
    if (mcp->server->shared || !toad__str_eq(rpc->method, TOAD__S("notifications/cancelled"))) return;
    const toad__json *id = toad__json_get(rpc->params, "requestId");
    for (mcp_entry *e = mcp->entries; e; e = e->next)
        if (!e->cancelled && toad__rpc_same_id(e->rpc.id, id)) {
            cancel(mcp, e);
            return;
        }
}

/* ---- in ---- */

static void take(incoming *in) {
    switch (in->rpc.kind) {
    case TOAD__RPC_REQUEST: take_request(in); break;
    case TOAD__RPC_NOTIFICATION: take_notification(in->mcp, &in->rpc); break;
    default: take_answer(in->mcp, &in->rpc); break;
    }
}

/* Only 2025-03-26 has batches. */
static void take_batch(incoming *in) {
    const toad__json *item = in->rpc.root->child;
    bool allowed = in->mcp->version == TOAD__MCP_2025_03_26;
    size_t n = 0;
    for (const toad__json *i = item; i; i = i->next) n++;
    in->rpc.id = NULL;
    if (!allowed || !n || n > TOAD__MCP_QUEUE) {
        refuse(in, TOAD__RPC_REQUEST_INVALID,
               !allowed ? "this revision has no batches"
               : n      ? "a batch has at most 64 messages"
                        : "the batch is empty",
               400);
        return;
    }
    in->packet->batch = true;
    for (; item; item = item->next)
        if (toad__rpc_classify(item, &in->rpc))
            refuse(in, in->rpc.code, in->rpc.why, 200);
        else
            take(in);
}

void toad__mcp_push(toad__mcp *mcp, uint64_t stream, toad_str version, toad_str bytes) {
    mcp_packet *packet = bytes.n > TOAD__RPC_MESSAGE_MAX ? NULL : new_packet(stream, bytes);
    incoming in = { .mcp = mcp, .packet = packet, .header = version };
    if (!packet) {
        toad__mcp_oversize(mcp, stream, toad__str(NULL, 0));
        return;
    }
    toad_status status = toad__rpc_read(toad__str(packet->bytes, bytes.n), &packet->arena, &in.rpc);
    if (status)
        refuse(&in, in.rpc.code, in.rpc.why, 400);
    else if (in.rpc.kind == TOAD__RPC_BATCH)
        take_batch(&in);
    else
        take(&in);
    release_packet(mcp, packet);
}

void toad__mcp_oversize(toad__mcp *mcp, uint64_t stream, toad_str id) {
    toad__buf_clear(&mcp->out);
    toad__buf_add_z(&mcp->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_str(&mcp->out, id.n ? id : TOAD__S("null"));
    toad__buf_add_z(&mcp->out, ",\"error\":{\"code\":-32600,\"message\":\"the message is too large\"}}");
    mcp_emit(mcp, stream, TOAD__MCP_ANSWER, 413);
}
