// The library as WebAssembly, for browsers, Workers, and machines without a native build: the functions of addon.c over toadstone.wasm, whose exports are
// the public C interface itself. Structs are laid out here as clang does for wasm32.
import { face, fail, ToadstoneError } from './face.js';

const SIZES = { i32: 4, bool: 1, u64: 8, str: 8 };
const TEXTS = ['id', 'title', 'family', 'why'];

// struct({ name: type, ... }): where each member stands, in order, aligned; "str" is pointer and length, "z" a string that ends in NUL.
function struct(members) {
  let at = 0;
  let align = 4;
  const fields = {};
  for (const [name, type] of Object.entries(members)) {
    const size = SIZES[type] ?? 4;
    const by = type === 'str' ? 4 : size;
    align = Math.max(align, by);
    at = Math.ceil(at / by) * by;
    fields[name] = [type, at];
    at += size;
  }
  return { fields, size: Math.ceil(at / align) * align };
}

const scanOptions = struct({ size: 'i32', scope: 'i32', kind: 'i32', maxBytes: 'u64' });
const guardOptions = struct({ size: 'i32', scope: 'i32', kind: 'i32', maxBytes: 'u64', policyAt: 'i32', wrapAt: 'i32', flags: 'u64' });
const policyStruct = struct({ none: 'i32', low: 'i32', medium: 'i32', high: 'i32', incomplete: 'i32' });
const wrapOptions = struct({
  size: 'i32', envelope: 'i32', source: 'str', sender: 'str', subject: 'str', task: 'str', notice: 'i32', noticeText: 'str', idMode: 'i32', id: 'str',
  preamble: 'bool', keepRaw: 'bool', quoteLines: 'bool', spotlight: 'i32', maxBytes: 'u64', random: 'i32', randomCtx: 'i32',
});
const extractOptions = struct({ size: 'i32', format: 'i32', render: 'i32' });
const engineOptions = struct({ size: 'i32', rules: 'i32', weights: 'str' });
const ruleDef = struct({
  size: 'i32', ...Object.fromEntries(TEXTS.map((name) => [name, 'z'])), severity: 'i32', hiddenSeverity: 'i32', scope: 'i32', skeleton: 'bool',
  gate: 'z', verify: 'z', lang: 'z', mapping: 'z', patternsAt: 'i32', patternsN: 'i32',
});

const REMOVED = { size: 32, first: 8, reported: 24, list: 8 };
const MESSAGE = 400;
const RESULT = 64; // the largest struct that is given back by value, and room beside it

