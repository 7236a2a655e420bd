// Toadstone for OpenClaw: what tools give is screened, what is called is checked, what the user says is heard. It stands in the folder extensions of OpenClaw,
// where `toadstone setup --agent openclaw` puts it. Whatever cannot be asked is refused.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";

const COMMAND = ["toadstone", "hook", "--agent", "openclaw"];
const TIME_MS = 10000;
const REFUSAL = { decision: "block", text: "[toadstone] Withheld: toadstone could not be asked. The user can look: toadstone doctor" };

function ask(event, question) {
  return new Promise((resolve) => {
    const child = spawn(COMMAND[0], [...COMMAND.slice(1), "--event", event], { stdio: ["pipe", "pipe", "ignore"], timeout: TIME_MS, killSignal: "SIGKILL" });
    let said = "";
    child.stdout.setEncoding("utf8").on("data", (more) => (said += more));
    child.stdin.on("error", () => {});
    child.on("error", () => resolve(REFUSAL));
    child.on("close", () => {
      try {
        const answer = JSON.parse(said);
        resolve(["allow", "replace", "ask", "block"].includes(answer.decision) ? answer : REFUSAL);
      } catch {
        resolve(REFUSAL);
      }
    });
    child.stdin.end(JSON.stringify(question));
  });
}

// What OpenClaw itself puts around what came from outside. It warns of attacks in an attack's own words, so it is taken off before a text is judged: this and
// nothing else (the notice is known by its digest), at the very beginning and end, and one time. The
// pattern is written so that it is no marker itself.
const NOTICE = "cee8d549ddcedfd0537d1de671225b32e0c8c3ef8ba5e528010a87e15470a770";
const ENVELOPE = /^([^<]*)<{3}EXTERNAL[_]UNTRUSTED[_]CONTENT id="([0-9a-f]{16})">{3}\n(?:Source: [A-Za-z ]+\n---\n)?([^]*)\n<{3}END[_]EXTERNAL[_]UNTRUSTED[_]CONTENT id="\2">{3}\s*$/;
const inside = (text) => {
  const [, before, , within] = text.match(ENVELOPE) ?? [];
  const known = before !== undefined && (!before.trim() || createHash("sha256").update(before.trim()).digest("hex") === NOTICE);
  return known ? within : text;
};

const began = new Map(); // sessions, and what the model is told about the files that it loads
const about = (ctx) => ({ session: ctx.sessionId ?? ctx.sessionKey ?? "", cwd: ctx.workspaceDir ?? process.cwd() });
const named = (tool) => (tool.includes("__") && !tool.startsWith("mcp__") ? `mcp__${tool}` : tool); // SERVER__TOOL is one of an MCP server

export default {
  id: "toadstone",
  name: "Toadstone",
  description: "Keeps instructions that strangers planted in pages, files and tool results from your agent",
  register(api) {
    api.on("before_prompt_build", async ({ prompt }, ctx) => {
      const { session, cwd } = about(ctx);
      if (!began.has(session)) began.set(session, (await ask("session", { session, cwd })).text);
      await ask("prompt", { session, cwd, prompt });
      return began.get(session) ? { prependSystemContext: began.get(session) } : undefined;
    });
    api.on("before_tool_call", async ({ toolName, params }, ctx) => {
      const answer = await ask("before", { ...about(ctx), tool: named(toolName), input: params });
      if (answer.decision === "ask")
        return { requireApproval: { title: `Toadstone: ${toolName}`, description: answer.text, severity: "warning", allowedDecisions: ["allow-once", "deny"] } };
      return answer.decision === "allow" ? undefined : { block: true, blockReason: answer.text };
    });
    const screen = async ({ toolName, args, result, cwd }, ctx) => {
      const { content, details } = result, here = about(ctx);
      const given = content.map((part) => (part.type === "text" ? { ...part, text: inside(part.text) } : part));
      const answer = await ask("after", { ...here, cwd: cwd ?? here.cwd, tool: named(toolName), input: args ?? {}, output: { content: given } });
      if (answer.decision === "allow") return undefined;
      const changed = answer.decision === "replace" ? answer.output.content : [{ type: "text", text: answer.text }];
      return { result: { ...result, content: changed, ...(details === undefined ? {} : { details: {} }) } };
    };
    api.registerAgentToolResultMiddleware(screen, { runtimes: ["openclaw", "codex"] });
  },
};
