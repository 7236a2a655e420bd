// The package in a real browser: a page and a Worker of it load toadstone/wasm over HTTP, compiled while it arrives, and give the bytes of C.
// Usage: browser.mjs PACKAGE ROWS.jsonl VERDICTS.txt (what tests/machines/verdicts.c prints of the rows)
import { strict as assert } from 'node:assert';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';

const [folder, rows, verdicts] = process.argv.slice(2);
const types = { '.js': 'text/javascript', '.wasm': 'application/wasm', '.html': 'text/html' };

// What page and Worker run: the rows, as verdicts.mjs prints them. `streamed` counts how often the module was compiled while it arrived.
const task = `
let streamed = 0;
const streaming = WebAssembly.compileStreaming;
WebAssembly.compileStreaming = (source) => { streamed++; return streaming.call(WebAssembly, source); };
async function run() {
  const { load } = await import('/package/wasm.js');
  const toadstone = await load();
  let text = '';
  for (const line of (await (await fetch('/rows')).text()).split('\\n').filter(Boolean)) {
    const { id, text: given = '' } = JSON.parse(line);
    const seen = toadstone.guard(given, { kind: 'web', wrap: { id: '0' } });
    text += id + ' verdict ' + toadstone.scanJson(given) + ' sanitized ' + toadstone.sanitize(given).text + ' ' + seen.action + ' ' + seen.text + '\\n';
  }
  return { streamed, text };
}
const said = (where) => run().catch((error) => ({ error: String(error) })).then((what) => fetch('/said/' + where, { method: 'POST', body: JSON.stringify(what) }));
`;
const made = {
  '/page.html': `<!doctype html><title>toadstone</title><script type="module">${task} await said('page'); new Worker('/worker.js', { type: 'module' });</script>`,
  '/worker.js': `${task} said('worker');`,
  '/rows': readFileSync(rows, 'utf8'),
};

const answers = {};
let finish;
const finished = new Promise((resolve) => { finish = resolve; });
const server = createServer((request, response) => {
  if (request.method === 'POST') {
    let body = '';
    request.setEncoding('utf8').on('data', (part) => { body += part; }).on('end', () => {
      answers[request.url.slice('/said/'.length)] = JSON.parse(body);
      response.end();
      if (answers.page && answers.worker) finish();
    });
    return;
  }
  const content = made[request.url] ?? (request.url.startsWith('/package/') ? readFileSync(join(folder, normalize(request.url.slice('/package'.length)))) : null);
  response.writeHead(content === null ? 404 : 200, { 'Content-Type': types[extname(request.url)] ?? 'text/plain' });
  response.end(content);
});
await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });

const profile = mkdtempSync(join(tmpdir(), 'toadstone-browser-'));
const browser = spawn('chromium', ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run', `--user-data-dir=${profile}`, '--remote-debugging-port=0',
  `http://127.0.0.1:${server.address().port}/page.html`], { stdio: ['ignore', 'ignore', 'pipe'] });
let log = '';
browser.stderr.on('data', (part) => { log = (log + part).slice(-4000); });
const late = setTimeout(() => finish(), 120_000);
browser.on('exit', () => finish());
await finished;
clearTimeout(late);
const gone = new Promise((resolve) => { browser.on('exit', resolve); });
if (browser.exitCode === null && browser.kill()) await gone;
server.close();
// Its children may outlive it for a moment, and write.
for (let tries = 0; ; tries++) {
    try {
        rmSync(profile, { recursive: true, force: true });
        break;
    } catch (error) {
        if (tries === 40) throw error;
        await new Promise((resolve) => { setTimeout(resolve, 250); });
    }
}

const want = readFileSync(verdicts, 'utf8');
for (const where of ['page', 'worker']) {
  assert.ok(answers[where], `the ${where} said nothing; the browser: ${log}`);
  assert.equal(answers[where].error, undefined);
  assert.equal(answers[where].streamed, 1, `the ${where} compiles the module while it arrives`);
  assert.ok(answers[where].text === want, `the ${where} gives the bytes of C`);
}
console.log(`${made['/rows'].split('\n').length - 1} rows, in a page and in a Worker: the bytes of C`);
