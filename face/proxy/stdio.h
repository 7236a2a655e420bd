/* stdio.h - one client on standard input and output. */
#ifndef TOAD_FACE_PROXY_STDIO_H
#define TOAD_FACE_PROXY_STDIO_H

#include "face/proxy/session.h"

/* Serve until either side ends. The session's to_client and client are set here. Returns the exit status: 0, or 2 where
 * the server could not be started or ended by itself; `why` then says so. */
int proxy_serve_stdio(proxy_session_settings *settings, int in, int out, char why[256]);

#endif
