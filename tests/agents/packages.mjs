// packages.mjs TOADSTONE PACKAGES WORK [schemas|AGENT...] - the packages of packaging/agents: held to the schemas of their channels, and loaded by the real agents
// as their users load them. The MCP server of the agent is one that the packages know nothing of: what of it reaches the model shows whether the hooks ran.
// Prints a line a check and "N passed, N failed".
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { kinds } from "./kinds.mjs";
import { bin, Place } from "./place.mjs";
import { attack, HARMLESS } from "./server.mjs";

const [toadstone, packages, work, ...wanted] = process.argv.slice(2);
const root = new URL("../..", import.meta.url).pathname.replace(/\/$/, ""), made = `${work}/packages`, below = "packaging/agents";
const version = readFileSync(`${root}/meson.build`, "utf8").match(/version: '([^']+)'/)[1];
let passed = 0, failed = 0;

function check(name, ok, saw = "") {
  ok ? passed++ : failed++;
  console.log(`${ok ? "ok  " : "FAIL"} ${name}${ok ? "" : `: ${String(saw).slice(-1500)}`}`);
}
const run = (command, args, options = {}) => spawnSync(command, args, { encoding: "utf8", timeout: 120000, ...options });
const json = (path) => JSON.parse(readFileSync(path, "utf8"));

// ---- what is made ----

function make() {
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const current = run("python3", [`${root}/tools/gen_packages.py`, "--check"]);
  check("the packages in the repository are current", current.status === 0, current.stdout);
  const all = run("python3", [`${root}/tools/gen_packages.py`, "--program", toadstone, "--out", made]);
  check("packages with a program are made", all.status === 0, all.stderr);
}

// ---- schemas ----

function schemas() {
  const require = createRequire(`${packages}/node_modules/`), formats = require("ajv-formats");
  const holds = (dialect, schema, path) => {
    const ajv = formats(new (require(dialect))({ allErrors: true, strict: false })), valid = ajv.compile(schema);
    check(`${path.replace(`${root}/`, "")} holds its schema`, valid(json(path)), ajv.errorsText(valid.errors));
    const broken = ajv.compile(schema);
    check(`... and the schema refuses what it should`, !broken({ ...json(path), name: "Not a Name!", mcpServers: 1, manifest_version: 7 }));
  };
  const ours = (name) => json(new URL(`schemas/${name}.json`, import.meta.url).pathname);
  for (const base of [root, made]) {
    holds("ajv/dist/2020", ours("agent-plugin"), `${base}/${below}/agent-plugin/plugin.json`);
    holds("ajv/dist/2020", ours("agent-plugin-mcp"), `${base}/${below}/agent-plugin/mcp.json`);
    holds("ajv", ours("mcp-server"), `${base}/${below}/server.json`);
    holds("ajv", json(`${packages}/node_modules/@anthropic-ai/mcpb/schemas/mcpb-manifest-v0.3.schema.json`), `${base}/${below}/mcpb/manifest.json`);
  }
  // Cursor is on no registry: members of its manifest and marketplace, closed, as cursor.com/docs/reference/plugins and cursor/plugins have them.
  const closed = { "packaging/agents/cursor/.cursor-plugin/plugin.json": "name displayName description version author publisher homepage repository license logo keywords category tags commands agents skills rules hooks mcpServers",
    ".cursor-plugin/marketplace.json": "name owner metadata plugins" };
  for (const [path, members] of Object.entries(closed)) check(`${path} has known members alone`, Object.keys(json(`${root}/${path}`)).every((k) => members.split(" ").includes(k)));
  // ... and an unknown event makes it refuse the whole file of hooks.
  const known = "sessionStart sessionEnd beforeSubmitPrompt beforeMCPExecution afterMCPExecution beforeShellExecution afterShellExecution beforeReadFile preToolUse postToolUse postToolUseFailure stop".split(" ");
  const hooks = json(`${root}/${below}/cursor/hooks/hooks.json`);
  check("Cursor's hooks are events that it has", hooks.version === 1 && Object.keys(hooks.hooks).length > 4 && Object.keys(hooks.hooks).every((e) => known.includes(e)), Object.keys(hooks.hooks));
  for (const name of readdirSync(`${root}/${below}`, { withFileTypes: true }).filter((d) => d.isDirectory()).map((d) => d.name)) {
    const text = run("grep", ["-rhoE", `"version": "[^"]+"`, `${root}/${below}/${name}`]).stdout.trim().split("\n").filter(Boolean);
    check(`${name}: its version is the project's`, text.every((line) => line === `"version": "${version}"`), text);
  }
}

