/** Text: a string, read as UTF-8, or its bytes. All offsets are bytes. */
export type Text = string | Uint8Array;
export type Action = 'allow' | 'warn' | 'redact' | 'ask' | 'block';
export type Severity = 'none' | 'low' | 'medium' | 'high';
export type Scope = 'relaxed' | 'strict';
export type Kind = 'any' | 'web' | 'tool_result' | 'tool_description' | 'memory' | 'instruction_file' | 'email' | 'code' | 'search';
export type Completeness = 'full' | 'size_limit' | 'decode_limit' | 'depth_limit' | 'match_limit' | 'time_limit';
export type Envelope = 'openclaw' | 'ptc' | 'external_content' | 'untrusted_tool_result' | 'memories' | 'spotlight';
export type Provenance = 'user' | 'agent' | 'external';

export interface Finding {
  rule: string;
  severity: Severity;
  /** Bytes of the original text, half-open. */
  start: number;
  end: number;
  /** What was gone through to read it, outermost first. */
  path: string[];
  excerpt: string;
  decoded?: string;
  why: string;
}

export interface Verdict {
  action: 'allow' | 'warn' | 'block';
  severity: Severity;
  confidence: 'low' | 'medium' | 'high';
  /** Not full and without finding is not clean. */
  completeness: Completeness;
  score: number;
  bytes: number;
  catalogue: string;
  findings: Finding[];
  findings_total: number;
}

export interface ScanOptions {
  kind?: Kind;
  scope?: Scope;
  maxBytes?: number;
}

export interface WrapOptions {
  envelope?: Envelope;
  source?: string;
  sender?: string;
  subject?: string;
  task?: string;
  notice?: 'default' | 'none' | 'short' | 'long' | 'search';
  noticeText?: string;
  /** Of the marker: random if undefined, none if false. */
  id?: string | false;
  preamble?: boolean;
  keepRaw?: boolean;
  quoteLines?: boolean;
  spotlight?: 'delimit' | 'datamark' | 'base64';
  maxBytes?: number;
}

export interface GuardOptions extends ScanOptions {
  /** What is done by severity, where it is not the built-in policy of the kind. */
  policy?: { none?: Action; low?: Action; medium?: Action; high?: Action; incomplete?: Action };
  wrap?: WrapOptions;
  /** No envelope: what passes passes byte for byte. */
  bare?: boolean;
}

export interface Guarded {
  /** What the model may see. */
  text: string;
  action: Action;
  verdict: Verdict;
}

export interface Rule {
  id: string;
  title: string;
  family: string;
  why: string;
  severity: Severity;
  patterns: string[];
  hiddenSeverity?: Severity;
  scope?: Scope;
  skeleton?: boolean;
  gate?: string;
  verify?: string;
  lang?: string;
  mapping?: string;
}

export interface Stream {
  /** A string must be whole characters; bytes may be cut anywhere. */
  write(chunk: Text): void;
  close(): Verdict;
}

export interface EngineOptions {
  /** Over the built-in catalogue; one of the same id stands in for the built-in rule. */
  rules?: Rule[];
  model?: boolean;
}

/** The rules. It never changes; it belongs to the thread that made it. */
export declare class Engine {
  constructor(options?: EngineOptions);
  scan(text: Text, options?: ScanOptions): Verdict;
  /** The verdict as one line, the same bytes in every language. */
  scanJson(text: Text, options?: ScanOptions): string;
  guard(text: Text, options?: GuardOptions): Guarded;
  stream(options?: ScanOptions): Stream;
}

/** The library could not do its work: nothing was decided, and the text must not pass. */
export declare class ToadstoneError extends Error {
  readonly status: number;
}

export interface Sanitized {
  text: string;
  removed: { name: string; count: number; start: number; end: number; reported: boolean }[];
}

export interface Unwrapped {
  content: string;
  source: string;
  id: string;
  envelope: Envelope;
  /** True only where an id was asked for and the envelope bears it. */
  genuine: boolean;
}

export interface Extracted {
  visible: string;
  rendered: string;
  title: string;
  hidden: { text: string; reason: string; start: number; end: number }[];
  links: { url: string; start: number; end: number; autoFetch: boolean }[];
  complete: boolean;
}

export interface MemoryEntry {
  text: string;
  provenance: Provenance;
  source: string;
  date: string;
}

export declare const backend: 'native' | 'wasm';
export declare const version: string;
export declare const catalogueVersion: string;
export declare function scan(text: Text, options?: ScanOptions): Verdict;
export declare function scanJson(text: Text, options?: ScanOptions): string;
/** Scan, decide, and make what the model may see: the text in an envelope, without what was found, or a notice in its place. */
export declare function guard(text: Text, options?: GuardOptions): Guarded;
export declare function stream(options?: ScanOptions): Stream;
export declare function sanitize(text: Text): Sanitized;
export declare function isClean(text: Text): boolean;
export declare function wrap(text: Text, options?: WrapOptions): string;
export declare function neutralize(text: Text, options?: { sanitize?: boolean }): string;
export declare function unwrap(text: Text, id?: string): Unwrapped;
export declare function extract(
  text: Text,
  options?: { format?: 'auto' | 'html' | 'markdown'; render?: 'none' | 'text' | 'markdown' },
): Extracted;
export declare function memoryLine(text: Text, options?: { provenance?: Provenance; date?: string }): string;
export declare function memoryParse(line: Text): MemoryEntry;
export declare function memoryPromptLine(text: Text, options?: { provenance?: Provenance }): string;
export declare function memoryRefusal(rule: string): string;
export declare function memoryPlaceholder(rules: string[], entry: string): string;
export declare function prompt(name: string): string;
