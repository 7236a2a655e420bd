"""No byte of a payload reaches the client, whatever the server does, in any pairing of eras. Python 3, standard library only.

usage: proxy_attacks.py TOADSTONE WORKDIR [ADDRESS-OF-A-TEST ...]      prints "N passed, N failed"
"""
import json
import os
import re
import subprocess
import sys
import traceback

from proxy_client import Client, HttpClient

here = os.path.dirname(os.path.abspath(__file__))
toadstone, work = sys.argv[1], sys.argv[2]
LEAK = re.compile(r"all previous|system prompt|instructions and reveal|ignore all", re.I)
passed = failed = 0
endpoints = []


def check(name, ok, *details):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print("FAIL", name, *[str(d)[:400] for d in details], flush=True)


def leaks(lines):
    for line in lines:
        text = line.decode("utf-8", "replace")
        for form in (text, json.dumps(json.loads(text), ensure_ascii=False)):
            if LEAK.search(form):
                return form
    return None


def server(era, *more):
    return ["--", sys.executable, os.path.join(here, "proxy_server.py"), era, *more]


def at_endpoint(name, era, *options):
    """The same server as an endpoint over HTTP."""
    behind = subprocess.Popen(server(era, "--http")[1:], stdout=subprocess.PIPE, env={**os.environ, **({"ATTACK_HELLO": "1", "ATTACK_TOOLS": "1"} if "--env" in options else {})})
    endpoints.append(behind)
    url = f"http://127.0.0.1:{int(behind.stdout.readline())}/mcp"
    return [toadstone, "proxy", "--name", name, "--store", os.path.join(work, name + ".db"), *options, "--url", url]


def proxy(name, era, *options):
    if "url" in name:
        return at_endpoint(name, era, *options)
    return [toadstone, "proxy", "--name", name, "--store", os.path.join(work, name + ".db"), *options, *server(era)]


ATTACKS = ["attack_text", "attack_middle", "attack_structured", "attack_both", "attack_is_error", "attack_link", "attack_resource", "attack_key", "attack_split",
           "attack_meta", "attack_unknown_member", "attack_error", "attack_error_data", "attack_member", "attack_log", "attack_notification", "attack_method",
           "attack_elicit", "attack_sample", "structured_schema"]
OTHERS = [("prompts/list", {}), ("prompts/get", {"name": "p"}), ("resources/list", {}), ("resources/templates/list", {}), ("resources/read", {"uri": "test://a"}),
          ("completion/complete", {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}), ("example/unknown", {})]


def pairing(at, there, here_, kind, *options):
    client = kind(proxy(at, there, *options), here_)
    check(f"{at}: hello", "result" in client.hello, client.hello)
    listed = client.request("tools/list", {})
    check(f"{at}: tools", len(listed.get("result", {}).get("tools", [])) > 20, listed)
    for tool in ("clean_text", "clean_structured", "clean_unicode"):
        got = client.call(tool)
        check(f"{at}: {tool}", got.get("result", {}).get("content") and not got["result"].get("isError"), got)
    for tool in ATTACKS:
        client.raw.clear()
        got = client.call(tool, _meta={"progressToken": "t1"})
        check(f"{at}: {tool}", not leaks(client.raw) and ("result" in got or "error" in got), leaks(client.raw), got)
    client.raw.clear()
    got = client.call("attack_progress", _meta={"progressToken": "t2"})
    check(f"{at}: attack_progress", not leaks(client.raw), client.raw)
    for method, params in OTHERS:
        client.raw.clear()
        got = client.request(method, params)
        check(f"{at}: {method}", not leaks(client.raw), leaks(client.raw))
    check(f"{at}: ends well", client.close() == 0)
    # what is attacked before anything is asked for, and the list itself
    client = kind(["env", "ATTACK_HELLO=1", *proxy(at, there, *options, "--env", "ATTACK_HELLO", "--env", "ATTACK_TOOLS=1")], here_)
    listed = client.request("tools/list", {})
    check(f"{at}: instructions and descriptions", not leaks(client.raw), leaks(client.raw))
    check(f"{at}: other tools stay", any(t["name"] == "clean_text" for t in listed.get("result", {}).get("tools", [])), listed)
    client.close()


for there in ("legacy", "modern"):
    for here_ in ("legacy", "modern"):
        for how, kind, options in (("", Client, []), ("-http", HttpClient, ["--http", "127.0.0.1:0"]), ("-url", Client, []), ("-http-url", HttpClient, ["--http", "127.0.0.1:0"])):
            try:
                pairing(f"{here_}-to-{there}{how}", there, here_, kind, *options)
            except Exception:
                failed += 1
                print("FAIL", here_, "to", there, kind)
                traceback.print_exc(file=sys.stdout)
for endpoint in endpoints:
    endpoint.kill()
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
