// agents.mjs TOADSTONE PACKAGES WORK [AGENT...] - real coding agents from npm, driven by a model of ours on loopback, with Toadstone's hooks and its proxy
// before their MCP server: what the model receives (matrix.mjs), what the user allows, refuses, releases and takes back between runs, and what the agent
// itself gets through its shell. Two agents at a time. Prints tables and "N passed, N failed".
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { kinds } from "./kinds.mjs";
import { install, matrix } from "./matrix.mjs";
import { Place } from "./place.mjs";

const [toadstone, packages, work, ...wanted] = process.argv.slice(2), where = { toadstone, packages, work };
let passed = 0, failed = 0;
const table = [];

function check(agent, name, ok, saw) {
  ok ? passed++ : failed++;
  table.push([agent, name, ok ? "ok" : "FAIL", String(saw ?? "").replace(/\s+/g, " ").slice(0, 150)]);
  if (!ok) console.log(`FAIL ${agent}: ${name}: ${String(saw).slice(0, 1500)}`);
}

// An agent whose user has put the proxy before its server: `go` is a run with a plan, and gives what the model was sent back for each step.
async function make(name) {
  const place = await new Place(name, where).open(), { kind, store, project, other } = place;
  place.server = { command: toadstone, args: ["proxy", "--name", "work", "--store", store, "--", place.server.command, ...place.server.args] };
  const go = (steps, project) => (place.prepare(project), place.run(steps, project)), sit = (steps, watch) => (place.prepare(), place.sit(steps, watch));
  const call = (tool, args = {}) => kind.call(tool, args)[0], shell = (command) => place.shell(command);
  return { name, go, sit, call, shell, store, project, other, written: () => readFileSync(place.done, "utf8"), close: () => place.close() };
}

// What the user does between runs, at a terminal, typing what is asked for.
const person = new URL("../support/person.py", import.meta.url).pathname;
function user(store, ...command) {
  const ran = spawnSync(person, [toadstone, ...command, "--store", store], { encoding: "utf8", timeout: 20000 });
  return ran.stdout + ran.stderr;
}
const json = (store, command) => JSON.parse(spawnSync(toadstone, [...command.split(" "), "--store", store, "--json"], { encoding: "utf8" }).stdout || "{}");
const id = (text, prefix) => text?.match(new RegExp(`${prefix}_[0-9a-f]{12}`))?.[0];

const answer = (store, question, word) => user(store, "confirm", "answer", question, word, "--binding", json(store, `confirm show ${question}`).binding);

// A ticket that quotes an attack is withheld. The agent tries to lift that through its shell, and fails; the user does it with one command.
async function alarm(a) {
  const payload = /reveal your system prompt/, read = async () => (await a.go([a.call("get_ticket")])).seen[0] ?? "";
  let text = await read();
  check(a.name, "a false alarm is withheld", /Withheld/.test(text) && !payload.test(text), text);
  const kept = () => json(a.store, "contents list").contents?.find((c) => c.scan === "block") ?? {}, number = kept().id ?? "none";
  const t = `${toadstone}`, at = `${number} --store ${a.store}`, act = `${t} contents release ${at}`;
  const tries = [act, `${act} --as user`, `${t} exceptions add ${at} --as user`, `${t} contents show ${at} --as user`, `${t} token new --store ${a.store}`, `env -i ${act} --as user`,
    `script -qec "${act} --as user" /dev/null </dev/null`, `env -i /usr/bin/script -qec "${act} --as user" /dev/null </dev/null`, `env -i /usr/bin/setsid -w ${act}`,
    `env -i /usr/bin/script -qec "${t} contents show ${at}" /dev/null <<<yes`];
  const { seen } = await a.go(tries.map((command) => a.shell(`timeout 10 ${command} 2>&1; echo "[$?]"`)));
  tries.forEach((command, i) => check(a.name, `the agent's shell: ${command.replaceAll(a.store, "S").replace(number, "ID").replaceAll(toadstone, "toadstone")}`,
    seen[i] && /only the user may/.test(seen[i]) && !payload.test(seen[i]) && !/\[0\]/.test(seen[i].replace(/Exit Code: 0|Process Group.*/g, "")), seen[i]));
  check(a.name, "nothing was released, and every try is in the log", kept().released_at === null && json(a.store, "audit query --type refused").events?.length >= tries.length, JSON.stringify(kept()));
  text = await read();
  check(a.name, "it is withheld still", /Withheld/.test(text) && !payload.test(text), text);
  user(a.store, "exceptions", "add", number);
  text = await read();
  check(a.name, "the user's exception lets it pass, marked", payload.test(text) && /UNTRUSTED/.test(text), text);
  user(a.store, "exceptions", "remove", json(a.store, "exceptions list").exceptions?.[0]?.id ?? "none");
  user(a.store, "contents", "delete", number); // it was released with the exception
  text = await read();
  check(a.name, "and is taken back", !payload.test(text), text);
  user(a.store, "contents", "release", kept().id ?? "none");
  text = await read();
  check(a.name, "the user's release lets it pass, marked", payload.test(text) && /UNTRUSTED/.test(text), text);
}

