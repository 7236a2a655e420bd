"""Raw MCP clients for the tests of `toadstone proxy`: they keep every byte they get. Python 3, standard library only."""
import http.client
import json
import re
import select
import subprocess
import threading
import time

META = "io.modelcontextprotocol/"


class Client:
    """One client on standard input and output. `reply`: what its user says to an elicitation, or a function of its params."""

    def __init__(self, command, era, elicits=True, env=None, reply=None, stderr=subprocess.DEVNULL):
        self.era, self.elicits, self.reply = era, elicits, reply or {"action": "accept", "content": {"name": "Ada"}}
        self.raw, self.notes, self.asked, self.last, self.rest, self.streams = [], [], [], 0, b"", []
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=stderr, env=env, bufsize=0)
        self.capabilities = {"elicitation": {"form": {}}, "sampling": {}, "roots": {}} if elicits else {}
        self.hello = self.open()

    def open(self):
        if self.era == "modern":
            return self.request("server/discover", {})
        hello = self.request("initialize", {"protocolVersion": "2025-11-25", "capabilities": self.capabilities, "clientInfo": {"name": "t", "version": "1"}})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return hello

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")

    def line(self, timeout=20):
        end = time.monotonic() + timeout
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("nothing came")
            more = self.process.stdout.read(1 << 20)
            if not more:
                raise EOFError("the proxy has ended")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        self.raw.append(line)
        return json.loads(line)

    def said(self, params):
        self.asked.append(params)
        return self.reply(params) if callable(self.reply) else self.reply

    def answer(self, request):
        """To a request of the server."""
        if request["method"] == "elicitation/create":
            result = self.said(request["params"])
        elif request["method"] == "sampling/createMessage":
            self.asked.append(request["params"])
            result = {"role": "assistant", "content": {"type": "text", "text": "fine"}, "model": "m"}
        elif request["method"] == "roots/list":
            result = {"roots": [{"uri": "file:///r"}]}
        else:
            result = {}
        self.send({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def take(self, timeout=20):
        """The next answer; what comes before it is kept or answered."""
        while True:
            message = self.line(timeout)
            if "method" in message and "id" in message:
                self.answer(message)
            elif "method" in message:
                self.notes.append(message)
            else:
                return message

    def start(self, method, params):
        self.last += 1
        params = dict(params)
        if self.era == "modern":
            params["_meta"] = {**params.get("_meta", {}), META + "protocolVersion": "2026-07-28", META + "clientCapabilities": self.capabilities,
                               META + "clientInfo": {"name": "t", "version": "1"}}
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        return self.last

    def request(self, method, params, rounds=8, timeout=20):
        number = self.start(method, params)
        answer = self.take(timeout)
        assert answer["id"] == number, (answer, number)
        result = answer.get("result", {})
        if result.get("resultType") != "input_required" or not rounds:
            return answer
        responses = {}
        for key, wanted in result.get("inputRequests", {}).items():
            if wanted["method"] == "elicitation/create":
                responses[key] = self.said(wanted["params"])
            elif wanted["method"] == "roots/list":
                responses[key] = {"roots": [{"uri": "file:///r"}]}
            else:
                self.asked.append(wanted["params"])
                responses[key] = {"role": "assistant", "content": {"type": "text", "text": "fine"}, "model": "m"}
        return self.request(method, {**params, "inputResponses": responses, "requestState": result["requestState"]}, rounds - 1, timeout)

    def call(self, tool, arguments=None, **more):
        return self.request("tools/call", {"name": tool, "arguments": arguments or {}, **more})

    def close(self, timeout=20):
        self.process.stdin.close()
        while self.process.stdout.read(1 << 20):
            pass
        return self.process.wait(timeout)


class HttpClient(Client):
    """The same over HTTP: `command` serves it and prints its port to standard error. Each message is a POST; a request of the server is answered by another."""

    def open(self):
        self.session, self.answers, self.port = None, [], None
        while self.port is None:
            line = self.process.stderr.readline().decode()
            if not line:
                raise EOFError("the proxy has ended")
            found = re.search(r"listening on port (\d+)", line)
            self.port = int(found.group(1)) if found else None
        threading.Thread(target=lambda: [None for _ in self.process.stderr], daemon=True).start()
        return super().open()

    def __init__(self, command, era, **more):
        super().__init__(command, era, stderr=subprocess.PIPE, **more)

    def send(self, message):
        params = message.get("params", {})
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if self.session:
            headers["Mcp-Session-Id"] = self.session
        if self.era == "modern" and "method" in message:
            headers |= {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": message["method"]}
            name = params.get("uri") if message["method"] == "resources/read" else params.get("name")
            if name is not None and message["method"] in ("tools/call", "prompts/get", "resources/read"):
                headers["Mcp-Name"] = name
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST", "/mcp", json.dumps(message).encode(), headers)
        response = connection.getresponse()
        self.session = self.session or response.getheader("Mcp-Session-Id")
        if "event-stream" in (response.getheader("Content-Type") or ""):
            self.streams.append((connection, response))
            return
        body = response.read()
        if body and "method" in message and "id" in message:
            self.answers.append(body)
        connection.close()

    def line(self, timeout=20):
        if self.answers:
            self.raw.append(self.answers.pop(0))
            return json.loads(self.raw[-1])
        while self.streams:
            connection, response = self.streams[-1]
            text = response.readline()
            if not text:
                connection.close()
                self.streams.pop()
            elif text.startswith(b"data:") and text[5:].strip():
                self.raw.append(text[5:].strip())
                return json.loads(self.raw[-1])
        raise EOFError("no answer")

    def close(self, timeout=20):
        self.process.terminate()
        return self.process.wait(timeout)
