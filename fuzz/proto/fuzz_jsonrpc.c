/* Messages from a stranger: what is accepted has the members of its kind, what is refused has a code and a reason, an
 * id is written back as one JSON value and read as the same; and the finder of the id in a message too long to keep
 * agrees with the reader where both find one. */
#include "lib/base/str.h"
#include "proto/jsonrpc.h"
#include "tests/support/exact.h"

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

static void check_id(const bzr__json *id) {
    bzr__arena arena;
    bzr__buf b;
    const bzr__json *again;
    const char *expected;
    size_t at;
    bzr__arena_init(&arena, BZR__RPC_ARENA_MAX);
    bzr__buf_init(&b, BZR__RPC_ARENA_MAX);
    bzr__rpc_add_id(&b, id);
    MUST(!bzr__json_parse(bzr__buf_str(&b), &arena, &again, &at, &expected));
    MUST(!id || id->type == BZR__JSON_NULL || bzr__rpc_same_id(id, again));
    bzr__arena_free(&arena);
    bzr__buf_free(&b);
}

static void check_message(const bzr__rpc *rpc) {
    bool has_id = rpc->id && rpc->id->type != BZR__JSON_NULL;
    switch (rpc->kind) {
    case BZR__RPC_REQUEST: MUST(has_id && rpc->method.n); break;
    case BZR__RPC_NOTIFICATION: MUST(!rpc->id && rpc->method.n); break;
    case BZR__RPC_RESULT: MUST(has_id && rpc->result); break;
    case BZR__RPC_ERROR: MUST(rpc->result); break;
    case BZR__RPC_BATCH: MUST(rpc->root->type == BZR__JSON_ARRAY); return;
    }
    MUST(rpc->method.n <= BZR__RPC_METHOD_MAX);
    MUST(!rpc->params || rpc->params->type == BZR__JSON_OBJECT);
    check_id(rpc->id);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = exact_dup(data, size);
    bzr_str in = bzr__str(copy, size);
    bzr__arena arena;
    bzr__rpc rpc, item;
    bzr__rpc_id_finder whole = { 0 }, bytes = { 0 };
    bzr__arena_init(&arena, BZR__RPC_ARENA_MAX);
    bzr_status status = bzr__rpc_read(in, &arena, &rpc);
    if (status) {
        MUST(rpc.code < 0 && rpc.why);
        check_id(rpc.id);
    } else {
        check_message(&rpc);
        for (const bzr__json *i = rpc.kind == BZR__RPC_BATCH ? rpc.root->child : NULL; i; i = i->next)
            if (!bzr__rpc_classify(i, &item)) check_message(&item);
    }
    bzr__rpc_find_id(&whole, in);
    for (size_t i = 0; i < in.n; i++) bzr__rpc_find_id(&bytes, bzr__str_part(in, i, i + 1));
    MUST(whole.id_n == bytes.id_n && !memcmp(whole.id, bytes.id, whole.id_n));
    bzr__arena_free(&arena);
    free(copy);
    return 0;
}
