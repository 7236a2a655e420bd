// The types, with those of the frameworks: this must compile, and what is marked must not.
import * as toadstone from 'toadstone';
import { load } from 'toadstone/wasm';
import { toadstone as ai } from 'toadstone/ai';
import { toadstone as langchain } from 'toadstone/langchain';
import { toadstone as mastra } from 'toadstone/mastra';
import { toadstone as openai } from 'toadstone/openai-agents';
import { screenClient } from 'toadstone/mcp';
import { wrapLanguageModel } from 'ai';
import { createAgent } from 'langchain';
import { Agent } from '@mastra/core/agent';
import { tool } from '@openai/agents';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';

const verdict: toadstone.Verdict = toadstone.scan('x', { kind: 'web' });
const seen: string = toadstone.guard(new Uint8Array(2), { policy: { high: 'redact' }, wrap: { id: false } }).text;
const wasm: toadstone.Verdict = (await load()).scan(seen);
new toadstone.Engine({ rules: [{ id: 'a', title: 'A', family: 'custom', why: 'A.', severity: 'low', patterns: ['a'] }] }).stream().write(verdict.severity);
// @ts-expect-error
toadstone.scan('x', { kind: 'wep' });
// @ts-expect-error
toadstone.scan(3);

export const model = (given: Parameters<typeof wrapLanguageModel>[0]['model']) => wrapLanguageModel({ model: given, middleware: ai() });
export const agent = createAgent({ model: 'x', tools: [], middleware: [langchain({ kind: 'web' })] });
export const other = new Agent({ id: 'a', name: 'a', instructions: '', model: 'openai/x', inputProcessors: [mastra()] });
export const look = tool({ name: 'look', description: '', parameters: undefined, execute: async () => wasm, outputGuardrails: [openai()] });
export const transport: InMemoryTransport = screenClient(InMemoryTransport.createLinkedPair()[0]);
