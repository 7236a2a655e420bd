// Vercel AI SDK: wrapLanguageModel({ model, middleware: toadstone() }). What tools gave is screened whenever it is sent to the model.
import { promptSeen } from './seen.js';

function toadstone(options) {
  return {
    specificationVersion: 'v4',
    transformParams: async ({ params }) => ({ ...params, prompt: promptSeen(params.prompt, options) }),
  };
}

export { toadstone };
