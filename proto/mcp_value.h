/* mcp_value.h - what a value that passes between an MCP client and a server is, and what becomes of it. */
#ifndef TOAD_PROTO_MCP_VALUE_H
#define TOAD_PROTO_MCP_VALUE_H

typedef enum toad__mcp_what {
    TOAD__MCP_VALUE_SERVER,       /* result of initialize or server/discover */
    TOAD__MCP_VALUE_TOOLS,        /* result of tools/list: also pinned; held tools are left out */
    TOAD__MCP_VALUE_PROMPTS,      /* result of prompts/list */
    TOAD__MCP_VALUE_PROMPT,       /* result of prompts/get */
    TOAD__MCP_VALUE_RESOURCES,    /* result of resources/list */
    TOAD__MCP_VALUE_TEMPLATES,    /* result of resources/templates/list */
    TOAD__MCP_VALUE_RESOURCE,     /* result of resources/read */
    TOAD__MCP_VALUE_TOOL_RESULT,  /* result of tools/call or tasks/result, also isError, input_required and task */
    TOAD__MCP_VALUE_COMPLETION,   /* result of completion/complete */
    TOAD__MCP_VALUE_OTHER,        /* result of any other method */
    TOAD__MCP_VALUE_ERROR,        /* the error object of any method */
    TOAD__MCP_VALUE_NOTIFICATION, /* params of a notification */
    TOAD__MCP_VALUE_REQUEST,      /* params of a request by the server: elicitation, sampling, roots */
    TOAD__MCP_VALUE_OUTPUT,       /* no message: what a tool of the agent itself gave, in a shape of the tool's own */
    TOAD__MCP_VALUE_TASK,         /* result of tasks/get, or params of a notification with the same members */
} toad__mcp_what;

typedef enum toad__mcp_fate {
    TOAD__FATE_PASS,        /* it is forwarded as it came */
    TOAD__FATE_REPLACE,     /* `out` stands in place of the value: a result a result, an error an error, params params;
                               of a client's call: the result in place of the call */
    TOAD__FATE_AS_ERROR,    /* `out` is an error object: the message becomes an error answer */
    TOAD__FATE_BACK_RESULT, /* a request of the server is not forwarded: `out` is the result that it gets, ... */
    TOAD__FATE_BACK_ERROR,  /* ... or the error object */
} toad__mcp_fate;

#endif
