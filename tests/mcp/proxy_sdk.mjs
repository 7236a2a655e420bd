// proxy_sdk.mjs TOADSTONE WORKDIR - public servers from npm, directly and through `toadstone proxy`, with the official client libraries, v1 (sessions) and
// v2 (both eras): what comes back must be the same, bar _meta and what 2026-07-28 adds to every result. Prints "N passed, N failed".
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { ElicitRequestSchema, ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { Client as V1 } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as Stdio1 } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client as V2 } from "@modelcontextprotocol/client";
import { StdioClientTransport as Stdio2 } from "@modelcontextprotocol/client/stdio";

const [toadstone, work] = process.argv.slice(2);
const main = (name) => `${work}/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;
let passed = 0, failed = 0;

function check(name, ok, why) {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAIL ${name}: ${JSON.stringify(why)?.slice(0, 600)}`);
  }
}

// What a proxy may add, what no two runs have in common, and "execution", which the client library drops where it speaks 2026-07-28.
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== "object") return typeof value === "string" ? value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|\d+:\d\d:\d\d [AP]M/g, "TIME") : value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !["_meta", "resultType", "ttlMs", "cacheScope", "execution"].includes(key)).map(([key, v]) => [key, bare(v)]));
}

const dir = `${work}/files`;
const setup = () => {
  rmSync(dir, { recursive: true, force: true });
  mkdirSync(dir, { recursive: true });
  writeFileSync(`${dir}/notes.txt`, "The ferry leaves at seven.\nTickets are sold on board.\n");
  writeFileSync(`${dir}/data.json`, JSON.stringify({ name: "harbour", open: true }));
};

const servers = {
  filesystem: { args: [main("filesystem"), dir], calls: [["read_text_file", { path: `${dir}/notes.txt` }], ["list_directory", { path: dir }], ["write_file", { path: `${dir}/new.txt`, content: "a\n" }],
    ["edit_file", { path: `${dir}/new.txt`, edits: [{ oldText: "a", newText: "b" }] }], ["search_files", { path: dir, pattern: "*.json" }], ["read_text_file", { path: "/etc/shadow" }], ["list_allowed_directories", {}]] },
  memory: { args: [main("memory")], env: { MEMORY_FILE_PATH: `${dir}/memory.jsonl` }, calls: [["create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["likes tea"] }] }],
    ["add_observations", { observations: [{ entityName: "Ada", contents: ["lives in Bern"] }] }], ["read_graph", {}], ["search_nodes", { query: "tea" }], ["open_nodes", { names: ["Ada"] }], ["delete_entities", { entityNames: ["Ada"] }]] },
  everything: { args: [main("everything")], calls: [["echo", { message: "hello" }], ["get-sum", { a: 2, b: 3 }], ["get-structured-content", { location: "New York" }], ["get-tiny-image", {}], ["get-annotated-message", { messageType: "success", includeImage: true }],
    ["get-resource-links", { count: 2 }], ["get-resource-reference", { resourceType: "Text", resourceId: 1 }], ["no-such-tool", {}]],
    more: async (client) => [await client.listPrompts(), await client.getPrompt({ name: "simple-prompt" }), (await client.listResources()).resources.slice(0, 3), await client.listResourceTemplates(),
      await client.complete({ ref: { type: "ref/prompt", name: "completable-prompt" }, argument: { name: "department", value: "E" } })] },
};

const info = { name: "test", version: "1" };
// Nobody asks here; declared, some servers offer more tools.
const clients = {
  "v1": () => [new V1(info), Stdio1],
  "v2, legacy": () => [new V2(info, { versionNegotiation: { mode: "legacy" } }), Stdio2],
  "v2, auto": () => [new V2(info, { versionNegotiation: { mode: "auto" } }), Stdio2],
};

async function talk(server, make, through) {
  setup();
  const [client, Transport] = make();
  const names = Object.keys(server.env ?? {}).flatMap((name) => ["--env", name]);
  const command = through ? { command: toadstone, args: ["proxy", "--name", through, "--store", `${work}/${through}.db`, ...names, "--", process.execPath, ...server.args] } : { command: process.execPath, args: server.args };
  await client.connect(new Transport({ ...command, env: { ...process.env, ...server.env }, stderr: "ignore" }));
  const got = { tools: await client.listTools() };
  for (const [name, args] of server.calls) {
    try {
      got[`${name} ${JSON.stringify(args)}`] = await client.callTool({ name, arguments: args });
    } catch (e) {
      got[`${name} ${JSON.stringify(args)}`] = { code: e.code, message: e.message };
    }
  }
  if (server.more) got.more = await server.more(client);
  got.instructions = client.getInstructions?.();
  got.version = client.getServerVersion?.();
  const era = client.getProtocolEra?.();
  await client.close();
  return [bare(got), era];
}

for (const [name, server] of Object.entries(servers)) {
  for (const [kind, make] of Object.entries(clients)) {
    try {
      const [direct] = await talk(server, make, null);
      const [through, era] = await talk(server, make, name);
      for (const key of Object.keys(direct)) check(`${name}, ${kind}: ${key}`, isDeepStrictEqual(direct[key], through[key]), { direct: direct[key], through: through[key] });
      if (kind === "v2, auto") check(`${name}, ${kind}: both eras through the proxy`, era === "modern", era);
    } catch (e) {
      check(`${name}, ${kind}`, false, e.stack);
    }
  }
}

// The user is asked, in both eras, over a server with sessions.
async function asking(kind, client, transport, hear) {
  let reply, asked = 0;
  hear(() => (asked++, reply));
  await client.connect(transport);
  for (const said of [{ action: "accept", content: { name: "Ada" } }, { action: "decline" }, { action: "cancel" }]) {
    [reply, asked] = [said, 0];
    const r = await client.callTool({ name: "ask_user", arguments: {} });
    check(`${kind}: elicitation, ${said.action}`, asked === 1 && r.content[0].text === `You said ${said.content?.name ?? said.action}.`, r);
  }
  await client.close();
}

const can = { capabilities: { elicitation: { form: {} }, roots: {} } };
for (const era of ["legacy", "modern"]) {
  const command = { command: toadstone, args: ["proxy", "--name", `ask-${era}`, "--store", `${work}/ask.db`, "--", "python3", "-B", `${work}/proxy_server.py`, era], stderr: "ignore" };
  const one = new V1(info, can);
  await asking(`v1 at ${era}`, one, new Stdio1(command), (f) => (one.setRequestHandler(ElicitRequestSchema, f), one.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }))));
  for (const mode of ["legacy", "auto"]) {
    const two = new V2(info, { ...can, versionNegotiation: { mode } });
    await asking(`v2, ${mode} at ${era}`, two, new Stdio2(command), (f) => two.setRequestHandler("elicitation/create", f));
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
