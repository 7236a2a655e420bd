// Mastra: new Agent({ ..., inputProcessors: [toadstone()] }). What tools gave is screened whenever it is sent to the model.
import { promptSeen } from './seen.js';

function toadstone(options) {
  return {
    id: 'toadstone',
    processLLMRequest: async ({ prompt }) => ({ prompt: promptSeen(prompt, options) }),
  };
}

export { toadstone };
