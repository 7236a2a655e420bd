// Toadstone for Node: native where there is an addon for this machine, else WebAssembly; the same functions and the same bytes either way.
import { face, ToadstoneError } from './face.js';
import { loadSync } from './wasm.js';
import node from './native.cjs';

const addon = node.native();
const backend = addon ? 'native' : 'wasm';
const toadstone = addon ? face(addon) : loadSync(node.wasm());
const { version, catalogueVersion, Engine, scan, scanJson, guard, stream, sanitize, isClean, wrap, neutralize, unwrap, extract, memoryLine, memoryParse,
  memoryPromptLine, memoryRefusal, memoryPlaceholder, prompt } = toadstone;

export {
  backend, version, catalogueVersion, Engine, ToadstoneError, scan, scanJson, guard, stream, sanitize, isClean, wrap, neutralize, unwrap, extract, memoryLine,
  memoryParse, memoryPromptLine, memoryRefusal, memoryPlaceholder, prompt,
};
