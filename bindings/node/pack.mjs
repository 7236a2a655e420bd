// Lays out the npm package: pack.mjs OUT WASM [ADDON]. What is written as ECMAScript modules is also made into CommonJS: every import stands at the top of a
// file and every export in its last statement, so that a few lines do for that.
import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [out, wasm, addon] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));

function common(source) {
  return `'use strict';\n${source
    .replace(/^import (\w+|\{[^}]*\}) from '([^']+)';$/gm, (_, what, from) => `const ${what} = require('${from.replace(/\.js$/, '.cjs')}');`)
    .replace(/import\.meta\.url/g, "require('node:url').pathToFileURL(__filename).href")
    .replace(/^export (\{[^}]*\});$/gm, 'module.exports = $1;')}`;
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of ['package.json', 'native.cjs', 'face.js', 'wasm.js', 'index.js', 'index.d.ts', 'wasm.d.ts', 'adapters']) {
  cpSync(join(here, name), join(out, name), { recursive: true });
}
for (const name of ['face', 'wasm', 'index']) writeFileSync(join(out, `${name}.cjs`), common(readFileSync(join(here, `${name}.js`), 'utf8')));
for (const name of ['index', 'wasm']) {
  writeFileSync(join(out, `${name}.d.cts`), readFileSync(join(here, `${name}.d.ts`), 'utf8').replace("'./index.js'", "'./index.cjs'"));
}
copyFileSync(wasm, join(out, 'toadstone.wasm'));
if (addon) copyFileSync(addon, join(out, 'toadstone.node'));
