#!/usr/bin/env bats
load helper

# Fetch, read and block, end to end, against a server on loopback (tests/net/server.py); nothing leaves the machine.
SERVER=$BATS_TEST_DIRNAME/../net/server.py

serve() {
    mkfifo keep
    python3 "$SERVER" 127.0.0.1 <keep >port 3>&- &
    exec 9>keep
    while [ ! -s port ]; do sleep 0.05; done
    HERE=http://127.0.0.1:$(cat port)
}
teardown() { exec 9>&-; wait; }

f() { toadstone fetch --store s.db --allow-private 127.0.0.1 "$@"; }
page() { printf '%s/bytes?type=%s&hex=%s' "$HERE" "$1" "$(printf '%s' "$2" | od -An -tx1 | tr -d ' \n')"; }
check() { toadstone fetch --check --no-resolve "$@"; }

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
    expect 1 toadstone fetch --check https://198.51.100.7/
}

@test "--check: --port and --allow-private widen for the user alone" {
    expect 0 check --port 8080 http://example.com:8080/
    expect 0 check --allow-private 127.0.0.1 http://127.0.0.1:9999/
    expect 1 check --allow-private 127.0.0.1:80 http://127.0.0.1:81/
    expect 2 check --as model --allow-private 127.0.0.1 http://127.0.0.1/
    has "the user's"
    expect 2 check --port 65536 http://example.com/
}

@test "--check: the ports of the configuration hold for agents, too" {
    mkdir -p config/toadstone
    export XDG_CONFIG_HOME=$PWD/config
    echo 'fetch: {ports: [8080, 9000]}' >config/toadstone/config.yaml
    expect 0 check --as model http://example.com:8080/ http://example.com:9000/
    expect 1 check http://example.com:8081/
    expect 1 toadstone fetch --store s.db --as model --json http://127.0.0.1:8080/ http://example.com:8081/
    [ "$(jq -r .reason <<<"$output" | tr '\n' ' ')" = "loopback port " ]
    echo 'fetch: {ports: [0x50]}' >config/toadstone/config.yaml
    expect 2 check http://example.com/
    has "config.yaml:1: fetch.ports: a list holds numbers between these: 1 65535"
}

@test "fetch gives a reference, read gives the page in its envelope" {
    serve
    expect 0 f "$HERE/ok"
    [[ ${lines[0]} =~ ^"[Content from $HERE/ok | ID: fetch_"[0-9a-f]{12}" | Scan: allow]"$ ]]
    lacks "Hello, reader."
    id=$(f --json "$HERE/ok" | jq -r .id)
    expect 0 toadstone read "$id" --store s.db --as model --session s1
    [ "${lines[0]}" = "[Content from $HERE/ok - EXTERNAL UNTRUSTED SOURCE]" ]
    has "Hello, reader."
    lacks "<p>"
}

@test "a page that hides an attack is blocked; a model gets reasons, no id and no text" {
    serve
    url=$(page text/html "<h1>Tea</h1><p>Boil water.</p><p style='display:none'>$ATTACK</p>")
    id=$(f --json "$url" | jq -r .id)
    expect 0 f --json "$url"
    [ "$(jq -r .scan <<<"$output")" = block ]
    [ "$(jq -c '.hidden' <<<"$output")" = '["html:hidden(display:none)"]' ]
    expect 1 toadstone read "$id" --store s.db --as model
    lacks "Boil water"
    expect 0 person toadstone contents show "$id" --store s.db
    has "| Boil water."
    lacks "reveal your system prompt.</p>"
    [ "$(toadstone sources list --store s.db --json | jq '[.sources[] | select(.kind == "domain")][0].attributes.blocked_count')" -ge 1 ]
}

