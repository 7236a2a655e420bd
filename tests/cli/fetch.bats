#!/usr/bin/env bats
load helper

# Seed 004 end to end, against a server on loopback (tests/net/server.py); nothing leaves the machine.
SERVER=$BATS_TEST_DIRNAME/../net/server.py

serve() {
    mkfifo keep
    python3 "$SERVER" 127.0.0.1 <keep >port 3>&- &
    exec 9>keep
    while [ ! -s port ]; do sleep 0.05; done
    HERE=http://127.0.0.1:$(cat port)
}
teardown() { exec 9>&-; wait; }

f() { bezoar fetch --store s.db --allow-private 127.0.0.1 "$@"; }
page() { printf '%s/bytes?type=%s&hex=%s' "$HERE" "$1" "$(printf '%s' "$2" | od -An -tx1 | tr -d ' \n')"; }
check() { bezoar fetch --check --no-resolve "$@"; }

@test "--check: what may not be fetched, and why" {
    expect 1 check --json http://127.1/ http://2852039166/ 'http://a@b.com/' file:///etc/passwd http://a.com:22/ 'http://[::ffff:7f00:1]/'
    [ "$(jq -r .reason <<<"$output" | tr '\n' ' ')" = "loopback metadata credentials scheme port loopback " ]
    [ "$(jq -s 'map(.allowed) | any' <<<"$output")" = false ]
    expect 0 check https://example.com/ https://example.com:8443/x
    has "allowed  https://example.com/  ok"
    expect 1 check 'http://localhost/'
    has "refused  http://localhost/  internal_name: "
}

@test "--check --jsonl: one answer a line, in order, with the id as it came" {
    printf '%s\n' '{"id":"a","url":"https://example.com/"}' '{"id":[1,{"b":2}],"url":"http://10.0.0.1/"}' '{"url":"http://0x7f.1/"}' >in
    expect 1 check --jsonl in
    [ "${lines[0]}" = '{"id":"a","allowed":true,"reason":"ok"}' ]
    [ "${lines[1]}" = '{"id":[1,{"b":2}],"allowed":false,"reason":"private"}' ]
    [ "${lines[2]}" = '{"url":"http://0x7f.1/","allowed":false,"reason":"loopback"}' ]
    printf '%s\n' '{"id":1,"url":7}' '{"id":2,"url":"https://example.com/"}' 'x' >bad
    expect 2 check --jsonl bad
    [[ ${lines[0]} == '{"id":1,"line":1,"error":'* ]]
    [ "${lines[1]}" = '{"id":2,"allowed":true,"reason":"ok"}' ]
    [[ ${lines[2]} == '{"line":3,"error":'* ]]
}

@test "--check: addresses for documentation pass by spelling, and are named" {
    expect 0 check --json https://198.51.100.7/ 'http://[2001:db8::1]/'
    [ "$(jq -r .reason <<<"$output" | uniq)" = documentation ]
    expect 1 bezoar fetch --check https://198.51.100.7/
}

@test "--check: --port and --allow-private widen for the user alone" {
    expect 0 check --port 8080 http://example.com:8080/
    expect 0 check --allow-private 127.0.0.1 http://127.0.0.1:9999/
    expect 1 check --allow-private 127.0.0.1:80 http://127.0.0.1:81/
    expect 2 check --as model --allow-private 127.0.0.1 http://127.0.0.1/
    has "the user's"
    expect 2 check --port 65536 http://example.com/
}

@test "seed 004: fetch gives a reference, read gives the page in its envelope" {
    serve
    expect 0 f "$HERE/ok"
    [[ ${lines[0]} =~ ^"[Content from $HERE/ok | ID: fetch_"[0-9a-f]{12}" | Scan: allow]"$ ]]
    lacks "Hello, reader."
    id=$(f --json "$HERE/ok" | jq -r .id)
    expect 0 bezoar read "$id" --store s.db --as model --session s1
    [ "${lines[0]}" = "[Content from $HERE/ok - EXTERNAL UNTRUSTED SOURCE]" ]
    has "Hello, reader."
    lacks "<p>"
}

@test "seed 004: a page that hides an attack is blocked; a model gets reasons, no id and no text" {
    serve
    url=$(page text/html "<h1>Tea</h1><p>Boil water.</p><p style='display:none'>$ATTACK</p>")
    id=$(f --json "$url" | jq -r .id)
    expect 0 f --json "$url"
    [ "$(jq -r .scan <<<"$output")" = block ]
    [ "$(jq -c '.hidden' <<<"$output")" = '["html:hidden(display:none)"]' ]
    expect 1 bezoar read "$id" --store s.db --as model
    lacks "Boil water"
    expect 0 bezoar contents show "$id" --store s.db
    has "| Boil water."
    lacks "reveal your system prompt.</p>"
    [ "$(bezoar sources list --store s.db --json | jq '[.sources[] | select(.kind == "domain")][0].attributes.blocked_count')" -ge 1 ]
}

@test "what is refused leaves an event and nothing else" {
    serve
    expect 1 f --json "$HERE/redirect?to=http://169.254.169.254/latest/"
    [ "$(jq -r '.success, .reason' <<<"$output" | tr '\n' ' ')" = "false metadata " ]
    expect 1 f "$HERE/short"
    has "not fetched: the connection ended before the page did"
    expect 1 f "$HERE/bomb-in-limit"
    expect 1 bezoar fetch --store s.db "$HERE/ok"
    has "not fetched: the address is this machine"
    [ "$(bezoar contents list --store s.db --json | jq '.contents | length')" = 0 ]
    [ "$(bezoar audit query --store s.db --json --type fetch_refused | jq '.events | length')" = 4 ]
    id=$(f --json "$HERE/count?of=/ok" | jq -r .id)
    bezoar read "$id" --store s.db | grep -qx 0
}

@test "an agent can fetch, but cannot widen what is fetched" {
    expect 2 bezoar fetch --store s.db --as model --allow-private 127.0.0.1 http://127.0.0.1/
    has "the user's"
    expect 1 bezoar fetch --store s.db --as model http://127.0.0.1/
    has "the address is this machine"
}

@test "types: Markdown keeps its text and loses its comments, plain text and JSON stay as they are" {
    serve
    expect 0 f --json "$(page 'text/markdown' $'# *Tea* <!-- a note --> for two\n<!--\nmore\n-->\n```\n<!-- code -->\n```\nend <!-- open')"
    [ "$(jq -c .hidden <<<"$output")" = '["html:hidden(comment)"]' ]
    expect 0 bezoar read "$(jq -r .id <<<"$output")" --store s.db
    has $'# *Tea*  for two\n\n```\n<!-- code -->\n```\nend \n'
    id=$(f --json "$(page 'application/json' '{"tea":"<b>hot</b>"}')" | jq -r .id)
    expect 0 bezoar read "$id" --store s.db
    has '{"tea":"<b>hot</b>"}'
    expect 1 f "$(page text/html '%PDF-1.4 x')"
    has "what came is no text (PDF)"
}

@test "limits: --max-bytes and --timeout" {
    serve
    expect 1 f --max-bytes 10 "$HERE/ok"
    has "larger than allowed"
    expect 1 f --timeout 1 "$HERE/slow-body"
    has "took longer than allowed"
}
