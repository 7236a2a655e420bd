/* fixture.h - the server that the public conformance suite, the unit tests and the fuzzer talk to: every feature of the
 * engine under the suite's names. */
#ifndef BZR_TESTS_MCP_FIXTURE_H
#define BZR_TESTS_MCP_FIXTURE_H

#include "proto/mcp.h"

/* All but the wire and the callbacks of a transport. */
bzr__mcp_server fixture_server(void);

#endif