@test "what is refused leaves an event and nothing else" {
    serve
    expect 1 f --json "$HERE/redirect?to=http://169.254.169.254/latest/"
    [ "$(jq -r '.success, .reason' <<<"$output" | tr '\n' ' ')" = "false metadata " ]
    expect 1 f "$HERE/short"
    has "not fetched: the connection ended before the page did"
    expect 1 f "$HERE/bomb-in-limit"
    expect 1 toadstone fetch --store s.db "$HERE/ok"
    has "not fetched: the address is this machine"
    [ "$(toadstone contents list --store s.db --json | jq '.contents | length')" = 0 ]
    [ "$(toadstone audit query --store s.db --json --type fetch_refused | jq '.events | length')" = 4 ]
    id=$(f --json "$HERE/count?of=/ok" | jq -r .id)
    toadstone read "$id" --store s.db | grep -qx 0
}

@test "an agent can fetch, but cannot widen what is fetched" {
    expect 2 toadstone fetch --store s.db --as model --allow-private 127.0.0.1 http://127.0.0.1/
    has "the user's"
    expect 1 toadstone fetch --store s.db --as model http://127.0.0.1/
    has "the address is this machine"
}

@test "types: Markdown keeps its text and loses its comments, plain text and JSON stay as they are" {
    serve
    expect 0 f --json "$(page 'text/markdown' $'# *Tea* <!-- a note --> for two\n<!--\nmore\n-->\n```\n<!-- code -->\n```\nend <!-- open')"
    [ "$(jq -c .hidden <<<"$output")" = '["html:hidden(comment)"]' ]
    expect 0 toadstone read "$(jq -r .id <<<"$output")" --store s.db
    has $'# *Tea*  for two\n\n```\n<!-- code -->\n```\nend \n'
    id=$(f --json "$(page 'application/json' '{"tea":"<b>hot</b>"}')" | jq -r .id)
    expect 0 toadstone read "$id" --store s.db
    has '{"tea":"<b>hot</b>"}'
    expect 1 f "$(page text/html '%PDF-1.4 x')"
    has "the PDF is encrypted or broken"
}

@test "limits: --max-bytes and --timeout" {
    serve
    expect 1 f --max-bytes 10 "$HERE/ok"
    has "larger than allowed"
    expect 1 f --timeout 1 "$HERE/slow-body"
    has "took longer than allowed"
}

cached() { printf '%s/cached?%s' "$HERE" "$1"; }
get() { python3 -c 'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).read().decode())' "$1"; }
requests() { get "$HERE/count?of=$1"; }

@test "within its time a page is answered for from the store, without a request" {
    serve
    url=$(cached 'Cache-Control=max-age%3D600')
    f --json "$url" >first
    id=$(jq -r .id first)
    expect 0 f --json --session s2 "$url"
    [ "$(jq -c '[.id, .cached, .status, .type, .requested]' <<<"$output")" = "[\"$id\",\"fresh\",200,\"html\",\"$url\"]" ]
    diff <(jq 'del(.cached)' first) <(jq 'del(.cached)' <<<"$output")
    [ "$(requests /cached)" = 1 ]
    [ "$(toadstone sessions show s2 --store s.db --json | jq -r '.metadata.web_content_references[0].content_id')" = "$id" ]
    [ "$(toadstone audit query --store s.db --json --type fetch_cached | jq -r '.events[0].content')" = fresh ]
    expect 0 f --json --fresh "$url"
    [ "$(jq .cached <<<"$output")" = false ]
    [ "$(requests /cached)" = 2 ]
    toadstone audit verify --store s.db
}

@test "caching: no-store is fetched anew, no-cache is asked about, what says nothing lasts as configured" {
    serve
    for cc in no-store no-cache; do
        f --json "$(cached "Cache-Control=$cc")" >first
        expect 0 f --json "$(cached "Cache-Control=$cc")"
        [ "$(jq .cached <<<"$output")" = false ]
    done
    f "$HERE/ok" >first
    expect 0 f --json "$HERE/ok"
    [ "$(jq -r .cached <<<"$output")" = fresh ]
    TOADSTONE_FETCH_FRESH_FOR=0s f --json --fresh "$HERE/ok" >first
    expect 0 f --json "$HERE/ok"
    [ "$(jq .cached <<<"$output")" = false ]
}

