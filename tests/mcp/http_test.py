"""http_test.py FIXTURE - hostile and unlucky clients of the HTTP face, against tests/mcp/serve_fixture.c.

Raw sockets where a library would repair what is sent. Prints what failed; the last line is "N passed, N failed".
"""
import base64
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time

TOKEN, OTHER = "first-token-0123456789", "second-token-0123456789"
MODERN = "2026-07-28"
passed = failed = 0


def check(name, ok, got=None):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name}: got {str(got)[:300]}")


class Server:
    def __init__(self, *args):
        self.process = subprocess.Popen([sys.argv[1], "http", "0", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.port = int(self.process.stdout.readline())

    def rss(self):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("VmRSS"):
                return int(line.split()[1])

    def end(self):
        self.process.stdin.close()
        return self.process.wait(20)

    def raw(self, data, wait=5):
        """What comes back for these bytes until the other side closes, or nothing comes for a while."""
        with socket.create_connection(("127.0.0.1", self.port)) as s:
            s.settimeout(wait)
            got = b""
            try:
                s.sendall(data)
                while True:
                    part = s.recv(65536)
                    if not part:
                        break
                    got += part
            except OSError:
                pass
            return got

    def status(self, data, wait=1):
        m = re.match(rb"HTTP/1.1 (\d+)", self.raw(data, wait))
        return int(m[1]) if m else 0


class Client:
    """A connection, and what every request on it carries."""

    def __init__(self, server, token=None, session=None, version=None):
        self.c = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        self.headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if token:
            self.headers["Authorization"] = f"Bearer {token}"
        if session:
            self.headers["Mcp-Session-Id"] = session
        if version:
            self.headers["MCP-Protocol-Version"] = version
        self.id = 0

    def send(self, method, body=None, headers=None, path="/mcp"):
        data = body if isinstance(body, (bytes, type(None))) else json.dumps(body).encode()
        self.c.request(method, path, data, {**self.headers, **(headers or {})})
        return self.c.getresponse()

    def ask(self, method, body=None, headers=None, path="/mcp"):
        r = self.send(method, body, headers, path)
        return r.status, r.read(), r

    def rpc(self, method, params=None, headers=None):
        self.id += 1
        status, text, r = self.ask("POST", {"jsonrpc": "2.0", "id": self.id, "method": method, "params": params or {}}, headers)
        if r.getheader("Content-Type") == "text/event-stream":
            return status, [json.loads(d) for _, d in events(text) if d][-1]
        return status, json.loads(text) if text else None


def meta(capabilities=None):
    return {"_meta": {"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": capabilities or {}}}


def modern(client, method, params=None, capabilities=None, headers=None):
    params = {**(params or {}), **meta(capabilities)}
    name = params.get("name", params.get("uri"))
    all_headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method, **({"Mcp-Name": name} if name else {}), **(headers or {})}
    return client.rpc(method, params, {k: v for k, v in all_headers.items() if v is not None})


def start_session(server, token=None, capabilities=None, version="2025-11-25"):
    c = Client(server, token)
    status, text, r = c.ask("POST", {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": {"name": "t", "version": "1"}}})
    assert status == 200, (status, text)
    c.headers["Mcp-Session-Id"] = r.getheader("Mcp-Session-Id")
    c.headers["MCP-Protocol-Version"] = version
    status, _, _ = c.ask("POST", {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert status == 202, status
    return c


def events(text):
    """(id, data) of each event."""
    found = []
    for block in text.decode().split("\n\n"):
        fields = [line.split(": ", 1) for line in block.split("\n") if ": " in line]
        data = [v for k, v in fields if k == "data"] or (["" ] if "data: " in block else [])
        if data or any(k == "id" for k, _ in fields):
            found.append((next((v for k, v in fields if k == "id"), None), "\n".join(data)))
    return found


def read_event(response, until=None):
    """The next event that has data."""
    block = b""
    while True:
        line = response.readline()
        if not line:
            return None
        block += line
        if line == b"\n":
            found = [e for e in events(block) if e[1]]
            if found and (until is None or until in found[0][1]):
                return found[0]
            block = b""


def head(extra="", host="localhost", method="POST", length=None, body=b""):
    n = len(body) if length is None else length
    return (f"{method} /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Connection: close\r\nContent-Length: {n}\r\n{extra}\r\n").encode() + body


def strangers(s):
    ping = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": meta()}).encode()
    names = f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: server/discover\r\n"
    check("a good request", s.status(head(names, body=ping)) == 200)
    for host in ("evil.example.com", f"evil.example.com:{s.port}", "localhost.evil.example.com", "127.0.0.1.nip.io", "[::2]", "localhost:x", "localhost@evil", "127.0.0.1:80:80"):
        check(f"host {host}", s.status(head(names, host=host, body=ping)) == 403)
    for host in ("127.0.0.1", f"localhost:{s.port}", "[::1]", "LOCALHOST"):
        check(f"host {host}", s.status(head(names, host=host, body=ping)) == 200)
    check("no host", s.status(b"POST /mcp HTTP/1.1\r\nContent-Length: 0\r\n\r\n") in (400, 403))
    check("two hosts", s.status(head(names + "Host: localhost\r\n", body=ping)) == 400)
    for origin in ("http://evil.example.com", "null", "http://localhost.evil.example.com", "https://127.0.0.1.nip.io", "file://", "http://[::1", "chrome-extension://x"):
        check(f"origin {origin}", s.status(head(names + f"Origin: {origin}\r\n", body=ping)) == 403)
    check("an origin of this machine", s.status(head(names + "Origin: http://localhost:3000\r\n", body=ping)) == 200)
    check("no CORS", b"access-control" not in s.raw(head(names + "Origin: http://localhost:3000\r\n", body=ping), 1).lower())
    check("another path", s.status(b"GET /etc/passwd HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 404)
    check("a NUL in the path", s.status(b"GET /mcp%00 HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") == 400)
    check("another method", s.status(head(method="PUT")) == 405)
    check("another type", s.status(head(names, body=ping).replace(b"application/json\r\nAccept", b"text/plain\r\nAccept")) == 415)
    check("another answer wanted", s.status(head(names, body=ping).replace(b"application/json, text/event-stream", b"text/html")) == 406)
    check("two lengths", s.status(head(names + "Transfer-Encoding: chunked\r\n", body=b"0\r\n\r\n")) in (0, 400))
    check("a header twice", s.status(head(names + "Mcp-Method: tools/call\r\n", body=ping)) == 400)
    check("many headers", s.status(head(names + "".join(f"X-{i}: y\r\n" for i in range(400)), body=ping)) == 431)
    check("a long header", s.status(head(names + f"X: {'y' * 100000}\r\n", body=ping)) in (0, 431))


def bodies(s):
    c = Client(s)
    check("no JSON", c.ask("POST", b"{")[0] == 400)
    check("its error", json.loads(Client(s).ask("POST", b"{")[1])["error"]["code"] == -32700)
    check("no message", Client(s).ask("POST", b"[1]")[0] == 400)
    check("an oversized body", s.status(head(length=17 << 20)) == 413)
    big = b"".join(b"10000\r\n" + b" " * 65536 + b"\r\n" for _ in range(270))
    chunked = head().replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    check("an oversized body in chunks", s.status(chunked + big + b"0\r\n\r\n", 5) in (0, 413))
    check("a length that is none", s.status(head(length="x")) in (0, 400))
    check("still served", modern(Client(s), "server/discover")[0] == 200)
    data = head(f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: server/discover\r\n", body=json.dumps(
        {"jsonrpc": "2.0", "id": 1, "method": "server/discover", "params": meta()}).encode())
    with socket.create_connection(("127.0.0.1", s.port)) as one:
        one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(0, len(data), 7):
            one.sendall(data[i:i + 7])
            time.sleep(0.001)
        check("split headers", one.recv(100).startswith(b"HTTP/1.1 200"))


def slow(s):
    """Whoever sends a byte now and then is cut off all the same."""
    def drip(data, name):
        with socket.create_connection(("127.0.0.1", s.port)) as one:
            one.sendall(data)
            start = time.time()
            one.settimeout(0.2)
            while time.time() - start < 6:
                try:
                    one.sendall(b"x")
                    if not one.recv(100):
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
            check(name, time.time() - start < 5, time.time() - start)
    threads = [threading.Thread(target=drip, args=a) for a in (
        (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Long: ", "a slow head"), (head(length=100000), "a slow body"), (b"", "nothing but a byte now and then"))]
    for t in threads:
        t.start()
    check("others are served meanwhile", modern(Client(s), "server/discover")[0] == 200)
    for t in threads:
        t.join()


def mirrors(s):
    c = Client(s)
    call = {"name": "test_simple_text"}
    check("all headers", modern(c, "tools/call", call)[0] == 200)
    for name, headers in (("no method", {"Mcp-Method": None}), ("another method", {"Mcp-Method": "tools/list"}), ("no name", {"Mcp-Name": None}),
                          ("another name", {"Mcp-Name": "test_image_content"}), ("a name in another case", {"Mcp-Name": "TEST_SIMPLE_TEXT"}),
                          ("no version", {"MCP-Protocol-Version": None}), ("another version", {"MCP-Protocol-Version": "2025-11-25"})):
        status, answer = modern(c, "tools/call", call, headers=headers)
        check(name, status == 400 and answer["error"]["code"] == -32020, (status, answer))
    code = "=?base64?" + base64.b64encode(b"test_simple_text").decode() + "?="
    check("a coded name", modern(c, "tools/call", call, headers={"Mcp-Name": code})[0] == 200)
    check("a badly coded name", modern(c, "tools/call", call, headers={"Mcp-Name": code[:-3] + "?="})[0] == 400)
    params = {"name": "test_x_mcp_header", "arguments": {"region": "Ky\u014dto", "deep": {"n": 5}}}
    region = "=?base64?" + base64.b64encode("Ky\u014dto".encode()).decode() + "?="
    for headers, want in (({"Mcp-Param-Region": region, "Mcp-Param-Deep-N": "5"}, 200), ({"Mcp-Param-Region": region}, 400), ({"Mcp-Param-Region": region, "Mcp-Param-Deep-N": "6"}, 400)):
        check(f"mirrored arguments {headers}", modern(c, "tools/call", params, headers=headers)[0] == want)
    check("an unknown revision", modern(c, "tools/list", headers={"MCP-Protocol-Version": "2030-01-01"})[0] == 400)
    for method in ("ping", "initialize", "logging/setLevel", "resources/subscribe"):
        check(f"{method} is gone", modern(c, method)[0] == 404)
    for method in ("GET", "DELETE"):
        check(f"{method} is no more", c.ask(method, headers={"MCP-Protocol-Version": MODERN})[0] == 405)
    check("a notification", c.ask("POST", {"jsonrpc": "2.0", "method": "notifications/x"}, {"MCP-Protocol-Version": MODERN})[0] == 202)


def sessions(s):
    c = start_session(s)
    check("a session id is long and visible", re.fullmatch(r"[!-~]{32,}", c.headers["Mcp-Session-Id"]))
    check("a call", c.rpc("tools/call", {"name": "test_simple_text"})[0] == 200)
    check("no session", Client(s, version="2025-11-25").rpc("tools/list")[0] == 400)
    for bad in ("0" * 32, c.headers["Mcp-Session-Id"][:-1], c.headers["Mcp-Session-Id"] + "0", "x", "\t"):
        check("an unknown session", Client(s, session=bad, version="2025-11-25").rpc("tools/list")[0] in (400, 404))
    check("an unknown revision", c.rpc("tools/list", headers={"MCP-Protocol-Version": "1999-01-01"})[0] == 400)
    check("an older revision's batch", len(json.loads(start_session(s, version="2025-03-26").ask("POST", [
        {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "id": 2, "method": "ping"}])[1])) == 2)
    check("GET wants events", c.ask("GET", headers={"Accept": "application/json"})[0] == 406)
    check("the end", c.ask("DELETE")[0] == 204)
    check("ended", c.rpc("tools/list")[0] == 404)
    check("ended twice", c.ask("DELETE")[0] == 404)
    c = start_session(s, version="2025-11-25")
    check("a bad initialize leaves no session", Client(s).ask("POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize"})[2].getheader("Mcp-Session-Id") is None or
          Client(s, session="0" * 32, version="2025-11-25").rpc("ping")[0] == 404)


def tokens(s):
    for headers, want in (({}, 401), ({"Authorization": "Bearer wrong-token-0123456789"}, 401), ({"Authorization": TOKEN}, 401), ({"Authorization": f"Basic {TOKEN}"}, 401),
                          ({"Authorization": f"Bearer {TOKEN}x"}, 401), ({"Authorization": f"Bearer {TOKEN[:-1]}"}, 401), ({"Authorization": f"bearer {TOKEN}"}, 200)):
        status, _, r = Client(s).ask("POST", {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25", "capabilities": {}}}, headers)
        check(f"token {headers}", status == want, status)
        if want == 401:
            check("where to get one", re.fullmatch(r'Bearer resource_metadata="http://127\.0\.0\.1:\d+/\.well-known/oauth-protected-resource/mcp"', r.getheader("WWW-Authenticate")), r.getheader("WWW-Authenticate"))
    check("strangers learn no paths", Client(s).ask("GET", path="/x")[0] == 401 and Client(s, TOKEN).ask("GET", path="/x")[0] == 404)
    status, text, _ = Client(s).ask("GET", path="/.well-known/oauth-protected-resource/mcp")
    check("the metadata", status == 200 and json.loads(text)["resource"] == f"http://127.0.0.1:{s.port}/mcp", text)
    mine = start_session(s, TOKEN)
    thief = Client(s, OTHER, mine.headers["Mcp-Session-Id"], "2025-11-25")
    check("another's session", thief.rpc("tools/list")[0] == 404 and thief.ask("GET")[0] == 404 and thief.ask("DELETE")[0] == 404)
    check("it goes on", mine.rpc("tools/list")[0] == 200)
    form = {"elicitation": {}}
    asked = modern(Client(s, TOKEN), "tools/call", {"name": "test_input_required_result_request_state"}, form)[1]["result"]
    answer = {"name": "test_input_required_result_request_state", "requestState": asked["requestState"],
              "inputResponses": {"confirm": {"action": "accept", "content": {"ok": True}}}}
    status, got = modern(Client(s, OTHER), "tools/call", answer, form)
    check("another's state", got.get("error", {}).get("code") == -32602, got)
    check("its own", "state-ok" in str(modern(Client(s, TOKEN), "tools/call", answer, form)[1]["result"]["content"]))


def questions(s):
    """accept, decline and cancel, by form and by URL, in both eras; a state that was changed, or used."""
    for tool, key, can in (("test_url_confirmation", "page", {"elicitation": {"url": {}}}), ("test_input_required_result_elicitation", "user_name", {"elicitation": {}})):
        for said in ({"action": "accept", "content": {"name": "Ann"}}, {"action": "decline"}, {"action": "cancel"}):
            c = Client(s)
            asked = modern(c, "tools/call", {"name": tool}, can)[1]["result"]
            check(f"{tool} asks", asked["resultType"] == "input_required" and asked["inputRequests"][key]["method"] == "elicitation/create", asked)
            retry = {"name": tool, "requestState": asked["requestState"], "inputResponses": {key: said}}
            done = modern(c, "tools/call", retry, can)[1]["result"]
            if key == "page":
                check(f"{tool}: {said['action']}", (done["content"][0]["text"] == "let through") == (said["action"] == "accept") and done["isError"] == (said["action"] != "accept"), done)
            else:
                check(f"{tool}: {said['action']}", done["resultType"] == "complete" and said["action"] in done["content"][0]["text"], done)
            check("a replay", modern(c, "tools/call", retry, can)[1]["error"]["code"] == -32602)
            state = asked["requestState"]
            for changed in (state[:-1] + ("0" if state[-1] != "0" else "1"), "0" + state[1:], state[:-2], state.upper(), "", state + "00"):
                if changed != state:
                    check("a changed state", "error" in modern(c, "tools/call", {**retry, "requestState": changed}, can)[1], changed)
            asked = modern(c, "tools/call", {"name": tool}, can)[1]["result"]
            other = {"name": "test_input_required_result_request_state", "requestState": asked["requestState"], "inputResponses": {key: said}}
            check("a state of another call", modern(c, "tools/call", other, can)[1]["error"]["code"] == -32602)

            c = start_session(s, capabilities=can)
            waiting = Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25")
            r = waiting.send("POST", {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": tool}})
            question = json.loads(read_event(r)[1])
            check(f"{tool} asks in a session", question["method"] == "elicitation/create" and (question["params"].get("mode") == "url") == (key == "page"), question)
            check("an answer", c.ask("POST", {"jsonrpc": "2.0", "id": question["id"], "result": said})[0] == 202)
            check("an answer again", c.ask("POST", {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}})[0] == 202)
            done = json.loads(read_event(r)[1])["result"]
            ok = (done["content"][0]["text"] == "let through") == (said["action"] == "accept") if key == "page" else said["action"] in done["content"][0]["text"]
            check(f"{tool} in a session: {said['action']}", ok, done)
    c = start_session(s, capabilities={"elicitation": {"url": {}}})
    thief = start_session(s, capabilities={"elicitation": {"url": {}}})
    r = c.send("POST", {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "test_url_confirmation"}})
    question = json.loads(read_event(r)[1])
    thief.ask("POST", {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": {}}})
    mine = Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25")
    mine.ask("POST", {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "decline"}})
    check("another session's answer does not count", "blocked" in read_event(r)[1])
    check("who cannot be asked is not", modern(Client(s), "tools/call", {"name": "test_url_confirmation"})[1]["error"]["code"] == -32021)


def streams(s):
    c = start_session(s, capabilities={})
    r = c.send("POST", {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "test_reconnection"}})
    text = r.read()
    first = re.search(rb"id: (\S+)", text)[1].decode()
    check("a stream is primed and may end early", b"retry: " in text and b"jsonrpc" not in text, text)
    noise = c.send("POST", {"jsonrpc": "2.0", "id": 8, "method": "tools/call", "params": {"name": "test_tool_with_progress", "_meta": {"progressToken": "p"}}}).read()
    check("progress is streamed", noise.count(b"notifications/progress") == 3 and b'"id":8' in noise, noise)
    ids = [i for i, _ in events(noise)]
    check("ids are unique", len(set(ids)) == len(ids) and first not in ids, ids)
    again = c.send("GET", headers={"Last-Event-ID": first}).read()
    check("the rest of that stream, and of no other", again.count(b'"id":7') == 1 and b"progress" not in again and b'"id":8' not in again, again)
    again = c.send("GET", headers={"Last-Event-ID": ids[1]}).read()
    check("from that event on", again.count(b"notifications/progress") == 2 and b'"id":8' in again, again)
    for bad in ("x", "99-1", f"{first}9", "-", "1-2-3", "9" * 40):
        check(f"Last-Event-ID {bad[:9]}", c.ask("GET", headers={"Last-Event-ID": bad})[0] == 400)
    listening = Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25")
    r = listening.send("GET")
    other = start_session(s)
    other.rpc("tools/call", {"name": "test_trigger_tool_change"})
    check("a change reaches another session", "tools/list_changed" in read_event(r)[1])
    one = Client(s)
    r = one.send("POST", {"jsonrpc": "2.0", "id": "sub", "method": "subscriptions/listen", "params": {"notifications": {"toolsListChanged": True}, **meta()}},
                 {"MCP-Protocol-Version": MODERN, "Mcp-Method": "subscriptions/listen"})
    check("a subscription is acknowledged", "subscriptions/acknowledged" in read_event(r)[1])
    modern(Client(s), "tools/call", {"name": "test_trigger_tool_change"})
    event = read_event(r)
    check("and told", "tools/list_changed" in event[1] and '"io.modelcontextprotocol/subscriptionId":"sub"' in event[1] and event[0] is None, event)
    return c, listening, one, r


def cancellation(s):
    """Closing the stream cancels a single request; in a session it does not, a notification does."""
    slow, token = {"name": "test_slow"}, {"progressToken": "p"}

    def counted(n):
        for _ in range(40):
            got = int(modern(Client(s), "tools/call", {"name": "test_count_cancelled"})[1]["result"]["content"][0]["text"])
            if got >= n:
                break
            time.sleep(0.05)
        return got
    c = Client(s)
    params = {**slow, **meta()}
    params["_meta"].update(token)
    r = c.send("POST", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
               {"MCP-Protocol-Version": MODERN, "Mcp-Method": "tools/call", "Mcp-Name": "test_slow"})
    read_event(r)
    r.close()
    c.c.close()
    check("closing the stream cancels", counted(1) == 1)
    with socket.create_connection(("127.0.0.1", s.port)) as one: # before anything was sent back
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**slow, **meta()}}).encode()
        one.sendall(head(f"MCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: test_slow\r\n", body=body))
        time.sleep(0.1)
    check("so does going away before an answer", counted(2) == 2)
    c = start_session(s)
    r = c.send("POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {**slow, "_meta": token}})
    last = read_event(r)[0]
    r.close()
    c.c.close()
    rest = Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25").send("GET", headers={"Last-Event-ID": last}).read()
    check("in a session it goes on, and can be had", b"slowly done" in rest and counted(0) == 2, rest[-200:])
    c = start_session(s)
    r = c.send("POST", {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {**slow, "_meta": token}})
    read_event(r)
    Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25").ask("POST", {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}})
    check("a notification cancels it", counted(3) == 3)
    check("and its stream ends", b"result" not in r.read())


def crowd(s):
    """200 sessions at once, each with a listener and calls; then 10,000 calls. Memory stays."""
    clients = [start_session(s) for _ in range(200)]
    streams_open = [Client(s, session=c.headers["Mcp-Session-Id"], version="2025-11-25").send("GET") for c in clients]
    good = []

    def work(part):
        for c in part:
            for _ in range(5):
                if c.rpc("tools/call", {"name": "test_simple_text"})[0] == 200:
                    good.append(1)
    threads = [threading.Thread(target=work, args=(clients[i::8],)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    check("200 sessions", len(good) == 1000 and all(r.status == 200 for r in streams_open), len(good))
    for c in clients:
        c.ask("DELETE")
    check("their listeners end", all(r.read() is not None for r in streams_open))

    def soak(n, client, once):
        for _ in range(n):
            if once(client) != 200:
                bad.append(1)
    bad = []
    for name, make, once in (("sessions", lambda: start_session(s), lambda c: c.rpc("tools/call", {"name": "test_structured"})[0]),
                             ("single requests", lambda: Client(s), lambda c: modern(c, "tools/call", {"name": "test_structured"})[0]),
                             ("streams", lambda: start_session(s), lambda c: c.rpc("tools/call", {"name": "test_tool_with_progress", "_meta": {"progressToken": 1}})[0])):
        soak(500, make(), once)
        before, start = s.rss(), time.time()
        parts = [threading.Thread(target=soak, args=(1250, make(), once)) for _ in range(4 if name != "streams" else 1)]
        for t in parts:
            t.start()
        for t in parts:
            t.join()
        n, grown = 1250 * len(parts), s.rss() - before
        print(f"{name}: {n} calls, {n / (time.time() - start):.0f} a second, RSS {before} to {before + grown} KiB")
        check(f"{name}: no call failed", not bad, len(bad))
        if "asan" not in os.environ.get("TOAD_BUILD", ""):
            check(f"{name}: memory stays", grown < 4096, grown)
    for _ in range(300):
        start_session(s).c.close()
    check("a session more than fit ends in an answer", True)


def main():
    s = Server()
    for part in (strangers, bodies, mirrors, sessions, questions, cancellation):
        part(s)
    check("a graceful end", s.end() == 0)
    s = Server("", "2")
    slow(s)
    check("a graceful end after slow clients", s.end() == 0)
    s = Server(f"{TOKEN},{OTHER}")
    tokens(s)
    check("a graceful end with tokens", s.end() == 0)
    s = Server()
    kept = streams(s)
    threading.Timer(0.2, s.process.stdin.close).start()
    rest = kept[3].read()
    check("what listens is answered at the end", b'"resultType":"complete"' in rest and b'"sub"' in rest, rest)
    check("a graceful end with listeners", s.process.wait(20) == 0)
    s = Server()
    try:
        crowd(s)
    except (AssertionError, OSError) as e:
        check("crowd", "503" in str(e), e)
    check("a graceful end after a crowd", s.end() == 0)
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


main()
