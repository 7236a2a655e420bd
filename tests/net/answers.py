#!/usr/bin/env python3
"""A service that answers with files: answers.py DIRECTORY prints its port and serves until standard input ends.

/NAME is the file NAME of the directory, GET or POST, whatever the query; /status/N an error (429 with Retry-After);
/redirect leads to /NAME of its query. Each request is a line of JSON in requests.jsonl of the directory."""
import http.server
import json
import pathlib
import sys
import threading
import urllib.parse

ROOT = pathlib.Path(sys.argv[1])
LOCK = threading.Lock()
TYPES = {".json": "application/json", ".xml": "application/xml", ".rdf": "application/rdf+xml", ".html": "text/html; charset=UTF-8"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def note(self, body):
        row = {"method": self.command, "path": self.path, "headers": dict(self.headers), "body": body.decode("utf-8", "replace")}
        with LOCK, open(ROOT / "requests.jsonl", "a", encoding="utf-8") as f:
            f.write(json.dumps(row) + "\n")

    def reply(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = urllib.parse.urlsplit(self.path)
        self.note(body)
        if url.path.startswith("/status/"):
            status = int(url.path[8:])
            self.reply(status, b"{}", Content_Type="application/json", **({"Retry_After": "30"} if status == 429 else {}))
        elif url.path == "/redirect":
            self.reply(302, Location="/searxng.json")
        elif (ROOT / url.path[1:]).is_file():
            path = ROOT / url.path[1:]
            self.reply(200, path.read_bytes(), Content_Type=TYPES.get(path.suffix, "text/plain"))
        else:
            self.reply(404)

    do_POST = do_GET

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