// The bundle as a client of MCPB takes it: checked and unpacked by its own tool, started as its manifest says, asked for its tools.
function bundle() {
  const tool = `${packages}/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js`, into = `${work}/bundle`;
  rmSync(into, { recursive: true, force: true });
  const seen = run(process.execPath, [tool, "validate", `${made}/${below}/mcpb/manifest.json`]);
  check("mcpb validate", seen.status === 0, seen.stdout + seen.stderr);
  const out = run(process.execPath, [tool, "unpack", `${made}/toadstone.mcpb`, into]);
  check("mcpb unpack", out.status === 0, out.stdout + out.stderr);
  const { command, args } = json(`${into}/manifest.json`).server.mcp_config;
  const ask = [{ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } } }, { method: "notifications/initialized" }, { id: 2, method: "tools/list" }];
  const said = run(command.replace("${__dirname}", into), args, { input: ask.map((m) => JSON.stringify({ jsonrpc: "2.0", ...m }) + "\n").join(""), env: { HOME: work, PATH: "/usr/bin:/bin" } });
  check("the bundle's server answers", /"web_fetch"/.test(said.stdout), said.stdout + said.stderr);
  const digest = run("sha256sum", [`${made}/toadstone.mcpb`]).stdout.split(" ")[0], first = json(`${made}/${below}/server.json`).packages[0];
  check("server.json names the bundle's digest", first.fileSha256 === digest, first.fileSha256);
}

// ---- agents ----

// How its user installs the package of a tree of packages, and what it says then.
const installs = {
  claude: (tree) => [["plugin", "validate", "--strict", `${tree}/${below}/claude`], ["plugin", "validate", "--strict", tree], ["plugin", "marketplace", "add", tree], ["plugin", "install", "toadstone@toadstone"]],
  codex: (tree) => [["plugin", "marketplace", "add", tree], ["plugin", "add", "toadstone@toadstone"]],
  gemini: (tree) => [["extensions", "validate", `${tree}/${below}/gemini`], ["extensions", "install", `${tree}/${below}/gemini`, "--consent"]],
  qwen: (tree) => [["extensions", "install", `${tree}/${below}/qwen`, "--consent"]],
  copilot: (tree) => [["plugin", "marketplace", "add", tree], ["plugin", "install", "toadstone@toadstone"]],
};

// One agent with the package of a tree. `path`: what its hooks find on the PATH.
async function load(name, tree, as, path) {
  const a = await new Place(`${name}-${as}`, { toadstone, packages, work }).open(), [command, ...first] = a.command(), env = { ...a.env(), PATH: path };
  a.env = () => env;
  a.prepare();
  for (const args of installs[name](tree)) {
    const { status, stdout, stderr } = run(command, [...first, ...args], { cwd: a.project, env });
    check(`${name}, ${as}: ${args.map((w) => w.replace(tree, ".")).join(" ")}`, status === 0, stdout + stderr);
  }
  return a;
}
const call = (a, item) => a.kind.call("get_page", { item });
const said = ({ seen, out }) => JSON.stringify(seen) + out;

async function guarded(name, tree, as, path) {
  const a = await load(name, tree, as, path), got = await a.run([...call(a, "2"), ...call(a, "1")]), last = got.seen.at(-1) ?? "";
  check(`${name}, ${as}: the attack does not reach the model`, !/MARK-page/.test(a.model.sent) && /\[toadstone\] Withheld/.test(JSON.stringify(got.seen)), said(got));
  check(`${name}, ${as}: what is harmless does, as it came`, HARMLESS.trim().split("\n").every((line) => last.includes(line.trim()) || name === "copilot"), said(got));
  check(`${name}, ${as}: the package's MCP server is there`, /web_fetch/.test(a.model.sent), a.model.sent.match(/toadstone[a-z_]*/g));
  a.close();
}

// Without the program nothing can be judged: no tool is called, and the user is told why.
async function missing(name) {
  const a = await load(name, root, "no program", `${bin(process.execPath)}:/usr/bin:/bin`), got = await a.run(call(a, "2"));
  check(`${name}, no program: no tool is called`, !/MARK-page/.test(a.model.sent), said(got));
  check(`${name}, no program: it is said why`, /toadstone: (command )?not found|hook exited with code 2/.test(said(got)), said(got));
  a.close();
}

async function review(name) {
  const a = await load(name, made, "review", `${bin(toadstone)}:${bin(process.execPath)}:/usr/bin:/bin`);
  await a.run(call(a, "2"));
  const args = a.kind.args;
  a.kind = { ...a.kind, args: (place) => args(place).map((w) => (w === "go" ? "/toadstone:blocked" : w)) };
  const got = await a.run([]);
  check(`${name}: /toadstone:blocked shows what was withheld, in our words`, /blocked {3}mcp:work\/get_page/.test(a.model.sent) && !/MARK-page/.test(a.model.sent), a.model.sent.slice(-3000) + got.out);
  a.close();
}

