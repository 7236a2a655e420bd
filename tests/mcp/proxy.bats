#!/usr/bin/env bats
# toadstone proxy between scripted clients and a server that attacks in every way.
load helper

@test "no byte of a payload reaches the client, in any pairing of eras, on standard input and output and over HTTP" {
    python3 -B "$BATS_TEST_DIRNAME/proxy_attacks.py" "$TOADSTONE" "$BATS_TEST_TMPDIR"
}

@test "bytes pass, questions are asked, pins hold, and neither side can hang the other" {
    python3 -B "$BATS_TEST_DIRNAME/proxy_behaviour.py" "$TOADSTONE" "$BATS_TEST_TMPDIR"
}

@test "the proxy says what it lacks" {
    expect 2 toadstone proxy
    has "what is to be done" || has "give --name"
    expect 2 toadstone proxy --name a
    has "give one of -- COMMAND, --url and --file"
    expect 2 toadstone proxy --file none.json
    has "give --http"
    expect 2 toadstone proxy --name a --store s.db $(printf -- '--header X%s:1 ' {1..33}) --url http://127.0.0.1:9/
    has "at most 32 headers"
    printf '{"mcpServers":{"a b":{"command":"true"}}}' >servers.json
    expect 2 toadstone proxy --file servers.json --http 127.0.0.1:0 --store s.db
    has "a name is"
}

@test "the endpoint's token comes out of a variable" {
    printf '%s\n' "$TOKEN" >tokens && chmod 600 tokens
    listen --token-file tokens
    for header in "Bearer $TOKEN" "Bearer another"; do
        lines "$INIT" '{"jsonrpc":"2.0","method":"notifications/initialized"}' '{"jsonrpc":"2.0","id":9,"method":"tools/list"}' |
            ENDPOINT=$header "$TOADSTONE" proxy --name up --store p.db --url "$url" --header-env Authorization=ENDPOINT >>out.jsonl 2>>err || true
    done
    [ "$(jq -c 'select(.id == 9 and (.result.tools | length) > 5) | .id' out.jsonl)" = 9 ]
    grep -q 'give --header-env' out.jsonl err
}