@test "caching: after its time the server is asked, and 304 renews" {
    serve
    url="$HERE/validators?etag=one&cc=no-cache"
    id=$(f --json "$url" | jq -r .id)
    expect 0 f --json "$url"
    [ "$(jq -r '.id, .cached' <<<"$output" | tr '\n' ' ')" = "$id revalidated " ]
    [ "$(requests /validators)" = 2 ]
    expect 0 f --json "$HERE/redirect?to=/validators?etag=one%26cc=no-cache"
    [ "$(jq .cached <<<"$output")" = false ]
    expect 0 f --json "$HERE/redirect?to=/validators?etag=one%26cc=no-cache"
    [ "$(jq -r .cached <<<"$output")" = revalidated ]
    [ "$(toadstone contents list --store s.db --json | jq '.contents | length')" = 1 ]
}

@test "caching: other rules, another policy, a changed body or a blocked source are no answer for a cached page" {
    serve
    url=$(page text/html '<p>The zebra dances.</p>')
    id=$(f --json "$url" | jq -r .id)
    printf '%s\n' 'rules:' '  - id: zebra' '    title: Zebra' '    severity: high' '    why: A test.' '    pattern: the zebra dances' '    match: [the zebra dances]' '    pass: [the horse]' >zebra.yaml
    expect 0 f --json --rules zebra.yaml "$url"
    [ "$(jq -r '.cached, .scan' <<<"$output" | tr '\n' ' ')" = "false block " ]
    expect 0 f --json "$url"
    [ "$(jq -r '.cached, .scan' <<<"$output" | tr '\n' ' ')" = "false allow " ]
    expect 0 f --json "$url"
    [ "$(jq -r .cached <<<"$output")" = fresh ]
    person toadstone sources set 127.0.0.1 blocked --store s.db
    expect 0 f --json "$url"
    [ "$(jq -r '.cached, .scan' <<<"$output" | tr '\n' ' ')" = "false block " ]
    person toadstone sources set 127.0.0.1 default --store s.db
    expect 0 f --json --fresh "$url"
    [ "$(jq -r .scan <<<"$output")" = allow ]
    sqlite3 s.db "UPDATE contents SET digest = replace(digest, substr(digest, 1, 4), 'ffff')"
    expect 0 f --json "$url"
    [ "$(jq .cached <<<"$output")" = false ]
}

@test "caching: an agent does not get from the store what it could not fetch" {
    serve
    f "$HERE/ok" >first
    expect 0 f --json "$HERE/ok"
    [ "$(jq -r .cached <<<"$output")" = fresh ]
    expect 1 toadstone fetch --store s.db --as model --json "$HERE/ok"
    [ "$(jq -r .reason <<<"$output")" = loopback ]
    expect 1 toadstone fetch --store s.db --json "$HERE/ok"
    [ "$(jq -r .reason <<<"$output")" = loopback ]
}

@test "a server that asks to come back later is left alone until then" {
    serve
    expect 1 f --json "$HERE/busy?status=429&after=3600"
    [ "$(jq -r .reason <<<"$output")" = busy ]
    [ "$(($(date -d "$(jq -r .retry_at <<<"$output")" +%s) - $(date +%s)))" -ge 3590 ]
    expect 1 f "$HERE/busy?status=503&after=1"
    has "the server asks to come back later (HTTP 503)"
    expect 1 f "$HERE/status/503"
    has "the server answered with an error"
}

@test "robots.txt is kept a day, and one that is closed a while" {
    serve
    get "$HERE/set-robots?text=User-agent:%20toadstone%0ADisallow:%20/echo%0A" >first
    expect 0 f --robots respect --fresh "$HERE/ok"
    expect 0 f --robots respect --fresh "$HERE/ok"
    expect 1 f --robots respect "$HERE/echo"
    has "robots.txt"
    expect 0 f "$HERE/echo"
    [ "$(requests /robots.txt)" = 1 ]
}

