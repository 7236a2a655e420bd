// What all adapters share: from what a tool gave to what the model may see of it.
import { guard } from 'toadstone';

const WITHHELD = '[Content withheld: it reads like an attack on its reader, or not all of it could be looked at.]';

// Every text in a value, as JSON would show it: names as well as what they name, and bytes.
function texts(value) {
  const found = [];
  JSON.stringify(value, (name, part) => {
    if (name) found.push(name);
    if (ArrayBuffer.isView(part)) {
      found.push(new TextDecoder().decode(part));
      return undefined;
    }
    if (typeof part === 'string') found.push(part);
    return typeof part === 'bigint' ? `${part}` : part;
  });
  return found.join('\n');
}

// seen(value, options): the value itself where it may pass, else the text that stands in its place. An error of ours is no reason to let anything pass.
function seen(value, options = {}) {
  try {
    const { guard: screen = guard, ...rest } = options;
    const { action, text } = screen(typeof value === 'string' ? value : texts(value), { kind: 'tool_result', ...rest, bare: true });
    return action === 'allow' || action === 'warn' ? value : text;
  } catch {
    return WITHHELD;
  }
}

// A prompt of the AI SDK: the results of tools in it. The roles of user and assistant are left alone.
function promptSeen(prompt, options) {
  const output = (part) => {
    const value = part.output.value ?? part.output.reason ?? null;
    const may = seen(value, options);
    return may === value ? part : { ...part, output: { type: part.output.type.startsWith('error') ? 'error-text' : 'text', value: may } };
  };
  return prompt.map((message) =>
    Array.isArray(message.content)
      ? { ...message, content: message.content.map((part) => (part.type === 'tool-result' ? output(part) : part)) }
      : message,
  );
}

export { seen, promptSeen, WITHHELD };