async function approvals(a) {
  const note = { path: "notes.md", content: "listen 8080; root /var/www/html;" }, write = [a.call("get_page"), a.call("write_note", note)];
  const asked = async (where) => (await a.go(write, where)).seen[1];
  let text = await asked();
  check(a.name, "a call after reading is not made", /This call was not made/.test(text) && id(text, "conf") && !a.written(), text);
  check(a.name, "nobody is said to have said no", !/said no/.test(text), text);
  const first = id(text, "conf");
  check(a.name, "the question is open", json(a.store, "confirm list").confirmations?.some((c) => c.id === first), first);
  answer(a.store, first, "apply");
  text = await asked(a.other);
  check(a.name, "an approval does not hold in another project", /was not made/.test(text), text);
  text = await asked();
  check(a.name, "an approval holds for the next run", /Done/.test(text) && a.written().includes("listen 8080"), text);
  text = await asked();
  check(a.name, "once", /was not made/.test(text), text);
  answer(a.store, id(text, "conf"), "apply");
  user(a.store, "confirm", "revoke", id(text, "conf"));
  text = await asked();
  check(a.name, "an approval that was taken back does not hold", /was not made/.test(text), text);
  answer(a.store, id(text, "conf"), "always");
  await asked();
  text = await asked();
  check(a.name, "always holds for every run", /Done/.test(text), text);
  check(a.name, "always is listed", json(a.store, "confirm list always").always?.[0]?.source === "mcp:work", JSON.stringify(json(a.store, "confirm list always")));
  user(a.store, "confirm", "revoke", "mcp__work__write_note(content,path)");
  text = await asked();
  check(a.name, "always is taken back", /was not made/.test(text), text);
}

// At a terminal, where the agent puts the question to its user as a form. `choose(n)` are the keys for its n-th decision.
async function forms(a) {
  const { start, choose } = kinds[a.name];
  if (!choose) return; // it offers no form
  const ask = async (content, ...keys) => {
    const watch = [...start, [/Allow mcp__work__write_note/, ...keys[0]], ...keys.slice(1).map((more) => [/It stands there as:/, ...more]), [/\bdone\b/]];
    const { screens, seen } = await a.sit([a.call("get_page"), a.call("write_note", { path: "a.md", content: `listen 8080; root /var/www/html; ${content}` })], watch);
    return [seen[1] ?? screens.at(-1), screens[start.length] ?? "", screens[start.length + 1] ?? ""];
  };
  let [text, first, second] = await ask("one", choose(0));
  check(a.name, "form: call, source and words are on the screen", /Allow mcp__work__write_note: content="listen 8080; root \/var\/www\/html; one"/.test(first) &&
    /From mcp:work\/get_page, which the agent has read: \u00bblisten 8080; root \/var\/www\/html/.test(first), first);
  check(a.name, "form: skip is the user's no", /the user was asked and said no/.test(text), text);
  [text] = await ask("two", choose(2));
  check(a.name, "form: apply is done", /Done/.test(text) && a.written().includes("two"), text);
  [text, first, second] = await ask("three", choose(1), choose(1));
  check(a.name, "form: show has the passage on the screen", /It stands there as: .*\u00bblisten 8080/.test(second), second);
  check(a.name, "form: show, then apply is done", /Done/.test(text) && a.written().includes("three"), text);
  [text] = await ask("four", ["Escape"]);
  check(a.name, "form: a closed one is no answer", /sent the question back/.test(text) && !a.written().includes("four"), text);
}

// The hook asks about a command that only a page names, and the agent puts that to its user in its own dialog: what he agreed to there is not asked again in
// that session, and in no other.
async function dialog({ name }) {
  if (!kinds[name].dialog) return;
  const place = await new Place(`${name}-dialog`, where).open(), ran = `${place.project}/ran`, { start, call, dialog } = place.kind;
  place.prepare();
  install(place, "hooks");
  const act = () => place.shell(`curl -sm1 https://lists.invalid/blocked.txt; echo x >>${ran}`);
  const go = (...keys) => place.sit([call("get_guide", {})[0], act(), act()], [...start, [dialog.asked, ...keys], [/\bdone\b/]]);
  const lines = () => (existsSync(ran) ? readFileSync(ran, "utf8").length / 2 : 0);
  let { screens } = await go(...dialog.yes);
  check(name, "dialog: our question is on its screen", /needs the user|the user must confirm/.test(screens[start.length]), screens[start.length]);
  check(name, "dialog: what the user agreed to there runs again unasked", lines() === 2 && /\bdone\b/.test(screens.at(-1)), screens.at(-1));
  await place.run([call("get_guide", {})[0], act()]);
  check(name, "dialog: not in another session", lines() === 2, `${lines()}`);
  place.close();
}

// The parts of one agent, one after the other.
const parts = { approvals, alarm, forms, dialog, matrix: ({ name }) => matrix(name, where, check) };
async function all(name) {
  const kind = kinds[name], agent = await make(name);
  if (!existsSync(`${packages}/node_modules/${kind.program}`)) check(name, "it is installed", false);
  else for (const part of process.env.AGENTS_PARTS?.split(" ") ?? (kind.asked ? Object.keys(parts) : ["matrix"])) await parts[part](agent);
  agent.close();
}

const waiting = Object.keys(kinds).filter((n) => !wanted.length || wanted.includes(n));
const worker = async () => {
  for (let name = waiting.shift(); name; name = waiting.shift()) await all(name);
};
await Promise.all([worker(), worker()]);
for (const row of table.sort((a, b) => a[0].localeCompare(b[0]))) console.log(`${row[0].padEnd(8)} ${row[2].padEnd(5)} ${row[1].padEnd(48)} ${row[3]}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
