// What tests/machines/verdicts.c prints, from Node: the same bytes. Usage: verdicts.mjs native|wasm FILE
import { strict as assert } from 'node:assert';
import { readFileSync } from 'node:fs';
import * as toadstone from 'toadstone';

assert.equal(toadstone.backend, process.argv[2]);
const rows = readFileSync(process.argv[3], 'utf8').split('\n').filter(Boolean);
const lines = rows.map((line) => {
  const { id, text = '' } = JSON.parse(line);
  const seen = toadstone.guard(text, { kind: 'web', wrap: { id: '0' } });
  return `${id} verdict ${toadstone.scanJson(text)} sanitized ${toadstone.sanitize(text).text} ${seen.action} ${seen.text}\n`;
});
process.stdout.write(lines.join(''));
