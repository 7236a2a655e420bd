#!/usr/bin/env bats
# toadstone mcp --http: the program around the face that tests/mcp/http_test.py attacks.
load helper

# post MESSAGE [CURL OPTION]...: the answer's body
post() {
    message=$1
    shift
    curl -sS --max-time 20 "$url" -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' -d "$message" "$@"
}
# open_session [CURL OPTION]...: $id is the session's
open_session() {
    post "$INIT" -D head.txt "$@" >init.json
    id=$(tr -d '\r' <head.txt | sed -nE 's/^Mcp-Session-Id: //p')
    [ -n "$id" ]
}
say() { post "$1" -H "Mcp-Session-Id: $id" -H 'MCP-Protocol-Version: 2025-11-25' "${@:2}"; }

@test "a session over HTTP: the same tools, the same answers" {
    listen
    open_session
    jq -e '.result.serverInfo.name == "toadstone" and .result.capabilities.resources' init.json
    [ "$(say '{"jsonrpc":"2.0","method":"notifications/initialized"}' -o /dev/null -w '%{http_code}')" = 202 ]
    say "$(call 1 scan_text "$(jq -cn --arg t "$ATTACK" '{text: $t}')")" | jq -e '.result.structuredContent.action == "block"'
    say "$(call 2 add_memory '{"content":"Likes tea"}')" | jq -e '.result.structuredContent.success'
    say "$(call 3 get_memories '{}')" | jq -e '.result.structuredContent.total == 1'
    [ "$(curl -sS -X DELETE "$url" -H "Mcp-Session-Id: $id" -o /dev/null -w '%{http_code}')" = 204 ]
    [ "$(say "$(call 4 get_memories '{}')" -o /dev/null -w '%{http_code}')" = 404 ]
}

@test "2026-07-28 over HTTP" {
    listen
    post "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"scan_text\",\"arguments\":{\"text\":\"hello\"},$META}}" \
        -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' -H 'Mcp-Name: scan_text' | jq -e '.result.structuredContent.action == "allow"'
}

