/* headers.c - see headers.h. */
#include "face/mcp/headers.h"

static toad_str find_header(void *ctx, const char *name) { return http_header(ctx, name); }

toad__mcp_headers mcp_headers_of(http_request *r) {
    return (toad__mcp_headers){ .version = http_header(r, "mcp-protocol-version"),
                                .method = http_header(r, "mcp-method"),
                                .name = http_header(r, "mcp-name"),
                                .session = http_header(r, "mcp-session-id"),
                                .accept = http_header(r, "accept"),
                                .content_type = http_header(r, "content-type"),
                                .param = find_header,
                                .ctx = r };
}
