// Toadstone for OpenCode: what tools give is screened, what is called is checked, what the user says is heard. It stands in the folder plugins of OpenCode,
// where `toadstone setup --agent opencode` puts it. Whatever cannot be asked is refused.
import { spawn } from "node:child_process";

const COMMAND = ["toadstone", "hook", "--agent", "opencode"];
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
        resolve(["allow", "replace", "block"].includes(answer.decision) ? answer : REFUSAL);
      } catch {
        resolve(REFUSAL);
      }
    });
    child.stdin.end(JSON.stringify(question));
  });
}

export const Toadstone = async ({ directory }) => {
  const sessions = new Map(); // what the model is told about the files that it loads
  const failures = new Map(); // what stands in the place of a failure that was judged
  let servers = [];

  // SERVER_TOOL is what OpenCode calls a tool of an MCP server.
  const named = (tool) => {
    const plain = (name) => name.replace(/[^a-zA-Z0-9_-]/g, "_");
    const server = servers.find((name) => tool.startsWith(`${plain(name)}_`));
    return server ? `mcp__${server}__${tool.slice(server.length + 1)}` : tool;
  };

  // A tool of a server gives what the server gave; any other one text.
  const put = (output, answer) => {
    if (!Array.isArray(output.content)) {
      output.output = answer.text;
      output.metadata = {};
      delete output.attachments;
      return;
    }
    const changed = answer.decision === "replace" ? answer.output : {};
    output.content = changed.content ?? [{ type: "text", text: answer.text }];
    if (output.structuredContent) output.structuredContent = changed.structuredContent ?? {};
  };

  return {
    config: async (config) => {
      servers = Object.keys(config.mcp ?? {}).sort((a, b) => b.length - a.length);
    },
    "chat.message": async ({ sessionID }, { parts }) => {
      if (!sessions.has(sessionID)) sessions.set(sessionID, (await ask("session", { session: sessionID, cwd: directory })).text);
      const prompt = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");
      await ask("prompt", { session: sessionID, cwd: directory, prompt });
    },
    "experimental.chat.system.transform": async ({ sessionID }, output) => {
      const text = sessions.get(sessionID);
      if (text) output.system.push(text);
    },
    "tool.execute.before": async ({ tool, sessionID }, { args }) => {
      const answer = await ask("before", { session: sessionID, cwd: directory, tool: named(tool), input: args });
      if (answer.decision !== "allow") throw new Error(answer.text);
    },
    "tool.execute.after": async ({ tool, sessionID, args }, output) => {
      const { content, structuredContent } = output, given = Array.isArray(content) ? { content, structuredContent } : output.output;
      const answer = await ask("after", { session: sessionID, cwd: directory, tool: named(tool), input: args ?? {}, output: given });
      if (answer.decision !== "allow") put(output, answer);
    },
    // No hook hears of a failure: it is judged where it goes to the model.
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) {
        for (const part of parts.filter((part) => part.type === "tool" && part.state.status === "error" && !/^\[toadstone\]/.test(part.state.error))) {
          const { sessionID } = info, { input, error } = part.state;
          if (!failures.has(part.id)) failures.set(part.id, await ask("failed", { session: sessionID, cwd: directory, tool: named(part.tool), input, error }));
          if (failures.get(part.id).decision !== "allow") part.state.error = failures.get(part.id).text;
        }
      }
    },
  };
};