function port(instance) {
  const x = instance.exports;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let u8, view, kept = [], dead = null;

  // Views of the memory, which grows now and then.
  const look = () => {
    if (u8?.buffer !== x.memory.buffer) {
      u8 = new Uint8Array(x.memory.buffer);
      view = new DataView(x.memory.buffer);
    }
  };
  const room = (n) => {
    const p = x.malloc(n || 1) >>> 0;
    if (!p) fail(-1, 'out of memory', '');
    kept.push(p);
    look();
    return p;
  };
  const zeroed = (n) => {
    const p = room(n);
    u8.fill(0, p, p + n);
    return p;
  };
  // Where the text lies, and its length; a NUL behind it.
  const copy = (text) => {
    if (typeof text === 'string') {
      const p = room(text.length * 3 + 1);
      const n = encoder.encodeInto(text, u8.subarray(p, p + text.length * 3)).written;
      u8[p + n] = 0;
      return [p, n];
    }
    if (!(text instanceof Uint8Array || text instanceof Uint8ClampedArray)) throw new TypeError('text is a string or a Uint8Array');
    const p = room(text.length + 1);
    u8.set(text, p);
    u8[p + text.length] = 0;
    return [p, text.length];
  };
  const put = (at, [p, n]) => {
    view.setUint32(at, p, true);
    view.setUint32(at + 4, n, true);
  };
  const slice = (text) => {
    const where = copy(text);
    const at = room(8);
    put(at, where);
    return at;
  };
  const write = ({ fields, size }, at, values) => {
    for (const [name, value] of Object.entries(values)) {
      const [type, offset] = fields[name] ?? [];
      if (type === 'i32') view.setInt32(at + offset, value, true);
      else if (type === 'bool') u8[at + offset] = value;
      else if (type === 'u64') view.setBigUint64(at + offset, BigInt(value), true);
      else if (type === 'str') put(at + offset, copy(value));
      else if (type === 'z') view.setUint32(at + offset, copy(value)[0], true);
    }
    return size;
  };
  const options = (layout, values) => {
    const at = zeroed(layout.size);
    write(layout, at, { size: layout.size, ...values });
    return at;
  };
  const str = (at) => {
    look();
    const p = view.getUint32(at, true);
    return decoder.decode(u8.subarray(p, p + view.getUint32(at + 4, true)));
  };
  const z = (p) => {
    look();
    return decoder.decode(u8.subarray(p, u8.indexOf(0, p)));
  };
  const int = (at) => view.getInt32(at, true);
  const long = (at) => Number(view.getBigUint64(at, true));
  const check = (status) => {
    look();
    if (status) fail(status, z(x.toad_status_message(status)), z(x.toad_status_help(status)));
  };
  // What f makes into the pointer that it is given last.
  const make = (f, ...given) => {
    const at = zeroed(4);
    check(f(...given, at));
    return view.getUint32(at, true);
  };
  const got = (f, ...given) => {
    const at = room(RESULT);
    f(at, ...given);
    look();
    return at;
  };
  const made = (f, ...given) => {
    const text = make(f, ...given);
    try {
      return str(got(x.toad_text_str, text));
    } finally {
      x.toad_text_free(text);
    }
  };
  // Every call: what was copied for it is released; after a trap (no memory left, no stack) nothing of this instance can be trusted.
  const call = (f) => (...given) => {
    if (dead) throw dead;
    const before = kept;
    kept = [];
    try {
      return f(...given);
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) dead = new ToadstoneError(-1, 'WebAssembly gave up', 'load it anew');
      throw dead ?? error;
    } finally {
      if (!dead) kept.forEach((p) => x.free(p));
      kept = before;
    }
  };

  const drop = (shared) => {
    if (--shared.users || dead) return;
    x.toad_scanner_free(shared.scanner);
    x.toad_engine_free(shared.engine);
  };
  const end = (stream) => {
    if (!stream.scanner) return;
    if (!dead) x.toad_scanner_free(stream.scanner);
    drop(stream.shared);
    stream.scanner = stream.stream = 0;
  };
  const gone = typeof FinalizationRegistry === 'undefined' ? { register() {} } : new FinalizationRegistry((release) => release());

  const rule = (at, { patterns, ...values }) => {
    const list = zeroed(patterns.length * 4);
    patterns.forEach((pattern, i) => {
      const [p] = copy(pattern);
      view.setUint32(list + 4 * i, p, true);
    });
    u8.fill(0, at, at + ruleDef.size);
    write(ruleDef, at, { size: ruleDef.size, ...values, patternsAt: list, patternsN: patterns.length });
  };
  const rules = (list) => {
    const defs = room(list.length * ruleDef.size);
    const message = zeroed(MESSAGE);
    const at = zeroed(4);
    list.forEach((values, i) => rule(defs + i * ruleDef.size, values));
    const status = x.toad_rules_new(defs, list.length, at, message, MESSAGE);
    look();
    if (status === -5) fail(status, z(message), '');
    check(status);
    return view.getUint32(at, true);
  };

  const operations = {
    engine(list, model) {
      const own = list.length ? rules(list) : 0;
      const made = options(engineOptions, { rules: own });
      if (!model) put(made + engineOptions.fields.weights[1], [copy('')[0], 0]);
      const shared = { users: 1 };
      try {
        shared.engine = make(x.toad_engine_new, made);
        shared.scanner = make(x.toad_scanner_new, shared.engine);
      } finally {
        x.toad_rules_free(own);
      }
      const handle = { shared };
      gone.register(handle, () => drop(shared));
      return handle;
    },
    scan: ({ shared }, text, o) => made(x.toad_scan_json, shared.scanner, slice(text), options(scanOptions, o)),
    guard({ shared }, text, { policy, wrap, ...rest }) {
      const over = got(x.toad_policy_for, rest.kind ?? 0);
      write(policyStruct, over, policy ?? {});
      const o = options(guardOptions, { ...rest, policyAt: over, wrapAt: options(wrapOptions, wrap) });
      const guarded = make(x.toad_guard, shared.scanner, slice(text), o);
      try {
        return [str(got(x.toad_guarded_text, guarded)), x.toad_guarded_action(guarded), str(got(x.toad_guarded_json, guarded))];
      } finally {
        x.toad_guarded_free(guarded);
      }
    },
    streamOpen({ shared }, o) {
      const stream = { shared, scanner: make(x.toad_scanner_new, shared.engine) };
      shared.users++;
      try {
        stream.stream = make(x.toad_stream_open, stream.scanner, options(scanOptions, o));
      } catch (error) {
        end(stream);
        throw error;
      }
      const handle = { stream };
      gone.register(handle, () => end(stream));
      return handle;
    },
    streamWrite: ({ stream }, chunk) => check(stream.stream ? x.toad_stream_write(stream.stream, slice(chunk)) : -8),
    streamClose({ stream }) {
      check(stream.stream ? 0 : -8);
      try {
        return made(x.toad_verdict_json, make(x.toad_stream_close, stream.stream));
      } finally {
        end(stream);
      }
    },
    sanitize(text) {
      const removed = zeroed(REMOVED.list + 24 * REMOVED.size);
      const out = zeroed(4);
      check(x.toad_sanitize(slice(text), 0, out, removed));
      const clean = view.getUint32(out, true);
      const list = Array.from({ length: int(removed) }, (_, i) => {
        const at = removed + REMOVED.list + i * REMOVED.size;
        const first = at + REMOVED.first;
        return [z(view.getUint32(at, true)), view.getUint32(at + 4, true), long(first), long(first + 8), !!u8[at + REMOVED.reported]];
      });
      try {
        return [str(got(x.toad_text_str, clean)), list];
      } finally {
        x.toad_text_free(clean);
      }
    },
    isClean: (text) => !!x.toad_is_clean(slice(text)),
    wrap: (text, o) => made(x.toad_wrap, slice(text), options(wrapOptions, o)),
    neutralize: (text, sanitize) => made(x.toad_neutralize, slice(text), sanitize ? 1 : 0),
    unwrap(text, id) {
      const u = make(x.toad_unwrap, slice(text), slice(id));
      try {
        const of = (f) => str(got(f, u));
        return [of(x.toad_unwrapped_content), of(x.toad_unwrapped_source), of(x.toad_unwrapped_id), x.toad_unwrapped_envelope(u),
          !!x.toad_unwrapped_genuine(u)];
      } finally {
        x.toad_unwrapped_free(u);
      }
    },
    extract(text, o) {
      const e = make(x.toad_extract, slice(text), options(extractOptions, o));
      const at = room(RESULT);
      const hidden = (_, i) => {
        x.toad_extracted_hidden(at, e, i);
        return [str(at), z(view.getUint32(at + 8, true)), long(at + 16), long(at + 24)];
      };
      const link = (_, i) => {
        x.toad_extracted_link(at, e, i);
        return [str(at), long(at + 8), long(at + 16), !!u8[at + 24]];
      };
      try {
        const of = (f) => str(got(f, e));
        return [of(x.toad_extracted_visible), of(x.toad_extracted_rendered), of(x.toad_extracted_title),
          Array.from({ length: x.toad_extracted_hidden_count(e) }, hidden), Array.from({ length: x.toad_extracted_link_count(e) }, link),
          !!x.toad_extracted_complete(e)];
      } finally {
        x.toad_extracted_free(e);
      }
    },
    memoryLine: (text, provenance, date) => made(x.toad_memory_line, slice(text), provenance, slice(date)),
    memoryParse(line) {
      const e = make(x.toad_memory_parse_line, slice(line));
      try {
        return [str(got(x.toad_memory_entry_text, e)), x.toad_memory_entry_provenance(e), str(got(x.toad_memory_entry_source, e)),
          str(got(x.toad_memory_entry_date, e))];
      } finally {
        x.toad_memory_entry_free(e);
      }
    },
    memoryPromptLine: (text, provenance) => made(x.toad_memory_prompt_line, slice(text), provenance),
    memoryRefusal: (id) => made(x.toad_memory_refusal, slice(id)),
    memoryPlaceholder(ids, entry) {
      const list = room(ids.length * 8);
      ids.forEach((id, i) => put(list + 8 * i, copy(id)));
      return made(x.toad_memory_placeholder, list, ids.length, slice(entry));
    },
    prompt(name) {
      const section = got(x.toad_prompt_section, slice(name));
      check(view.getUint32(section, true) ? 0 : -7);
      return str(section);
    },
  };
  x._initialize?.();
  const out = Object.fromEntries(Object.entries(operations).map(([name, f]) => [name, call(f)]));
  return { ...out, version: z(x.toad_version()), catalogueVersion: z(x.toad_catalogue_version()) };
}

