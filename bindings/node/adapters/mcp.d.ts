import type { ScreenOptions } from './seen.js';

/** On the transport of a client: what servers answer. */
export declare function screenClient<T extends object>(transport: T, options?: ScreenOptions): T;
/** On the transport of a server: what it answers. */
export declare function screenServer<T extends object>(transport: T, options?: ScreenOptions): T;