// A skill of the user's that a stranger wrote: the model is told when the session begins, and the skill is not loaded.
async function skill() {
  const a = await load("claude", made, "a skill", `${bin(process.execPath)}:/usr/bin:/bin`);
  mkdirSync(`${a.home}/.claude/skills/mail`, { recursive: true });
  writeFileSync(`${a.home}/.claude/skills/mail/SKILL.md`, `---\nname: mail\ndescription: How mail is sent\n---\n${attack("skill")}\n`);
  const got = await a.run([{ tool: /^Skill$/, args: () => ({ skill: "mail" }) }]);
  check("claude, a skill: the model is told", /\[toadstone\] ~\/\.claude\/skills\/mail\/SKILL\.md, installed for this agent/.test(a.model.sent), said(got));
  check("claude, a skill: it is not loaded", a.model.step > 0 && !/MARK-skill/.test(a.model.sent) && /This skill was not loaded/.test(said(got)), said(got));
  a.close();
}

// ---- OpenClaw: a plugin that setup writes; it needs a newer Node than the others ----

const openclaw = {
  program: "openclaw/openclaw.mjs",
  node: "node-24/bin/node",
  main: /^exec$/,
  prepare: ({ home, url, project, server }) => {
    mkdirSync(`${home}/.openclaw`, { recursive: true });
    writeFileSync(`${home}/.openclaw/openclaw.json`, JSON.stringify({
      agents: { defaults: { workspace: project, model: { primary: "mock/mock-1" }, skipBootstrap: true } }, mcp: { servers: { work: server } },
      models: { mode: "merge", providers: { mock: { baseUrl: `${url}/v1`, apiKey: "dummy", api: "openai-completions",
        models: [{ id: "mock-1", name: "mock-1", reasoning: false, input: ["text"], cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, contextWindow: 128000, maxTokens: 4096 }] } } },
      plugins: { entries: { toadstone: { enabled: true, hooks: { allowConversationAccess: true } } } },
    }));
  },
  args: () => ["agent", "--local", "--agent", "main", "--message", "go", "--json"],
  env: () => ({}),
};
const step = (tool, args) => ({ tool, args: () => args });
const from_server = (name, item) => step(/^tool_call$/, { id: `work__${name}`, args: { item } });

async function claw(as, broken) {
  const a = await new Place(`openclaw-${as}`, { toadstone, packages, work, kind: openclaw }).open(), shapes = ["page", "struct", "halves", "err", "rpcerr", "link"];
  a.prepare();
  writeFileSync(`${a.project}/x.txt`, attack("file"));
  writeFileSync(`${a.project}/hours.txt`, HARMLESS);
  writeFileSync(`${a.project}/CLAUDE.md`, attack("instructions"));
  if (as !== "none") {
    const set = run(toadstone, ["setup", "--agent", "openclaw", "--yes"], { cwd: a.project, env: a.env() });
    check(`openclaw, ${as}: setup`, set.status === 0, set.stderr);
  }
  if (broken) rewrite(`${a.home}/.openclaw/extensions/toadstone/index.js`, toadstone, "/nowhere/toadstone");
  const plan = [step(/^read$/, { path: `${a.project}/hours.txt` }), from_server("get_page", "1"), step(/^exec$/, { command: "cat x.txt" }), step(/^read$/, { path: `${a.project}/x.txt` }), ...shapes.map((s) => from_server(`get_${s}`, "2"))];
  const got = await a.run(plan), marks = [...new Set(a.model.sent.match(/MARK-\w+/g) ?? [])];
  if (as === "none") check("openclaw, none: without us the attack reaches the model", marks.includes("MARK-file") && marks.includes("MARK-page"), said(got));
  else check(`openclaw, ${as}: no attack reaches the model`, !marks.length && a.model.step >= plan.length, `${marks} ${said(got)}`);
  if (as === "set up") {
    const undone = run(person, [toadstone, "setup", "--agent", "openclaw", "--undo"], { cwd: a.project, env: a.env() });
    check("openclaw: what is harmless comes as it came", got.seen[0]?.includes(HARMLESS.trim()) && got.seen[1]?.includes(JSON.stringify(HARMLESS)), JSON.stringify(got.seen.slice(0, 2)));
    check("openclaw: --undo takes the plugin away", undone.status === 0 && !existsSync(`${a.home}/.openclaw/extensions/toadstone`), undone.stdout + undone.stderr);
  }
  a.close();
}
const rewrite = (path, from, to) => writeFileSync(path, readFileSync(path, "utf8").replaceAll(from, to));
const person = new URL("../support/person.py", import.meta.url).pathname;

make();
if (!wanted.length || wanted.includes("schemas")) {
  schemas();
  bundle();
}
for (const name of Object.keys(installs).filter((n) => !wanted.length || wanted.includes(n))) {
  if (!existsSync(`${packages}/node_modules/${kinds[name].program}`)) {
    check(`${name} is installed`, false);
    continue;
  }
  await guarded(name, made, "with its program", `${bin(process.execPath)}:/usr/bin:/bin`);
  await guarded(name, root, "from the repository", `${bin(toadstone)}:${bin(process.execPath)}:/usr/bin:/bin`);
  await missing(name);
}
if (!wanted.length || wanted.includes("claude")) {
  await review("claude");
  await skill();
}
if (!wanted.length || wanted.includes("openclaw")) {
  await claw("none", false);
  await claw("set up", false);
  await claw("program gone", true);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
