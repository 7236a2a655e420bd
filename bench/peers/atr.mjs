// One lane of npm's agent-threat-rules over labelled rows: node atr.mjs INSTALLED LANE ROWS LIMIT SHARD SHARDS
//
// Prints {"rules", "seconds", "rows"}: the rules that the lane may fire, the CPU time spent in its engine, and a character for each row of the shard (row
// numbers SHARD, SHARD + SHARDS, ...): 1 a rule matched, 0 none did, t the engine was stopped after LIMIT seconds. Messages typed by a person go
// in as llm_input; everything else as tool_response, on which the engine runs its injection rules as well as those for tools.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import vm from 'node:vm';

const TYPED = new Set(['chat', 'direct', 'jailbreak']);
const [installed, lane, path, limit, shard, shards] = process.argv.slice(2);

const home = `${installed}/node_modules/agent-threat-rules`;
const { ATREngine } = await import(pathToFileURL(`${home}/dist/index.js`));
const engine = new ATREngine({ lane, rulesDir: `${home}/rules` });
await engine.loadRules();

const context = vm.createContext({ engine, event: null });
const script = new vm.Script('engine.evaluate(event).length > 0');
let rows = '';
let spent = 0;
let number = 0;
for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
  if (!line.trim() || number++ % Number(shards) !== Number(shard)) continue;
  const row = JSON.parse(line);
  const type = TYPED.has(row.kind) ? 'llm_input' : 'tool_response';
  context.event = { type, timestamp: '2026-01-01T00:00:00Z', content: row.text };
  const before = process.cpuUsage();
  try {
    rows += script.runInContext(context, { timeout: 1000 * limit }) ? '1' : '0';
  } catch (error) {
    if (error.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    rows += 't';
  }
  const used = process.cpuUsage(before);
  spent += used.user + used.system;
}
const fires = engine.rules.filter((r) => r.status !== 'deprecated' && r.status !== 'draft' && engine.passesLane(r)).length;
console.log(JSON.stringify({ rules: fires, seconds: spent / 1e6, rows }));
