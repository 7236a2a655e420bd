/* jsonrpc.h - JSON-RPC 2.0 messages: bytes to a classified message, and the head of an answer.
 *
 * No input or output. What is read points into the caller's bytes and arena. An id is kept as it stood in the message
 * and compared by its meaning; it is written back escaped, so that a peer meets the value it sent and no log meets its
 * raw bytes. Source: JSON-RPC 2.0 (2013); MCP narrows it: an id is a string or a whole number and never null,
 * parameters are an object. */
#ifndef TOAD_PROTO_JSONRPC_H
#define TOAD_PROTO_JSONRPC_H

#include "lib/base/json.h"

enum {
    TOAD__RPC_PARSE = -32700,
    TOAD__RPC_REQUEST_INVALID = -32600,
    TOAD__RPC_METHOD_UNKNOWN = -32601,
    TOAD__RPC_PARAMS = -32602,
    TOAD__RPC_INTERNAL = -32603,
};

#define TOAD__RPC_MESSAGE_MAX ((size_t)16 << 20) /* bytes of one message */
#define TOAD__RPC_ARENA_MAX   ((size_t)64 << 20) /* bytes its values may take when read */
#define TOAD__RPC_ID_MAX      256                /* bytes of an id as written */
#define TOAD__RPC_METHOD_MAX  128

typedef enum toad__rpc_kind {
    TOAD__RPC_REQUEST,
    TOAD__RPC_NOTIFICATION,
    TOAD__RPC_RESULT,
    TOAD__RPC_ERROR,
    TOAD__RPC_BATCH
} toad__rpc_kind;

typedef struct toad__rpc {
    toad__rpc_kind kind;
    const toad__json *root; /* the whole message; of a batch the array */
    const toad__json *id;   /* string or number; NULL where there is none, and of an error the null of which says so */
    toad_str method;        /* request, notification */
    const toad__json *params; /* an object, or NULL */
    const toad__json *result; /* of a result its value; of an error the error object */
    int code;                 /* after a failure: what to answer with, ... */
    const char *why;          /* ... and why, in words of ours; `id` is set where the message still named one */
} toad__rpc;

/* Read the message that fills `bytes`. A batch is only recognised: its items go through toad__rpc_classify one by one.
 * On a failure ret->code, ret->why and, where it could be read, ret->id say what to answer. Errors: TOAD_E_SYNTAX,
 * TOAD_E_LIMIT, TOAD_E_NOMEM. */
toad_status toad__rpc_read(toad_str bytes, toad__arena *arena, toad__rpc *ret);
/* The same for a value that was read already; an array is not valid here. Errors: TOAD_E_SYNTAX. */
toad_status toad__rpc_classify(const toad__json *value, toad__rpc *ret);

/* Finds the id of a message that is too long to be kept, as its bytes go by: start zeroed, feed it all. */
typedef struct toad__rpc_id_finder {
    uint64_t depth;
    bool in_string, escaped, is_key, is_id, done;
    size_t key_n, id_n;
    char key[4], id[TOAD__RPC_ID_MAX];
} toad__rpc_id_finder;
void toad__rpc_find_id(toad__rpc_id_finder *f, toad_str bytes);
/* The id as JSON, written anew, appended to `out`; nothing where none was found. */
void toad__rpc_found_id(const toad__rpc_id_finder *f, toad__buf *out);

/* Do both name the same request? A string and a number never do. */
bool toad__rpc_same_id(const toad__json *a, const toad__json *b);
/* Append an id, or null for NULL. */
void toad__rpc_add_id(toad__buf *out, const toad__json *id);
/* Append `{"jsonrpc":"2.0","id":ID,"result":`; the caller adds the value and the closing brace. */
void toad__rpc_begin_result(toad__buf *out, const toad__json *id);
/* Append a whole error answer. `message` is ours; `data` is JSON or empty. */
void toad__rpc_add_error(toad__buf *out, const toad__json *id, int code, const char *message, toad_str data);
/* Append `{"jsonrpc":"2.0","method":METHOD,"params":`. */
void toad__rpc_begin_notification(toad__buf *out, const char *method);
/* Append a whole number, also a negative one. */
void toad__rpc_add_int(toad__buf *out, int64_t value);

#endif
