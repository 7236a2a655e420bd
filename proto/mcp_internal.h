/* mcp_internal.h - what the files of the MCP server share: the queue's entries and the writing of results.
 *
 * A packet is what was pushed at once: a message, or a batch with its one answer. An entry is one request of it that is
 * not answered yet. Invariant: an entry is in the list from its making to mcp_finish, which is called exactly once for
 * it. */
#ifndef TOAD_PROTO_MCP_INTERNAL_H
#define TOAD_PROTO_MCP_INTERNAL_H

#include "lib/base/str.h"
#include "proto/mcp.h"
#include "proto/seal.h"

typedef struct mcp_packet {
    size_t refs;
    uint64_t stream;
    char *bytes;
    size_t n;
    toad__arena arena;
    bool batch;
    toad__buf out; /* answers of a batch so far */
} mcp_packet;

typedef enum mcp_state { MCP_QUEUED, MCP_RUNNING, MCP_WAITING, MCP_LISTENING } mcp_state;

/* A question to the client and what came back. */
typedef struct mcp_ask {
    const char *key;
    toad__mcp_ask_kind kind;
    toad_str params;
    uint64_t id; /* of the request sent for it, before 2026-07-28 */
    bool answered;
    const toad__json *answer;
} mcp_ask;

typedef struct mcp_method {
    const char *name;
    unsigned flags;
    bool (*offered)(const toad__mcp_server *server); /* NULL: always */
    void (*run)(toad__mcp *mcp, struct toad__mcp_entry *entry);
} mcp_method;
enum { MCP_LEGACY = 1, MCP_MODERN = 2, MCP_NOW = 4, MCP_CAN_ASK = 8 };

typedef struct toad__mcp_entry {
    struct toad__mcp_entry *next;
    mcp_packet *packet;
    toad__rpc rpc;
    const mcp_method *method;
    toad__mcp_version version;
    mcp_state state;
    bool cancelled;
    unsigned can_ask;        /* bits 1 << toad__mcp_ask_kind */
    int log_level;           /* index; 8: nothing is to be logged */
    const toad__json *token; /* for progress, or NULL */
    uint64_t progressed;     /* the last progress sent, plus one */
    toad__arena own;         /* asks, answers and state of the rounds */
    mcp_ask asks[TOAD__MCP_ASKS], answers[TOAD__MCP_ASKS];
    size_t asks_n, answers_n, rounds;
    toad_str keep, kept; /* for the next round; from the one before */
} mcp_entry;

struct toad__mcp {
    const toad__mcp_server *server;
    toad__mcp_version version; /* that was agreed on, of a legacy session */
    unsigned can_ask;
    int log_level;
    uint64_t asked; /* requests sent to the client */
    mcp_entry *entries;
    toad__buf out; /* the message being written */
    toad_str watched[TOAD__MCP_WATCHED];
    size_t watched_n;
    unsigned char key[TOAD__SEAL_KEY];
};

#define MCP_SUBSCRIPTION      "io.modelcontextprotocol/subscriptionId"
#define MCP_META_VERSION      "io.modelcontextprotocol/protocolVersion"
#define MCP_META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define MCP_META_LOG_LEVEL    "io.modelcontextprotocol/logLevel"
#define MCP_LOG_WARNING       3
#define MCP_LOG_NOTHING       8

static inline bool mcp_is_modern(toad__mcp_version version) { return version >= TOAD__MCP_2026_07_28; }

/* mcp.c */
/* Send the message in mcp->out. */
void mcp_emit(toad__mcp *mcp, uint64_t stream, toad__mcp_out_kind kind, int http);
/* Answer with the result in mcp->out, or with an error. The entry is not finished. */
void mcp_answer(toad__mcp *mcp, mcp_entry *entry);
void mcp_answer_error(toad__mcp *mcp, mcp_entry *entry, int code, const char *message, toad_str data);
/* The entry is done: out of the list, its memory released, the answer of its batch sent when it was the last. */
void mcp_finish(toad__mcp *mcp, mcp_entry *entry);
/* The HTTP status that an error answer goes out with where it is alone. */
int mcp_http_of(int code, bool modern);
int mcp_log_level(toad_str name); /* -1: none of the protocol's */
/* What a client's capabilities let us ask, as bits. */
unsigned mcp_can_ask_of(const toad__json *capabilities);

/* mcp_methods.c */
const mcp_method *mcp_find_method(toad_str name);

/* mcp_call.c */
void mcp_member(toad__buf *b, const char *key, const char *value);
void mcp_member_str(toad__buf *b, const char *key, toad_str value);
/* Begin the result of an entry in mcp->out, with what each result has in its revision; end with mcp_close_result. */
toad__buf *mcp_open_result(toad__mcp *mcp, const mcp_entry *entry);
void mcp_close_result(toad__mcp *mcp);
void mcp_add_caching(toad__mcp *mcp, const mcp_entry *entry);
void mcp_add_server_info(toad__buf *b, const toad__mcp_server *server, toad__mcp_version version);
void mcp_call_begin(toad__mcp *mcp, mcp_entry *entry, toad__mcp_call *call);
void mcp_call_end(toad__mcp_call *call);
/* Put the questions of the call to the client, or answer it where it failed. False: there is a result to be written. */
bool mcp_call_settled(toad__mcp_call *call, toad_status status);

/* mcp_state.c */
/* Append a request state for `state`, for this method and parameters only. */
bool mcp_seal(toad__mcp *mcp, const mcp_entry *entry, toad_str state, toad__buf *out);
/* Open what mcp_seal made into the entry's arena. False: forged, for another call, too old or used. */
bool mcp_unseal(toad__mcp *mcp, mcp_entry *entry, toad_str sealed, toad_str *ret);

#endif
