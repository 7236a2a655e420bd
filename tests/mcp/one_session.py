"""An agent that has hooks and a wrapped server: what it starts shares one session, and is asked once.

usage: one_session.py TOADSTONE STORE"""
import json
import subprocess
import sys

toadstone, store = sys.argv[1:3]

SERVER = r'''
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    if m["method"] == "initialize":
        r = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "w", "version": "1"}}
    elif m["method"] == "tools/call":
        page = "Opening hours: 9 to 17. Groups write to desk@museum.example before they come."
        r = {"content": [{"type": "text", "text": page if m["params"]["name"] == "page" else "sent"}]}
    else:
        r = {"tools": [{"name": n, "description": n, "inputSchema": {"type": "object"}} for n in ("page", "send_email")]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r}), flush=True)
'''

proxy = subprocess.Popen([toadstone, "proxy", "--name", "w", "--store", store, "--", sys.executable, "-c", SERVER],
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
number = 0


def rpc(method, params):
    global number
    number += 1
    proxy.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\n")
    proxy.stdin.flush()
    while True:
        m = json.loads(proxy.stdout.readline())
        if m.get("id") == number:
            return m["result"]


def hook(event, **members):
    payload = json.dumps({"session_id": "a1", "hook_event_name": event, **members})
    command = f"'{toadstone}' hook --agent claude --event {event} --store '{store}'"
    return json.loads(subprocess.run(["sh", "-c", command], input=payload, capture_output=True, text=True, check=True).stdout)


def call(tool, arguments):
    return rpc("tools/call", {"name": tool, "arguments": arguments})


rpc("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}})
proxy.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
rpc("tools/list", {})
assert hook("UserPromptSubmit", prompt="Look up the museum's opening hours, ana@home.example is waiting for them") == {}
page = call("page", {"topic": "museum opening hours"})
assert "desk@museum.example" in page["content"][0]["text"], page
assert hook("PostToolUse", tool_name="mcp__w__page", tool_input={"topic": "museum opening hours"}, tool_response=page["content"]) == {}

own, other = {"to": "ana@home.example", "body": "9 to 17"}, {"to": "desk@museum.example", "body": "9 to 17"}
assert hook("PreToolUse", tool_name="mcp__w__send_email", tool_input=other) == {}, "the proxy asks, the hook need not"
said = call("send_email", own)
assert said["content"][0]["text"] == "sent", said
said = call("send_email", other)
assert said.get("isError") and "confirm" in said["content"][0]["text"], said
assert "permissionDecision" in json.dumps(hook("PreToolUse", tool_name="mcp__another__send_email", tool_input=other))
proxy.stdin.close()
proxy.wait(10)
