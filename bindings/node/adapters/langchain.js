// LangChain and LangGraph: createAgent({ ..., middleware: [toadstone()] }). A tool's result is screened before it is a message.
import { createMiddleware } from 'langchain';
import { seen } from './seen.js';

function screened(message, options) {
  if (message?.content === undefined) return message; // no message of a tool but a command, whose messages are below
  const content = seen(message.content, options);
  const artifact = message.artifact;
  if (content === message.content) return message;
  message.content = content;
  if (artifact !== undefined) message.artifact = undefined;
  return message;
}

function toadstone(options) {
  return createMiddleware({
    name: 'toadstone',
    wrapToolCall: async (request, handler) => {
      const result = await handler(request);
      for (const message of result?.update?.messages ?? []) screened(message, options);
      return screened(result, options);
    },
  });
}

export { toadstone };
