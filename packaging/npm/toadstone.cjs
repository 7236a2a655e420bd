#!/usr/bin/env node
// Starts the program that npm installed for this machine. Hooks do not come by here: `toadstone setup` writes down the program's own path.
'use strict';
const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const name = `@toadstone/${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`${name}/bin/toadstone`);
} catch {
  console.error(`toadstone: no program for ${process.platform} on ${process.arch}: the package ${name} is not installed ` +
    '(npm installs it with toadstone unless told to omit optional ones; there are such for Linux on x64 and arm64). ' +
    "The library, import('toadstone'), works without.");
  process.exit(2);
}
const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
process.on('SIGINT', () => {}); // a terminal sends it to the program, too; what is sent to this process alone is handed on
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  console.error(`toadstone: ${error.message}`);
  process.exit(2);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