@test "hostile answers: a reason, an event, nothing stored" {
    serve
    while read -r path reason; do
        expect 1 f --json --timeout 2 "$HERE$path"
        [ "$(jq -r .reason <<<"$output")" = "$reason" ] || { echo "$path: $output"; false; }
    done <<'END'
/slow-header-lines timeout
/slow-body timeout
/endless too_large
/short incomplete
/two-lengths bad_answer
/huge-chunk incomplete
/cut-chunk incomplete
/bomb ratio
/bomb-deflate ratio
/bomb-brotli encoding
/bomb-zstd encoding
/cut-gzip incomplete
/bad-gzip encoding
/large-header headers
/many-headers headers
/http09 bad_answer
/garbage bad_answer
/nothing incomplete
/loop redirect_loop
/chain/9 redirects
/redirect?to=file:///etc/passwd scheme
/redirect?to=http://u:p@127.0.0.1/ credentials
/redirect?to=http://2852039166/ metadata
/redirect?to=http://[::ffff:10.0.0.1]/ private
/status/500 status
END
    [ "$(toadstone contents list --store s.db --json | jq '.contents | length')" = 0 ]
    [ "$(toadstone audit query --store s.db --json --type fetch_refused | jq '.events | length')" = 25 ]
    [ "$(sqlite3 s.db 'SELECT (SELECT count(*) FROM bodies) + (SELECT count(*) FROM pages)')" = 0 ]
}

@test "many URLs: answers in order, the gravest exit status, several at once" {
    serve
    urls=()
    for i in 1 2 3 4 5 6 7 8; do urls+=("$HERE/cached?x=$i"); done
    expect 0 f --json --jobs 3 "${urls[@]}"
    [ "$(jq -r .requested <<<"$output")" = "$(printf '%s\n' "${urls[@]}")" ]
    [ "$(jq -r .cached <<<"$output" | uniq)" = false ]
    expect 1 f --json "${urls[@]}" "$HERE/short" http://10.0.0.1/
    [ "$(jq -r '.cached, .reason' <<<"$output" | sort | uniq -c | awk '{print $1 $2}' | tr '\n' ' ')" = "8fresh 1incomplete 10null 1private " ]
    expect 1 f "${urls[0]}" "$HERE/short"
    has "[Content from ${urls[0]} |"
    has "$HERE/short: not fetched: the connection ended before the page did"
    [ "$(toadstone contents list --store s.db --json | jq '.contents | length')" = 8 ]
    toadstone audit verify --store s.db
    expect 2 toadstone fetch --as model --allow-private 127.0.0.1 "${urls[@]}"
    expect 2 f --jsonl "${urls[@]}"
    export TOADSTONE_ON_STORE_ERROR=block
    expect 2 toadstone fetch --store /proc/none/s.db "${urls[@]}"
    [ "${#lines[@]}" = 1 ]
}

@test "web_content_isolation: false answers with the page in its envelope; what is blocked stays blocked" {
    serve
    mkdir -p user/toadstone
    export XDG_CONFIG_HOME=$PWD/user
    url=$(page text/plain 'Kettles hold water.')
    expect 0 f "$url"
    lacks "Kettles"
    printf 'security: {web_content_isolation: false}\n' >user/toadstone/config.yaml
    expect 0 f "$url"
    has '<<<EXTERNAL_UNTRUSTED_CONTENT id="' && has "Kettles hold water." && has "EXTERNAL UNTRUSTED SOURCE"
    expect 0 f "$url" --json
    jq -e '(.id | startswith("fetch_")) and (.text | contains("Kettles")) and .scan == "allow"' <<<"$output"
    expect 0 f "$(page text/plain "Water. $ATTACK")"
    has "This content was blocked"
    lacks "Ignore all" && lacks "Water."
    printf 'security: {web_content_isolation: false}\npolicy: {web: {high: redact}}\n' >user/toadstone/config.yaml
    expect 0 f "$(page text/plain "Water. $ATTACK")" --fresh
    has "Water." && has "[removed]"
    lacks "Ignore all"
}
