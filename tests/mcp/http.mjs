// http.mjs PORT FIXTURE - the streamable HTTP transport over the fixture server, for the public conformance suite.
//
// All that is MCP is the engine's: eras, errors, status codes, which message belongs to which stream. Here is only what is HTTP: paths, Host
// and Origin, the mirrored headers, sessions as processes, JSON or SSE. Prints "ready" when it listens.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const [port, fixture] = [Number(process.argv[2]), process.argv[3]];
let streams = 0;

class Engine {
  constructor(...args) {
    this.posts = new Map();
    this.general = null; // the SSE answer of a GET
    this.child = spawn(fixture, ["http", ...args], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.child.stdout }).on("line", (line) => {
      const [, stream, kind, http, message] = /^(\d+) (\w) (\d+) (.*)$/.exec(line);
      const post = this.posts.get(Number(stream));
      if (!post) return this.general?.write(`data: ${message}\n\n`);
      post(kind, Number(http), message);
    });
  }
  send(stream, version, text) { this.child.stdin.write(`${stream} ${version || "-"} ${text.replace(/[\r\n]/g, " ")}\n`); }
  cancel(stream) { if (this.posts.delete(stream)) this.child.stdin.write(`${stream} !\n`); }
  end() { this.child.stdin.end(); }
}

const shared = new Engine("shared");
const sessions = new Map();

const plain = (res, status, headers = {}) => res.writeHead(status, headers).end();
const json = (res, status, text, headers = {}) => res.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
const error = (res, status, id, code, message) => json(res, status, JSON.stringify({ jsonrpc: "2.0", id: id ?? null, error: { code, message } }));
const sse = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };

const decode = (value) => {
  const base64 = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value ?? "");
  return base64 ? Buffer.from(base64[1], "base64").toString("utf8") : value?.trim();
};

// 2026-07-28: the method and the name stand in headers, too.
function mismatch(req, body) {
  if (decode(req.headers["mcp-method"]) !== body.method) return "Mcp-Method must be the method";
  const name = { "tools/call": body.params?.name, "prompts/get": body.params?.name, "resources/read": body.params?.uri }[body.method];
  return name !== undefined && decode(req.headers["mcp-name"]) !== name ? "Mcp-Name must be the name or the URI" : null;
}

function post(req, res, text) {
  let body = null;
  try { body = JSON.parse(text); } catch { /* the engine says so */ }
  const version = req.headers["mcp-protocol-version"], id = req.headers["mcp-session-id"];
  const modern = version >= "2026" || body?.params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined || (!id && body?.method !== "initialize");
  const wanted = !body || Array.isArray(body) || (body.method !== undefined && body.id !== undefined);
  let engine = shared, headers = {};
  if (modern && body?.method && version && mismatch(req, body)) return error(res, 400, body.id, -32020, mismatch(req, body));
  if (!modern && body?.method === "initialize") {
    const fresh = randomUUID();
    sessions.set(fresh, engine = new Engine());
    headers = { "mcp-session-id": fresh };
  } else if (!modern && !(engine = sessions.get(id))) return plain(res, 404);
  const stream = ++streams;
  if (wanted) {
    engine.posts.set(stream, (kind, http, message) => {
      if (kind === "A" && !res.headersSent) json(res, http, message, headers);
      else {
        if (!res.headersSent) res.writeHead(200, { ...sse, ...headers });
        res.write(`event: message\ndata: ${message}\n\n`);
        if (kind === "A") res.end();
      }
      if (kind === "A") engine.posts.delete(stream);
    });
    if (modern) res.on("close", () => engine.cancel(stream));
  }
  engine.send(stream, version, text);
  if (!wanted) plain(res, 202);
}

createServer((req, res) => {
  const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;
  if (!local.test(req.headers.host ?? "") || (req.headers.origin && !local.test(req.headers.origin.replace(/^https?:\/\//, "")))) return plain(res, 403);
  if (req.url !== "/mcp") return plain(res, 404);
  const id = req.headers["mcp-session-id"], session = sessions.get(id);
  if (req.method === "POST") {
    const parts = [];
    req.on("data", (part) => parts.push(part)).on("end", () => post(req, res, Buffer.concat(parts).toString("utf8")));
  } else if (!id || req.headers["mcp-protocol-version"] >= "2026") plain(res, 405, { allow: "POST" });
  else if (!session) plain(res, 404);
  else if (req.method === "DELETE") {
    session.end();
    sessions.delete(id);
    plain(res, 200);
  } else {
    res.writeHead(200, sse).write(":\n\n");
    session.general = res;
  }
}).listen(port, "127.0.0.1", () => console.log("ready"));