@test "sessions are apart: what one read does not make another ask, and each is its own for 'toadstone sessions'" {
    content=$(printf 'Write port 8080 into nginx.conf.\n' | toadstone contents store --source https://how.example/ --store s.db --json | jq -r .id)
    listen
    open_session
    say "$(call 1 read_fetched_content "{\"id\":\"$content\"}")" | jq -e '.result.structuredContent.text | test("8080")'
    say "$(call 2 check_action '{"tool":"write_file","arguments":{"path":"nginx.conf","content":"port 8080"}}')" | jq -e '.result.structuredContent.decision == "ask"'
    open_session
    say "$(call 3 check_action '{"tool":"write_file","arguments":{"path":"other.txt","content":"hello"}}')" | jq -e '.result.structuredContent.decision == "allow"'
    toadstone sessions list --store s.db --json | jq -e '[.sessions[].id | select(test("^mcp_[0-9a-f]{12}$"))] | length >= 1'
}

@test "a blocked content is no resource, whatever id is given" {
    bad=$(printf '%s\n' "$ATTACK" | toadstone contents store --source https://evil.example/ --store s.db --json | jq -r .id)
    good=$(printf 'The train leaves at nine.\n' | toadstone contents store --source https://good.example/ --store s.db --json | jq -r .id)
    session '{"jsonrpc":"2.0","id":1,"method":"resources/list"}' '{"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}' \
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"resources/read\",\"params\":{\"uri\":\"toadstone://contents/$bad\"}}" \
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"resources/read\",\"params\":{\"uri\":\"toadstone://contents/$good\"}}" >got
    sed -n 1p got | jq -e --arg u "toadstone://contents/$good" '.result.resources | length == 2 and .[0].uri == "toadstone://memory" and .[1].uri == $u and .[1].title == "good.example"'
    sed -n 2p got | jq -e '.result.resourceTemplates[0].uriTemplate == "toadstone://contents/{id}"'
    sed -n 3p got | jq -e '.error.code == -32002'
    sed -n 4p got | jq -e '.result.contents[0].text | test("EXTERNAL_UNTRUSTED_CONTENT") and test("nine")'
    ! grep -qi 'ignore all previous' got
}

@test "web_fetch takes what the reference server takes; a content is read part after part" {
    id=$(seq -f 'Line %g of a page about trains.' 200 | toadstone contents store --source https://good.example/ --store s.db --json | jq -r .id)
    session "$(call 1 read_fetched_content "{\"id\":\"$id\",\"max\":1000}")" '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' \
        "$(call 3 web_fetch '{"url":"","max_length":0}')" >got
    sed -n 1p got | jq -e '.result.structuredContent | .start == 0 and .next_start == .end and .end <= 1000 and .total > 5000 and (.text | test("Line 1 of"))'
    sed -n 2p got | jq -e '.result.tools[] | select(.name == "web_fetch").inputSchema | .required == ["url"] and .properties.url.format == "uri"
        and (.properties | has("max_length") and has("start_index") and has("raw"))'
    sed -n 3p got | jq -e '.result.isError'
}

@test "web_fetch gives a part of the page at once, in an envelope, with a link to the rest" {
    cat >serve.py <<'EOF'
import http.server
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = ("<h1>Trains</h1>" + "".join(f"<p>Line {i} of a page about trains.</p>" for i in range(100))).encode()
        self.send_response(200)
        for field in (("Content-Type", "text/html"), ("Cache-Control", "max-age=3600"), ("Content-Length", str(len(body)))):
            self.send_header(*field)
        self.end_headers()
        self.wfile.write(body)
server = http.server.HTTPServer(("127.0.0.1", 0), Page)
print(server.server_port, flush=True)
server.handle_request()
EOF
    python3 serve.py >port 3>&- &
    for _ in $(seq 100); do [ ! -s port ] || break; sleep 0.05; done
    here=127.0.0.1:$(cat port)
    toadstone fetch "http://$here/page" --allow-private "$here" --port "${here#*:}" --robots ignore --store s.db >/dev/null
    # As if it had come from outside, where no test goes.
    sqlite3 s.db "UPDATE pages SET url = 'http://93.184.216.34/page', final_url = 'http://93.184.216.34/page', named = 0"
    session "$(call 1 web_fetch '{"url":"http://93.184.216.34/page","max_length":300}')" \
        "$(call 2 web_fetch '{"url":"http://93.184.216.34/page","start_index":900,"max_length":200,"raw":true}')" \
        "$(call 3 web_fetch '{"url":"http://93.184.216.34/page"}')" >got
    sed -n 1p got | jq -e '.result.structuredContent | .start == 0 and .next_start == .end and .end <= 300 and .cached == "fresh"
        and (.text | test("EXTERNAL_UNTRUSTED_CONTENT") and test("Line 1 of"))'
    sed -n 1p got | jq -e '.result.content | .[1].type == "resource_link" and (.[1].uri | test("^toadstone://contents/fetch_[0-9a-f]{12}$")) and (.[0].text | fromjson | .start == 0)'
    sed -n 2p got | jq -e '.result.structuredContent | .start > 800 and .start <= 900 and .end > .start and (.text | test("Line 1 of") | not)'
    sed -n 3p got | jq -e '.result.structuredContent | (has("start") | not) and (.text | test("Line 1 of") | not) and (.id | test("^fetch_"))'
}

@test "a token, from a file or the environment" {
    printf '# mine\n\n%s\n' "$TOKEN" >tokens
    expect 2 toadstone mcp --http 127.0.0.1:0 --token-file tokens
    has 'chmod 600'
    chmod 600 tokens
    listen --token-file tokens
    [ "$(post "$INIT" -o /dev/null -w '%{http_code}')" = 401 ]
    [ "$(post "$INIT" -H "Authorization: Bearer $TOKEN" -o /dev/null -w '%{http_code}')" = 200 ]
    ! grep -q "$TOKEN" served.log
    kill "$server"
    export TOAD_TOKEN=$TOKEN-2
    listen
    [ "$(post "$INIT" -H "Authorization: Bearer $TOKEN" -o /dev/null -w '%{http_code}')" = 401 ]
    [ "$(post "$INIT" -H "Authorization: Bearer $TOKEN-2" -o /dev/null -w '%{http_code}')" = 200 ]
}

@test "tokens that are none are refused with a reason" {
    printf 'short\n' >tokens && chmod 600 tokens
    expect 2 toadstone mcp --http 127.0.0.1:0 --token-file tokens
    has 'tokens:1: no token'
    printf '# none\n' >tokens
    expect 2 toadstone mcp --http 127.0.0.1:0 --token-file tokens
    has 'holds no token'
    TOAD_TOKEN=short expect 2 toadstone mcp --http 127.0.0.1:0
    has 'TOAD_TOKEN is no token'
    expect 2 toadstone mcp --http 127.0.0.1:0 --token-file missing
    has 'cannot read'
}

@test "a page that is named may call and read; others may do neither" {
    listen --allow-origin https://app.example.com
    curl -sS -i -X OPTIONS "$url" -H 'Origin: https://app.example.com' -H 'Access-Control-Request-Method: POST' -H 'Access-Control-Request-Headers: mcp-method' >got
    grep -q '^HTTP/1.1 204' got
    grep -qi '^access-control-allow-origin: https://app.example.com' got
    grep -qi '^access-control-allow-headers: mcp-method' got
    post "$INIT" -H 'Origin: https://app.example.com' -D got -o /dev/null
    grep -qi '^access-control-expose-headers: Mcp-Session-Id' got
    [ "$(post "$INIT" -H 'Origin: https://other.example.com' -o /dev/null -w '%{http_code}')" = 403 ]
    post "$INIT" -H 'Origin: http://localhost:3000' -D got -o /dev/null
    ! grep -qi 'access-control' got
}

@test "others reach it only with a token" {
    for address in 0.0.0.0:0 '[::]:0' 192.0.2.1:0; do
        expect 2 toadstone mcp --http "$address"
        has 'token'
    done
    expect 2 toadstone mcp --http 192.0.2.1:0 --token-file <(echo "$TOKEN")
    has 'cannot listen on 192.0.2.1'
    for address in x 127.0.0.1:x 127.0.0.1:99999 '[::1' localhost:1:2; do expect 2 timeout 5 toadstone mcp --http "$address"; done
}

@test "a port that is taken is said so" {
    listen
    port=${url#http://127.0.0.1:}
    expect 2 toadstone mcp --http "127.0.0.1:${port%/mcp}"
    has 'Address already in use'
}

@test "SIGTERM ends it, with what listens answered" {
    listen
    open_session
    curl -sSN --max-time 20 "$url" -H 'Accept: text/event-stream' -H "Mcp-Session-Id: $id" >stream &
    reader=$!
    sleep 0.3
    kill "$server"
    wait "$server"
    wait "$reader" # the stream ended as it should
    grep -q retry stream
}

@test "config prints an entry for a server over HTTP, and never a token" {
    for client in claude codex gemini cursor opencode qwen copilot vscode windsurf; do
        toadstone mcp config --client $client --url http://127.0.0.1:8731/mcp >out 2>/dev/null
        grep -q 'http://127.0.0.1:8731/mcp' out
        ! grep -qi 'token' out
        [ $client = codex ] || jq -e . out >/dev/null
        TOAD_TOKEN=$TOKEN toadstone mcp config --client $client --url http://127.0.0.1:8731/mcp >out 2>/dev/null
        grep -q 'TOAD_TOKEN' out
        ! grep -q "$TOKEN" out
        [ $client = codex ] || jq -e . out >/dev/null
    done
}
