// OpenAI Agents SDK: tool({ ..., outputGuardrails: [toadstone()] }). Its guardrails replace a result or let it pass; what is redacted is replaced by what is left.
import { defineToolOutputGuardrail, ToolGuardrailFunctionOutputFactory as answer } from '@openai/agents';
import { seen } from './seen.js';

function toadstone(options) {
  return defineToolOutputGuardrail({
    name: 'toadstone',
    run: async ({ output }) => {
      const may = seen(output, options);
      return may === output ? answer.allow() : answer.rejectContent(may);
    },
  });
}

export { toadstone };
