/* jsonrpc.h - JSON-RPC 2.0 messages: bytes to a classified message, and the head of an answer.
 *
 * No input or output. What is read points into the caller's bytes and arena. An id is kept as it stood in the message
 * and compared by its meaning; it is written back escaped, so that a peer meets the value it sent and no log meets its
 * raw bytes. Source: JSON-RPC 2.0 (2013); MCP narrows it: an id is a string or a whole number and never null,
 * parameters are an object. */
#ifndef BZR_PROTO_JSONRPC_H
#define BZR_PROTO_JSONRPC_H

#include "lib/base/json.h"

enum {
    BZR__RPC_PARSE = -32700,
    BZR__RPC_REQUEST_INVALID = -32600,
    BZR__RPC_METHOD_UNKNOWN = -32601,
    BZR__RPC_PARAMS = -32602,
    BZR__RPC_INTERNAL = -32603,
};

#define BZR__RPC_MESSAGE_MAX ((size_t)16 << 20) /* bytes of one message */
#define BZR__RPC_ARENA_MAX   ((size_t)64 << 20) /* bytes its values may take when read */
#define BZR__RPC_ID_MAX      256                /* bytes of an id as written */
#define BZR__RPC_METHOD_MAX  128

typedef enum bzr__rpc_kind {
    BZR__RPC_REQUEST,
    BZR__RPC_NOTIFICATION,
    BZR__RPC_RESULT,
    BZR__RPC_ERROR,
    BZR__RPC_BATCH
} bzr__rpc_kind;

typedef struct bzr__rpc {
    bzr__rpc_kind kind;
    const bzr__json *root;   /* the whole message; of a batch the array */
    const bzr__json *id;     /* string or number; NULL where there is none, and of an error the null of which says so */
    bzr_str method;          /* request, notification */
    const bzr__json *params; /* an object, or NULL */
    const bzr__json *result; /* of a result its value; of an error the error object */
    int code;                /* after a failure: what to answer with, ... */
    const char *why;         /* ... and why, in words of ours; `id` is set where the message still named one */
} bzr__rpc;

/* Read the message that fills `bytes`. A batch is only recognised: its items go through bzr__rpc_classify one by one.
 * On a failure ret->code, ret->why and, where it could be read, ret->id say what to answer. Errors: BZR_E_SYNTAX,
 * BZR_E_LIMIT, BZR_E_NOMEM. */
bzr_status bzr__rpc_read(bzr_str bytes, bzr__arena *arena, bzr__rpc *ret);
/* The same for a value that was read already; an array is not valid here. Errors: BZR_E_SYNTAX. */
bzr_status bzr__rpc_classify(const bzr__json *value, bzr__rpc *ret);

/* Finds the id of a message that is too long to be kept, as its bytes go by: start zeroed, feed it all. */
typedef struct bzr__rpc_id_finder {
    uint64_t depth;
    bool in_string, escaped, is_key, is_id, done;
    size_t key_n, id_n;
    char key[4], id[BZR__RPC_ID_MAX];
} bzr__rpc_id_finder;
void bzr__rpc_find_id(bzr__rpc_id_finder *f, bzr_str bytes);
/* The id as JSON, written anew, appended to `out`; nothing where none was found. */
void bzr__rpc_found_id(const bzr__rpc_id_finder *f, bzr__buf *out);

/* Do both name the same request? A string and a number never do. */
bool bzr__rpc_same_id(const bzr__json *a, const bzr__json *b);
/* Append an id, or null for NULL. */
void bzr__rpc_add_id(bzr__buf *out, const bzr__json *id);
/* Append `{"jsonrpc":"2.0","id":ID,"result":`; the caller adds the value and the closing brace. */
void bzr__rpc_begin_result(bzr__buf *out, const bzr__json *id);
/* Append a whole error answer. `message` is ours; `data` is JSON or empty. */
void bzr__rpc_add_error(bzr__buf *out, const bzr__json *id, int code, const char *message, bzr_str data);
/* Append `{"jsonrpc":"2.0","method":METHOD,"params":`. */
void bzr__rpc_begin_notification(bzr__buf *out, const char *method);
/* Append a whole number, also a negative one. */
void bzr__rpc_add_int(bzr__buf *out, int64_t value);

#endif