// All that the module asks of its host: unpredictable bytes. The rest of what its libc names is never reached.
function imports(module, memory) {
  const random = (p, n) => {
    for (let at = 0; at < n; at += 65536) crypto.getRandomValues(new Uint8Array(memory().buffer, p + at, Math.min(65536, n - at)));
    return 0;
  };
  const refuse = () => 52; // ENOSYS
  const names = WebAssembly.Module.imports(module).map(({ name }) => [name, name === 'random_get' ? random : refuse]);
  return { wasi_snapshot_preview1: Object.fromEntries(names) };
}

function loadSync(source) {
  const module = source instanceof WebAssembly.Module ? source : new WebAssembly.Module(source);
  const instance = new WebAssembly.Instance(module, imports(module, () => instance.exports.memory));
  return face(port(instance));
}

// load(source): the module, its bytes, a Response, or where to fetch it (toadstone.wasm beside this file, if nothing is said); compiled while it arrives.
async function load(source = new URL('./toadstone.wasm', import.meta.url)) {
  if (typeof source === 'string' || source instanceof URL) source = await fetch(source);
  if (typeof Response !== 'undefined' && source instanceof Response) {
    if (!source.ok) throw new ToadstoneError(-6, `no WebAssembly at ${source.url}: ${source.status}`);
    const typed = source.headers.get('content-type')?.startsWith('application/wasm');
    source = typed ? await WebAssembly.compileStreaming(source) : await source.arrayBuffer();
  }
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  const instance = await WebAssembly.instantiate(module, imports(module, () => instance.exports.memory));
  return face(port(instance));
}

export { load, loadSync };
