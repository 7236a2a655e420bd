// What of an attack, and what of something harmless, reaches the model of each agent: without us, with the hooks alone, the proxy alone and both, as
// `toadstone setup` puts them there. What the hooks leave open is in `gaps` and in docs/hooks.md, and neither may say more or less than what is seen.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { Place } from "./place.mjs";
import { HARMLESS, attack } from "./server.mjs";

const shapes = ["page", "struct", "halves", "err", "rpcerr", "link", "shell", "file"];
const modes = ["none", "hooks", "proxy", "both"];

// What the hooks of an agent cannot keep from its model; docs/hooks.md says the same.
const gaps = { claude: [], codex: ["err", "rpcerr"], gemini: [], qwen: ["err", "rpcerr"], copilot: ["err", "rpcerr"], opencode: [] };
// What the proxy leaves to the hooks: it stands before servers.
const built_in = ["shell", "file"];

const person = new URL("../support/person.py", import.meta.url).pathname;

// As a user would.
export function install(place, mode) {
  const { name, toadstone, store, project } = place;
  const run = (...args) => {
    const ran = spawnSync(person, [toadstone, ...args], { cwd: project, env: { ...place.env(), PYTHONDONTWRITEBYTECODE: "1" }, encoding: "utf8", timeout: 20000 });
    if (ran.status !== 0) throw new Error(`toadstone ${args.join(" ")}: ${ran.status}: ${ran.stdout}${ran.stderr}`);
  };
  if (mode === "proxy") run("wrap-client", "--client", name, "--all", "--store", store);
  if (mode === "hooks" || mode === "both") run("setup", "--agent", name, "--yes", "--store", store);
  if (mode === "hooks") run("wrap-client", "--client", name, "--all", "--undo"); // servers that came after it
}

const file_of = (shape, item) => `${item === "1" ? "hours" : shape}.txt`;

function steps(place, shape, item) {
  const { kind, project } = place, path = `${project}/${file_of(shape, item)}`;
  // the wait: some forget what a program printed last
  if (shape === "shell") return [place.shell(`cat ${path}; sleep 0.5`)];
  if (shape === "file") return [{ tool: kind.file[0], args: () => kind.file[1](path) }];
  return kind.call(`get_${shape}`, { item });
}

// What the model got of each call, undefined where the turn ended before it came, and all that it was sent. After the end of a turn the rest is a new one.
async function play(place, todo) {
  const got = {};
  let sent = "", out = "", reached;
  do {
    const plan = [], last = {};
    for (const call of todo) {
      plan.push(...steps(place, ...call));
      last[call.join("")] = plan.length - 1;
    }
    const ran = await place.run(plan);
    out += ran.out;
    sent += place.model.sent;
    reached = todo.filter((call) => last[call.join("")] < place.model.step);
    for (const call of reached) got[call.join("")] = ran.seen[last[call.join("")]];
    todo = todo.slice(reached.length);
  } while (todo.length && reached.length);
  return { got, sent, out };
}

// One agent in one mode: of each shape what became of the attack, and what the model was given of the harmless one.
async function look(name, mode, where) {
  const place = await new Place(`${name}-${mode}`, where).open(), { kind, base, project } = place, plain = kind.plain ?? ((text) => text);
  const has = shapes.filter((s) => s !== "file" || kind.file), seen = {};
  place.prepare();
  writeFileSync(`${project}/hours.txt`, HARMLESS);
  for (const shape of built_in) writeFileSync(`${project}/${file_of(shape, "2")}`, attack(shape));
  install(place, mode);
  const { got, sent, out } = await play(place, ["1", "2"].flatMap((item) => has.map((shape) => [shape, item])));
  place.close();
  for (const shape of has) {
    const text = got[`${shape}2`], came = `${shape}2` in got, became = sent.includes(`MARK-${shape}`) ? "reaches" : !came ? "NOT RUN" : text === undefined ? "turn ends" : "withheld";
    seen[shape] = { became, text, harmless: plain(got[`${shape}1`] ?? `nothing: ${out}`).replaceAll(base, "") };
  }
  return seen;
}

const row = (cells) => `| ${cells.join(" | ")} |`;

// `check(agent, name, ok, saw)` counts. Rows that are printed for the hooks are those of docs/hooks.md.
export async function matrix(name, where, check) {
  const seen = {}, has = modes.filter((mode) => mode === "none" || mode === "proxy" || gaps[name]);
  for (const mode of has) seen[mode] = await look(name, mode, where);
  const document = readFileSync(new URL("../../docs/hooks.md", import.meta.url), "utf8").split("\n");
  for (const mode of has) {
    const found = seen[mode], reach = Object.keys(found).filter((s) => found[s].became === "reaches"), told = row([name, mode, ...shapes.map((s) => found[s]?.became ?? "")]);
    const may = { none: Object.keys(found), hooks: gaps[name], proxy: built_in.filter((s) => found[s]), both: [] }[mode];
    console.log(told);
    check(name, `${mode}: the attack reaches the model ${may.length ? `in ${may.join(", ")} alone` : "nowhere"}`, reach.join() === may.join() && !told.includes("NOT RUN"),
      told + Object.keys(found).map((s) => (reach.includes(s) !== may.includes(s) ? `\n${s}: ${found[s].text}` : "")).join(""));
    if (mode === "none") continue;
    if (mode === "hooks") check(name, `${mode}: docs/hooks.md says so`, document.filter((line) => line.startsWith(row([name, mode]).slice(0, -1))).join("\n") === told, told);
    for (const shape of Object.keys(found))
      check(name, `${mode}: a harmless ${shape} is as it was, to the byte`, found[shape].harmless === seen.none[shape].harmless && /9 to 17 h/.test(found[shape].harmless), `${found[shape].harmless} / ${seen.none[shape].harmless}`);
  }
}
