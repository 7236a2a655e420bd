// A model of ours on loopback: it does what its plan says, and remembers what it was sent. It speaks OpenAI's Responses and Chat Completions, Anthropic's
// Messages and Gemini's generateContent.
import { createServer } from "node:http";

const sse = (response, events) => {
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const [event, data] of events) response.write(`${event ? `event: ${event}\n` : ""}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`);
  response.end();
};
const flat = (value) => (typeof value === "string" ? value : Array.isArray(value) ? value.map(flat).join("\n") : value?.text ?? value?.output ?? JSON.stringify(value ?? ""));

// Each: from a request to the names of its tools and to what tools gave, and from what is said to a response. Small requests, for titles and the like, have
// no tools to speak of.
const speech = {
  "/responses": { // Codex
    names: (body) => (body.tools ?? []).flatMap((t) => (t.type === "namespace" ? t.tools.map((x) => `${t.name}::${x.name}`) : [t.name ?? t.type])),
    seen: (body) => (body.input ?? []).filter((i) => /_call_output$/.test(i.type)).map((i) => flat(i.output)),
    say: (said, n, body, response) => {
      const id = `r${n}`, [space, name] = said.name?.includes("::") ? said.name.split("::") : [undefined, said.name];
      const item = said.name
        ? { type: "function_call", id: `f${id}`, call_id: `c${id}`, name, ...(space ? { namespace: space } : {}), arguments: JSON.stringify(said.args) }
        : { type: "message", role: "assistant", id: `m${id}`, content: [{ type: "output_text", text: said.text }] };
      const usage = { input_tokens: 1, input_tokens_details: null, output_tokens: 1, output_tokens_details: null, total_tokens: 2 };
      sse(response, [["response.created", { type: "response.created", response: { id } }], ["response.output_item.done", { type: "response.output_item.done", item }],
        ["response.completed", { type: "response.completed", response: { id, usage } }]]);
    },
  },
  "/messages": { // Claude Code
    names: (body) => (body.tools ?? []).map((t) => t.name),
    seen: (body) => (body.messages ?? []).flatMap((m) => (Array.isArray(m.content) ? m.content : [])).filter((p) => p.type === "tool_result").map((p) => flat(p.content)),
    say: (said, n, body, response) => {
      const block = said.name ? { type: "tool_use", id: `toolu_${n}`, name: said.name, input: said.args } : { type: "text", text: said.text };
      const message = { id: `msg_${n}`, type: "message", role: "assistant", model: "mock-1", content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 1, output_tokens: 1 } };
      const stop = said.name ? "tool_use" : "end_turn";
      if (!body.stream) {
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...message, content: [block], stop_reason: stop }));
        return;
      }
      sse(response, [["message_start", { type: "message_start", message }],
        ["content_block_start", { type: "content_block_start", index: 0, content_block: said.name ? { ...block, input: {} } : { type: "text", text: "" } }],
        ["content_block_delta", { type: "content_block_delta", index: 0, delta: said.name ? { type: "input_json_delta", partial_json: JSON.stringify(said.args) } : { type: "text_delta", text: said.text } }],
        ["content_block_stop", { type: "content_block_stop", index: 0 }],
        ["message_delta", { type: "message_delta", delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 1 } }], ["message_stop", { type: "message_stop" }]]);
    },
  },
  "/chat/completions": { // Copilot, Qwen, OpenCode
    names: (body) => (body.tools ?? []).map((t) => t.function.name),
    seen: (body) => (body.messages ?? []).filter((m) => m.role === "tool").map((m) => flat(m.content)),
    say: (said, n, body, response) => {
      const base = { id: `c${n}`, object: "chat.completion.chunk", created: 1, model: body.model ?? "mock-1" }, end = said.name ? "tool_calls" : "stop";
      const call = said.name ? { tool_calls: [{ index: 0, id: `call_${n}`, type: "function", function: { name: said.name, arguments: JSON.stringify(said.args) } }] } : { content: said.text };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      if (!body.stream) {
        const choice = { index: 0, message: { role: "assistant", content: null, ...call }, finish_reason: end };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...base, object: "chat.completion", choices: [choice], usage }));
        return;
      }
      sse(response, [["", { ...base, choices: [{ index: 0, delta: { role: "assistant", ...call }, finish_reason: null }] }], ["", { ...base, choices: [{ index: 0, delta: {}, finish_reason: end }], usage }], ["", "[DONE]"]]);
    },
  },
  enerateContent: { // Gemini CLI
    names: (body) => (body.tools ?? []).flatMap((t) => (t.functionDeclarations ?? []).map((f) => f.name)),
    seen: (body) => (body.contents ?? []).flatMap((c) => c.parts ?? []).filter((p) => p.functionResponse).map((p) => flat(p.functionResponse.response)),
    say: (said, n, body, response, url) => {
      const part = said.name ? { functionCall: { name: said.name, args: said.args } } : { text: said.small ? "{}" : said.text };
      const answer = { candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }], usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } };
      if (url.includes("stream")) sse(response, [["", answer]]);
      else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    },
  },
};

// `main`: a tool that only an agent's real requests offer. What the model remembers: how many steps it made, what tools gave, all that it was sent.
export class Model {
  constructor(main) {
    this.main = main;
    this.start([]);
  }
  start(plan) {
    Object.assign(this, { plan, step: 0, seen: [], sent: "" });
  }
  next(names) {
    const step = this.plan[this.step++];
    if (!step) return { text: "done" };
    const name = names.find((n) => step.tool.test(n));
    return name ? { name, args: step.args(name) } : { text: `no tool ${step.tool} among ${names}` };
  }
  answer(url, bytes, response) {
    const path = url.split("?")[0], how = Object.keys(speech).find((end) => path.includes(end) && !path.includes("count"));
    if (!how) {
      response.writeHead(200, { "content-type": "application/json" }).end('{"totalTokens":1,"input_tokens":1}');
      return;
    }
    const body = JSON.parse(bytes || "{}"), names = speech[how].names(body), real = names.some((n) => this.main.test(n));
    this.sent += bytes;
    if (real) this.seen = speech[how].seen(body);
    speech[how].say(real ? this.next(names) : { text: "title", small: true }, this.step, body, response, url);
  }
  listen() {
    return new Promise((resolve) => {
      this.server = createServer((request, response) => {
        let bytes = "";
        request.on("data", (more) => (bytes += more)).on("end", () => this.answer(request.url, bytes, response));
      });
      this.server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${this.server.address().port}`));
    });
  }
  close() {
    this.server.close();
  }
}
