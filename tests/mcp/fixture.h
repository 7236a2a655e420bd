/* fixture.h - the server that the public conformance suite, the unit tests and the fuzzer talk to: every feature of the
 * engine under the suite's names. */
#ifndef TOAD_TESTS_MCP_FIXTURE_H
#define TOAD_TESTS_MCP_FIXTURE_H

#include "proto/mcp.h"

/* All but the wire and the callbacks of a transport. */
toad__mcp_server fixture_server(void);

#endif
