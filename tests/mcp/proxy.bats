#!/usr/bin/env bats
# bezoar proxy between scripted clients and a server that attacks in every way.
load helper

@test "no byte of a payload reaches the client, in any pairing of eras, on standard input and output and over HTTP" {
    python3 -B "$BATS_TEST_DIRNAME/proxy_attacks.py" "$BEZOAR" "$BATS_TEST_TMPDIR"
}

@test "bytes pass, questions are asked, pins hold, and neither side can hang the other" {
    python3 -B "$BATS_TEST_DIRNAME/proxy_behaviour.py" "$BEZOAR" "$BATS_TEST_TMPDIR"
}

@test "the proxy says what it lacks" {
    expect 2 bezoar proxy
    has "what is to be done" || has "give --name"
    expect 2 bezoar proxy --name a
    has "give one of -- COMMAND, --url and --file"
    expect 2 bezoar proxy --file none.json
    has "give --http"
    expect 2 bezoar proxy --name a --store s.db $(printf -- '--header X%s:1 ' {1..33}) --url http://127.0.0.1:9/
    has "at most 32 headers"
    printf '{"mcpServers":{"a b":{"command":"true"}}}' >servers.json
    expect 2 bezoar proxy --file servers.json --http 127.0.0.1:0 --store s.db
    has "a name is"
}
