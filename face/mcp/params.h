/* params.h - what a tool takes, as one table: its input schema is printed from it and its calls are checked against it.
 */
#ifndef TOAD_FACE_MCP_PARAMS_H
#define TOAD_FACE_MCP_PARAMS_H

#include "proto/mcp.h"

/* A text, one of `words`, a number from 1 to MCP_COUNT_MAX, true or false, up to MCP_TEXTS_MAX texts, an object, a URL,
 * a number from 0 to MCP_INDEX_MAX. */
typedef enum mcp_type { MCP_TEXT, MCP_WORD, MCP_COUNT, MCP_FLAG, MCP_TEXTS, MCP_OBJECT, MCP_URL, MCP_INDEX } mcp_type;

#define MCP_COUNT_MAX 1000000
#define MCP_INDEX_MAX 1000000000
#define MCP_TEXTS_MAX 256

typedef struct mcp_param {
    const char *name;
    mcp_type type;
    bool required;
    const char *words; /* separated by blanks */
    const char *description;
} mcp_param;

/* Append the JSON Schema of an object with these members and no others. */
void mcp_add_schema(toad__buf *b, const mcp_param *params, size_t n);
/* Do the arguments fit? False: `why` says in one sentence of ours what does not, names that strangers wrote escaped and
 * cut. An optional argument that is null counts as not given. */
bool mcp_check_arguments(const toad__json *arguments, const mcp_param *params, size_t n, toad__buf *why);

/* Is it there, and not null? */
bool mcp_is_given(const toad__mcp_call *call, const char *name);
/* After the check: the argument, or an empty slice with p NULL, 0 or false where it is not given. */
toad_str mcp_text(const toad__mcp_call *call, const char *name);
uint64_t mcp_count(const toad__mcp_call *call, const char *name);
bool mcp_flag(const toad__mcp_call *call, const char *name);
toad_str mcp_object(const toad__mcp_call *call, const char *name); /* as it came */
size_t mcp_texts(const toad__mcp_call *call, const char *name, toad_str out[MCP_TEXTS_MAX]);

#endif
