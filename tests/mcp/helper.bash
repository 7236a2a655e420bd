# Talks to `toadstone mcp` line by line; every test has its own store.
load ../cli/helper

INIT='{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}'
META='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}'

# lines MESSAGE...: one a line
lines() { printf '%s\n' "$@"; }
# call ID TOOL ARGUMENTS
call() { printf '{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" "$3"; }
# serve: the server on what comes in
serve() { toadstone mcp --store "$BATS_TEST_TMPDIR/s.db" "$@"; }
# session MESSAGE...: a session's answers but the first
session() { lines "$INIT" '{"jsonrpc":"2.0","method":"notifications/initialized"}' "$@" | serve | sed 1d; }
TOKEN=a-token-of-a-test-0123456789
# listen [OPTION]...: start the server; $url is where
listen() {
    : >served.log # the shell that starts the server makes it only when it gets to run
    toadstone mcp --http 127.0.0.1:0 --store s.db "$@" 2>served.log 3>&- &
    server=$!
    for _ in $(seq 100); do
        url=$(sed -nE 's,.*(http://127\.0\.0\.1:[0-9]+/mcp).*,\1,p' served.log)
        [ -z "$url" ] || return 0
        sleep 0.05
    done
    cat served.log
    return 1
}
teardown() { [ -z "${server:-}" ] || kill "$server" 2>/dev/null || true; }
