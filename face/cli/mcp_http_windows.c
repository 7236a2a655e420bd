/* mcp_http_windows.c - see mcp_http.h, face/proxy/http.h: nothing is served over HTTP on Windows, and that is said. */
#include "face/cli/mcp_http.h"

#include "face/cli/out.h"
#include "face/proxy/http.h"

#include <stdio.h>

#define NOT_HERE "HTTP is not in the program for Windows: the client starts it and speaks on standard input and output"

int cli_serve_mcp_http(const args *a, const mcp_settings *settings) {
    (void)a, (void)settings;
    cli_error("mcp", NOT_HERE);
    return EXIT_ERROR;
}

bool cli_read_http(const args *a, char address[64], uint16_t *port, http_guard *guard) {
    (void)a, (void)address, (void)port, (void)guard;
    cli_error("proxy", NOT_HERE);
    return false;
}

bool http_is_loopback(const char *address) { return (void)address, false; }

int proxy_serve_http(const proxy_http_settings *settings, const proxy_session_settings *session, char why[256]) {
    (void)settings, (void)session;
    snprintf(why, 256, "%s", NOT_HERE);
    return 2;
}
