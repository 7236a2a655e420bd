// What is called, over either engine room: the native addon (addon.c) or WebAssembly (wasm.js). Both take and give the same.
const SEVERITIES = ['none', 'low', 'medium', 'high'];
const ACTIONS = ['allow', 'warn', 'redact', 'ask', 'block'];
const SCOPES = ['relaxed', 'strict'];
const KINDS = ['any', 'web', 'tool_result', 'tool_description', 'memory', 'instruction_file', 'email', 'code', 'search'];
const ENVELOPES = ['openclaw', 'ptc', 'external_content', 'untrusted_tool_result', 'memories', 'spotlight'];
const NOTICES = ['default', 'none', 'short', 'long', 'search', 'custom'];
const SPOTLIGHTS = ['delimit', 'datamark', 'base64'];
const PROVENANCES = ['user', 'agent', 'external'];
const FORMATS = ['auto', 'html', 'markdown'];
const RENDERS = ['none', 'text', 'markdown'];

// The library could not do its work: nothing was decided, and the text must not pass. `status` is its number (toad_status).
class ToadstoneError extends Error {
  constructor(status, message, help) {
    super(help ? `${message}; ${help}` : message);
    this.name = 'ToadstoneError';
    this.status = status;
  }
}

const bytes = (value) => {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('maxBytes is a whole number of bytes');
  return value;
};
const flag = (value) => {
  if (typeof value !== 'boolean') throw new TypeError('a switch is true or false');
  return value;
};
const string = (value) => {
  if (typeof value !== 'string') throw new TypeError('a name or a label is a string');
  return value;
};
// For what ends at NUL: one inside would cut it.
const field = (value) => {
  if (string(value).includes('\0')) throw new TypeError('NUL in a field of a rule');
  return value;
};
const one = (names) => (value) => {
  const at = names.indexOf(value);
  if (at < 0) throw new TypeError(`${JSON.stringify(value)} is none of ${names.join(', ')}`);
  return at;
};

// Every option there is, and how it is read; what is not here is refused, since a misspelled option would be none.
const SCAN = { kind: one(KINDS), scope: one(SCOPES), maxBytes: bytes };
const POLICY = Object.fromEntries(['none', 'low', 'medium', 'high', 'incomplete'].map((name) => [name, one(ACTIONS)]));
const WRAP = {
  envelope: one(ENVELOPES), source: string, sender: string, subject: string, task: string, notice: one(NOTICES), noticeText: string,
  id: (v) => v, preamble: flag, keepRaw: flag, quoteLines: flag, spotlight: one(SPOTLIGHTS), maxBytes: bytes,
};
const GUARD = { ...SCAN, policy: (v) => read(POLICY, v), wrap: (v) => envelope(v), bare: flag };
const EXTRACT = { format: one(FORMATS), render: one(RENDERS) };
const RULE = {
  id: field, title: field, family: field, why: field, severity: one(SEVERITIES), hiddenSeverity: one(SEVERITIES), scope: one(SCOPES),
  skeleton: flag, gate: field, verify: field, lang: field, mapping: field, patterns: (list) => list.map(field),
};

const NONE = Object.freeze({});

function read(options, given) {
  if (given === undefined || given === null) return NONE;
  const out = {};
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(options, name)) throw new TypeError(`there is no option ${JSON.stringify(name)}`);
    if (given[name] !== undefined) out[name] = options[name](given[name]);
  }
  return out;
}

// The marker's id: undefined for a random one, false for none.
function envelope(given) {
  const { id, ...out } = read(WRAP, given);
  if (id === false) out.idMode = 2;
  else if (id !== undefined) Object.assign(out, { idMode: 1, id: string(id) });
  if (out.noticeText !== undefined) out.notice = NOTICES.indexOf('custom');
  return out;
}

function today() {
  return new Date().toISOString().slice(0, 10);
}

function fail(status, message, help) {
  throw new ToadstoneError(status, message, help);
}

// face(functions): the same for every port. The addon calls its `fail` where the library could not.
function face(functions) {
  const port = { ...functions, fail };

  class Stream {
    #stream;
    constructor(stream) {
      this.#stream = stream;
    }
    write(chunk) {
      port.streamWrite(this.#stream, chunk);
    }
    close() {
      return JSON.parse(port.streamClose(this.#stream));
    }
  }

  class Engine {
    #engine;
    constructor({ rules = [], model = true } = NONE) {
      this.#engine = port.engine(rules.map((rule) => ({ patterns: [], ...read(RULE, rule) })), flag(model));
    }
    scanJson(text, options) {
      return port.scan(this.#engine, text, read(SCAN, options));
    }
    scan(text, options) {
      return JSON.parse(port.scan(this.#engine, text, read(SCAN, options)));
    }
    guard(text, options) {
      const { bare, ...rest } = read(GUARD, options);
      const [seen, action, verdict] = port.guard(this.#engine, text, { ...rest, flags: bare ? 1 : 0 });
      return { text: seen, action: ACTIONS[action], verdict: JSON.parse(verdict) };
    }
    stream(options) {
      return new Stream(port.streamOpen(this.#engine, read(SCAN, options)));
    }
  }

  const engine = new Engine();
  return {
    version: port.version,
    catalogueVersion: port.catalogueVersion,
    Engine,
    ToadstoneError,
    scan: (text, options) => engine.scan(text, options),
    scanJson: (text, options) => engine.scanJson(text, options),
    guard: (text, options) => engine.guard(text, options),
    stream: (options) => engine.stream(options),
    sanitize(text) {
      const [clean, removed] = port.sanitize(text);
      return { text: clean, removed: removed.map(([name, count, start, end, reported]) => ({ name, count, start, end, reported })) };
    },
    isClean: (text) => port.isClean(text),
    wrap: (text, options) => port.wrap(text, envelope(options)),
    neutralize: (text, { sanitize = false } = NONE) => port.neutralize(text, flag(sanitize)),
    unwrap(text, id = '') {
      const [content, source, bears, family, genuine] = port.unwrap(text, string(id));
      return { content, source, id: bears, envelope: ENVELOPES[family], genuine };
    },
    extract(text, options) {
      const [visible, rendered, title, hidden, links, complete] = port.extract(text, read(EXTRACT, options));
      return {
        visible, rendered, title, complete,
        hidden: hidden.map(([is, reason, start, end]) => ({ text: is, reason, start, end })),
        links: links.map(([url, start, end, autoFetch]) => ({ url, start, end, autoFetch })),
      };
    },
    memoryLine: (text, { provenance = 'agent', date = today() } = NONE) => port.memoryLine(text, one(PROVENANCES)(provenance), string(date)),
    memoryParse(line) {
      const [text, provenance, source, date] = port.memoryParse(line);
      return { text, provenance: PROVENANCES[provenance], source, date };
    },
    memoryPromptLine: (text, { provenance = 'agent' } = NONE) => port.memoryPromptLine(text, one(PROVENANCES)(provenance)),
    memoryRefusal: (rule) => port.memoryRefusal(string(rule)),
    memoryPlaceholder: (rules, entry) => port.memoryPlaceholder(rules.map(string), string(entry)),
    prompt: (name) => port.prompt(string(name)),
  };
}

export { face, fail, ToadstoneError };
