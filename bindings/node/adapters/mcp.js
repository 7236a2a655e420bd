// MCP TypeScript SDK, any version: a transport on which results are screened. client.connect(screenClient(transport)) for what servers answer,
// server.connect(screenServer(transport)) for what a server of ours answers. A blocked result of a tool is an error of that tool, which says so; tools whose
// description is blocked are not listed; anything else that is blocked is an error of the protocol. Notifications pass.
import { seen, WITHHELD } from './seen.js';

function result(given, options) {
  const descriptions = { kind: 'tool_description', ...options };
  const tools = given.tools?.filter?.((tool) => seen(tool, descriptions) === tool);
  const instructions = given.instructions === undefined ? undefined : seen(given.instructions, descriptions);
  const whole = { ...given, ...(tools && { tools }), ...(instructions !== undefined && { instructions }) };
  const may = seen(whole, tools ? descriptions : options);
  if (may === whole) return { result: whole };
  if (given.content) return { result: { content: [{ type: 'text', text: may }], isError: true } };
  return { error: { code: -32000, message: WITHHELD } };
}

function screened(message, options) {
  if (message?.result) {
    const { result: given, ...rest } = message;
    return { ...rest, ...result(given, options) };
  }
  if (message?.error) return { ...message, error: seen(message.error, options) === message.error ? message.error : { code: -32000, message: WITHHELD } };
  return message;
}

function screenClient(transport, options) {
  let receive;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => receive,
    set: (f) => (receive = f && ((message, extra) => f(screened(message, options), extra))),
  });
  return transport;
}

function screenServer(transport, options) {
  const send = transport.send.bind(transport);
  transport.send = (message, extra) => send(screened(message, options), extra);
  return transport;
}

export { screenClient, screenServer };
