// Where the native addon is: beside this file, in the package of this platform, or where TOADSTONE_ADDON says. null: there is none for this machine.
'use strict';
const { readFileSync } = require('node:fs');
const { join } = require('node:path');

function platform() {
  return `@toadstone/${process.platform}-${process.arch}`; // for glibc and musl alike
}

function open(file) {
  try {
    return require(file);
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND' || error.code === 'ERR_DLOPEN_FAILED') return null;
    throw error;
  }
}

function native() {
  if (process.env.TOADSTONE_ADDON !== undefined) return process.env.TOADSTONE_ADDON ? require(process.env.TOADSTONE_ADDON) : null;
  return open(join(__dirname, 'toadstone.node')) ?? open(`${platform()}/toadstone.node`);
}

const wasm = () => readFileSync(process.env.TOADSTONE_WASM ?? join(__dirname, 'toadstone.wasm'));

module.exports = { native, wasm };
