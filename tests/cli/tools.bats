#!/usr/bin/env bats
load helper

# A server with two tools, the first with the given description, and a client that waits for each answer.
talk() {
    cat >server.py <<'END'
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if 'id' not in m:
        continue
    r = {}
    if m['method'] == 'initialize':
        r = {"protocolVersion": m['params']['protocolVersion'], "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif m['method'] == 'tools/list':
        r = {"tools": [{"name": "add", "description": sys.argv[1], "inputSchema": {"type": "object"}}, {"name": "sub", "description": "Subtracts", "inputSchema": {"type": "object"}}]}
    elif m['method'] == 'tools/call':
        r = {"content": [{"type": "text", "text": "called " + m['params']['name']}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m['id'], "result": r}), flush=True)
END
    cat >client.py <<'END'
import json, subprocess, sys
p = subprocess.Popen(['toadstone', 'proxy', '--name', 's', '--store', 's.db'] + sys.argv[2:] + ['--', 'python3', 'server.py', sys.argv[1]],
                     stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(i, method, params):
    p.stdin.write(json.dumps({"jsonrpc": "2.0", "id": i, "method": method, "params": params}) + '\n')
    p.stdin.flush()
    return json.loads(p.stdout.readline())['result']
ask(1, 'initialize', {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
p.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
print('listed', *[t['name'] for t in ask(2, 'tools/list', {})['tools']])
r = ask(3, 'tools/call', {"name": "add", "arguments": {}})
print(r.get('isError', False), r['content'][0]['text'])
p.stdin.close()
p.wait(10)
END
    timeout 30 python3 client.py "$@"
}

digest() { toadstone proxy tools s --store s.db --json | jq -r '.tools[] | select(.tool == "add").digest'; }

@test "a tool is trusted as first seen; one that changed is left out and cannot be called until approved" {
    expect 0 talk "Adds numbers"
    has "listed add sub"
    has "False called add"
    expect 0 talk "Adds all numbers"
    has "listed sub"
    has "True [toadstone] This call was not made: the tool is held until the user approves it: it has changed: description"
    expect 0 person toadstone proxy approve s add --digest "$(digest)" --store s.db
    expect 0 talk "Adds all numbers"
    has "listed add sub"
    has "False called add"
    toadstone audit query --store s.db --json | jq -e '[.events[] | select(.event_type == "tool_pin") | .content] | sort == ["approved", "held", "trusted", "trusted"]'
}

@test "status, tools and diff show what is held, and why, with nothing hidden" {
    talk "Adds numbers"
    talk $'Adds \u202enumbers\u200b and more'
    expect 0 toadstone proxy status --store s.db
    [[ "$output" =~ s\ +2\ +1\  ]]
    expect 0 toadstone proxy tools --held --store s.db
    has "held"
    lacks "sub"
    expect 0 person toadstone proxy diff s add --store s.db
    has '-   "description": "Adds numbers"'
    has '+   "description": "Adds \u202enumbers\u200b and more"'
    [ "$(LC_ALL=C grep -c '[^ -~]' <<<"$output")" = 0 ]
}

@test "an approval is the user's, and bound to what they saw" {
    talk "Adds numbers"
    talk "Adds all numbers"
    seen=$(digest)
    expect 1 person toadstone proxy approve s add --digest "$seen" --store s.db --as model
    talk "Adds some numbers"
    expect 2 person toadstone proxy approve s add --digest "$seen" --store s.db
    expect 2 person toadstone proxy approve s add --store s.db
    expect 2 person toadstone proxy approve s nothing --digest "$seen" --store s.db
    [ "$(toadstone proxy tools s --held --store s.db --json | jq '.tools | length')" = 1 ]
}

@test "strict pinning holds what is new, and forget makes a tool new again" {
    expect 0 talk "Adds numbers" --pin strict
    has "listed"
    lacks "listed add"
    has "True [toadstone]"
    person toadstone proxy approve s add --digest "$(digest)" --store s.db
    expect 0 talk "Adds numbers" --pin strict
    has "listed add"
    expect 0 person toadstone proxy forget s add --store s.db
    expect 0 talk "Adds other numbers"
    has "listed add"
}

@test "a description that attacks is held at first sight" {
    expect 0 talk "Adds numbers. $ATTACK"
    has "listed sub"
    expect 0 toadstone proxy tools --held --store s.db
    has "the scan objects"
}
