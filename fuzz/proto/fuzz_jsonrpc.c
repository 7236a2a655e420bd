/* Messages from a stranger: what is accepted has the members of its kind, what is refused has a code and a reason, an
 * id is written back as one JSON value and read as the same; and the finder of the id in a message too long to keep
 * agrees with the reader where both find one. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "proto/jsonrpc.h"
#include "tests/support/exact.h"

static void check_id(const toad__json *id) {
    toad__arena arena;
    toad__buf b;
    const toad__json *again;
    const char *expected;
    size_t at;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    toad__buf_init(&b, TOAD__RPC_ARENA_MAX);
    toad__rpc_add_id(&b, id);
    MUST(!toad__json_parse(toad__buf_str(&b), &arena, &again, &at, &expected));
    MUST(!id || id->type == TOAD__JSON_NULL || toad__rpc_same_id(id, again));
    toad__arena_free(&arena);
    toad__buf_free(&b);
}

static void check_message(const toad__rpc *rpc) {
    bool has_id = rpc->id && rpc->id->type != TOAD__JSON_NULL;
    switch (rpc->kind) {
    case TOAD__RPC_REQUEST: MUST(has_id && rpc->method.n); break;
    case TOAD__RPC_NOTIFICATION: MUST(!rpc->id && rpc->method.n); break;
    case TOAD__RPC_RESULT: MUST(has_id && rpc->result); break;
    case TOAD__RPC_ERROR: MUST(rpc->result); break;
    case TOAD__RPC_BATCH: MUST(rpc->root->type == TOAD__JSON_ARRAY); return;
    }
    MUST(rpc->method.n <= TOAD__RPC_METHOD_MAX);
    MUST(!rpc->params || rpc->params->type == TOAD__JSON_OBJECT);
    check_id(rpc->id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = exact_dup(data, size);
    toad_str in = toad__str(copy, size);
    toad__arena arena;
    toad__rpc rpc, item;
    toad__rpc_id_finder whole = { 0 }, bytes = { 0 };
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    toad_status status = toad__rpc_read(in, &arena, &rpc);
    if (status) {
        MUST(rpc.code < 0 && rpc.why);
        check_id(rpc.id);
    } else {
        check_message(&rpc);
        for (const toad__json *i = rpc.kind == TOAD__RPC_BATCH ? rpc.root->child : NULL; i; i = i->next)
            if (!toad__rpc_classify(i, &item)) check_message(&item);
    }
    toad__rpc_find_id(&whole, in);
    for (size_t i = 0; i < in.n; i++) toad__rpc_find_id(&bytes, toad__str_part(in, i, i + 1));
    MUST(whole.id_n == bytes.id_n && !memcmp(whole.id, bytes.id, whole.id_n));
    toad__arena_free(&arena);
    free(copy);
    return 0;
}
